package replay_test

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/internal/replay"
)

var events = flag.Int("events", 2000, "how many events are replayed over their own record")

// place is a folder of the user's own, with a workspace in it.
type place struct {
	home, workspace string
	options         config.Options

	next     func(*generator) hook.AnyEvent // nil: the usual ones
	several  bool                           // some events are of an agent with several roots
	ofOthers int                            // events of which the guards of another root of the workspace had an opinion
}

// otherRoot has guards that are asked about some events; one has the id of another hook.
// It lets no other place be emptied.
const otherRoot = `guards: {use: default, mode: enforce}
hooks:
  - {id: other, on: PreToolUse, lane: guard, match: {tool: Bash, command: '^(make|ls|true|git status)'}, block: not here}
  - {id: no-npm, on: PreToolUse, lane: guard, match: {tool: Bash, command: '^go test'}, ask: of both}
  - {id: other-trial, on: PreToolUse, lane: guard, mode: monitor, match: {tool: Read}, block: not yet}
  - {id: never, on: PreToolUse, lane: guard, match: {tool: Bash, command: '^never'}, block: never}
`

// engine has the hooks of a folder.
func (p *place) engine(tb testing.TB, options config.Options) *hook.Engine {
	tb.Helper()
	engine, _ := p.load(tb, options)
	return engine
}

func (p *place) load(tb testing.TB, options config.Options) (*hook.Engine, *config.Set) {
	tb.Helper()
	set, err := config.Load(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = set.Close() })
	engine := new(hook.Engine)
	if err := set.Fill(engine); err != nil || len(set.Problems) > 0 {
		tb.Fatalf("got %v, %v, want err == nil and len(set.Problems) == 0", err, set.Problems)
	}
	return engine, set
}

// others asks the guards of the other root about what the hooks have passed, as for an
// agent with several roots.
func (p *place) others(ctx context.Context, tb testing.TB, engine *hook.Engine, sets [2]*config.Set, ev hook.AnyEvent, out *hook.Outcome[any]) {
	tb.Helper()
	if !config.Runs(out.Action) {
		return
	}
	left, err := config.Beside(ev, out)
	if err != nil {
		tb.Fatal(err)
	}
	more, err := engine.Guards(ctx, left, sets[1].AsksBeside(sets[:1]))
	if err != nil {
		tb.Fatal(err)
	}
	config.Merge(out, &more)
	if slices.ContainsFunc(more.Steps, func(s hook.Step) bool { return s.Action != hook.ActionContinue || s.Would != nil }) {
		p.ofOthers++
	}
}

