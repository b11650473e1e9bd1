package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
)

// GuardsPlan says on what hookway's own rules are measured.
type GuardsPlan struct {
	Files []string // corpora; none: hookway's own
	Peer  *Peer    // who judges the same calls; nil: nobody
	Costs int      // how often each call is timed; 0: not at all
}

// GuardsReport is how well hookway's own rules judge labelled calls, and what that costs.
type GuardsReport struct {
	Corpora []CorpusScore `json:"corpora"` // the last one is all of them, if there are several
	Packs   []PackScore   `json:"packs"`
	Costs   []FactsCost   `json:"costs,omitempty"`
	Peer    string        `json:"peer,omitempty"` // its name and version
	Wrong   []WrongRow    `json:"wrong"`
}

// CorpusScore is one corpus in both modes, and judged by the peer.
type CorpusScore struct {
	Corpus  string `json:"corpus"`
	Enforce Score  `json:"enforce"`
	Auto    Score  `json:"auto"`
	Peer    *Score `json:"peer,omitempty"`
}

// Score counts how rows were judged. A dangerous row is right when it is blocked or asked
// about, a safe one when it passes.
type Score struct {
	Dangerous   int `json:"dangerous"`
	Stopped     int `json:"stopped"`
	Safe        int `json:"safe"`
	FalseBlocks int `json:"false_blocks"`
	FalseAsks   int `json:"false_asks"`
}

// Right is the share of rows that were judged rightly.
func (s Score) Right() float64 {
	return share(s.Stopped+s.Safe-s.FalseBlocks-s.FalseAsks, s.Dangerous+s.Safe)
}

func (s *Score) add(safe bool, v guards.Verdict) {
	switch {
	case !safe:
		s.Dangerous++
		if v != "" {
			s.Stopped++
		}
		return
	case v == guards.Block:
		s.FalseBlocks++
	case v == guards.Ask:
		s.FalseAsks++
	}
	s.Safe++
}

func (s *Score) sum(other Score) {
	s.Dangerous, s.Stopped, s.Safe = s.Dangerous+other.Dangerous, s.Stopped+other.Stopped, s.Safe+other.Safe
	s.FalseBlocks, s.FalseAsks = s.FalseBlocks+other.FalseBlocks, s.FalseAsks+other.FalseAsks
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// PackScore is what one pack had the strictest word about.
type PackScore struct {
	Pack        string `json:"pack"`
	Stopped     int    `json:"stopped"`
	FalseBlocks int    `json:"false_blocks"`
	FalseAsks   int    `json:"false_asks"`
}

// WrongRow is a row that was judged wrongly, in mode enforce.
type WrongRow struct {
	Corpus string         `json:"corpus"`
	Line   int            `json:"line"`
	Call   string         `json:"call"`
	Expect string         `json:"expect"`
	Got    guards.Verdict `json:"got"` // "": it passes
	Rule   string         `json:"rule,omitempty"`
}

// FactsCost is what calls of one kind cost, from the call to the verdict of all packs: over
// all calls, each in its fastest run.
type FactsCost struct {
	Source string  `json:"source"`
	Calls  int     `json:"calls"`
	P50    float64 `json:"p50_us"`
	P99    float64 `json:"p99_us"`
}

// Guards measures hookway's own rules. It says on tell what takes long.
func Guards(ctx context.Context, plan GuardsPlan, tell func(doing string)) (*GuardsReport, error) {
	all, err := plan.corpora()
	if err != nil {
		return nil, err
	}
	r := &GuardsReport{Wrong: []WrongRow{}}
	packs := map[string]*PackScore{}
	for _, p := range guards.Packs() {
		packs[p.Name] = &PackScore{Pack: p.Name}
	}
	sum := CorpusScore{Corpus: "all"}
	for _, c := range all {
		score := CorpusScore{Corpus: c.Name}
		for i := range c.Rows {
			r.judge(&score, packs, c.Name, &c.Rows[i])
		}
		if plan.Peer != nil {
			tell(fmt.Sprintf("%s judges the %d rows of %s", plan.Peer.Name, len(c.Rows), c.Name))
			if score.Peer, err = plan.Peer.judge(ctx, c.Rows); err != nil {
				return nil, err
			}
			if sum.Peer == nil {
				sum.Peer = &Score{}
			}
			sum.Peer.sum(*score.Peer)
		}
		sum.Enforce.sum(score.Enforce)
		sum.Auto.sum(score.Auto)
		r.Corpora = append(r.Corpora, score)
	}
	if len(all) > 1 {
		r.Corpora = append(r.Corpora, sum)
	}
	for _, name := range slices.Sorted(maps.Keys(packs)) {
		r.Packs = append(r.Packs, *packs[name])
	}
	if plan.Peer != nil {
		r.Peer = plan.Peer.Name + " " + plan.Peer.Version
	}
	if plan.Costs > 0 {
		tell("measuring what a call costs")
		r.Costs, err = guardCosts(ctx, all, plan.Costs)
	}
	return r, err
}

// corpora are those of the plan's files, or hookway's own.
func (p *GuardsPlan) corpora() (all []guards.Corpus, err error) {
	if len(p.Files) == 0 {
		return guards.Corpora()
	}
	for _, name := range p.Files {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("the corpus cannot be read: %w", err)
		}
		rows, err := guards.ReadRows(name, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, guards.Corpus{Name: strings.TrimSuffix(filepath.Base(name), ".jsonl"), Rows: rows})
	}
	return all, nil
}

