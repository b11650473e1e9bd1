package hookway_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	code    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are the places of a page that a link can lead to.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		all[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}

func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, page := range append(pages, "README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range linked.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			links++
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			target, err := os.ReadFile(to)
			if info, stat := os.Stat(to); err != nil && (stat != nil || !info.IsDir()) {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if anchor != "" && !anchors(string(target))[anchor] {
				t.Errorf("%s links to %s, a heading that is not there", page, m[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("got %d links, want all of the docs", links)
	}
}

// A reader has a few minutes.
func TestTheREADMEIsShort(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(string(text))); words > 900 {
		t.Errorf("got %d words, want 900 at most: the rest belongs into docs/", words)
	}
}
