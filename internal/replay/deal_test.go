package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/keep"
)

// roots makes workspaces with these files each.
func roots(t *testing.T, n int, files map[string]string) (p Rerun, folders []string) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		folder := filepath.Join(home, fmt.Sprint("root-", i))
		if err := os.MkdirAll(filepath.Join(folder, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		folders = append(folders, folder)
	}
	p.Options = config.Options{Getenv: func(name string) string {
		return map[string]string{"HOME": home, "USERPROFILE": home, "HOOKWAY_HOME": filepath.Join(home, "hw"), "HOOKWAY_TRUST": "1"}[name]
	}}
	return p, folders
}

// ran is a command that passed in a folder.
func ran(session, folder, command string) *Moment {
	text, err := json.Marshal(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": session, "cwd": folder, "tool_name": "Bash", "tool_input": map[string]any{"command": command},
	})
	if err != nil {
		panic(err) // of texts alone
	}
	return &Moment{Place: "here", Hooks: folder, Event: text, Then: audit.Record{Event: "PreToolUse", Session: session, Action: hook.ActionContinue.String(), CWD: folder, Workspace: folder}}
}

func moments(list []*Moment) iter.Seq2[*Moment, error] {
	return func(yield func(*Moment, error) bool) {
		for _, m := range list {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// TestASessionStaysWithItsWorker: one that goes on in a workspace whose hooks keep
// something, too.
func TestASessionStaysWithItsWorker(t *testing.T) {
	p, folders := roots(t, 2, map[string]string{"hookway.yaml": "hooks:\n  - {id: no, on: PreToolUse, match: {command: '^npm'}, block: x}\n"})
	files := map[string]string{"hookway.yaml": "hooks:\n  - {id: own, on: PreToolUse, script: own.ts}\n", "own.ts": "let n = 0\nexport default () => { n++ }\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folders[1], name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var list []*Moment
	for i := range 16 {
		list = append(list, ran(fmt.Sprint("s", i), folders[0], "ls"), ran(fmt.Sprint("s", i), folders[1], "ls"))
	}
	p.workers, p.Moments = 8, moments(list)
	report, err := p.Compare(t.Context())
	if err != nil || report.Sessions != 16 || report.Same != 32 { // each worker counts those that it has seen
		t.Errorf("%v, %+v, want 32 events of 16 sessions", err, report)
	}
}

// TestHooksThatAreUsedStayOpen: those are closed that were not used for the longest time.
func TestHooksThatAreUsedStayOpen(t *testing.T) {
	p, folders := roots(t, mostTargets+1, map[string]string{"hookway.yaml": "version: 1\n"})
	k := newWorker(&p, newWorlds(nil))
	defer k.close()
	first, err := k.target(t.Context(), folders[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders[1:] {
		if _, err := k.target(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		if again, err := k.target(t.Context(), folders[0]); err != nil || again != first {
			t.Fatalf("%v, the hooks of the first were closed", err)
		}
	}
	if len(k.targets) != mostTargets || k.targets[folders[1]] != nil {
		t.Errorf("%d are open", len(k.targets))
	}
}

// TestGuardsOfOtherRoots: they are asked again, and where they cannot be read, what they
// decided is not taken for a change of the hooks that are asked.
func TestGuardsOfOtherRoots(t *testing.T) {
	const hooks = "hooks:\n  - {id: %s, on: PreToolUse, lane: guard, match: {command: '^%s'}, block: x}\n"
	for name, c := range map[string]struct {
		here, there string // the hooks of the two roots
		by, action  string // what was decided then
		want        Comparison
	}{
		"a hook of the other":         {fmt.Sprintf(hooks, "a", "npm"), fmt.Sprintf(hooks, "b", "ls"), "b", "block", Comparison{Same: 1}},
		"one that has gone":           {fmt.Sprintf(hooks, "a", "npm"), "version: 1\n", "b", "block", Comparison{Passed: 1}},
		"of both, by id":              {fmt.Sprintf(hooks, "a", "npm"), fmt.Sprintf(hooks, "a", "ls"), "a", "block", Comparison{Same: 1}},
		"the other cannot be read":    {fmt.Sprintf(hooks, "a", "npm"), "hooks: 1\n", "a", "block", Comparison{Incomparable: 1}},
		"a mistake in the other":      {"version: 1\n", "guards: strict\n", "hookway-guards", "ask", Comparison{Incomparable: 1}},
		"a hook of this one":          {fmt.Sprintf(hooks, "a", "npm"), fmt.Sprintf(hooks, "b", "x"), "a", "block", Comparison{Passed: 1}},
		"newly blocked by this one":   {fmt.Sprintf(hooks, "a", "ls"), fmt.Sprintf(hooks, "b", "ls"), "", "continue", Comparison{Blocked: 1}},
		"nothing came of the other's": {fmt.Sprintf(hooks, "a", "npm"), fmt.Sprintf(hooks, "b", "x"), "", "continue", Comparison{Same: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			p, folders := roots(t, 2, nil)
			for i, text := range []string{c.here, c.there} {
				if err := os.WriteFile(filepath.Join(folders[i], "hookway.yaml"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			m := ran("s", folders[0], "ls")
			m.Then.Action, m.Then.By = c.action, c.by
			if c.by != "" {
				m.Then.Steps = []audit.Step{{Hook: c.by, Lane: hook.Guard.String(), Action: c.action}}
			}
			m.Kept = &keep.Event{Version: 1, Payload: m.Event, Workspace: folders[0], Others: folders[1:], Verdict: keep.Verdict{Action: c.action, By: c.by}}
			p.Moments = moments([]*Moment{m})
			r, err := p.Compare(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := Comparison{Incomparable: r.Incomparable, Passed: r.Passed, Blocked: r.Blocked, Same: r.Same, Asked: r.Asked, Other: r.Other}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %+v, want %+v: %v %+v", got, c.want, r.Problems, r.Why)
			}
		})
	}
}

// TestAnEventOfANewerHookway is not guessed from its record: that is told, and counted.
func TestAnEventOfANewerHookway(t *testing.T) {
	_, err := keep.Parse([]byte(`{"v":2,"event":{"hook_event_name":"PreToolUse"}}`))
	if !errors.Is(err, keep.ErrNewer) {
		t.Fatalf("got %v", err)
	}
	p, folders := roots(t, 1, map[string]string{"hookway.yaml": "version: 1\n"})
	r := audit.Record{Seq: 7, Event: "PreToolUse", Session: "s", Action: "continue", CWD: folders[0], Workspace: folders[0], Tool: "Bash", ToolInput: map[string]any{"command": "ls"}}
	m, err := fromWhole(&audit.Whole{Record: r, NotReplayable: err.Error()})
	if err != nil {
		t.Fatal(err)
	}
	m.Hooks = folders[0]
	p.Moments = moments([]*Moment{&m, ran("s", folders[0], "ls")})
	report, err := p.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (Reason{Why: "a newer hookway kept it; update this one", Events: 1, Place: "record 7", number: 1}); report.NotReplayable != 1 || report.Same != 1 || report.Why[0] != want {
		t.Errorf("got %+v", report.Why)
	}
}
