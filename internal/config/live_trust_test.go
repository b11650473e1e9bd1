//go:build unix

package config

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/trust"
)

// trustedFromBelow runs a Live in a folder of a workspace that is trusted.
func trustedFromBelow(t *testing.T) (*running, Options) {
	t.Helper()
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), blockRM)
	w.must(os.Mkdir(w.work("sub"), 0o755))
	w.trust()
	r := &running{world: w, engine: new(hook.Engine), reports: make(chan *Set, 100)}
	opts := w.options()
	opts.Dir = w.work("sub")
	r.live = must(Open(context.Background(), opts, r.engine))
	t.Cleanup(func() { w.must(r.live.Close()) })
	return r.watch(), opts
}

func TestEditingTrustedFilesIsNoWayToBeRidOfAGuard(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"other content": func(w *world) { w.write(w.work("hookway.yaml"), "hooks: [{id: new, on: PreToolUse, allow: true}]\n") },
		"a mistake":     func(w *world) { w.write(w.work("hookway.yaml"), "hooks: [") },
		"removed":       func(w *world) { w.must(os.Remove(w.work("hookway.yaml"))) },
		"emptied":       func(w *world) { w.write(w.work("hookway.yaml"), "") },
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := trustedFromBelow(t)
			w := r.world
			change(w)
			s := r.until("the change", func(s *Set) bool { return s.Trust.State == trust.Changed })
			w.want(s, "no-rm active")
			if out := bash(t, r.engine, w.ws, "rm -r x"); out.By != "no-rm" {
				t.Errorf(`got %+v, want out.By == "no-rm"`, out)
			}
			if len(s.Trust.Changes) == 0 || s.Workspace != w.ws || !strings.Contains(s.Warnings.String(), "hookway untrust") {
				t.Errorf("%+v\n%s", s.Trust, s.Warnings)
			}
			w.want(r.reload(), "no-rm active") // and it stays so
			if _, was, err := Untrust(w.options()); err != nil || !was {
				t.Fatalf("got %v, %v, want err == nil and was", was, err)
			}
			r.until("the trust taken back", func(s *Set) bool { return len(s.active()) == 0 })
			if r.engine.Len() != 0 {
				t.Errorf("got %v, want r.engine.Len() == 0", r.engineIDs())
			}
		})
	}
}

func TestAWorkspaceNearerByCountsInARunningEngineOnceItIsTrusted(t *testing.T) {
	r, opts := trustedFromBelow(t)
	w := r.world
	w.write(w.work("sub/hookway.yaml"), "hooks: [{id: nearer, on: PreToolUse, allow: true}]\n")
	s := r.until("the nearer one", func(s *Set) bool { return strings.Contains(s.Warnings.String(), "never trusted") })
	w.want(s, "no-rm active")
	if out := bash(t, r.engine, w.ws, "rm -r x"); out.By != "no-rm" {
		t.Errorf(`got %+v, want out.By == "no-rm"`, out)
	}
	must(Trust(opts))
	w.want(r.until("the trust", func(s *Set) bool { return s.Workspace == w.work("sub") }), "nearer active")
}

func TestTrustingAChangePutsItIntoTheEngine(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), blockRM)
	r := w.open().watch()
	w.want(r.live.Set(), "no-rm untrusted")
	w.trust()
	r.until("trust", func(s *Set) bool { return s.Trust.State == trust.Given })
	if bash(t, r.engine, w.ws, "rm x").Action != hook.ActionBlock {
		t.Error("the hook does not run")
	}
	w.write(w.work("hookway.yaml"), strings.ReplaceAll(blockRM, "no-rm", "new"))
	r.until("the change", func(s *Set) bool { return s.Trust.State == trust.Changed })
	w.trust()
	w.want(r.until("trust again", func(s *Set) bool { return s.Trust.State == trust.Given }), "new active")
	if r.engineIDs() != "new" {
		t.Errorf(`got %v, want "new"`, r.engineIDs())
	}
}

// TestLosingTheRecordOfTrustIsNoWayToBeRidOfAGuard: an agent that removes or
// damages trust.json has not the user's word for it.
func TestLosingTheRecordOfTrustIsNoWayToBeRidOfAGuard(t *testing.T) {
	for name, lose := range map[string]func(w *world){
		"removed":              func(w *world) { w.must(os.Remove(w.store())) },
		"damaged":              func(w *world) { w.write(w.store(), "{") },
		"with its folder":      func(w *world) { w.must(os.RemoveAll(w.home + "/state")) },
		"with the workspace's": func(w *world) { w.must(os.Remove(w.store())); w.must(os.Remove(w.work("hookway.yaml"))) },
		"with hooks nearer by": func(w *world) {
			w.must(os.Remove(w.store()))
			w.write(w.work("sub/hookway.yaml"), "hooks: [{id: new, on: PreToolUse, allow: true}]\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.work("hookway.yaml"), blockRM)
			w.must(os.Mkdir(w.work("sub"), 0o755))
			w.trust()
			r := &running{world: w, engine: new(hook.Engine)}
			opts := w.options()
			opts.Dir = w.work("sub")
			r.live = must(Open(context.Background(), opts, r.engine))
			t.Cleanup(func() { w.must(r.live.Close()) })
			lose(w)
			for range 2 { // and it stays so
				s := r.reload()
				w.want(s, "no-rm active")
				if s.Trust.State != trust.Changed || s.Trust.Lost == "" || s.Workspace != w.ws {
					t.Errorf("%+v of %s", s.Trust, s.Workspace)
				}
				if out := bash(t, r.engine, w.ws, "rm -r x"); out.By != "no-rm" {
					t.Errorf(`got %+v, want out.By == "no-rm"`, out)
				}
			}
			w.must(os.RemoveAll(w.store()))
			w.write(w.work("hookway.yaml"), blockRM)
			w.must(os.RemoveAll(w.work("sub/hookway.yaml")))
			w.trust()
			if s := r.reload(); s.Trust.State != trust.Given || s.Trust.Lost != "" {
				t.Errorf("trusted again: %+v", s.Trust)
			}
			if _, was, err := Untrust(w.options()); err != nil || !was {
				t.Fatalf("got %v, %v, want err == nil and was", was, err)
			}
			if s := r.reload(); len(s.active()) != 0 || r.engine.Len() != 0 {
				t.Errorf("without trust: %s", states(s))
			}
		})
	}
}

// store is where it is kept what the user trusts.
func (w *world) store() string { return w.home + "/state/trust.json" }
