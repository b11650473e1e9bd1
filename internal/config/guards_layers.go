package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
	"go.yaml.in/yaml/v4"
)

// guardLayer is what one hookway.yaml says of guards.
type guardLayer struct {
	spec  *guardsSpec
	file  string
	layer string // LayerManaged, LayerUser or LayerWorkspace
}

// who says for people whose the layer is.
func (l *guardLayer) who() string {
	return map[string]string{LayerManaged: "the managed configuration is", LayerUser: "your own configuration is"}[l.layer]
}

// hint says how a project may be milder than the layer.
func (l *guardLayer) hint() string {
	if l.layer == LayerManaged {
		return "only an administrator changes " + l.file
	}
	return "name the project under guards: projects: in your own hookway.yaml to let it be milder"
}

// place is where the layer's section is written.
func (l *guardLayer) place() string {
	if l.spec.node == nil || l.spec.node.Line == 0 {
		return l.file
	}
	return fmt.Sprintf("%s:%d", l.file, l.spec.node.Line)
}

// stance is what layers together want of the rules.
type stance struct {
	layer     *guardLayer
	mode      guards.Mode
	rules     map[string]guards.Setting // by id; both members are set; what is not here is off
	protected []string
	scratch   []string
	hosts     guards.Hosts
	budget    guards.Budget
	implied   []string // rules that are on because others are
}

// stanceOf is what one layer wants. What it leaves out is as the one below has it, or
// the default.
func stanceOf(l *guardLayer, below *stance) *stance {
	g := l.spec
	s := &stance{layer: l, rules: map[string]guards.Setting{}, protected: g.protected, scratch: g.scratch, hosts: guards.Hosts{Allow: g.allow, Block: g.block}}
	if g.budget != nil {
		s.budget = *g.budget
	}
	if s.mode = guards.Mode(g.mode); s.mode == "" && g.strict {
		s.mode = guards.Enforce
	}
	if s.mode == "" && below != nil && below.mode != modeOff {
		s.mode = below.mode
	}
	s.mode = cmp.Or(s.mode, guards.Auto)
	if g.mode == modeOff {
		s.hosts.Block = nil // nothing is asked
		return s
	}
	said := map[string]guards.Setting{}
	for _, r := range g.rules {
		said[r.name] = r.Setting
	}
	for _, p := range guards.Packs() {
		for _, rule := range p.Rules {
			was := below.of(rule.ID)
			if g.use == nil && below != nil {
				if was == (guards.Setting{}) && said[rule.ID] == (guards.Setting{}) {
					continue
				}
			} else if g.use != nil && !slices.Contains(g.use, p.Name) && said[rule.ID] == (guards.Setting{}) {
				continue
			}
			usual, mode := rule.Verdict, s.mode
			if g.use == nil {
				usual = cmp.Or(was.Verdict, usual)
			}
			if g.mode == "" && !g.strict {
				mode = cmp.Or(was.Mode, mode)
			}
			if g.strict && p.Name == "unseen" {
				usual = guards.Block
			}
			whole := said[p.Name].Verdict
			if rule.Strict && !g.strict {
				whole, usual = "", guards.Allow
			}
			set := guards.Setting{
				Verdict: cmp.Or(said[rule.ID].Verdict, whole, usual),
				Mode:    cmp.Or(said[rule.ID].Mode, said[p.Name].Mode, mode),
			}
			if set.Verdict != guards.Allow {
				s.rules[rule.ID] = set
			}
		}
	}
	s.limits(said)
	return s
}

// of is what the layers want of a rule; none want nothing.
func (s *stance) of(id string) guards.Setting {
	if s == nil {
		return guards.Setting{}
	}
	return s.rules[id]
}

// limits has the rules on for what the analysis could not read, unless the layer speaks
// of them: with any pack over calls, a call that is too large to be read would pass them
// all.
func (s *stance) limits(said map[string]guards.Setting) {
	calls := slices.DeleteFunc(slices.Clone(guards.Packs()), func(p *guards.Pack) bool { return p.Judges != "" })
	if !slices.ContainsFunc(calls, func(p *guards.Pack) bool {
		return slices.ContainsFunc(p.Rules, func(r guards.Rule) bool { return s.rules[r.ID] != guards.Setting{} })
	}) {
		return
	}
	for _, p := range calls {
		for _, r := range p.Rules {
			if p.Name != "unseen" { // hosts that are named block by themselves
				continue
			}
			if _, on := s.rules[r.ID]; r.Limit && !on && cmp.Or(said[r.ID].Verdict, said[p.Name].Verdict) != guards.Allow {
				s.rules[r.ID] = guards.Setting{Verdict: r.Verdict, Mode: s.mode}
				s.implied = append(s.implied, r.ID)
			}
		}
	}
}

