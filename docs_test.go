package hookway_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
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
	links := 0
	for page, text := range pages(t) {
		for _, m := range linked.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
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

// prose calls fn for each line of a page that is neither code, nor a row of a table.
func prose(text string, fn func(number int, line string)) {
	fence := ""
	for i, line := range strings.Split(text, "\n") {
		start := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(start, fence) {
				fence = ""
			}
		case strings.HasPrefix(start, "```"), strings.HasPrefix(start, "~~~"):
			fence = start[:3]
		case !strings.HasPrefix(start, "|"):
			fn(i+1, line)
		}
	}
}

// pages are all pages of the documentation, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range append(names, "README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

func TestLinesOfTheDocsAreShort(t *testing.T) {
	for name, text := range pages(t) {
		prose(text, func(number int, line string) {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("%s:%d: got %d characters, want 100 at most (tables and code aside)", name, number, n)
			}
		})
	}
}

var (
	listItem    = regexp.MustCompile(`^\s*([-*]|\d+\.)\s`)
	inlineCode  = regexp.MustCompile("`[^`]*`")
	linkTarget  = regexp.MustCompile(`\]\([^)]*\)`)
	codeList    = regexp.MustCompile(`code(( \([^)]*\))?(,| and| or|, and|, or)\s+code)+`)
	sentenceEnd = regexp.MustCompile(`[.!?]["')*]*\s+`)
)

// sentences are the sentences of a page's prose, without tables. A piece of code is
// one word, and so is a list of them.
func sentences(text string) []string {
	var all []string
	paragraph := ""
	end := func() {
		plain := codeList.ReplaceAllString(linkTarget.ReplaceAllString(inlineCode.ReplaceAllString(paragraph, "code"), ""), "code")
		all = append(all, sentenceEnd.Split(plain, -1)...)
		paragraph = ""
	}
	last := 0
	prose(text, func(number int, line string) {
		if number != last+1 || strings.TrimSpace(line) == "" || listItem.MatchString(line) || strings.HasPrefix(line, "#") {
			end()
		}
		paragraph += " " + line
		last = number
	})
	end()
	return all
}

func TestSentencesOfTheDocsAreShort(t *testing.T) {
	for name, text := range pages(t) {
		for _, sentence := range sentences(text) {
			if words := len(strings.Fields(sentence)); words > 35 {
				t.Errorf("%s: got %d words, want 35 at most: %s", name, words, strings.Join(strings.Fields(sentence), " "))
			}
		}
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
