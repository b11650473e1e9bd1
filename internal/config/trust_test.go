//go:build unix

package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// trustedWorld has a workspace with a bit of everything that is pinned.
func trustedWorld(t *testing.T) *world {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, lane: guard, command: [./tools/guard.sh]}, {id: b, on: PreToolUse, command: python3 tools/b.py}]\n")
	w.write(w.work("tools/guard.sh"), guard("no"))
	w.write(w.work("tools/b.py"), "")
	w.write(w.work("tools/unrelated.sh"), "")
	w.write(w.work(".hookway/hooks/x.sh"), describing(`{"event":"PreToolUse"}`, "no"))
	w.write(w.work(".hookway/hooks/lib/common.sh"), "")
	w.write(w.work(".acai/hooks/y.py"), "#!/bin/sh\necho '{\"events\":[\"agent-start\"]}'\n")
	return w
}

func TestTrustPinsEverythingThatCanRunOrConfigure(t *testing.T) {
	w := trustedWorld(t)
	status := w.trust()
	want := ".acai/hooks/y.py .hookway/hooks/lib/common.sh .hookway/hooks/x.sh hookway.yaml tools/b.py tools/guard.sh"
	if got := strings.Join(status.Files, " "); got != want || status.State != trust.Given {
		t.Errorf("pinned %s (%s), want %s", got, status.State, want)
	}
	set := w.load()
	w.want(set, "a active, b active, x.sh active, y.py active")
	if set.Trust.State != trust.Given || set.Trust.Hash != status.Hash {
		t.Errorf("got %+v, want set.Trust.State == trust.Given and set.Trust.Hash == status.Hash", set.Trust)
	}
}

func TestAChangedFileMustBeTrustedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world)
		want   []trust.Change
	}{
		"configuration": {func(w *world) { w.write(w.work("hookway.yaml"), blockRM) },
			[]trust.Change{{Path: "hookway.yaml", Kind: "changed"}, {Path: "tools/b.py", Kind: "removed"}, {Path: "tools/guard.sh", Kind: "removed"}}},
		"hook of a folder":  {func(w *world) { w.write(w.work(".acai/hooks/y.py"), "#!/bin/sh\n") }, []trust.Change{{Path: ".acai/hooks/y.py", Kind: "changed"}}},
		"new hook":          {func(w *world) { w.write(w.work(".hookway/hooks/z"), "#!/bin/sh\n") }, []trust.Change{{Path: ".hookway/hooks/z", Kind: "added"}}},
		"library of a hook": {func(w *world) { w.write(w.work(".hookway/hooks/lib/common.sh"), "evil") }, []trust.Change{{Path: ".hookway/hooks/lib/common.sh", Kind: "changed"}}},
		"program":           {func(w *world) { w.write(w.work("tools/guard.sh"), "#!/bin/sh\n") }, []trust.Change{{Path: "tools/guard.sh", Kind: "changed"}}},
		"removed program":   {func(w *world) { w.must(os.Remove(w.work("tools/guard.sh"))) }, []trust.Change{{Path: "tools/guard.sh", Kind: "removed"}}},
		"script in a line":  {func(w *world) { w.write(w.work("tools/b.py"), "evil") }, []trust.Change{{Path: "tools/b.py", Kind: "changed"}}},
		"execute bit":       {func(w *world) { w.must(os.Chmod(w.work("tools/b.py"), 0o755)) }, []trust.Change{{Path: "tools/b.py", Kind: "changed"}}},
		"removed from disk": {func(w *world) { w.must(os.Remove(w.work("hookway.yaml"))) }, []trust.Change{{Path: "hookway.yaml", Kind: "removed"}, {Path: "tools/b.py", Kind: "removed"}, {Path: "tools/guard.sh", Kind: "removed"}}},
		"link in a program's place": {func(w *world) {
			w.must(os.Remove(w.work("tools/guard.sh")))
			w.must(os.Symlink(w.work("tools/unrelated.sh"), w.work("tools/guard.sh")))
		}, []trust.Change{{Path: "tools/guard.sh", Kind: "changed"}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := trustedWorld(t)
			w.trust()
			c.change(w)
			set := w.load()
			if set.Trust.State != trust.Changed || fmt.Sprint(set.Trust.Changes) != fmt.Sprint(c.want) {
				t.Errorf("got %s %v, want %v", set.Trust.State, set.Trust.Changes, c.want)
			}
			for _, h := range set.Hooks {
				if h.State != Untrusted || h.Handler != nil {
					t.Errorf("%s is %s", h.ID, h.State)
				}
			}
			w.trust()
			if set = w.load(); set.Trust.State != trust.Given {
				t.Errorf("trusted again: %s %v", set.Trust.State, set.Trust.Changes)
			}
		})
	}
}

