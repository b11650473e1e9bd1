package replay_test

import (
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/internal/replay"
)

// kept is the record of one call of a script.
func (p *place) kept(t *testing.T, command string) (dir string) {
	t.Helper()
	dir = filepath.Join(p.home, "audit")
	log, err := audit.Open(audit.Config{Dir: dir, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	options := p.options
	options.Guards = func(on *config.Guards) hook.Handler { return &guards.Guard{Policy: on.Policy, State: &guards.State{}} }
	ev := hook.PreToolUse.New(hook.Envelope{Session: "s", Agent: "claude", CWD: p.workspace}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}})
	ctx, watch := keep.Watching(t.Context(), ev)
	ctx = guards.WithKeeper(ctx, watch)
	out, err := p.engine(t, options).Fire(ctx, ev)
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
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFilesAreKnownAgainByTheKey: who has the record cannot try what a file held; who has
// the key too knows it again, and so does a record of before there was a key.
func TestFilesAreKnownAgainByTheKey(t *testing.T) {
	p := newPlace(t, "guards: {use: default, mode: enforce}\n", map[string]string{"x.sh": "rm -rf /srv/data\n"})
	dir := p.kept(t, "sh x.sh")
	anew := func(change func(*replay.Moment)) *replay.Comparison {
		t.Helper()
		plan := replay.Rerun{Options: p.options, Environ: os.Environ(), Anew: true}
		plan.Moments = iter.Seq2[*replay.Moment, error](func(yield func(*replay.Moment, error) bool) {
			for m, err := range replay.FromRecord(t.Context(), dir, replay.Wanted{}) {
				if err == nil {
					change(m)
				}
				if !yield(m, err) {
					return
				}
			}
		})
		r, err := plan.Compare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	hash := func(m *replay.Moment) *string {
		t.Helper()
		for _, l := range m.Kept.Analyses[0].Seen.Looks {
			if l[0] == "read" && strings.HasSuffix(l[1], "x.sh") && len(l) == 4 {
				return &l[3]
			}
		}
		t.Fatalf("no file was read: %+v", m.Kept.Analyses)
		return nil
	}
	same := anew(func(m *replay.Moment) {
		if h := *hash(m); len(h) != 33 || h[0] != 'k' {
			t.Errorf("the hash is %q", h)
		}
	})
	if same.Same != 1 || same.Lacking != 0 {
		t.Errorf("by the key: %s", told(same))
	}
	bare := keep.Hash([]byte("rm -rf /srv/data\n"))[:32]
	if r := anew(func(m *replay.Moment) { *hash(m) = bare }); r.Same != 1 || r.Lacking != 0 {
		t.Errorf("by a bare hash: %s", told(r))
	}
	if r := anew(func(m *replay.Moment) { m.Key = nil }); r.Lacking != 1 || !strings.Contains(told(r), "the key of this machine") {
		t.Errorf("without the key: %s", told(r))
	}
	write(t, filepath.Join(p.workspace, "x.sh"), "true\n")
	if r := anew(func(*replay.Moment) {}); r.Lacking != 1 || !strings.Contains(told(r), "has changed since") {
		t.Errorf("of a changed file: %s", told(r))
	}
}