// autoPolicy is what hookway guards use default switches on.
var autoPolicy = sync.OnceValue(func() *guards.Policy { return &guards.Policy{Packs: guards.Names(), Mode: guards.Auto} })

// judge adds what the rules say of one row.
func (r *GuardsReport) judge(into *CorpusScore, packs map[string]*PackScore, corpus string, row *guards.Row) {
	found := row.Policy().Judge(row.Facts(guards.CorpusWorld()))
	var verdict, auto guards.Verdict
	rule := ""
	if len(found) > 0 {
		verdict, rule = found[0].Verdict, found[0].Rule.ID
	}
	if first := autoPolicy().Judge(row.Facts(guards.CorpusWorld())); len(first) > 0 && first[0].Counts {
		auto = first[0].Verdict
	}
	into.Enforce.add(row.Safe(), verdict)
	into.Auto.add(row.Safe(), auto)
	pack, _, _ := strings.Cut(rule, "/")
	if p := packs[pack]; p != nil {
		switch {
		case !row.Safe():
			p.Stopped++
		case verdict == guards.Block:
			p.FalseBlocks++
		default:
			p.FalseAsks++
		}
	}
	if row.Safe() != (verdict == "") {
		r.Wrong = append(r.Wrong, WrongRow{corpus, row.Line, row.Text(), row.Expect, verdict, rule})
	}
}