// TestAMistakeInTheFileDoesNotDisableTheFolders: whoever edits hookway.yaml breaks
// it now and then.
func TestAMistakeInTheFileDoesNotDisableTheFolders(t *testing.T) {
	w := trustedWorld(t)
	w.trust()
	w.write(w.work("hookway.yaml"), "hooks: [{id: a\n")
	set := w.load()
	w.want(set, "x.sh active, y.py active")
	if set.Trust.State != trust.Changed || len(set.Problems) != 1 {
		t.Errorf("%s, problems %s", set.Trust.State, set.Problems)
	}
	if out := bash(t, fill(t, set), w.ws, "ls"); out.Action != hook.ActionBlock || out.By != "x.sh" {
		t.Errorf("%s by %q", out.Action, out.By)
	}
	w.write(w.work(".hookway/hooks/x.sh"), describing(`{"event":"PreToolUse"}`, "changed"))
	w.want(w.load(), "x.sh untrusted, y.py untrusted")
	w.write(w.work(".hookway/hooks/x.sh"), describing(`{"event":"PreToolUse"}`, "no"))
	w.want(w.load(), "x.sh active, y.py active")
	w.write(w.work(".acai/hooks/lib/new.py"), "x")
	w.want(w.load(), "x.sh untrusted, y.py untrusted")
	w.must(os.Remove(w.work(".acai/hooks/lib/new.py")))
	w.write(w.work("tools/b.py"), "x")
	w.want(w.load(), "x.sh untrusted, y.py untrusted")
}

func TestAFileThatNobodyRunsMayChange(t *testing.T) {
	w := trustedWorld(t)
	w.trust()
	w.write(w.work("tools/unrelated.sh"), "changed")
	w.write(w.work("src/main.go"), "package main")
	if set := w.load(); set.Trust.State != trust.Given {
		t.Errorf("got %+v, want set.Trust.State == trust.Given", set.Trust)
	}
}

func TestALinkIsPinnedByWhatItPointsTo(t *testing.T) {
	w := newWorld(t)
	outside := filepath.Join(w.home, "shared.sh")
	w.write(outside, describing(`{"event":"PreToolUse"}`, "no"))
	w.must(os.MkdirAll(w.work(".hookway/hooks"), 0o755))
	w.must(os.Symlink(outside, w.work(".hookway/hooks/shared.sh")))
	w.must(os.Symlink(w.work(".hookway/hooks"), w.work(".hookway/hooks/loop")))
	w.trust()
	w.want(w.load(), "shared.sh active")
	w.write(outside, describing(`{"event":"PreToolUse"}`, "changed"))
	if set := w.load(); fmt.Sprint(set.Trust.Changes) != "[{.hookway/hooks/shared.sh changed}]" {
		t.Errorf(`got %+v, want fmt.Sprint(set.Trust.Changes) == "[{.hookway/hooks/shared.sh changed}]"`, set.Trust)
	}
}

func TestUntrustedHooksAreListedAndNothingOfThemRuns(t *testing.T) {
	w := trustedWorld(t)
	trace := w.work("trace")
	w.write(w.work(".hookway/hooks/x.sh"), "#!/bin/sh\necho ran >> "+trace+"\necho '{\"event\":\"PreToolUse\"}'\n")
	set := w.load()
	w.want(set, "a untrusted, b untrusted, x.sh untrusted, y.py untrusted")
	if set.Trust.State != trust.Missing || set.Hooks[0].Command != w.work("tools/guard.sh") || set.Hooks[2].File != w.work(".hookway/hooks/x.sh") {
		t.Errorf(`got %+v, want set.Trust.State == trust.Missing and set.Hooks[0].Command == w.work("tools/guard.sh") and set.Hooks[2].File == w.work(".hookway/hooks/x.sh")`, set)
	}
	if e := fill(t, set); e.Len() != 0 {
		t.Errorf("%d hooks were registered", e.Len())
	}
	w.trust()
	if disk.Exists(trace) {
		t.Error("a hook was asked before it was trusted")
	}
	if e := fill(t, w.load()); e.Len() != 4 || !disk.Exists(trace) {
		t.Errorf("%d hooks were registered", e.Len())
	}
}

func TestTheEnvironmentCanTrust(t *testing.T) {
	w := trustedWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	if set := w.load(); set.Trust.State != trust.Environment || len(set.active()) != 4 {
		t.Errorf("got %+v, want set.Trust.State == trust.Environment and len(set.active()) == 4", set.Trust)
	}
	w.env["HOOKWAY_TRUST"] = "0"
	if set := w.load(); set.Trust.State != trust.Missing {
		t.Errorf("got %+v, want set.Trust.State == trust.Missing", set.Trust)
	}
}

