//go:build unix

package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/judge"
)

const oneRule = "hooks:\n  - {id: no-rm, on: PreToolUse, match: {command: 'rm -rf /'}, block: not today}\n"

// fire fires a shell command from a folder.
func (w *world) fire(dir, command string) (hook.Outcome[any], error) {
	payload, err := json.Marshal(map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": command}})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.Fire(w.t.Context(), judge.Firing{Event: "pre_tool_use", Payload: payload, CWD: dir, Source: "http", Env: w.env})
}

// decided says what a fired event came to, and by whom.
func (w *world) decided(dir, command string) string {
	w.t.Helper()
	out, err := w.fire(dir, command)
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(out.Action.String() + " " + out.By)
}

func TestAFiredEventMeetsTheHooksOfItsFolderAndIsOnRecord(t *testing.T) {
	w := newWorld(t, oneRule)
	if got := w.decided(w.dir, "rm -rf /"); got != "block no-rm" {
		t.Errorf(`got %v, want "block no-rm"`, got)
	}
	if got := w.decided("", "rm -rf /"); got != "continue" {
		t.Errorf("without a folder, the user's hooks alone are asked: %s", got)
	}
	w.want(w.recorded(), "PreToolUse block, PreToolUse continue")
	if r := w.records[0]; r.Source != "http" || r.CWD != w.dir || r.Workspace != w.dir {
		t.Errorf(`got %+v, want r.Source == "http" and r.CWD == w.dir and r.Workspace == w.dir`, r)
	}
}

func TestHooksThatNobodyTrustsDoNotRunForFiredEvents(t *testing.T) {
	w := newWorld(t, oneRule)
	other := filepath.Join(filepath.Dir(w.dir), "cloned")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "hookway.yaml"), []byte(oneRule), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.decided(other, "rm -rf /"); got != "continue" {
		t.Errorf(`got %v, want "continue"`, got)
	}
	w.write("hookway.yaml", "hooks:\n  - {id: changed, on: PreToolUse, block: evil}\n")
	if got := w.decided(w.dir, "ls"); got != "ask hookway" { // as agents are asked
		t.Errorf("after a change: %s", got)
	}
}

func TestAHookFindsTheCallersVariables(t *testing.T) {
	w := newWorld(t, "hooks:\n  - {id: v, on: PreToolUse, needs: [TEAM], command: 'printf \"{\\\"action\\\":\\\"block\\\",\\\"reason\\\":\\\"%s\\\"}\" \"$TEAM\"'}\n")
	w.env = append(w.env, "TEAM=blue")
	out, err := w.fire(w.dir, "ls")
	if err != nil || out.Reason != "blue" {
		t.Errorf(`got %+v, %v, want err == nil and out.Reason == "blue"`, out, err)
	}
}

func TestMistakesOfWhoFiresAreToldApart(t *testing.T) {
	w := newWorld(t, oneRule)
	for field, f := range map[string]judge.Firing{
		"event":   {Event: "PreToolUs"},
		"payload": {Event: "PreToolUse", Payload: []byte(`{"tool_name":1}`)},
		"cwd":     {Event: "Stop", CWD: "relative"},
		"env":     {Event: "Stop", Env: []string{"PATH=/evil"}, Foreign: true},
	} {
		_, err := w.Fire(t.Context(), f)
		var wrong *judge.RequestError
		if !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: got %v, want errors.As(err, &wrong) and wrong.Field == field", field, err)
		}
	}
	if _, err := w.Fire(t.Context(), judge.Firing{Event: "Stop", Env: append(w.env, "HOOKWAY_DEPTH=9")}); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("hooks that fire events without end: %v", err)
	}
}

// blocks is a hook that refuses every tool.
func blocks(id string) hook.Hook {
	h := hook.New(id, hook.Static{Action: hook.ActionBlock, Reason: id})
	h.Events = []string{"PreToolUse"}
	return h
}

func (w *world) register(dir string, h hook.Hook) (remove func(), replaced bool) {
	w.t.Helper()
	remove, replaced, err := w.Register(w.t.Context(), dir, h)
	if err != nil {
		w.t.Fatal(err)
	}
	return remove, replaced
}

func TestARegisteredHookIsForItsFolder(t *testing.T) {
	w := newWorld(t, oneRule)
	t.Setenv("HOOKWAY_HOME", w.home)
	t.Setenv("HOME", filepath.Dir(w.dir))
	sub, bare := filepath.Join(w.dir, "sub"), filepath.Join(filepath.Dir(w.dir), "bare")
	below := filepath.Join(bare, "below")
	for _, dir := range []string{sub, below} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := filepath.Dir(w.dir)

	remove, _ := w.register(sub, blocks("g")) // that is the whole workspace
	for dir, want := range map[string]string{w.dir: "block api:g", sub: "block api:g", bare: "continue", elsewhere: "continue", "": "continue"} {
		if got := w.decided(dir, "ls"); got != want {
			t.Errorf("of a workspace, fired from %q: %s, want %s", dir, got, want)
		}
	}
	remove()
	remove, _ = w.register(bare, blocks("g")) // no workspace
	for dir, want := range map[string]string{w.dir: "continue", bare: "block api:g", below: "block api:g", elsewhere: "continue", "": "continue"} {
		if got := w.decided(dir, "ls"); got != want {
			t.Errorf("of a folder, fired from %q: %s, want %s", dir, got, want)
		}
	}
	remove()
	remove, _ = w.register("", blocks("g"))
	for _, dir := range []string{w.dir, bare, elsewhere, ""} {
		if got := w.decided(dir, "ls"); got != "block api:g" {
			t.Errorf("of the user, fired from %q: %s", dir, got)
		}
	}
	remove()
	if got := w.decided(w.dir, "ls"); got != "continue" || w.Registered() != 0 {
		t.Errorf("after its end: %s, %d left", got, w.Registered())
	}
}

