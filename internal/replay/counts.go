package replay

import (
	"cmp"
	"hash/crc32"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/guards"
)

// call is what is told of a call.
type call struct {
	agent, tool   string
	sub           bool
	time          time.Time
	input         map[string]any
	home, project string
}

// outcome is what a record says that became of a call.
type outcome int

const (
	fine   outcome = iota // it ran, and was answered
	failed                // it ran, and failed
	no                    // a person refused it
)

// Stops says how many calls would have been stopped.
type Stops struct {
	Block int `json:"block"`
	Ask   int `json:"ask"`
}

func (s *Stops) add(o Stops) { s.Block, s.Ask = s.Block+o.Block, s.Ask+o.Ask }

// count counts a verdict.
func (s *Stops) count(v guards.Verdict) {
	switch v {
	case guards.Block:
		s.Block++
	case guards.Ask:
		s.Ask++
	}
}

// All is how many calls would have been stopped in either way.
func (s Stops) All() int { return s.Block + s.Ask }

// Part are the calls of one agent, day or project.
type Part struct {
	Name    string `json:"name"`
	Calls   int    `json:"calls"`
	Enforce Stops  `json:"enforce"`
	Auto    Stops  `json:"auto"`
}

// Rule says what one rule would have done.
type Rule struct {
	ID      string  `json:"rule"`
	Enforce Stops   `json:"enforce"` // calls that it holds for, by what it says
	Auto    Stops   `json:"auto"`    // of these, what counts in mode auto
	Share   float64 `json:"share"`   // of all calls that were judged, in percent
	Alone   int     `json:"alone"`   // calls for which no other rule holds

	// What became of the calls in the past.
	Fine    int `json:"ran_fine"`
	Failed  int `json:"failed"`
	Refused int `json:"refused"`

	Samples []Sample `json:"samples"`

	shapes map[string]*Sample
	hosts  map[string]int // where its calls connect to
	places map[string]int // the folders of the paths that they change
}

// Calls is how many calls the rule holds for.
func (r *Rule) Calls() int { return r.Enforce.All() }

// Sample is one of the calls that a rule holds for, with the secrets taken out.
type Sample struct {
	Call    string         `json:"call"`
	Says    string         `json:"says"`
	Verdict guards.Verdict `json:"verdict"`
	Agent   string         `json:"agent"`
	Project string         `json:"project"`
	Time    time.Time      `json:"time"`
	Times   int            `json:"times"` // how many calls are like it
}

// Found is what the packs that judge results would have done with what came back from
// calls: fenced orders to the agent, masked secrets, removed what makes a terminal do
// things.
type Found struct {
	Searched int `json:"searched"` // results
	Enforce  int `json:"enforce"`  // of these, what would have been changed
	Auto     int `json:"auto"`     // of these, in mode auto

	Rules []*Rule `json:"rules"`

	rules map[string]*Rule
}

func (f *Found) add(o *Found) {
	f.Searched, f.Enforce, f.Auto = f.Searched+o.Searched, f.Enforce+o.Enforce, f.Auto+o.Auto
	for id, r := range o.rules {
		if f.rules[id] == nil {
			f.rules[id] = r
			continue
		}
		f.rules[id].add(r)
	}
}

// searched counts a result with what rules say of it.
func (c *counts) searched(about call, found []guards.Judged) {
	c.Results.Searched++
	any, counts := false, false
	for _, j := range found {
		if j.Verdict == guards.Warn {
			continue
		}
		any, counts = true, counts || j.Counts
		ruleIn(c.Results.rules, about, j)
	}
	if any {
		c.Results.Enforce++
	}
	if counts {
		c.Results.Auto++
	}
}