// guardCosts times every call, with a folder of its own as the place where it is made. Of
// each call the fastest of several runs counts: what else the machine does is not its cost.
func guardCosts(ctx context.Context, all []guards.Corpus, times int) ([]FactsCost, error) {
	dir, err := Folder()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	world, everything := guards.World(dir, os.Environ()), guards.Everything()
	var best []time.Duration // of each call
	var sources []string
	for n := range times + 1 { // once before, so that tables are there
		at := 0
		for _, c := range all {
			for i := range c.Rows {
				row := c.Rows[i]
				row.Dir = ""
				began := time.Now()
				fs := row.Facts(world)
				everything.Judge(fs)
				d := time.Since(began)
				if n == 0 {
					best, sources = append(best, d), append(sources, sourceOf(&row, fs))
				}
				best[at] = min(best[at], d)
				at++
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	took := map[string][]time.Duration{"all": slices.Clone(best)}
	for i, d := range best {
		took[sources[i]] = append(took[sources[i]], d)
	}
	var out []FactsCost
	for source, d := range took {
		slices.Sort(d)
		us := func(q float64) float64 {
			return float64(d[min(int(q*float64(len(d))), len(d)-1)].Nanoseconds()) / 1000
		}
		out = append(out, FactsCost{source, len(d), us(0.5), us(0.99)})
	}
	slices.SortFunc(out, func(a, b FactsCost) int {
		if (a.Source == "all") != (b.Source == "all") {
			return cmp.Compare(b2i(a.Source == "all"), b2i(b.Source == "all"))
		}
		return cmp.Compare(a.Source, b.Source)
	})
	return out, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sourceOf names what the facts of a call were read from.
func sourceOf(row *guards.Row, fs []hook.Fact) string {
	switch {
	case strings.HasPrefix(row.Tool, "mcp__"):
		return "mcp"
	case row.Tool != "" && row.Input["command"] == nil:
		return "tools"
	case row.Shell != "":
		return row.Shell
	case slices.ContainsFunc(fs, func(f hook.Fact) bool { return f.Does == "sql" }):
		return "shell with sql"
	case slices.ContainsFunc(fs, func(f hook.Fact) bool { return f.Does == "run" && interpreter(f) }):
		return "shell with code"
	}
	return "shell"
}

// interpreter reports whether a program is given code on its command line.
func interpreter(f hook.Fact) bool {
	name := strings.TrimRight(filepath.Base(f.Program), "0123456789.")
	return slices.Contains([]string{"python", "node", "ruby", "perl", "php", "deno", "bun"}, name) &&
		slices.ContainsFunc(f.Args, func(a string) bool { return a == "-c" || a == "-e" || a == "-r" || a == "--eval" })
}

// PrintWrong writes a line for each row that is judged wrongly.
func (r *GuardsReport) PrintWrong(w io.Writer) {
	for _, row := range r.Wrong {
		got := "passes"
		if row.Rule != "" {
			got = string(row.Got) + " by " + row.Rule
		}
		fmt.Fprintf(w, "%s:%d: want %s, got %s: %s\n", row.Corpus, row.Line, row.Expect, got, hook.LogLine(row.Call))
	}
	if len(r.Wrong) > 0 {
		fmt.Fprintln(w)
	}
}

// Print writes the report for people.
func (r *GuardsReport) Print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "corpus\trows\tright\tstopped\tfalse blocks\tfalse asks\tauto: stopped\tfalse\t"
	if r.Peer != "" {
		head += r.Peer + ": right\tstopped\tfalse\t"
	}
	fmt.Fprintln(t, head)
	percent := func(n, of int) string { return fmt.Sprintf("%.1f %%", 100*share(n, of)) }
	for _, c := range r.Corpora {
		e := c.Enforce
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%s\t%s\t%s\t%s\t%s\t", c.Corpus, e.Dangerous+e.Safe, e.Right(), percent(e.Stopped, e.Dangerous),
			percent(e.FalseBlocks, e.Safe), percent(e.FalseAsks, e.Safe), percent(c.Auto.Stopped, c.Auto.Dangerous), percent(c.Auto.FalseBlocks+c.Auto.FalseAsks, c.Auto.Safe))
		if p := c.Peer; p != nil {
			fmt.Fprintf(t, "%.3f\t%s\t%s\t", p.Right(), percent(p.Stopped, p.Dangerous), percent(p.FalseBlocks+p.FalseAsks, p.Safe))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush()
	fmt.Fprintln(w)
	fmt.Fprintln(t, "pack\tstopped\tfalse blocks\tfalse asks\t")
	for _, p := range r.Packs {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t\n", p.Pack, p.Stopped, p.FalseBlocks, p.FalseAsks)
	}
	_ = t.Flush()
	if len(r.Costs) == 0 {
		return
	}
	fmt.Fprintln(w)
	fmt.Fprintln(t, "a call, all packs\tcalls\tp50\tp99\t")
	for _, c := range r.Costs {
		fmt.Fprintf(t, "%s\t%d\t%.0f µs\t%.0f µs\t\n", c.Source, c.Calls, c.P50, c.P99)
	}
	_ = t.Flush()
}
