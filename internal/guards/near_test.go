package guards

import (
	"os"
	"testing"

	"github.com/hookway/hookway/facts"
)

// TestFar: what may be on another machine is not looked at, whatever names it.
func TestFar(t *testing.T) {
	for path, want := range map[string]bool{"//server/share/x": true, "/net/host/x": true, "/afs/x": true, "/misc/x": true, "/home/me/net/x": false, "/network": false, "/": false} {
		if got := Far(path); got != want {
			t.Errorf("Far(%q) is %v", path, got)
		}
	}
	w := NearWorld(t.TempDir(), []string{"HOME=/home/me", "CLAUDE_PROJECT_DIR=/elsewhere"})
	if w.Project == "/elsewhere" || w.Env["CLAUDE_PROJECT_DIR"] != "" {
		t.Errorf("the project is %q", w.Project)
	}
	if _, err := w.ReadFile("/net/host/etc/passwd", 10); !os.IsNotExist(err) {
		t.Errorf("a file of another machine: %v", err)
	}
	if _, err := w.Lstat("//server/share"); !os.IsNotExist(err) {
		t.Errorf("a share: %v", err)
	}
	if w := NearWorld("/net/host/project", nil); w.Dir != "/net/host/project" || w.Project != w.Dir || w.Worktrees != nil {
		t.Errorf("a call on another machine: %+v", w)
	}
	if found := facts.Shell("sh /net/host/x.sh; cat /net/host/*", w); len(found) == 0 {
		t.Error("what is far has no facts")
	}
}