// counts are those of one session, or of all.
type counts struct {
	Sessions int `json:"sessions"`
	Records  int `json:"records"`
	Calls    int `json:"calls"`
	Sub      int `json:"subagent_calls"`
	Copies   int `json:"copies"`       // calls that stand in two records, counted once
	NoFolder int `json:"no_folder"`    // calls that were not judged: their folder is not known
	Programs int `json:"programs"`     // and these: programs that call tools
	Torn     int `json:"unread_lines"` // lines that cannot be read

	Enforce Stops `json:"enforce"`
	Auto    Stops `json:"auto"`

	Results Found `json:"results"`

	agents, days, projects map[string]*Part
	rules                  map[string]*Rule
	together               map[string]int // calls for which several rules hold, by these
}

func newCounts() *counts {
	return &counts{agents: map[string]*Part{}, days: map[string]*Part{}, projects: map[string]*Part{}, rules: map[string]*Rule{}, together: map[string]int{}, Results: Found{rules: map[string]*Rule{}}}
}

// Bounds of what is kept apart; of more the rest is counted together.
const (
	mostParts    = 2000
	mostShapes   = 128 // of a rule
	mostNames    = 64  // hosts and folders of a rule
	mostTogether = 512 // sets of rules
	otherParts   = "(others)"
)

func part(in map[string]*Part, name string) *Part {
	if in[name] == nil && len(in) >= mostParts {
		name = otherParts
	}
	if in[name] == nil {
		in[name] = &Part{Name: name}
	}
	return in[name]
}

// parts are those that a call counts for.
func (c *counts) parts(about call) [3]*Part {
	day := "(no time)"
	if !about.time.IsZero() {
		day = about.time.UTC().Format(time.DateOnly)
	}
	project := "(not known)"
	if about.project != "" {
		project = hide(about.project, about.home)
	}
	return [3]*Part{part(c.agents, about.agent), part(c.days, day), part(c.projects, project)}
}

// made counts a call, judged or not.
func (c *counts) made(about call) {
	c.Calls++
	if about.sub {
		c.Sub++
	}
	for _, p := range c.parts(about) {
		p.Calls++
	}
}

// unjudged counts a call that the rules cannot judge.
func (c *counts) unjudged(about call, program bool) {
	c.made(about)
	if program {
		c.Programs++
		return
	}
	c.NoFolder++
}

// judged counts a call with what rules say of it, and gives the ids of the rules.
func (c *counts) judged(about call, found []guards.Judged) (rules []string) {
	c.made(about)
	found = slices.DeleteFunc(slices.Clone(found), func(j guards.Judged) bool { return j.Verdict == guards.Warn })
	if len(found) == 0 {
		return nil
	}
	var all, auto guards.Verdict
	for _, j := range found {
		all = worse(all, j.Verdict)
		if j.Counts {
			auto = worse(auto, j.Verdict)
		}
		if !slices.Contains(rules, j.Rule.ID) {
			rules = append(rules, j.Rule.ID)
			ruleIn(c.rules, about, j)
		}
	}
	if len(rules) == 1 {
		c.rules[rules[0]].Alone++
	} else {
		bumpBy(c.together, strings.Join(slices.Sorted(slices.Values(rules)), " "), 1, mostTogether)
	}
	c.Enforce.count(all)
	c.Auto.count(auto)
	for _, p := range c.parts(about) {
		p.Enforce.count(all)
		p.Auto.count(auto)
	}
	return rules
}

func worse(a, b guards.Verdict) guards.Verdict {
	if a == guards.Block || b == "" {
		return a
	}
	return b
}

// ruleIn counts the strictest finding of a rule for a call.
func ruleIn(rules map[string]*Rule, about call, j guards.Judged) {
	r := rules[j.Rule.ID]
	if r == nil {
		r = &Rule{ID: j.Rule.ID, shapes: map[string]*Sample{}, hosts: map[string]int{}, places: map[string]int{}}
		rules[r.ID] = r
	}
	r.Enforce.count(j.Verdict)
	if j.Counts {
		r.Auto.count(j.Verdict)
	}
	bump(r.hosts, j.Fact.Host)
	if f := &j.Fact; strings.HasPrefix(f.Path, "/") && (f.Scope == "home" || f.Scope == "other") && f.Does != "read" {
		bump(r.places, tilde(path.Dir(f.Path), about.home))
	}
	shape := strings.Join([]string{about.tool, j.Fact.By, j.Fact.Sub, j.Fact.Verb, j.Fact.Host, j.Fact.Object, path.Dir(j.Fact.Path), j.Fact.Because}, "\x00")
	if s := r.shapes[shape]; s != nil {
		s.Times++
	} else if r.room(shape) {
		s := sampleOf(about, j)
		r.shapes[shape] = &s
	}
}

