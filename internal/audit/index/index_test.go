package index_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/keep"
)

// begin is when the records of these tests begin.
var begin = time.Date(2026, 3, 28, 22, 0, 0, 0, time.UTC)

// pick gives one of a list.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

var (
	sessions   = []string{"s-1", "s-2", "0f3c9d1e", "Sitzung ü", ""}
	agents     = []string{"claude", "codex", "gemini", ""}
	events     = []string{"PreToolUse", "PostToolUse", "AgentStart", "tool_native", "SessionEnd", audit.Approval}
	natives    = []string{"", "beforeShellExecution", "preToolUse"}
	actions    = []string{"continue", "continue", "continue", "block", "ask", "allow", "observed", "repeat", "untaken", ""}
	hookNames  = []string{"guards", "no-rm", "team rules", "hook\"quoted\"", "überwacher"}
	ruleNames  = []string{"", "git/force-push@1", "git/force-push@2", "git/force", "files/delete@3"}
	workspaces = []string{"", "/src/app", "/src/app/web", "/src/apple", "/home/dev/ünï"}
	texts      = []string{"git push --force", "rm -rf BUILD", "Grüße aus KÖLN", "line one\nline two", `say "hi" \ there`, "a<b>&c", "tab\there", "\u2028odd", "x", "日本語のテキスト"}
)

// record makes one up.
func record(r *rand.Rand, n int) audit.Record {
	out := audit.Record{
		Time: begin.Add(time.Duration(n)*97*time.Second + time.Duration(r.Int64N(int64(30*time.Minute)))), Event: pick(r, events...), EventID: fmt.Sprintf("event-%d", n/2), Native: pick(r, natives...),
		Session: pick(r, sessions...), Agent: pick(r, agents...), CWD: pick(r, "/src/app", "/src/app/web/x", "/src/apple/y", "/tmp", ""), Workspace: pick(r, workspaces...),
		Tool: pick(r, "", "Bash"), ToolUseID: fmt.Sprintf("Toolu_%d", n), What: pick(r, texts...), Action: pick(r, actions...), Reason: pick(r, "", pick(r, texts...)), DurationMS: r.Float64() * 50,
	}
	if out.Action == audit.Untaken || out.Action == audit.Repeat {
		out.Answer = pick(r, "block", "continue")
	}
	if r.IntN(3) == 0 {
		out.ToolInput = map[string]any{"command": pick(r, texts...), "deep": map[string]any{"list": []any{pick(r, texts...), 1.5, true, nil}}}
	}
	for range r.IntN(4) {
		s := audit.Step{Hook: pick(r, hookNames...), Lane: "guard", Action: pick(r, "continue", "block", "ask"), Rule: pick(r, ruleNames...), DurationMS: float64(r.IntN(1e6)) / 1e3, Failed: r.IntN(9) == 0, Changed: r.IntN(9) == 0}
		if r.IntN(3) == 0 {
			s.Would = &audit.Would{Action: pick(r, "continue", "block", "ask"), Rule: pick(r, ruleNames...), Change: r.IntN(3) == 0}
			out.Would = s.Would.Action
		}
		out.Steps = append(out.Steps, s)
		out.By, out.Rule = s.Hook, s.Rule
	}
	return out
}

// logs are those that tests have a copy of.
var logs struct {
	sync.Mutex
	root string
	made map[string]bool
}

// TestMain lets this test binary be a process that builds an index, too.
func TestMain(m *testing.M) {
	if dir := os.Getenv("INDEX_TEST_BUILD"); dir != "" {
		buildForEver(dir)
	}
	if dir := os.Getenv("INDEX_TEST_FULL"); dir != "" {
		fmt.Println(fillTheDisk(dir))
		os.Exit(0)
	}
	var err error
	if logs.root, err = os.MkdirTemp("", "index"); err != nil {
		panic(err)
	}
	logs.made = map[string]bool{}
	code := m.Run()
	os.RemoveAll(logs.root)
	os.Exit(code)
}