// tighten is what two layers want together: of each rule the stricter. What makes
// something milder only makes up what the lower one says nothing of.
func (s *stance) tighten(by *stance) *stance {
	out := &stance{layer: s.layer, mode: stricter(s.mode, by.mode), rules: maps.Clone(s.rules),
		protected: union(s.protected, by.protected), scratch: s.scratch, hosts: guards.Hosts{Allow: s.hosts.Allow, Block: union(s.hosts.Block, by.hosts.Block)}}
	out.budget = smaller(s.budget, by.budget)
	if len(s.rules) == 0 { // nothing is made milder
		out.scratch, out.hosts.Allow = union(s.scratch, by.scratch), union(s.hosts.Allow, by.hosts.Allow)
	}
	if len(by.protected) > 0 && len(s.protected) == 0 {
		out.protected = union(guards.Protected(), by.protected)
	}
	if len(s.protected) > 0 && len(by.protected) == 0 && by.addsGit(s) {
		out.protected = union(guards.Protected(), s.protected)
	}
	for id, set := range by.rules {
		was, on := out.rules[id]
		if !on {
			out.rules[id] = set
			continue
		}
		out.rules[id] = guards.Setting{Verdict: sterner(was.Verdict, set.Verdict), Mode: stricter(was.Mode, set.Mode)}
	}
	return out
}