// room makes room for a shape, if there is to be any. Of too many those are kept that come
// first by a sum, so that they are the same in whatever order sessions come.
func (r *Rule) room(shape string) bool {
	if len(r.shapes) < mostShapes {
		return true
	}
	last := ""
	for known := range r.shapes {
		if last == "" || bySum(known, last) > 0 {
			last = known
		}
	}
	if bySum(shape, last) > 0 {
		return false
	}
	delete(r.shapes, last)
	return true
}

func bySum(a, b string) int {
	return cmp.Or(cmp.Compare(crc32.ChecksumIEEE([]byte(a)), crc32.ChecksumIEEE([]byte(b))), strings.Compare(a, b))
}

func bump(in map[string]int, name string) {
	if name != "" {
		bumpBy(in, name, 1, mostNames)
	}
}

// bumpBy counts n more of a name, if there is room for it.
func bumpBy(in map[string]int, name string, n, most int) {
	if in[name] > 0 || len(in) < most {
		in[name] += n
	}
}

// became counts what came of a call that rules hold for.
func (c *counts) became(rules []string, o outcome) {
	for _, id := range rules {
		switch r := c.rules[id]; o {
		case fine:
			r.Fine++
		case failed:
			r.Failed++
		case no:
			r.Refused++
		}
	}
}

// add adds the counts of a session.
func (c *counts) add(o *counts) {
	for to, n := range map[*int]int{
		&c.Sessions: o.Sessions, &c.Records: o.Records, &c.Calls: o.Calls, &c.Sub: o.Sub, &c.Copies: o.Copies,
		&c.NoFolder: o.NoFolder, &c.Programs: o.Programs, &c.Torn: o.Torn,
	} {
		*to += n
	}
	c.Enforce.add(o.Enforce)
	c.Auto.add(o.Auto)
	c.Results.add(&o.Results)
	for _, both := range [][2]map[string]*Part{{c.agents, o.agents}, {c.days, o.days}, {c.projects, o.projects}} {
		for name, p := range both[1] {
			to := part(both[0], name)
			to.Calls += p.Calls
			to.Enforce.add(p.Enforce)
			to.Auto.add(p.Auto)
		}
	}
	for ids, n := range o.together {
		bumpBy(c.together, ids, n, mostTogether)
	}
	for id, r := range o.rules {
		if c.rules[id] == nil {
			c.rules[id] = r
			continue
		}
		c.rules[id].add(r)
	}
}

func (r *Rule) add(o *Rule) {
	r.Enforce.add(o.Enforce)
	r.Auto.add(o.Auto)
	r.Alone, r.Fine, r.Failed, r.Refused = r.Alone+o.Alone, r.Fine+o.Fine, r.Failed+o.Failed, r.Refused+o.Refused
	for _, both := range [][2]map[string]int{{r.hosts, o.hosts}, {r.places, o.places}} {
		for name, n := range both[1] {
			bumpBy(both[0], name, n, mostNames)
		}
	}
	for shape, s := range o.shapes {
		switch have := r.shapes[shape]; {
		case have == nil:
			if r.room(shape) {
				r.shapes[shape] = s
			}
		case compareSamples(s, have) < 0:
			s.Times += have.Times
			r.shapes[shape] = s
		default:
			have.Times += s.Times
		}
	}
}

// compareSamples puts the one that was made first before the other.
func compareSamples(a, b *Sample) int {
	return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Call, b.Call), strings.Compare(a.Project, b.Project), strings.Compare(a.Agent, b.Agent))
}
