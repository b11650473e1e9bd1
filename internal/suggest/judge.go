package suggest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/where"
)

// judge finds out what calls of the record would do now, and tries rules on them before
// they are suggested. A rule that lets calls pass must hold
//
//   - for every call that it is made of,
//   - for none that a person stopped, a hook blocked or a block rule of hookway's own
//     holds,
//   - for no example of a block rule: what the packs must stop.
type judge struct {
	*finder
	worlds map[string]facts.World
	held   int
	bad    []tested // what no allow rule may hold for
}

// tested is a call with its facts.
type tested struct {
	call
	facts []hook.Fact
}

func newJudge(f *finder) *judge { return &judge{finder: f, worlds: map[string]facts.World{}} }

// inside reports whether a call was made in the folder that is asked about.
func (j *judge) inside(dir string) bool {
	rest, ok := strings.CutPrefix(dir, j.Root)
	return ok && filepath.IsAbs(dir) && (rest == "" || j.Root == "/" || rest[0] == '/' || rest[0] == filepath.Separator)
}

// facts are what a call would do on this machine, as a hook is told of it.
func (j *judge) facts(c *call) []hook.Fact {
	w, known := j.worlds[c.dir]
	if !known {
		w = guards.NearWorld(c.dir, j.Environ)
		if len(j.worlds) >= mostSessions {
			clear(j.worlds)
		}
		j.worlds[c.dir] = w
	}
	return facts.Call(c.tool, c.input, w)
}

// blocked reports whether a block rule of hookway's own holds, whether it counts here or
// not, and whether it is the packs' or the user's.
func (j *judge) blocked(list []hook.Fact) bool {
	for _, p := range []*guards.Policy{guards.Everything(), j.Policy} {
		if p != nil && slices.ContainsFunc(p.Judge(list), func(o guards.Judged) bool { return o.Verdict == guards.Block }) {
			return true
		}
	}
	return false
}

// allows are the rules that would spare questions of the agents' own.
func (j *judge) allows() []Suggestion {
	shapes := map[string]*shape{}
	for _, h := range sortedHashes(j.watch.yes) {
		a := j.watch.yes[h]
		at := j.AllowAt(a.source)
		if at == "" || !j.inside(a.dir) || j.watch.no[h] != nil || j.watch.blocked[h] != nil {
			continue
		}
		list := j.facts(&a.call)
		if j.blocked(list) {
			j.held += a.all
			continue
		}
		if !plain(list) {
			continue
		}
		source := ""
		if at != hook.PreToolUse.Info().Name {
			source = a.source // elsewhere the rule would answer what a hook of PreToolUse asks
		}
		key := at + "\x00" + source + "\x00" + shapeKey(a.tool, list)
		if shapes[key] == nil {
			shapes[key] = newShape(j.Root, at, source, a.tool)
		}
		shapes[key].take(a, list)
	}
	habits := map[string]*shape{}
	for key, s := range shapes {
		if occasions, days := s.habit(); occasions >= leastTimes && days >= leastDays {
			habits[key] = s
		}
	}
	fits := j.tried(habits)
	for key := range fits {
		delete(habits, key)
	}
	for _, s := range habits { // what they have in common is too much: only what was seen
		s.words.shut = true
	}
	maps.Copy(fits, j.tried(habits))
	var out []Suggestion
	ids := j.taken()
	for _, key := range slices.Sorted(maps.Keys(fits)) {
		out = append(out, j.allow(fits[key], ids))
	}
	return out
}

// tried are the rules over shapes that may be suggested, by the keys of their shapes.
func (j *judge) tried(shapes map[string]*shape) map[string]*try {
	var tries []*try
	keys := map[*try]string{}
	for _, key := range slices.Sorted(maps.Keys(shapes)) {
		s := shapes[key]
		text, ok := s.expression()
		if !ok {
			s = j.narrowed(s)
			text, ok = s.expression()
		}
		if ok {
			tries = append(tries, &try{shape: s, text: text})
			keys[tries[len(tries)-1]] = key
		}
	}
	out := map[string]*try{}
	for _, t := range j.fit(tries) {
		out[keys[t]] = t
	}
	return out
}

// narrowed is the shape of those calls alone that are a habit each, for where all together
// differ too much.
func (j *judge) narrowed(s *shape) *shape {
	often := slices.DeleteFunc(slices.Clone(s.calls), func(a *answered) bool {
		occasions, days := a.habit()
		return occasions < leastTimes || days < leastDays
	})
	slices.SortStableFunc(often, func(a, b *answered) int { return b.all - a.all })
	out := newShape(j.Root, s.event, s.source, s.tool)
	out.words.shut = s.words.shut
	for _, a := range often[:min(len(often), mostWords)] {
		out.take(a, j.facts(&a.call))
	}
	return out
}

// sortedHashes are those of calls, the ones that were made first before the others.
func sortedHashes(in map[hash]*answered) []hash {
	return slices.SortedFunc(maps.Keys(in), func(a, b hash) int {
		return cmp.Or(in[a].first.Compare(in[b].first), slices.Compare(a[:], b[:]))
	})
}

// try is a rule before it is suggested.
type try struct {
	shape *shape
	text  string
	test  *where.Test
	acts  *where.Test // without what it says of the call's input
}

