package hookway_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The table of docs/seeds.md names a test for each statement of the five documents,
// and each test that it names is there.
func TestEveryStatementHasATest(t *testing.T) {
	text, err := os.ReadFile("docs/seeds.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			known[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(text), -1) {
		if !known[m[1]] {
			t.Errorf("docs/seeds.md names %s, which is not there", m[1])
		}
	}
	for _, row := range regexp.MustCompile(`(?m)^\| \d+ \| .*$`).FindAllString(string(text), -1) {
		if !strings.Contains(row, "`Test") && !strings.Contains(row, "decides: \"") {
			t.Errorf("nothing holds %s", row)
		}
	}
}
