package suggest

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/where"
)

// snare is a rule that would catch what a person stopped by hand.
type snare struct {
	times
	name, text string
	test       *where.Test
	calls      []*answered
	how        map[string]int
	rule       string // of hookway's own, that holds for all of them
	need       string // what a command has that the rule can hold for
	all        int    // calls of the record that the rule holds for
	narrow     bool   // it is about one sub-command, where a wider one holds for what ran
}

// catches are the rules that would have caught what a person stopped by hand.
func (j *judge) catches(ctx context.Context) ([]Suggestion, error) {
	set := j.set(j.snares())
	if len(set) == 0 {
		return nil, nil
	}
	if err := j.look(ctx, set); err != nil {
		return nil, err
	}
	var out []Suggestion
	ids := j.taken()
	caught := map[*answered]bool{}
	for _, s := range set {
		if s.narrow && !slices.ContainsFunc(s.calls, func(a *answered) bool { return !caught[a] }) {
			continue
		}
		if suggestion, ok := j.catch(s, ids); ok {
			out = append(out, suggestion)
			for _, a := range s.calls {
				caught[a] = true
			}
		}
	}
	return out, nil
}

// snares are the rules, by their text, that hold for what a person stopped and no rule
// of hookway's own stops already.
func (j *judge) snares() map[string]*snare {
	out := map[string]*snare{}
	for _, h := range sortedHashes(j.watch.no) {
		a := j.watch.no[h]
		if !j.inside(a.dir) {
			continue
		}
		list := j.facts(&a.call)
		f := worst(list)
		if f == nil || j.counts(list) {
			continue
		}
		text, name := snareOf(f)
		j.snare(out, [2]string{text, name}, f.By, a, list)
		if one := narrowOf(list); one[0] != "" && one[0] != text {
			s := j.snare(out, one, f.By, a, list)
			s.narrow, s.rule = true, "" // a rule of hookway's own is about more
		}
	}
	return out
}

// set are the rules of those that a person stopped often enough, the wide ones first.
func (j *judge) set(snares map[string]*snare) (out []*snare) {
	var narrow []*snare
	for _, text := range slices.Sorted(maps.Keys(snares)) {
		s := snares[text]
		if occasions, _ := s.habit(); occasions < leastStopped || j.standing("ask", s.calls) {
			continue
		}
		var err error
		switch s.test, err = where.Compile(text); {
		case err != nil:
		case s.narrow:
			narrow = append(narrow, s)
		default:
			out = append(out, s)
		}
	}
	return append(out, narrow...)
}

// snare adds a call to the rule that would catch it.
func (j *judge) snare(snares map[string]*snare, one [2]string, need string, a *answered, list []hook.Fact) *snare {
	s := snares[one[0]]
	if s == nil {
		s = &snare{name: one[1], text: one[0], how: map[string]int{}, rule: j.holding(list), need: need}
		snares[one[0]] = s
	}
	if s.rule != j.holding(list) {
		s.rule = ""
	}
	if !strings.Contains(guards.CommandOf(a.input), s.need) { // as of what a makefile does
		s.need = ""
	}
	s.calls = append(s.calls, a)
	s.how[a.how] += a.times.all
	s.join(&a.times)
	return s
}

// narrowOf is the condition under which a command is the same sub-command of the same
// program, and what that is called; "" where there is none.
func narrowOf(list []hook.Fact) [2]string {
	i := slices.IndexFunc(list, func(f hook.Fact) bool { return f.Does == "run" && f.Program != "" })
	if i < 0 {
		return [2]string{}
	}
	f := &list[i]
	text := "any(facts, .does == \"run\" and .program == " + quote(f.Program)
	switch {
	case f.Sub != "":
		return [2]string{text + " and .sub == " + quote(f.Sub) + ")", f.Program + " " + f.Sub}
	case len(f.Args) > 0 && subCommand().MatchString(f.Args[0]):
		return [2]string{text + " and len(.args) > 0 and .args[0] == " + quote(f.Args[0]) + ")", f.Program + " " + f.Args[0]}
	}
	return [2]string{}
}

// counts reports whether a rule of hookway's own stops such a call here already.
func (j *judge) counts(list []hook.Fact) bool {
	return j.Policy != nil && slices.ContainsFunc(j.Policy.Judge(list), func(o guards.Judged) bool { return o.Counts && o.Verdict != guards.Warn })
}

// holding is the rule of hookway's own that holds for facts and is on trial here, or "".
func (j *judge) holding(list []hook.Fact) string {
	for _, o := range guards.Everything().Judge(list) {
		if j.onTrial(o.Rule.ID) {
			return o.Rule.ID
		}
	}
	return ""
}