// holdsForItsCalls reports whether a rule holds for what it is made of.
func (j *judge) holdsForItsCalls(t *try) bool {
	p := newProbe(t.test)
	return !slices.ContainsFunc(t.shape.calls, func(a *answered) bool { return !p.try(&tested{a.call, j.facts(&a.call)})[0] })
}

// fit gives the rules that hold for what they must hold for and for nothing else.
func (j *judge) fit(tries []*try) []*try {
	tries = slices.DeleteFunc(tries, func(t *try) bool {
		var err, also error
		t.test, err = where.Compile(t.text)
		t.acts, also = where.Compile(t.shape.does())
		if err != nil || also != nil {
			return true
		}
		t.test = t.test.In(j.Root)
		return false
	})
	if len(tries) == 0 {
		return nil
	}
	if j.bad == nil {
		j.bad = append(j.stopped(), examples()...)
	}
	var acts []*where.Test
	for _, t := range tries {
		acts = append(acts, t.acts)
	}
	p, passes := newProbe(acts...), make([]bool, len(acts))
	for i := range j.bad {
		for k, is := range p.try(&j.bad[i]) {
			passes[k] = passes[k] || is
		}
	}
	var out []*try
	for i, t := range tries {
		if !passes[i] && j.holdsForItsCalls(t) && !j.standing("allow", t.shape.calls) {
			out = append(out, t)
		}
	}
	return out
}

// stopped are the calls of the record that a person stopped, or a hook blocked.
func (j *judge) stopped() (out []tested) {
	for _, from := range []map[hash]*answered{j.watch.no, j.watch.blocked} {
		for _, h := range sortedHashes(from) {
			a := from[h]
			out = append(out, tested{a.call, j.facts(&a.call)})
		}
	}
	return out
}

// examples are the calls that the packs must block: the examples of their rules, and
// the labelled calls that they are measured by.
var examples = sync.OnceValue(func() (out []tested) {
	everything, world := guards.Everything(), guards.CorpusWorld()
	keep := func(list []hook.Fact) {
		if slices.ContainsFunc(everything.Judge(list), func(o guards.Judged) bool { return o.Verdict == guards.Block }) {
			out = append(out, tested{call{dir: world.Dir}, list})
		}
	}
	for _, p := range guards.Packs() {
		for i := range p.Rules {
			if p.Judges != "" { // sessions and results are not calls
				continue
			}
			for _, line := range slices.Concat(p.Rules[i].Stops, p.Rules[i].Passes) {
				keep(facts.Shell(line, world))
			}
		}
	}
	return out
})

// probe tries conditions on calls.
type probe struct {
	engine hook.Engine
	tests  []*where.Test
	facts  []hook.Fact // of the call that is tried
	hit    []bool
}

func newProbe(tests ...*where.Test) *probe {
	p := &probe{tests: tests, hit: make([]bool, len(tests))}
	p.engine.Analyse = func(context.Context, hook.AnyEvent) []hook.Fact { return p.facts }
	look := func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		for i, t := range p.tests {
			is, err := t.Holds(ev)
			p.hit[i] = is && err == nil // what cannot be said is a no
		}
		return hook.Continue(), nil
	}
	if err := hook.On(&p.engine, hook.PreToolUse, look, hook.Named("probe")); err != nil {
		panic(err) // it is always the same
	}
	return p
}

// try tells which conditions hold for a call, until the next try.
func (p *probe) try(c *tested) []bool {
	clear(p.hit)
	p.facts = c.facts
	if _, err := hook.Fire(context.Background(), &p.engine, hook.PreToolUse, &hook.Envelope{CWD: c.dir, Agent: c.agent, Source: c.source}, hook.ToolUse{ToolName: c.tool, ToolInput: c.input}); err != nil {
		clear(p.hit)
	}
	return p.hit
}

// standing reports whether hooks of the configuration say so already of all these calls.
func (j *judge) standing(kind string, calls []*answered) bool {
	engine := hook.Engine{Analyse: func(_ context.Context, ev hook.AnyEvent) []hook.Fact {
		c, _ := hook.CallOf(ev)
		return j.facts(&call{tool: c.Name, input: c.Input, dir: ev.Head().CWD})
	}}
	n := 0
	for _, h := range j.Hooks {
		if h.Kind != kind && (kind == "allow" || h.Kind != "block") || h.Monitor {
			continue
		}
		n++
		own := h.Hook
		own.ID, own.Events, own.Lane, own.Handler = fmt.Sprint("standing-", n), []string{hook.PreToolUse.Info().Name}, hook.Guard, hook.Static(hook.Allow(""))
		if engine.Add(own) != nil {
			n--
		}
	}
	if n == 0 {
		return false
	}
	return !slices.ContainsFunc(calls, func(a *answered) bool {
		out, err := hook.Fire(context.Background(), &engine, hook.PreToolUse, &hook.Envelope{CWD: a.dir, Agent: a.agent, Source: a.source}, hook.ToolUse{ToolName: a.tool, ToolInput: a.input})
		return err != nil || out.Action != hook.ActionAllow
	})
}

// taken are the ids that hooks have.
func (j *judge) taken() map[string]bool {
	ids := map[string]bool{}
	for _, h := range j.Hooks {
		ids[h.ID] = true
	}
	return ids
}

// free is an id that no hook has.
func free(ids map[string]bool, id string) string {
	name := id
	for n := 2; ids[name]; n++ {
		name = fmt.Sprintf("%s-%d", id, n)
	}
	ids[name] = true
	return name
}
