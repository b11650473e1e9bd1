package replay_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/replay"
)

// TestThePage is one file that needs nothing from elsewhere, in which every text is text.
func TestThePage(t *testing.T) {
	m := newMachine(t)
	m.claude("s", "$ rm -rf /srv/data '</code><script>alert(1)</script>'", "> ", "$ git push --force origin main", "> ", "$ ls", "> ")
	later := strings.ReplaceAll(lines("t", "$ git reset --hard", "> "), "2026-03-01", "2026-03-09")
	m.put(".claude/projects/x/t.jsonl", strings.ReplaceAll(later, "/home/user/project", "/home/user/<b>"))
	path := filepath.Join(m.home, "page.html")
	m.put("page.html", "what was there before")
	if err := m.preview(replay.Plan{}).WriteHTML(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{"files/delete-outside", "git/force-push-protected", "&lt;script&gt;", "By day", "By rule", "By project", "2026-03-01 to 2026-03-09", "<svg"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	if found := regexp.MustCompile(`(?i)<script|<b>|https?://|src=|href=|url\(|@import|\son\w+=|ZgotmplZ|<nil>`).FindString(page); found != "" {
		t.Errorf("the page has %q:\n%s", found, page)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the page is %v, %v", info.Mode(), err)
	}
	balanced(t, page)
	_, style, _ := strings.Cut(page, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; len(policy) < 2 || !strings.Contains(html.UnescapeString(policy[1]), want) || strings.Contains(page, "style=") {
		t.Errorf("the policy is %q, want %s", policy, want)
	}
	if err := m.preview(replay.Plan{}).WriteHTML(filepath.Join(m.home, "no", "page.html")); err == nil || !strings.Contains(err.Error(), "the page cannot be written") {
		t.Errorf("in a folder that is not there: %v", err)
	}
}

// balanced reads the drawings of a page as XML.
func balanced(t *testing.T, page string) {
	t.Helper()
	drawings := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1)
	if rows := strings.Count(page, "<tr>"); rows < 2 || len(drawings) != rows+3 {
		t.Errorf("%d drawings, want one of days, two keys, and a bar in each of %d rows", len(drawings), rows)
	}
	for _, drawing := range drawings {
		d := xml.NewDecoder(strings.NewReader(drawing))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in %s", err, drawing)
			}
		}
	}
}

// TestAnEmptyPage says that there is nothing.
func TestAnEmptyPage(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.home, "page.html")
	if err := m.preview(replay.Plan{}).WriteHTML(path); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "0 tool calls in 0 sessions") || strings.Contains(string(text), "By day") {
		t.Errorf("%v\n%s", err, text)
	}
}
