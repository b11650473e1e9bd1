package replay_test

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/internal/replay"
)

// record fires calls at the hooks of a place and keeps what comes of them. short has only
// records kept, as before events were kept whole.
func (p *place) record(t *testing.T, short bool, inputs ...map[string]any) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "audit")
	log, err := audit.Open(audit.Config{Dir: dir, Patience: time.Minute, Events: keep.Config{Off: short}})
	if err != nil {
		t.Fatal(err)
	}
	engine := p.engine(t, p.options)
	for i, input := range inputs {
		ev := hook.PreToolUse.New(hook.Envelope{Session: fmt.Sprint("s", i), Agent: "claude", CWD: p.workspace}, hook.ToolUse{ToolName: "Write", ToolInput: input})
		ctx, watch := keep.Watching(t.Context(), ev)
		out, err := engine.Fire(ctx, ev)
		if err != nil {
			t.Fatal(err)
		}
		watch.Decided(&out)
		r := audit.FromOutcome(ev, &out, 0)
		r.Workspace = p.workspace
		r.Watched(watch)
		if err := log.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// compare fires what is on record again; aged takes out what older records do not have.
func (p *place) compare(t *testing.T, dir string, aged bool) *replay.Comparison {
	t.Helper()
	moments := iter.Seq2[*replay.Moment, error](func(yield func(*replay.Moment, error) bool) {
		for m, err := range replay.FromRecord(t.Context(), dir, replay.Wanted{}) {
			if err == nil && m.Kept != nil && aged {
				m.Kept.Made = ""
			}
			if !yield(m, err) {
				return
			}
		}
	})
	report, err := replay.Rerun{Moments: moments, Options: p.options, Environ: os.Environ()}.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// many are so many members.
func many(n int, last string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: v%d, ", i, i)
	}
	return "{" + b.String() + "last: " + last + "}"
}

// TestAnotherChangeIsSeenWhateverItsSize: what a hook makes of an event is compared as a
// whole, be it a number, a long text, or the last of many members.
func TestAnotherChangeIsSeenWhateverItsSize(t *testing.T) {
	long := strings.Repeat("lines of text ", 500)
	for name, c := range map[string]struct{ then, now string }{
		"a number":            {"modify: {tool_input: {timeout: 1000}}", "modify: {tool_input: {timeout: 2000}}"},
		"a text":              {"modify: {tool_input: {content: one}}", "modify: {tool_input: {content: two}}"},
		"the end of a text":   {"modify: {tool_input: {content: '" + long + "a'}}", "modify: {tool_input: {content: '" + long + "b'}}"},
		"the last of many":    {"modify: {tool_input: " + many(30, "a") + "}", "modify: {tool_input: " + many(30, "b") + "}"},
		"one more of many":    {"modify: {tool_input: " + many(30, "a") + "}", "modify: {tool_input: " + many(31, "a") + "}"},
		"a list":              {"modify: {tool_input: {list: [1, 2, 3]}}", "modify: {tool_input: {list: [1, 2, 4]}}"},
		"in the place of one": {"modify: {tool_input: {a: x}}", "modify: {tool_input: {b: x}}"},
		"signs":               {"modify: {tool_input: {content: \"a\\u200bb\"}}", "modify: {tool_input: {content: \"a\\u200cb\"}}"},
		"yes and no":          {"modify: {tool_input: {force: true}}", "modify: {tool_input: {force: false}}"},
		"an answer":           {"answer: '" + long + "a'", "answer: '" + long + "b'"},
		"a delay":             {"retry: 1s", "retry: 2s"},
		"a long text told":    {"inject: '" + long + "a…'", "inject: '" + long + "b…'"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, "hooks:\n  - {id: changes, on: PreToolUse, "+c.then+"}\n", nil)
			dir := p.record(t, false, map[string]any{"file_path": "a", "content": "x"})
			if r := p.compare(t, dir, false); r.Same != 1 {
				t.Errorf("the same hooks: %s", told(r))
			}
			write(t, filepath.Join(p.workspace, "hookway.yaml"), "hooks:\n  - {id: changes, on: PreToolUse, "+c.now+"}\n")
			if r := p.compare(t, dir, false); r.Other != 1 || !strings.Contains(told(r), "changes") {
				t.Errorf("other hooks: %s", told(r))
			}
		})
	}
}

// TestWhatIsNotWholeIsNotCompared: of a record that has a change in short, or of a secret
// in it, nobody can say that it is the same.
func TestWhatIsNotWholeIsNotCompared(t *testing.T) {
	const token = "npm_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
	long := strings.Repeat("x", 3000)
	for name, c := range map[string]struct {
		short, aged     bool
		then, now, text string
		want            func(*replay.Comparison) int
	}{
		"short, the same":        {true, false, "{content: one}", "{content: one}", "x", same},
		"short, another":         {true, false, "{content: one}", "{content: two}", "x", other},
		"short, a number":        {true, false, "{timeout: 1}", "{timeout: 2}", "x", other},
		"cut, the same":          {false, true, "{content: " + long + "a}", "{content: " + long + "a}", "x", incomparable},
		"cut, another":           {false, true, "{content: " + long + "a}", "{content: " + long + "b}", "x", incomparable},
		"many":                   {false, true, many(30, "a"), many(30, "b"), "x", incomparable},
		"older, a number":        {false, true, "{timeout: 1}", "{timeout: 2}", "x", other},
		"a secret of the hook":   {false, false, "{header: 'token: abc-def-12'}", "{header: 'token: abc-def-12'}", "x", same},
		"another of the hook":    {false, false, "{header: 'token: abc-def-12'}", "{header: 'token: abc-def-13'}", "x", incomparable},
		"a secret of the event":  {false, false, "{more: one}", "{more: one}", "use " + token, same},
		"another, with a secret": {false, false, "{more: one}", "{more: two}", "use " + token, incomparable},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, "hooks:\n  - {id: changes, on: PreToolUse, modify: {tool_input: "+c.then+"}}\n", nil)
			dir := p.record(t, c.short, map[string]any{"file_path": "a", "content": c.text})
			write(t, filepath.Join(p.workspace, "hookway.yaml"), "hooks:\n  - {id: changes, on: PreToolUse, modify: {tool_input: "+c.now+"}}\n")
			if r := p.compare(t, dir, c.aged); c.want(r) != 1 || r.Compared()+r.Incomparable != 1 {
				t.Errorf("got %s", told(r))
			}
		})
	}
}

func same(r *replay.Comparison) int         { return r.Same }
func other(r *replay.Comparison) int        { return r.Other }
func incomparable(r *replay.Comparison) int { return r.Incomparable }
