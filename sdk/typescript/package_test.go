package typescript_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestThePackagesSayTheSame: the SDKs are released together, and are one thing in
// two languages.
func TestThePackagesSayTheSame(t *testing.T) {
	var npm struct {
		Description, Version, License, Homepage, Bugs string
		Keywords                                      []string
		Repository                                    struct{ Type, URL, Directory string }
	}
	if err := json.Unmarshal([]byte(textOf(t, "package.json")), &npm); err != nil {
		t.Fatal(err)
	}
	project := textOf(t, "../python/pyproject.toml")
	for name, want := range map[string]string{
		"description": npm.Description, "license": npm.License, "Issues": npm.Bugs,
		"Homepage":      strings.TrimSuffix(strings.TrimPrefix(npm.Repository.URL, "git+"), ".git"),
		"Documentation": strings.Replace(npm.Homepage, "sdk-typescript", "sdk-python", 1),
		"Source":        strings.TrimSuffix(npm.Bugs, "issues") + "tree/main/sdk/python",
	} {
		if !strings.Contains(project, "\n"+name+" = \""+want+"\"\n") {
			t.Errorf("pyproject.toml has no %s = %q, as package.json says", name, want)
		}
	}
	if want := "\nkeywords = [\"" + strings.Join(npm.Keywords, `", "`) + "\"]\n"; !strings.Contains(project, want) {
		t.Errorf("pyproject.toml has no %s", want)
	}
	module := regexp.MustCompile(`(?m)^module (\S+)$`).FindStringSubmatch(textOf(t, "../../go.mod"))[1]
	if npm.Repository.URL != "git+https://"+module+".git" || npm.Repository.Directory != "sdk/typescript" {
		t.Errorf("package.json: the repository is %+v", npm.Repository)
	}
	if !strings.Contains(textOf(t, "../python/hookway/__init__.py"), "\n__version__ = \""+npm.Version+"\"\n") {
		t.Errorf("the SDK for Python has another version than %s, that of package.json", npm.Version)
	}
}

func textOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