// addsGit reports whether a layer has rules over git by a word of its own, and not only
// because the one below has them: alone, it protects the usual branches.
func (s *stance) addsGit(below *stance) bool {
	for id := range s.rules {
		if strings.HasPrefix(id, "git/") && (s.layer.spec.use != nil || below.rules[id] == guards.Setting{}) {
			return true
		}
	}
	return false
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, e := range b {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// modeOrder and verdictOrder are from the mildest on.
var (
	modeOrder    = []guards.Mode{modeOff, guards.Monitor, guards.Auto, guards.Enforce}
	verdictOrder = []guards.Verdict{guards.Allow, guards.Warn, guards.Ask, guards.Block}
)

func stricter(a, b guards.Mode) guards.Mode {
	if slices.Index(modeOrder, b) > slices.Index(modeOrder, a) {
		return b
	}
	return a
}

func sterner(a, b guards.Verdict) guards.Verdict {
	if slices.Index(verdictOrder, b) > slices.Index(verdictOrder, a) {
		return b
	}
	return a
}

// loosened lists what a layer says that would make the ones below milder. It counts for
// nothing.
func (s *stance) loosened(l *guardLayer, by *stance) (out Problems) {
	refuse := func(n *yaml.Node, format string, args ...any) {
		p := Problem{File: l.file, Message: fmt.Sprintf(format, args...) + "; " + s.layer.who() + " stricter, which counts", Hint: s.layer.hint()}
		if n != nil {
			p.Line, p.Column = n.Line, n.Column
		}
		out = append(out, p)
	}
	g := l.spec
	if g.mode != "" && s.milderMode(g, by) {
		refuse(g.keys["mode"], "mode: %s of guards is not followed", g.mode)
	}
	for _, r := range g.rules {
		if s.milder(r) {
			refuse(r.node, "what guards says of %s is not followed", r.name)
		}
	}
	if g.budget != nil && !reflect.DeepEqual(smaller(s.budget, *g.budget), *g.budget) {
		refuse(g.keys["budget"], "not all of budget of guards is followed")
	}
	if len(s.rules) > 0 && len(g.scratch) > 0 {
		refuse(g.keys["scratch"], "scratch of guards is not followed")
	}
	if len(s.rules) > 0 && len(g.allow) > 0 {
		refuse(g.keys["hosts"], "hosts.allow of guards is not followed")
	}
	return out
}

// milderMode reports whether the mode of a layer would make one of the rules milder.
func (s *stance) milderMode(g *guardsSpec, by *stance) bool {
	for id, set := range s.rules {
		if _, both := by.rules[id]; (both && !slices.Contains(by.implied, id) || g.mode == modeOff) && stricter(set.Mode, guards.Mode(g.mode)) != guards.Mode(g.mode) {
			return true
		}
	}
	return false
}

// milder reports whether an entry of rules would make one of them milder.
func (s *stance) milder(r ruleSpec) bool {
	for id, set := range s.rules {
		if id != r.name && !ofPack(id, r.name) {
			continue
		}
		if r.Verdict != "" && r.Verdict != set.Verdict && sterner(set.Verdict, r.Verdict) == set.Verdict || r.Mode != "" && r.Mode != set.Mode && stricter(set.Mode, r.Mode) == set.Mode {
			return true
		}
	}
	return false
}

// over lays what the user says of a project over what the user says of all.
func (g *guardsSpec) over(below *guardsSpec) *guardsSpec {
	out := *below
	out.node, out.keys = g.node, g.keys
	if g.use != nil {
		out.use, out.strict = g.use, g.strict
	}
	out.mode = cmp.Or(g.mode, out.mode)
	out.rules = slices.Concat(below.rules, g.rules)
	out.scratch, out.allow, out.block = union(below.scratch, g.scratch), union(below.allow, g.allow), union(below.block, g.block)
	if len(g.protected) > 0 {
		out.protected = g.protected
	}
	if g.budget != nil {
		out.budget = g.budget
	}
	return &out
}

// policy is the stance as guards take it.
func (s *stance) policy() *guards.Policy {
	p := &guards.Policy{Mode: s.mode, Protected: s.protected, Scratch: s.scratch, Hosts: s.hosts, Budget: s.budget, Rules: map[string]guards.Setting{}}
	for _, pack := range guards.Packs() {
		on := false
		for _, rule := range pack.Rules {
			_, ok := s.rules[rule.ID]
			on = on || ok
		}
		if !on {
			continue
		}
		p.Packs = append(p.Packs, pack.Name)
		for _, rule := range pack.Rules {
			switch set, ok := s.rules[rule.ID]; {
			case !ok:
				p.Rules[rule.ID] = guards.Setting{Verdict: guards.Allow}
			case rule.Strict, set != guards.Setting{Verdict: rule.Verdict, Mode: s.mode}:
				p.Rules[rule.ID] = set
			}
		}
	}
	return p
}

// Guards are hookway's own rules as the configuration has them.
type Guards struct {
	Policy *guards.Policy
	Place  string // where they are switched on

	// Packs are those that are on because somebody said so. A policy may have more: what
	// could not be read is asked about whatever packs are on.
	Packs []string

	// From is the layer that makes a rule what it is, by the rule's id; of two that want
	// the same, the outer one.
	From map[string]string

	layer *guardLayer               // the outermost that speaks of them
	said  map[string]guards.Setting // by ReadGuards: the entries of rules
}

// guardLayers are those that say something of guards.
type guardLayers struct {
	managed, user, work *guardLayer // nil: nothing is said
	home                string      // what ~ means in the names of projects
	refused             Problems    // what would make them milder, and may not
}

// ofPack reports whether a rule belongs to a pack.
func ofPack(id, pack string) bool { return strings.HasPrefix(id, pack+"/") }

// kindGuards is the kind of the hook that has hookway's own rules.
const kindGuards = "guards"

// guardsRank puts that hook before all others.
const guardsRank = 0

// settleGuards puts hookway's own rules into the set, in place of those that are there.
func (s *Set) settleGuards(handler func(*Guards) hook.Handler) {
	s.Hooks = slices.DeleteFunc(s.Hooks, func(h Hook) bool { return h.Kind == kindGuards })
	s.Warnings = slices.DeleteFunc(s.Warnings, func(p Problem) bool { return slices.Contains(s.guards.refused, p) })
	s.Settings.Guards = s.guards.settings(cmp.Or(s.Workspace, s.dir))
	s.Warnings = append(s.Warnings, s.guards.refused...)
	if on := s.Settings.Guards; on != nil {
		s.Hooks = slices.Insert(s.Hooks, 0, s.guardsHooks(on, handler)...)
	}
	s.name()
}

// GuardLayer is what one hookway.yaml alone says of guards here.
type GuardLayer struct {
	Layer string      `json:"layer"`
	Place string      `json:"place"`
	Mode  guards.Mode `json:"mode"` // "off": it switches none on
	Packs []string    `json:"packs"`
}

// GuardLayers is what each configuration says of guards, the administrator's, the user's
// and the workspace's, each alone; what is in force is Settings.Guards.
func (s *Set) GuardLayers() []GuardLayer {
	all := []GuardLayer{}
	for _, of := range []struct {
		layer  string
		says   *guardLayer
		layers guardLayers
	}{
		{LayerManaged, s.guards.managed, guardLayers{managed: s.guards.managed, home: s.guards.home}},
		{LayerUser, s.guards.user, guardLayers{user: s.guards.user, home: s.guards.home}},
		{LayerWorkspace, s.guards.work, guardLayers{work: s.guards.work}},
	} {
		if of.says == nil {
			continue
		}
		l := GuardLayer{Layer: of.layer, Place: of.says.place(), Mode: modeOff, Packs: []string{}}
		if on := of.layers.settings(cmp.Or(s.Workspace, s.dir)); on != nil {
			l.Place, l.Mode, l.Packs = on.Place, on.Policy.Mode, append(l.Packs, on.Packs...)
		}
		all = append(all, l)
	}
	return all
}

// GuardMistakes are the mistakes of each hookway.yaml that could not be read whole. While
// there are some, it is not known what it says of guards.
func (s *Set) GuardMistakes() Problems {
	var list Problems
	for _, p := range s.Problems {
		if base := filepath.Base(p.File); (base == fileName || base == fileNameYML) && slices.Contains(s.Failed, p.File) {
			list = append(list, p)
		}
	}
	return list
}

// RefusedGuards is what a workspace says of guards that would make them milder, and that
// counts for nothing.
func (s *Set) RefusedGuards() Problems { return append(Problems{}, s.guards.refused...) }

// NearestGuard is the name of a pack or rule that is nearly a name, or "".
func NearestGuard(name string) string {
	return hook.Nearest(name, GuardNames())
}

// ReadGuards is what the text of one hookway.yaml alone switches on of guards; nil is
// nothing. The problems are those of the whole text.
func ReadGuards(file string, text []byte) (*Guards, Problems) {
	spec, problems := parse(file, text, new(hook.Engine))
	if spec.guards == nil {
		return nil, problems
	}
	layers := guardLayers{user: &guardLayer{spec.guards, file, LayerUser}}
	on := layers.settings("")
	if on != nil {
		on.said = map[string]guards.Setting{}
		for _, r := range spec.guards.rules {
			on.said[r.name] = r.Setting
		}
	}
	return on, problems
}

// Word is what an entry of rules is to be, in YAML, when one more word is said of it: of
// a verdict and a mode the other stays.
func (g *Guards) Word(name, word string) string {
	was, set := g.said[name], settingOf(word)
	set.Verdict, set.Mode = cmp.Or(set.Verdict, was.Verdict), cmp.Or(set.Mode, was.Mode)
	switch {
	case word == modeOff || word == string(guards.Allow):
		return word
	case set.Verdict == guards.Allow && set.Mode != "": // a mode says that it is on again
		return string(set.Mode)
	case set.Verdict != "" && set.Mode != "":
		return fmt.Sprintf("{verdict: %s, mode: %s}", set.Verdict, set.Mode)
	}
	return cmp.Or(string(set.Mode), string(set.Verdict))
}

// GuardNames are the names of all packs and rules.
func GuardNames() []string { return append(guards.Names(), ruleNames()...) }

// Milder reports whether a change of guards makes any rule milder, or switches one off.
func Milder(before, after *Guards) bool {
	if before == nil {
		return false
	}
	is := map[string]guards.Setting{}
	if after != nil {
		for _, s := range after.Policy.Standings() {
			if s.On {
				is[s.Rule.ID] = s.Setting
			}
		}
	}
	return slices.ContainsFunc(before.Policy.Standings(), func(s guards.Standing) bool {
		now, on := is[s.Rule.ID]
		return s.On && (!on || sterner(now.Verdict, s.Verdict) != now.Verdict || stricter(now.Mode, s.Mode) != now.Mode)
	})
}

// SameGuards reports whether a hook is the one that has hookway's own rules, and another
// set has the same ones.
func (s *Set) SameGuards(id string, other *Set) (same, guard bool) {
	if !slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.ID == id && h.Kind == kindGuards }) {
		return false, false
	}
	a, b := s.Settings.Guards, other.Settings.Guards
	return a != nil && b != nil && reflect.DeepEqual(a.Policy, b.Policy), true
}

