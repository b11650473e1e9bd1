package suggest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
)

// world is a workspace with a record.
type world struct {
	t    testing.TB
	plan Plan
	log  *audit.Log
	n    int
}

func newWorld(t testing.TB) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"project/.git", "project/src", "log"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{t: t, plan: Plan{
		Dir: filepath.Join(root, "log"), Root: filepath.Join(root, "project"), Now: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
		Environ: []string{"HOME=" + filepath.Join(root, "home"), "PATH=/usr/bin:/bin"},
		AllowAt: func(source string) string {
			switch source {
			case "codex":
				return hook.PermissionRequest.Info().Name
			case "opencode":
				return ""
			}
			return hook.PreToolUse.Info().Name
		},
	}}
	if w.log, err = audit.Open(audit.Config{Dir: w.plan.Dir, Patience: time.Minute}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.log.Close() })
	return w
}

// day is ten o'clock of a day in January.
func day(n int) time.Time { return time.Date(2026, 1, n, 10, 0, 0, 0, time.UTC) }

// put writes a record.
func (w *world) put(r audit.Record) {
	w.t.Helper()
	if r.Workspace, r.CWD, r.DurationMS = w.plan.Root, w.plan.Root, 2; r.Action == "" {
		r.Action = "continue"
	}
	if r.Agent == "" {
		r.Agent, r.Source = "claude", "claude"
	}
	w.n++
	r.EventID = fmt.Sprint("e-", w.n)
	if err := w.log.Append(context.Background(), r); err != nil {
		w.t.Fatal(err)
	}
}

// call is a record about a call.
func callRecord(event string, at time.Time, session, id, command string) audit.Record {
	return audit.Record{Event: event, Time: at, Session: session, Tool: "Bash", ToolUseID: id, ToolInput: map[string]any{"command": command}}
}

// answer is a call that its user is asked about: it runs, or the user speaks.
func (w *world) answer(yes bool, at time.Time, session, command string) {
	w.t.Helper()
	id := fmt.Sprint("t-", w.n)
	w.put(callRecord("PreToolUse", at, session, id, command))
	w.put(callRecord("PermissionRequest", at, session, id, command))
	if yes {
		w.put(callRecord("PostToolUse", at.Add(time.Second), session, id, command))
		return
	}
	w.put(audit.Record{Event: "AgentStart", Time: at.Add(time.Second), Session: session, What: "no"})
}

// habit is a call that is let run on three days.
func (w *world) habit(command string) {
	w.t.Helper()
	for n := 1; n <= 3; n++ {
		w.answer(true, day(n), fmt.Sprint("s-", n), command)
	}
}

// report reads the record.
func (w *world) report() *Report {
	w.t.Helper()
	r, err := Read(w.t.Context(), w.plan)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// ids are the suggestions, as kind and id.
func ids(r *Report) (out []string) {
	for _, s := range r.Suggestions {
		out = append(out, string(s.Kind)+" "+s.ID)
	}
	return out
}

// everything is hookway's own rules as mode auto has them.
func everything() *guards.Policy { return &guards.Policy{Packs: guards.Names(), Mode: guards.Auto} }
