//go:build unix

package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// trustedOnly reads the configuration as the daemon does.
func (w *world) trustedOnly() *Set {
	w.t.Helper()
	opts := w.options()
	opts.TrustedOnly = true
	set, err := Load(context.Background(), opts)
	w.must(err)
	w.t.Cleanup(func() { _ = set.Close() })
	return set
}

func TestNothingOfAnUntrustedWorkspaceIsParsed(t *testing.T) {
	w := trustedWorld(t)
	w.write(w.user("hookway.yaml"), blockRM)
	before := disk.Count()
	user := w.trustedOnly // the user's own file is all that is read
	set := user()
	w.want(set, "no-rm active")
	if set.Trust.State != trust.Missing || !set.Unread {
		t.Errorf("%+v, unread %t, %s%s", set.Trust, set.Unread, set.Problems, set.Warnings)
	} else if set.Trust.Workspace != w.ws || len(set.Problems)+len(set.Warnings) > 0 {
		t.Errorf("%+v, unread %t, %s%s", set.Trust, set.Unread, set.Problems, set.Warnings)
	}
	if n := disk.Count() - before; n != int64(len(blockRM)) {
		t.Errorf("%d bytes were read", n)
	}
	w.trust()
	if set = w.trustedOnly(); set.Trust.State != trust.Given || set.Unread {
		t.Errorf("trusted: %+v, unread %t", set.Trust, set.Unread)
	}
	w.want(set, "no-rm active, a active, b active, x.sh active, y.py active")
}

func TestAWorkspaceWithAnEmptyFolderOfHooksHasNone(t *testing.T) {
	w := newWorld(t)
	w.must(os.MkdirAll(w.work(".hookway/hooks"), 0o755))
	if set := w.trustedOnly(); set.Trust.State != trust.None || set.Unread {
		t.Errorf("%+v, unread %t", set.Trust, set.Unread)
	}
}

func TestAChangedWorkspaceIsHashedBeforeItIsParsed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world)
		want   string // a change that is told
	}{
		"its file":         {func(w *world) { w.write(w.work("hookway.yaml"), blockRM) }, "{hookway.yaml changed}"},
		"a program":        {func(w *world) { w.write(w.work("tools/guard.sh"), "#!/bin/sh\n") }, "{tools/guard.sh changed}"},
		"a new hook":       {func(w *world) { w.write(w.work(".hookway/hooks/z"), "#!/bin/sh\n") }, "{.hookway/hooks/z added}"},
		"a new script":     {func(w *world) { w.write(w.work("hookway.config.ts"), "export default 1") }, "{hookway.config.ts added}"},
		"a file is gone":   {func(w *world) { w.must(os.Remove(w.work(".acai/hooks/y.py"))) }, "{.acai/hooks/y.py removed}"},
		"a folder is gone": {func(w *world) { w.must(os.RemoveAll(w.work(".acai"))) }, "{.acai/hooks/y.py removed}"},
		"a folder is a link out": {func(w *world) {
			w.must(os.Rename(w.work(".acai/hooks"), filepath.Join(w.home, "hooks")))
			w.must(os.Symlink(filepath.Join(w.home, "hooks"), w.work(".acai/hooks")))
		}, "{.acai/hooks added}"},
	} {
		t.Run(name, func(t *testing.T) {
			w := trustedWorld(t)
			w.trust()
			c.change(w)
			set := w.trustedOnly()
			var told []string
			for _, c := range set.Trust.Changes {
				told = append(told, "{"+c.Path+" "+c.Kind+"}")
			}
			if set.Trust.State != trust.Changed || !set.Unread {
				t.Errorf("%s, unread %t, %d hooks, %s", set.Trust.State, set.Unread, len(set.Hooks), told)
			} else if len(set.Hooks) > 0 || !strings.Contains(strings.Join(told, " "), c.want) {
				t.Errorf("%s, unread %t, %d hooks, %s", set.Trust.State, set.Unread, len(set.Hooks), told)
			}
		})
	}
}

// The hooks of a running engine stay as they were, and a change back is noticed.
func TestAChangeOfATrustedWorkspaceFreezesIt(t *testing.T) {
	w := trustedWorld(t)
	w.trust()
	opts := w.options()
	opts.TrustedOnly = true
	e := new(hook.Engine)
	live, err := Open(context.Background(), opts, e)
	w.must(err)
	defer live.Close()
	text := w.read("hookway.yaml")
	w.write(w.work("hookway.yaml"), "hooks: []\n")
	set, err := live.Refresh(context.Background())
	w.must(err)
	w.want(set, "a active, b active, x.sh active, y.py active")
	if set.Trust.State != trust.Changed {
		t.Errorf("got %+v, want set.Trust.State == trust.Changed", set.Trust)
	}
	w.write(w.work("hookway.yaml"), text)
	set, err = live.Refresh(context.Background())
	w.must(err)
	if set.Trust.State != trust.Given {
		t.Errorf("as it was: %+v", set.Trust)
	}
}

func TestABrokenFileAloneDoesNotDisableTheFolders(t *testing.T) {
	w := trustedWorld(t)
	w.trust()
	w.write(w.work("hookway.yaml"), "hooks: [{id: a\n")
	set := w.trustedOnly()
	w.want(set, "x.sh active, y.py active")
	if len(set.Problems) != 1 {
		t.Errorf("got %v, want len(set.Problems) == 1", set.Problems)
	}
	w.write(w.work("tools/b.py"), "x")
	w.want(w.trustedOnly(), "")
}
