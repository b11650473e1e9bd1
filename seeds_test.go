package hookway_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The table of docs/seeds.md names a test for each statement of the five documents,
// or says that none holds it; each test that it names is there, and its count is right.
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
	var rows, otherwise, not int
	for _, row := range regexp.MustCompile(`(?m)^\| \d+ \| .*$`).FindAllString(string(text), -1) {
		rows++
		switch {
		case strings.Contains(row, "| not held"):
			not++
		case strings.Contains(row, `| decides: "`):
			otherwise++
		case !strings.Contains(row, "`Test"):
			t.Errorf("nothing holds %s", row)
		}
	}
	count := fmt.Sprintf("Of %d statements, %d are held by tests, %d are decided otherwise by the design, %d are not held.", rows, rows-otherwise-not, otherwise, not)
	if !strings.Contains(string(text), "\n"+count+"\n") {
		t.Errorf("docs/seeds.md does not end with its count: %s", count)
	}
}