func TestUntrustTakesTheTrustBack(t *testing.T) {
	w := trustedWorld(t)
	w.trust()
	for _, want := range []bool{true, false} {
		ws, was, err := Untrust(w.options())
		if err != nil || was != want || ws != w.ws {
			t.Errorf("got %s %v %v, want err == nil and was == want and ws == w.ws", ws, was, err)
		}
	}
	if set := w.load(); set.Trust.State != trust.Missing {
		t.Errorf("got %+v, want set.Trust.State == trust.Missing", set.Trust)
	}
}

func TestUntrustWorksForAFolderThatLostItsHooks(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), blockRM)
	w.trust()
	w.must(os.Remove(w.work("hookway.yaml")))
	if ws, was, err := Untrust(w.options()); err != nil || !was || ws != w.ws {
		t.Errorf("got %s %v %v, want err == nil and was and ws == w.ws", ws, was, err)
	}
}

func TestTrustNeedsAWorkspaceWithoutMistakes(t *testing.T) {
	w := newWorld(t)
	if _, err := Trust(w.options()); err == nil || !strings.Contains(err.Error(), "hookway init") {
		t.Errorf(`got %v, want err != nil and strings.Contains(err.Error(), "hookway init")`, err)
	}
	w.write(w.work("hookway.yaml"), "hoks: []\n")
	if _, err := Trust(w.options()); err == nil || !strings.Contains(err.Error(), "hookway.yaml:1:1: unknown key") {
		t.Errorf(`got %v, want err != nil and strings.Contains(err.Error(), "hookway.yaml:1:1: unknown key")`, err)
	}
}

func TestASecondSpellingOfTheFileIsAChange(t *testing.T) {
	w := trustedWorld(t)
	w.trust()
	w.write(w.work("hookway.yml"), "")
	if set := w.load(); fmt.Sprint(set.Trust.Changes) != "[{hookway.yml added}]" {
		t.Errorf(`got %+v, want fmt.Sprint(set.Trust.Changes) == "[{hookway.yml added}]"`, set.Trust)
	}
}

func TestAProgramThatChangesAfterLoadingDoesNotRun(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, lane: guard, command: ./tools/guard.sh}]\n")
	w.write(w.work("tools/guard.sh"), guard("no"))
	w.trust()
	e := fill(t, w.load())
	if out := bash(t, e, w.ws, "ls"); out.Action != hook.ActionBlock || out.Reason != "no" {
		t.Fatalf(`got %+v, want out.Action == hook.ActionBlock and out.Reason == "no"`, out)
	}
	w.write(w.work("tools/guard.sh"), "#!/bin/sh\ntouch "+w.work("evil")+"\n")
	out := bash(t, e, w.ws, "ls")
	if out.Action != hook.ActionBlock || !strings.Contains(out.Reason, "hookway trust") || disk.Exists(w.work("evil")) {
		t.Errorf(`got %+v, want out.Action == hook.ActionBlock and strings.Contains(out.Reason, "hookway trust") and !disk.Exists(w.work("evil"))`, out)
	}
	w.write(w.work("tools/guard.sh"), guard("no")) // the same content again
	if out := bash(t, e, w.ws, "ls"); out.Reason != "no" {
		t.Errorf(`got %+v, want out.Reason == "no"`, out)
	}
}

func TestAnEditThatSetsTheTimeBackIsNoticed(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, lane: guard, command: ./guard.sh}]\n")
	path := w.work("guard.sh")
	w.write(path, guard("no"))
	w.trust()
	e := fill(t, w.load())
	if out := bash(t, e, w.ws, "ls"); out.Reason != "no" {
		t.Fatalf(`got %+v, want out.Reason == "no"`, out)
	}
	before, err := os.Stat(path)
	w.must(err)
	evil := strings.Replace(guard("no"), "exit 2", "exit 0", 1) // of the same size
	for after := before; after == before || trust.ChangeTime(after) != 0 && trust.ChangeTime(after) == trust.ChangeTime(before); {
		w.must(os.WriteFile(path, []byte(evil), 0o755)) // in place: the same identity
		w.must(os.Chtimes(path, before.ModTime(), before.ModTime()))
		after, err = os.Stat(path)
		w.must(err)
		if after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
			t.Fatal("the edit can be seen without the time of change")
		}
	}
	if out := bash(t, e, w.ws, "ls"); out.Action != hook.ActionBlock || !strings.Contains(out.Reason, "hookway trust") {
		t.Errorf(`got %+v, want out.Action == hook.ActionBlock and strings.Contains(out.Reason, "hookway trust")`, out)
	}
}