func newPlace(tb testing.TB, yaml string, files map[string]string) *place {
	tb.Helper()
	home, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	p := &place{home: home, workspace: filepath.Join(home, "work")}
	write(tb, filepath.Join(p.workspace, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(tb, filepath.Join(p.workspace, "hookway.yaml"), yaml)
	for name, text := range files {
		write(tb, filepath.Join(p.workspace, name), text)
	}
	module, err := os.ReadFile("../../handler/wasm/testdata/guests/wat/guard.wasm")
	if err != nil {
		tb.Fatal(err)
	}
	write(tb, filepath.Join(p.workspace, "guard.wasm"), string(module))
	p.options = config.Options{Dir: p.workspace, Getenv: func(name string) string {
		return map[string]string{"HOME": home, "USERPROFILE": home, "HOOKWAY_HOME": filepath.Join(home, "hw"), "HOOKWAY_TRUST": "1"}[name]
	}}
	return p
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// past fires events at the hooks of a place, and keeps what comes of them in a log.
func (p *place) past(tb testing.TB, n int) (dir string) {
	tb.Helper()
	state := &guards.State{Most: 100}
	options := p.options
	options.Still, options.Past = true, true // one machine for each script: what they count hangs on no clock; and its time is the generator's
	options.Guards = func(on *config.Guards) hook.Handler {
		return &guards.Guard{Policy: on.Policy, State: state, Grants: someGrants{}}
	}
	engine, own := p.load(tb, options)
	options.Dir = filepath.Join(p.home, "other")
	write(tb, filepath.Join(options.Dir, "hookway.yaml"), otherRoot)
	other, of := p.load(tb, options)
	dir = filepath.Join(p.home, "audit")
	log, err := audit.Open(audit.Config{Dir: dir, Patience: time.Minute})
	if err != nil {
		tb.Fatal(err)
	}
	g := newGenerator(1)
	for i := range n {
		var ev hook.AnyEvent
		if p.next != nil {
			ev = p.next(g)
		} else {
			ev = g.next(tb, p.workspace)
		}
		ctx, watch := keep.Watching(tb.Context(), ev)
		ctx = guards.WithKeeper(ctx, watch)
		ctx, one := guards.Begin(ctx, ev)
		out, err := engine.Fire(ctx, ev)
		if ev.Head().Metadata["native_event"] != nil { // as for agents
			engine.FailedTool(ctx, ev, &out)
		}
		var folders []string
		if err == nil && p.several && i%2 == 0 {
			folders = []string{options.Dir}
			p.others(ctx, tb, other, [2]*config.Set{own, of}, ev, &out)
		}
		one.Settle(ctx, &out, func(out hook.Outcome[any]) bool { return out.Action == hook.ActionBlock })
		watch.Decided(&out, folders...)
		if err == nil {
			err = engine.Close(tb.Context())
		}
		if err != nil {
			tb.Fatal(err)
		}
		r := audit.FromOutcome(ev, &out, 0)
		r.Workspace = p.workspace
		r.Watched(watch)
		if err := log.Append(tb.Context(), r); err != nil {
			tb.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// someGrants let a few calls through.
type someGrants struct{}

func (someGrants) Use(_ context.Context, c guards.Call) (g guards.Grant, ok bool, err error) {
	return guards.Grant{By: "me"}, strings.Contains(fmt.Sprint(c.Input), "git reset"), nil
}
func (someGrants) Return(context.Context, guards.Call, guards.Grant) error { return nil }
func (someGrants) Offer(context.Context, guards.Call) (string, error)      { return "ABCD", nil }

// TestTheSameHooksDecideTheSame: the same configuration over its own record.
func TestTheSameHooksDecideTheSame(t *testing.T) {
	p := newPlace(t, everything, scripts)
	p.several = true
	report, err := replay.Rerun{Moments: replay.FromRecord(t.Context(), p.past(t, *events), replay.Wanted{}), Options: p.options, Environ: os.Environ()}.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Same != *events || report.Events != *events {
		var text strings.Builder
		_ = report.WriteText(&text)
		t.Errorf("%d of %d are the same:\n%s", report.Same, *events, text.String())
	}
}

// TestTheGuardsOfOtherRootsAreAskedAgain: of an agent with several roots those of every
// root are fired at, and what they decide is the same. What changes there is told, and of
// a root that cannot be read nothing is.
func TestTheGuardsOfOtherRootsAreAskedAgain(t *testing.T) {
	p := newPlace(t, everything, scripts)
	p.several = true
	dir := p.past(t, 600)
	compare := func(config string) *replay.Comparison {
		t.Helper()
		report, err := replay.Rerun{Moments: replay.FromRecord(t.Context(), dir, replay.Wanted{}), Options: p.options, Environ: os.Environ(), Config: config}.Compare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if p.ofOthers == 0 {
		t.Fatal("no event was one that others had an opinion of")
	}
	if report := compare(""); report.Same != 600 {
		t.Errorf("of %d events others had an opinion:\n%s", p.ofOthers, told(report))
	}
	other := filepath.Join(p.home, "other", "hookway.yaml")
	write(t, other, strings.ReplaceAll(otherRoot, "'^(make|ls|true|git status)'", "'^(cat|echo|find|for|sed)'"))
	if report := compare(""); report.Blocked == 0 || report.Passed == 0 || report.Same+report.Changed() != 600 {
		t.Errorf("the other root blocks something else:\n%s", told(report))
	}
	write(t, filepath.Join(p.home, "new.yaml"), "hooks: []\n")
	if report := compare(filepath.Join(p.home, "new.yaml")); !strings.Contains(told(report), "other") || report.Blocked == 0 {
		t.Errorf("with a file in place of the one root's:\n%s", told(report))
	}
	write(t, other, "hooks: [}\n")
	if report := compare(""); report.Changed() != 0 || report.Incomparable == 0 || report.Incomparable > p.ofOthers {
		t.Errorf("the other root cannot be read:\n%s", told(report))
	}
}

// TestAnotherAnalyserIsAskedAnew: facts that another version of the analyser has found
// are not taken over. What it looked at is on record, but not what the files held.
func TestAnotherAnalyserIsAskedAnew(t *testing.T) {
	p := newPlace(t, everything, scripts)
	dir, calls := p.past(t, 300), 0
	of := func(analyser string) iter.Seq2[*replay.Moment, error] {
		return func(yield func(*replay.Moment, error) bool) {
			for m, err := range replay.FromRecord(t.Context(), dir, replay.Wanted{}) {
				if err == nil && m.Kept != nil && len(m.Kept.Analyses) > 0 {
					if calls++; m.Kept.Analyser != facts.Version() {
						t.Errorf("%s is of analyser %q", m.Place, m.Kept.Analyser)
					}
					m.Kept.Analyser = analyser
				}
				if !yield(m, err) {
					return
				}
			}
		}
	}
	for _, analyser := range []string{facts.Version(), "another", ""} {
		calls = 0
		report, err := replay.Rerun{Moments: of(analyser), Options: p.options, Environ: os.Environ()}.Compare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := calls
		if analyser == facts.Version() {
			want = 0
		}
		if calls == 0 || report.Aged != want || report.Same != 300 {
			t.Errorf("%q: of %d calls %d were analysed anew: %s", analyser, calls, report.Aged, told(report))
		}
		if said := strings.Contains(told(report), "analysed anew, because another version of hookway's analyser"); said != (want > 0) {
			t.Errorf("%q: got %s, want said == (want > 0)", analyser, told(report))
		}
	}
}

// TestChangedPlacesAndBudgets: what the rules are told of the machine and of the session is
// on record as it was found then; what they let pass of it is what they say now.
func TestChangedPlacesAndBudgets(t *testing.T) {
	with := func(from, to string) string { return strings.Replace(everything, from, to, 1) }
	noScratch, small := with("  scratch: [/srv/old/**]\n", ""), with("calls: 150", "calls: 15")
	for name, c := range map[string]struct {
		then, now string
		want      func(*replay.Comparison) bool
		told      string
	}{
		"another place may be emptied": {noScratch, everything, func(r *replay.Comparison) bool { return r.Passed > 0 && r.Moved > 0 && r.Blocked+r.Asked == 0 }, "rm -r /srv/old/x"},
		"one may no longer":            {everything, noScratch, func(r *replay.Comparison) bool { return r.Blocked > 0 && r.Moved > 0 && r.Passed+r.Asked == 0 }, "rm -r /srv/old/x"},
		"a smaller budget":             {everything, small, func(r *replay.Comparison) bool { return r.Asked > 0 && r.Passed+r.Blocked == 0 }, "loops/budget"},
		"no budget":                    {small, with("  budget: {calls: 150, tokens: 40000}\n", ""), func(r *replay.Comparison) bool { return r.Passed > 0 && r.Blocked+r.Asked == 0 }, "loops/budget"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, c.then, scripts)
			dir := p.past(t, 400)
			write(t, filepath.Join(p.workspace, "hookway.yaml"), c.now)
			report, err := replay.Rerun{Moments: replay.FromRecord(t.Context(), dir, replay.Wanted{}), Options: p.options, Environ: os.Environ()}.Compare(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !c.want(report) || !strings.Contains(told(report), c.told) {
				t.Errorf("got %s", told(report))
			}
		})
	}
}

// TestAConfigurationWithMistakes: each is a line that says where, once, and what it keeps
// from being read is not a change.
func TestAConfigurationWithMistakes(t *testing.T) {
	p := newPlace(t, everything, scripts)
	dir := p.past(t, 300)
	write(t, filepath.Join(p.workspace, "hookway.yaml"), "hooks:\n  - {id: x, on: PreToolUse, blok: y}\n")
	report, err := replay.Rerun{Moments: replay.FromRecord(t.Context(), dir, replay.Wanted{}), Options: p.options, Environ: os.Environ()}.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Changed() != 0 || report.Incomparable == 0 || report.Events != 300 {
		t.Errorf("got %s", told(report))
	}
	if n := strings.Count(strings.Join(report.Problems, "\n"), `unknown key "blok"`); n != 1 {
		t.Errorf("the mistake is told %d times: %q", n, report.Problems)
	}
}

// TestARecordThatIsDamaged: each damage is a line, and the rest is compared.
func TestARecordThatIsDamaged(t *testing.T) {
	p := newPlace(t, everything, scripts)
	dir := p.past(t, 300)
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(names) != 1 {
		t.Fatalf("got %v, %v, want err == nil and len(names) == 1", names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	list := strings.SplitAfter(string(text), "\n")
	list[99] = strings.Replace(list[99], `"session":"session-`, `"session":"other-`, 1)
	list[199] = list[199][:50] + "\n"
	list[len(list)-1] += `{"seq":301,"time":`
	write(t, names[0], strings.Join(list, ""))
	report, err := replay.Rerun{Moments: replay.FromRecord(t.Context(), dir, replay.Wanted{}), Options: p.options, Environ: os.Environ()}.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(report.Problems, "\n")
	for _, want := range []string{"record 100 was changed: its hash does not fit", ":200: the line is left out", ":301: the line is left out: it is torn"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told in\n%s", want, told)
		}
	}
	if report.Events != 299 || report.Compared()+report.Incomparable+report.NotReplayable != 299 {
		t.Errorf("%d events, of them %d compared", report.Events, report.Compared())
	}
}

// TestEventsBeforeAreFiredAndNotCounted: a session that began before what is asked for.
func TestEventsBeforeAreFiredAndNotCounted(t *testing.T) {
	alone, _, _ := strings.Cut(everything, "  - {id: counting") // what it counts is of all sessions, and of events of none
	p := newPlace(t, alone, nil)
	dir := p.past(t, 600)
	var since time.Time
	n := 0
	for r, err := range audit.Read(dir, audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 301 {
			since = r.Time
		}
	}
	report, err := replay.Rerun{Moments: replay.FromRecord(t.Context(), dir, replay.Wanted{Since: since}), Options: p.options, Environ: os.Environ()}.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Events != 300 || report.Same != 300 {
		t.Errorf("got %+v, want report.Events == 300 and report.Same == 300", report)
	}
}

// BenchmarkRerun fires the events of a record, -events of them, at all packs.
func BenchmarkRerun(b *testing.B) {
	p := newPlace(b, "guards: {use: default}\n", nil)
	dir := p.past(b, *events)
	began := eventually.Worked(b)
	for b.Loop() {
		report, err := replay.Rerun{Moments: replay.FromRecord(b.Context(), dir, replay.Wanted{}), Options: p.options, Environ: os.Environ()}.Compare(b.Context())
		if err != nil || report.Same != *events {
			b.Fatalf("got %v, %+v, want err == nil and report.Same == *events", err, report)
		}
	}
	b.ReportMetric(float64(*events), "events")
	b.ReportMetric((eventually.Worked(b)-began).Seconds()/float64(b.N), "cpu-s/op")
}
