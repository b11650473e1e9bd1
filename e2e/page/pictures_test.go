//go:build linux

package page

import (
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var pictures = flag.String("screenshots", "", "the folder in which the pictures of README and docs are made anew")

// TestPictures makes the pictures of README and docs: go test ./e2e/page -run
// TestPictures -screenshots docs/pictures.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-screenshots names no folder")
	}
	folder, err := filepath.Abs(filepath.Join("..", "..", *pictures))
	check(t, err)
	check(t, os.MkdirAll(folder, 0o755))
	w := newStory(t)
	for _, one := range []struct {
		file, route, scheme string
		wide, high          int64
	}{
		{"now-light", "now", "light", width, height},
		{"session", "sessions/claude-0000?agent=claude", "light", width, height},
		{"guards-dark", "guards?cwd=PROJECT", "dark", width, height},
		{"approvals-phone", "approvals", "dark", 390, 780},
	} {
		t.Run(one.file, func(t *testing.T) {
			p := newTab(t)
			p.looks(one.wide, one.high, one.scheme)
			p.goes(w.link())
			p.until("the page is open", `document.documentElement.dataset.state == "ready"`)
			p.view(strings.ReplaceAll(one.route, "PROJECT", url.QueryEscape(w.project)))
			p.until("what can be pressed may be", `!document.querySelector(".answer-what :disabled")`)
			p.moved() // two frames later it is drawn
			shot, err := chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: new(int64(82))})
			check(t, err)
			check(t, os.WriteFile(filepath.Join(folder, one.file+".webp"), shot.Data, 0o644))
			t.Logf("%s has %d kB", one.file, len(shot.Data)>>10)
		})
	}
}