// GuardsOf is the hook that has hookway's own rules as one layer alone has them, without
// what is known of sessions. ok is false if the layer has none on.
func (s *Set) GuardsOf(layer string) (h Hook, ok bool) {
	only := Set{guards: guardLayers{user: s.guards.user, home: s.guards.home}}
	if layer == LayerWorkspace {
		only.guards = guardLayers{work: s.guards.work}
	}
	on := only.guards.settings(cmp.Or(s.Workspace, s.dir))
	if on == nil {
		return Hook{}, false
	}
	h = only.guardsHooks(on, nil)[0]
	h.ID = h.name
	return h, true
}

// guardsHooks are the hook that judges calls and, if a pack needs it, the one that looks
// at their results. They share a handler.
func (s *Set) guardsHooks(on *Guards, handler func(*Guards) hook.Handler) []Hook {
	var h hook.Handler = &guards.Guard{Policy: on.Policy}
	if handler != nil {
		h = handler(on)
	}
	data, err := json.Marshal(on)
	if err != nil { // it is made of texts and numbers
		data = nil
	}
	hooks := []Hook{{
		Hook:  hook.New("", h, hook.For(hook.PreToolUse.Info().Name), hook.As(hook.Guard), hook.Priority(guardsPriority), hook.Origin(on.Place)),
		State: Active, Layer: on.layer.layer, File: on.layer.file, Kind: kindGuards, Command: on.shown(), Description: "hookway's own rules: hookway guards shows them",
		name: guards.ID, source: on.layer.file, rank: guardsRank, mark: guards.ID + string(data),
	}}
	if on.Policy.Results() {
		results := hooks[0]
		results.Hook = hook.New("", h, hook.For(guards.ResultEvents()...), hook.Priority(resultsPriority), hook.Origin(on.Place))
		results.Description = "what comes back from calls: hookway guards shows the rules"
		results.name, results.mark = guards.ResultsID, guards.ResultsID+string(data)
		hooks = append(hooks, results)
	}
	return hooks
}