// snareOf is the condition under which a call does what a fact says, and what it is
// called. Paths count by their folder.
func snareOf(f *hook.Fact) (text, name string) {
	parts := []string{".does == " + quote(f.Does)}
	words := []string{f.By}
	add := func(member, value string) {
		if value != "" {
			parts = append(parts, "."+member+" == "+quote(value))
			if member != "scope" && !slices.Contains(words, value) {
				words = append(words, value)
			}
		}
	}
	switch f.Does {
	case "run":
		add("program", f.Program)
		add("sub", f.Sub)
	case "git":
		add("verb", f.Verb)
		for member, is := range map[string]bool{"force": f.Force, "deletes": f.Deletes, "uncommitted": f.Uncommitted} {
			if is {
				parts = append(parts, "."+member)
			}
		}
		slices.Sort(parts[1:])
	case "sql", "infra", "package":
		add("system", f.System)
		add("manager", f.Manager)
		add("verb", f.Verb)
	case "connect":
		add("host", f.Host)
	default:
		add("by", f.By)
		add("scope", f.Scope)
		if f.Inside != "" {
			folder := commonFolder([]string{f.Inside})
			parts = append(parts, "hasPrefix(.inside, "+quote(folder)+")")
			words = append(words, folder)
		} else if folder := path.Dir(f.Path) + "/"; strings.Count(folder, "/") > 2 && path.IsAbs(f.Path) {
			parts = append(parts, "hasPrefix(.path, "+quote(folder)+")")
			words = append(words, folder)
		} else if f.Path != "" {
			parts = append(parts, ".path == "+quote(f.Path))
			words = append(words, f.Path)
		}
	}
	return "any(facts, " + strings.Join(parts, " and ") + ")", strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// look reads the record once more, and counts what each rule would have caught.
func (j *judge) look(ctx context.Context, set []*snare) error {
	memory := map[hash][]hook.Fact{}
	var tests []*where.Test
	for _, s := range set {
		tests = append(tests, s.test)
	}
	p := newProbe(tests...)
	return j.each(ctx, func(r *audit.Record) {
		if r.Event != hook.PreToolUse.Info().Name || r.Action == audit.Repeat || r.Action == audit.Untaken {
			return
		}
		c := callOf(r)
		command := guards.CommandOf(c.input)
		if command != "" && !slices.ContainsFunc(set, func(s *snare) bool { return strings.Contains(command, s.need) }) {
			return
		}
		for i, is := range p.try(&tested{c, j.remembered(memory, r, &c)}) {
			if is {
				set[i].all++
			}
		}
	})
}

// remembered are the facts of a call: those on record, or found now.
func (j *judge) remembered(memory map[hash][]hook.Fact, r *audit.Record, c *call) []hook.Fact {
	if len(r.Facts) > 0 {
		return r.Facts
	}
	if !j.inside(c.dir) || !whole(r) {
		return nil
	}
	h := c.hash()
	list, ok := memory[h]
	if !ok {
		if len(memory) >= mostCalls {
			clear(memory)
		}
		list = j.facts(c)
		memory[h] = list
	}
	return list
}

// ways are how a person stops a call, as the evidence tells it.
var ways = []struct{ how, text string }{
	{"refused", "were asked about and did not run"},
	{"interrupted", "had no result when a person spoke"},
	{"undone", "were undone right after a person spoke"},
}

// catch is the suggestion of such a rule. Of what mostly ran, nothing is said.
func (j *judge) catch(s *snare, ids map[string]bool) (out Suggestion, ok bool) {
	if s.times.all*2 < s.all {
		return out, false
	}
	out = Suggestion{Kind: Catch, Samples: j.samples(s.calls)}
	out.count(&s.times)
	for _, way := range ways {
		if n := s.how[way.how]; n > 0 {
			out.Why = append(out.Why, calls(n)+" "+way.text)
		}
	}
	out.Why = append(out.Why, fmt.Sprintf("of %s that the rule holds for", calls(max(s.all, s.times.all))))
	if s.rule != "" {
		out.ID, out.Rule, out.Title = s.rule, string(guards.Enforce), "have "+s.rule+" count, which holds for what you stopped"
		out.YAML = "guards:\n  rules:\n    " + s.rule + ": enforce\n"
		out.Case = j.caseOf(s.calls[0].call, verdictOf(s.rule), guards.ID)
		out.Case.Name = "suggested: " + s.rule
		return out, true
	}
	out.ID = free(ids, "ask-"+slug(s.name))
	out.Title = "ask about " + s.name
	out.Hook = hookEntry(out.ID, &shape{event: hook.PreToolUse.Info().Name}, s.text, "ask", fmt.Sprintf("You stopped this %s, %s.", timesOf(s.times.all), span(s.first, s.last)))
	out.YAML = "hooks:\n" + out.Hook
	out.Case = j.caseOf(s.calls[0].call, "ask", out.ID)
	return out, true
}

func verdictOf(id string) string {
	if r := ruleOf(id); r != nil {
		return string(r.Verdict)
	}
	return "ask"
}

// unsafe takes secrets out of a text for people.
var unsafe = facts.NewRedactor(nil)