// newLog gives a log of made-up records, in files of a size.
func newLog(t testing.TB, n int, size int64) string {
	t.Helper()
	logs.Lock()
	defer logs.Unlock()
	from := filepath.Join(logs.root, fmt.Sprint(n, "-", size))
	if !logs.made[from] {
		grow(t, from, 0, n, size)
		logs.made[from] = true
	}
	dir := filepath.Join(t.TempDir(), "audit")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// grow adds records to a log.
func grow(t testing.TB, dir string, from, n int, size int64) {
	t.Helper()
	log, err := audit.Open(audit.Config{Dir: dir, MaxSize: size, Events: keep.Config{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(from), 7))
	var together sync.WaitGroup // records that come together share a write
	for i := range n {
		one := record(r, from+i)
		together.Go(func() {
			if err := log.Append(t.Context(), one); err != nil {
				t.Error(err)
			}
		})
		if i%16 == 15 { // none is later than the log allows for
			together.Wait()
		}
	}
	together.Wait()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// open opens an index until the test ends.
func open(t testing.TB, dir string) *index.Index {
	t.Helper()
	x := index.Open(dir, nil)
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// whole gives an index that is behind by nothing.
func whole(t testing.TB, x *index.Index) *index.Index {
	t.Helper()
	for {
		page, err := x.Page(t.Context(), index.Query{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if page.Behind == 0 {
			return x
		}
	}
}

// randomQuery makes up a query that wants something, as a rule.
func randomQuery(r *rand.Rand) (q index.Query) {
	maybe := func(set func()) {
		if r.IntN(5) == 0 {
			set()
		}
	}
	maybe(func() { q.Session = pick(r, append(sessions, "s-17")...) })
	maybe(func() { q.Agent = pick(r, agents...) })
	maybe(func() {
		q.Event = pick(r, "pre_tool_use", "PostToolUse", "before-tool-call", "tool_native", "beforeShellExecution", "nothing", "")
	})
	maybe(func() { q.Action = pick(r, "block", "deny", "ask", "untaken", "observed", "continue") })
	maybe(func() { q.Hook = pick(r, hookNames...) })
	maybe(func() { q.Would = true })
	maybe(func() { q.Since = begin.Add(time.Duration(r.IntN(40)) * time.Hour) })
	maybe(func() { q.Until = begin.Add(time.Duration(r.IntN(60)) * time.Hour) })
	maybe(func() { q.Workspace = pick(r, workspaces...) })
	maybe(func() { q.Folder = pick(r, "/src", "/src/app", "/", "/tmp") })
	maybe(func() { q.Rule = pick(r, "git/force-push", "git/force-push@2", "git/force", "files", "files/delete") })
	maybe(func() {
		q.Text = pick(r, "git PUSH", `"push --force"`, "köln", "grüße BUILD", "日本", "x", "hi", `line`, "toolu_17", "toolu_", "event-3", "team", "a<b>&c", "no such words", "one two three")
	})
	q.Oldest = r.IntN(3) == 0
	q.Limit = pick(r, 0, 37, 100, 500)
	return q
}

// TestTheIndexAnswersAsTheLogDoes holds pages of random queries against a plain reading of
// the same log, page by page, with an index that is new, has grown, and was opened again.
func TestTheIndexAnswersAsTheLogDoes(t *testing.T) {
	dir := newLog(t, 1300, 96<<10)
	x := whole(t, open(t, dir))
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 3 {
		all, err := recorded(dir)
		if err != nil {
			t.Fatal(err)
		}
		for range 25 {
			compare(t, x, all, randomQuery(r))
		}
		if t.Failed() {
			return
		}
		grow(t, dir, 3000+round*300, 300, 96<<10)
		if round == 1 {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			x = whole(t, open(t, dir))
		}
	}
}

// TestAPageThatIsOutOfTimeGoesOn: pages that end early, even with nothing on them, lead to all
// that is wanted.
func TestAPageThatIsOutOfTimeGoesOn(t *testing.T) {
	dir := newLog(t, 1300, 96<<10)
	x := whole(t, open(t, dir))
	all, err := recorded(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []index.Query{{}, {Oldest: true}, {Text: "köln", Limit: 7}, {Text: "no such words"}, {Text: "köln", Oldest: true}, {Filter: audit.Filter{Session: "s-1"}}, {Rule: "git/force-push", Oldest: true}} {
		want := wanted(t, all, q)
		for _, plainly := range []bool{false, true} {
			q, got, empty := q, []int64{}, 0
			for more := true; more; more = q.After != "" {
				page, err := x.PageInTime(t.Context(), q, pick(rand.New(rand.NewPCG(uint64(len(got)), 5)), 5, 12, 60), plainly && len(got)%2 == 0)
				if err != nil {
					t.Fatal(err)
				}
				if q.After != "" && page.Next == q.After {
					t.Fatalf("%+v: the page after %s is after it again", q, q.After)
				}
				for _, r := range page.Records {
					got = append(got, r.Seq)
				}
				if q.After = page.Next; len(page.Records) == 0 {
					empty++
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v, plainly %t\ngives %v\nwant  %v", q, plainly, got, want)
			}
			if q.Text == "no such words" && empty < 2 {
				t.Errorf("%+v, plainly %t: %d empty pages, want one that leads on at least", q, plainly, empty)
			}
		}
	}
}

// compare holds all pages of a query against the log.
func compare(t *testing.T, x *index.Index, all []audit.Record, q index.Query) {
	t.Helper()
	want, got := wanted(t, all, q), []int64{}
	for {
		page, err := x.Page(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		for _, one := range page.Records {
			got = append(got, one.Seq)
		}
		if len(page.Problems) > 0 || page.Total != int64(len(want)) && !page.AtLeast {
			t.Errorf("%+v: total %d of %d, problems %q", q, page.Total, len(want), page.Problems)
		}
		if q.After = page.Next; page.Next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v\ngives %v\nwant  %v", q, got, want)
	}
}

// recorded gives what the log has, up to what is wrong with it.
func recorded(dir string) (list []audit.Record, err error) {
	for r, err := range audit.Read(dir, audit.Filter{}) {
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

// wanted are the numbers of the records that a query wants, by looking at all of them.
func wanted(t *testing.T, all []audit.Record, q index.Query) []int64 {
	t.Helper()
	list, filtered := []int64{}, q.Matcher()
	for i := range all {
		if !filtered(&all[i]) {
			continue
		}
		is, err := q.Concerns(&all[i])
		if err != nil {
			t.Fatal(err)
		}
		if is {
			list = append(list, all[i].Seq)
		}
	}
	if !q.Oldest {
		slices.Reverse(list)
	}
	return list
}

// filter is one of an action and an agent.
func filter(action, agent string) audit.Filter { return audit.Filter{Action: action, Agent: agent} }

// TestFiguresAreThoseOfTheLog holds figures against those that are made of the log itself.
func TestFiguresAreThoseOfTheLog(t *testing.T) {
	dir := newLog(t, 2500, 256<<10)
	x := whole(t, open(t, dir))
	r := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		q := index.StatsQuery{Filter: randomQuery(r).Filter, Zone: time.FixedZone("", 3600*r.IntN(12))}
		q.Hook = ""
		stats, err := x.Stats(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		hooks, err := audit.Summarize(dir, q.Filter)
		if err != nil {
			t.Fatal(err)
		}
		compareHooks(t, stats.Hooks, hooks)
		actions, days := map[string]int64{}, map[string]int64{}
		for one, err := range audit.Read(dir, q.Filter) {
			if err != nil {
				t.Fatal(err)
			}
			if one.Event == audit.Approval {
				continue
			}
			actions[cmp.Or(one.Action, "none")]++
			days[one.Time.In(q.Zone).Format(time.DateOnly)]++
		}
		for _, day := range stats.Days {
			for _, n := range day.ByAction {
				days[day.Day] -= n
			}
		}
		if !maps.Equal(actions, stats.ByAction) {
			t.Errorf("%+v: %v, want %v", q.Filter, stats.ByAction, actions)
		}
		for day, n := range days {
			if n != 0 {
				t.Errorf("%+v: %s lacks %d", q.Filter, day, n)
			}
		}
	}
}

func compareHooks(t *testing.T, got []index.HookStats, want []audit.HookStats) {
	t.Helper()
	of := map[string]index.HookStats{}
	for _, h := range got {
		of[h.Hook] = h
	}
	for _, w := range want {
		g := of[w.Hook]
		if counts, wanted := [4]int64{g.Runs, g.Would, g.Failures, g.Changes}, [4]int64{int64(w.Runs), int64(w.Would), int64(w.Failures), int64(w.Changes)}; counts != wanted {
			t.Errorf("%s: %v, want %v", w.Hook, counts, wanted)
		}
		for _, p := range [][2]float64{{g.P50, w.P50}, {g.P95, w.P95}, {g.P99, w.P99}} {
			if math.Abs(p[0]-p[1]) > 0.011*p[1]+0.001 {
				t.Errorf("%s: %v ms, want %v", w.Hook, p[0], p[1])
			}
		}
	}
}

// TestSessionsAreThoseOfTheLog counts them by hand.
func TestSessionsAreThoseOfTheLog(t *testing.T) {
	dir := newLog(t, 2500, 256<<10)
	x := whole(t, open(t, dir))
	list, _, err := x.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	events := map[string]int64{}
	for r, err := range audit.Read(dir, audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Session != "" && (r.Agent != "" || r.Event != audit.Approval) {
			events[r.Agent+" "+r.Session]++
		}
	}
	for _, s := range list {
		events[s.Agent+" "+s.ID] -= s.Events
	}
	for session, n := range events {
		if n != 0 {
			t.Errorf("%q lacks %d records", session, n)
		}
	}
	n := int64(0)
	for range x.Records(t.Context(), audit.Filter{Session: "s-1"}) {
		n++
	}
	page, err := x.Page(t.Context(), index.Query{Filter: audit.Filter{Session: "s-1"}})
	if err != nil || page.Total != n {
		t.Errorf("%d records of s-1, want %d (%v)", n, page.Total, err)
	}
}
