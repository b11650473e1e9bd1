package replay_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

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

// TestThePageKeepsWhatStandsThere: a link stays one, and what is not a file is written to.
func TestThePageKeepsWhatStandsThere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take rights there")
	}
	m := newMachine(t)
	r := m.preview(replay.Plan{})
	path := filepath.Join(m.home, "page.html")
	m.put("kept/page.html", "before")
	if err := os.Symlink(filepath.Join("kept", "page.html"), path); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteHTML(path); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(path); err != nil {
		t.Errorf("the link is no more: %q, %v", target, err)
	}
	if text, err := os.ReadFile(filepath.Join(m.home, "kept", "page.html")); err != nil || !strings.HasPrefix(string(text), "<!doctype") {
		t.Errorf("the file behind the link has %.20q, %v", text, err)
	}
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	pipe := filepath.Join(m.home, "pipe.html")
	if err := os.Symlink(fmt.Sprintf("/dev/fd/%d", out.Fd()), pipe); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- errors.Join(r.WriteHTML(pipe), out.Close()) }()
	text, err := io.ReadAll(in)
	if err := errors.Join(err, <-written); err != nil || !strings.HasPrefix(string(text), "<!doctype") {
		t.Errorf("a pipe got %.20q, %v", text, err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("what led to the pipe is %v now, %v", info.Mode(), err)
	}
}

// TestTheDaysOfThePage: all of them are there, however many, and a clock that was wrong puts
// none of them off.
func TestTheDaysOfThePage(t *testing.T) {
	m := newMachine(t)
	for n, day := range []string{"2025-01-01", "2026-03-01", "2044-01-01"} {
		id := fmt.Sprint("s", n)
		m.put(".claude/projects/x/"+id+".jsonl", strings.ReplaceAll(lines(id, "$ git push --force origin main", "> "), "2026-03-01", day))
	}
	page, err := m.preview(replay.Plan{Now: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Stopped calls of each 5 days in mode enforce, at most 1:", "5 days from 2025-01-01: 1 call,", "5 days in each column", "5 days from 2026-02-25: 1 call,"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if n := strings.Count(string(page), "<g>"); n > 92 || strings.Contains(string(page), "from 2044") {
		t.Errorf("the chart has %d columns", n)
	}
}