func TestTrustIsKeptPrivately(t *testing.T) {
	w := trustedWorld(t)
	w.trust()
	for path, want := range map[string]os.FileMode{"state": 0o700, "state/trust.json": 0o600} {
		info, err := os.Stat(filepath.Join(w.home, path))
		w.must(err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
}

func TestTrustThatOthersCouldHaveWrittenDoesNotCount(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(path string) error
		want  string
	}{
		"writable by others": {func(p string) error { return os.Chmod(p, 0o666) }, "others can write it"},
		"damaged":            {func(p string) error { return os.WriteFile(p, []byte("{"), 0o600) }, "is damaged"},
		"newer":              {func(p string) error { return os.WriteFile(p, []byte(`{"version":2}`), 0o600) }, "newer"},
		"a folder":           {func(p string) error { _ = os.Remove(p); return os.Mkdir(p, 0o700) }, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			w := trustedWorld(t)
			w.trust()
			w.must(c.spoil(filepath.Join(w.home, "state", "trust.json")))
			set := w.load()
			if set.Trust.State != trust.Missing || len(set.Problems) != 1 || !strings.Contains(set.Problems[0].Message, c.want) {
				t.Errorf("%s: got %s, want set.Trust.State == trust.Missing and len(set.Problems) == 1 and strings.Contains(set.Problems[0].Message, c.want)", set.Trust.State, set.Problems)
			}
			if _, err := Trust(w.options()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("trust: %v", err)
			}
		})
	}
}

func TestProcessesThatTrustAtOnceLoseNothing(t *testing.T) {
	w := newWorld(t)
	const n = 16
	var all sync.WaitGroup
	for i := range n {
		dir := w.work(fmt.Sprint("ws", i))
		w.write(filepath.Join(dir, "hookway.yaml"), blockRM)
		all.Go(func() {
			opts := w.options()
			opts.Dir = dir
			if _, err := Trust(opts); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	file, err := trust.Store{Dir: filepath.Join(w.home, "state")}.Read()
	w.must(err)
	if len(file.Workspaces) != n {
		t.Errorf("%d workspaces are trusted, want %d", len(file.Workspaces), n)
	}
}

func TestAWorkspaceIsTheSameUnderEveryName(t *testing.T) {
	w := trustedWorld(t)
	w.trust()
	link := filepath.Join(w.home, "link")
	w.must(os.Symlink(w.ws, link))
	w.must(os.MkdirAll(w.work("deep/er"), 0o755))
	opts := w.options()
	opts.Dir = filepath.Join(link, "deep", "er")
	set := must(Load(t.Context(), opts))
	if set.Trust.State != trust.Given || set.Workspace != w.ws {
		t.Errorf("got %+v, want set.Trust.State == trust.Given and set.Workspace == w.ws", set.Trust)
	}
}

// TestWhatNobodyCanReadIsToldAtTrust: a yes to a script that cannot be looked at is
// asked for, and so is one to a link that leads out of a folder of hooks.
func TestWhatNobodyCanReadIsToldAtTrust(t *testing.T) {
	for name, c := range map[string]struct {
		make func(w *world)
		want string
	}{
		"a pipe": {func(w *world) { w.must(syscall.Mkfifo(w.work("x.sh"), 0o600)) }, "x.sh cannot be read: it is a named pipe"},
		"a sparse file of 3 GiB": {func(w *world) {
			w.write(w.work("x.sh"), "")
			w.must(os.Truncate(w.work("x.sh"), 3<<30))
		}, "x.sh cannot be read: it has more than 256 MiB"},
		"a device": {func(w *world) { w.must(os.Symlink("/dev/zero", w.work("x.sh"))) }, "x.sh cannot be read: it is a device"},
		"no permission": {func(w *world) {
			if os.Geteuid() == 0 {
				w.t.Skip("root may read everything")
			}
			w.write(w.work("x.sh"), "")
			w.must(os.Chmod(w.work("x.sh"), 0))
		}, "x.sh cannot be read: permission denied"},
		"a folder of hooks that leads out": {func(w *world) {
			w.write(w.work("x.sh"), "")
			w.must(os.MkdirAll(w.work(".hookway/hooks"), 0o755))
			w.must(os.Symlink("/", w.work(".hookway/hooks/x")))
		}, ".hookway/hooks/x cannot be read: it is a link to the folder /, which lies outside of the workspace; put a copy of it there"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, lane: guard, command: 'sh \"./x.sh\"'}]\n")
			c.make(w)
			no := errors.New("no")
			status, err := TrustIf(w.options(), func(trust.Status) error { return no })
			if !errors.Is(err, no) || len(status.Unread) != 1 || status.Unread[0] != c.want {
				t.Errorf("%v: told %q, want %q", err, status.Unread, c.want)
			}
			w.trust()
			set := w.load()
			if n := strings.Count(set.Warnings.Error(), c.want[strings.Index(c.want, "cannot"):]); set.Trust.State != trust.Given || n != 1 {
				t.Errorf("%s, told %d times: %s", set.Trust.State, n, set.Warnings)
			}
		})
	}
}