// resultsPriority has results looked at after other hooks changed them.
const resultsPriority = 1 << 20

// guardsPriority has hookway's own rules speak before others of the lane, so that among
// equally strong answers theirs says why.
const guardsPriority = 50

// shown is what a listing has of the rules.
func (g *Guards) shown() string {
	return fmt.Sprintf("mode %s: %s", g.Policy.Mode, PackNames(g.Packs))
}

// keepGuards takes over what an older set knows of guards where this one may not say it:
// of a workspace that nobody has looked at since, and of a file with mistakes.
func (s *Set) keepGuards(old *Set) {
	if s.frozen || old.guards.work != nil && slices.Contains(s.Failed, old.guards.work.file) && s.Trust.State.Runs() {
		s.guards.work = old.guards.work
	}
	if old.guards.user != nil && s.lacksFile() {
		s.guards.user = old.guards.user
	}
	if old.guards.managed != nil && slices.ContainsFunc(s.Failed, func(path string) bool { return filepath.Dir(path) == s.managedDir }) {
		s.guards.managed = old.guards.managed
	}
}

// readGuardLayers notes what the layers say of guards. What a workspace says counts only
// when it is trusted.
func (l *load) readGuardLayers() {
	l.set.guards.home = l.opts.home()
	if la := &l.managed; la.file != nil && la.file.guards != nil {
		l.set.guards.managed = &guardLayer{la.file.guards, la.yaml.path, LayerManaged}
	}
	if la := &l.user; la.file != nil && la.file.guards != nil {
		l.set.guards.user = &guardLayer{la.file.guards, la.yaml.path, LayerUser}
	}
	la := &l.work
	if la.file == nil || la.file.guards == nil {
		return
	}
	if !la.yaml.runs {
		n := la.file.guards.node
		l.set.Warnings = append(l.set.Warnings, Problem{File: la.yaml.path, Line: n.Line, Column: n.Column,
			Message: "what it says of guards counts only when the workspace is trusted", Hint: "look at it, then run hookway trust"})
		return
	}
	l.set.guards.work = &guardLayer{la.file.guards, la.yaml.path, LayerWorkspace}
}