// TestAFileBelowTakesNoRegisteredHookAway: an agent may write one where it works.
func TestAFileBelowTakesNoRegisteredHookAway(t *testing.T) {
	w := newWorld(t, oneRule)
	t.Setenv("HOOKWAY_HOME", w.home)
	t.Setenv("HOME", filepath.Dir(w.dir))
	bare := filepath.Join(filepath.Dir(w.dir), "bare")
	below := filepath.Join(bare, "below")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	remove, _ := w.register(bare, blocks("g"))
	if got := w.decided(below, "ls"); got != "block api:g" {
		t.Errorf("before: %s", got)
	}
	if err := os.WriteFile(filepath.Join(below, "hookway.yaml"), []byte("hooks: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.decided(below, "ls"); got != "block api:g" {
		t.Errorf("with an untrusted file: %s", got)
	}
	remove()
	if got := w.decided(below, "ls"); got != "continue" {
		t.Errorf("after its end: %s", got)
	}
}

// TestARegisteredHookTakesNoConfiguredOnesPlace, whatever that is called.
func TestARegisteredHookTakesNoConfiguredOnesPlace(t *testing.T) {
	w := newWorld(t, "hooks:\n  - {id: 'api:g', on: PreToolUse, lane: guard, block: by the file}\n")
	t.Setenv("HOOKWAY_HOME", w.home)
	t.Setenv("HOME", filepath.Dir(w.dir))
	remove, replaced := w.register(w.dir, hook.New("g", hook.Static{}, hook.For("PreToolUse")))
	if got := w.decided(w.dir, "ls"); got != "block workspace/api:g" || replaced {
		t.Errorf("%s, replaced: %v", got, replaced)
	}
	remove()
	if got := w.decided(w.dir, "ls"); got != "block workspace/api:g" {
		t.Errorf("after its end: %s", got)
	}
}

func TestARegisteredHookOutlivesTheConfiguration(t *testing.T) {
	w := newWorld(t, oneRule)
	w.register(w.dir, blocks("g"))
	if got := w.decided(w.dir, "ls"); got != "block api:g" {
		t.Errorf(`got %v, want "block api:g"`, got)
	}
	w.write("hookway.yaml", "hooks:\n  - {id: new, on: PreToolUse, priority: 1, block: new}\n")
	w.trust()
	if got := w.decided(w.dir, "ls"); got != "block new" {
		t.Errorf("the new configuration: %s", got)
	}
	w.write("hookway.yaml", "hooks: []\n")
	w.trust()
	if got := w.decided(w.dir, "ls"); got != "block api:g" {
		t.Errorf("an empty configuration: %s", got)
	}
	if text := w.ask(w.bash("s", "t", "ls")); !strings.Contains(text, "deny") { // agents meet it, too
		t.Errorf("an agent reads %s", text)
	}
}

func TestARegisteredHookIsReplacedAndRemovedOnce(t *testing.T) {
	w := newWorld(t, oneRule)
	first, replaced := w.register(w.dir, blocks("g"))
	if replaced {
		t.Error("nothing was there to be replaced")
	}
	second, replaced := w.register(w.dir, blocks("g"))
	if !replaced || w.Registered() != 1 {
		t.Errorf("replaced: %v, %d", replaced, w.Registered())
	}
	first() // has another in its place
	if got := w.decided(w.dir, "ls"); got != "block api:g" {
		t.Errorf(`got %v, want "block api:g"`, got)
	}
	all, _ := w.register("", blocks("g")) // the nearer one goes on
	second()
	if got := w.decided(w.dir, "ls"); got != "block api:g" {
		t.Errorf("the one for all: %s", got)
	}
	all()
	if got := w.decided(w.dir, "ls"); got != "continue" {
		t.Errorf(`got %v, want "continue"`, got)
	}
	bad := blocks("g")
	bad.Match.Command = []string{"("}
	if _, _, err := w.Register(t.Context(), w.dir, bad); err == nil || w.Registered() != 0 {
		t.Errorf("a hook with a bad pattern: %v", err)
	}
	if got := w.decided(w.dir, "rm -rf /"); got != "block no-rm" {
		t.Errorf(`got %v, want "block no-rm"`, got)
	}
}

func TestAWatcherSeesWhatEveryProcessPutsOnRecord(t *testing.T) {
	w := newWorld(t, oneRule)
	dir := filepath.Join(w.home, "audit")
	ours, err := audit.Open(audit.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	w.Record, w.AuditDir = ours.Append, dir
	w.decided(w.dir, "before")
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	records, err := w.Watch(ctx, judge.WatchFilter{CWD: w.dir, Event: "before_tool_call"})
	if err != nil {
		t.Fatal(err)
	}
	w.decided("", "elsewhere")
	w.decided(w.dir, "here")
	theirs, err := audit.Open(audit.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	if err := theirs.Append(ctx, audit.Record{Event: "PreToolUse", What: "theirs", CWD: filepath.Join(w.dir, "sub")}); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for r, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, r.Record.What); len(seen) == 2 {
			break
		}
	}
	if got := strings.Join(seen, ", "); got != "here, theirs" {
		t.Errorf(`got %v, want "here, theirs"`, got)
	}
}
