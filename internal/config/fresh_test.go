package config

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// fresh opens the world's configuration without watching it.
func (w *world) fresh() (*Live, *hook.Engine) {
	w.t.Helper()
	engine := new(hook.Engine)
	live, err := Open(context.Background(), w.options(), engine)
	w.must(err)
	w.t.Cleanup(func() { w.must(live.Close()) })
	return live, engine
}

const blocking = "hooks:\n- {id: a, on: PreToolUse, block: first}\n"

func TestRefreshSeesWhatWasWrittenBeforeTheCall(t *testing.T) {
	w := newWorld(t)
	live, engine := w.fresh()
	for i, text := range []string{blocking, "hooks:\n- {id: b, on: PreToolUse, block: other}\n", "hooks:\n- {id: c, on: PreToolUse, block: third}\n"} {
		w.write(w.user("hookway.yaml"), text)
		if _, err := live.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if all := engine.All(); len(all) != 1 || all[0].ID != string("abc"[i]) {
			t.Errorf("after change %d the engine has %v", i, all)
		}
	}
	w.must(os.Remove(w.user("hookway.yaml")))
	if _, err := live.Refresh(t.Context()); err != nil || engine.Len() != 0 {
		t.Errorf("after the removal it has %d hooks, %v", engine.Len(), err)
	}
}

func TestRefreshReadsNothingAnewWhileNothingChanges(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), blocking)
	past := time.Now().Add(-time.Hour)
	w.must(os.Chtimes(w.user("hookway.yaml"), past, past))
	live, _ := w.fresh()
	set := live.Set()
	for end := time.Now().Add(patient); time.Now().Before(end); { // once the change is not fresh any more, all calls give the same set
		next, err := live.Refresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if next == set && live.seen.Load() != nil {
			return
		}
		set = next
	}
	t.Error("it is read anew for ever")
}

func TestRefreshKeepsTheLastGoodHooks(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), blocking)
	live, engine := w.fresh()
	w.write(w.user("hookway.yaml"), "hooks: [")
	set, err := live.Refresh(t.Context())
	if err != nil || len(set.Problems) == 0 || engine.Len() != 1 {
		t.Errorf("%d hooks, problems %v, %v", engine.Len(), set.Problems, err)
	}
}

func TestLocateFindsTheWorkspaceThatLoadReads(t *testing.T) {
	w := newWorld(t)
	opts := w.options()
	opts.Dir = w.work("deep/er")
	w.must(os.MkdirAll(opts.Dir, 0o755))
	at, err := Locate(opts)
	if err != nil || at.Workspace != "" {
		t.Fatalf("got %+v, %v", at, err)
	}
	for _, dir := range []string{w.ws, w.work("deep")} {
		w.write(filepath.Join(dir, "hookway.yaml"), blocking)
		if at.Fresh(nil) {
			t.Errorf("the hooks in %s are not seen", dir)
		}
		if at, err = Locate(opts); err != nil || at.Workspace != dir {
			t.Fatalf("got %+v, %v; want %q", at, err, dir)
		}
	}
	if _, err := Trust(Options{Dir: w.ws, Getenv: opts.Getenv}); err != nil {
		t.Fatal(err)
	}
	if at.Fresh(nil) {
		t.Error("that another workspace is trusted now is not seen")
	}
	if at, err = Locate(opts); err != nil || at.Workspace != w.ws {
		t.Errorf("got %+v, %v; want the trusted %q", at, err, w.ws)
	}
	for end := time.Now().Add(patient); !at.Fresh(nil); { // until the changes are not fresh any more
		if time.Now().After(end) {
			t.Fatal("it is never fresh")
		}
		if at, err = Locate(opts); err != nil {
			t.Fatal(err)
		}
	}
	w.must(os.Mkdir(w.work("deep/er/.hookway"), 0o755))
	w.must(os.Mkdir(w.work("deep/er/.hookway/hooks"), 0o755))
	if at.Fresh(nil) {
		t.Error("a folder of hooks is not seen")
	}
}

func TestWhatWasWrittenBetweenTwoCallsIsSeenByTheNext(t *testing.T) {
	w := newWorld(t)
	file := w.user("hookway.yaml")
	w.write(file, blocking)
	var first, second Glances
	before, _ := first.at(file)
	w.write(file, blocking+"# more\n")
	if is, there := first.at(file); !there || is != before {
		t.Error("one call looked at a file twice")
	}
	if is, there := second.at(file); !there || is == before {
		t.Error("the next call did not see what was written before it")
	}
	if is, there := (*Glances)(nil).at(file); !there || is == before {
		t.Error("what was written just now is not seen")
	}
	for path, want := range map[string]bool{filepath.Dir(file): true, file: false, file + "x": false, ".": false} {
		if got := second.Folder(path); got != want {
			t.Errorf("Folder(%q) is %v, want %v", path, got, want)
		}
	}
}
