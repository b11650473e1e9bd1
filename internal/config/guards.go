package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// Words of guards.
const (
	useDefault = "default" // every pack
	useStrict  = "strict"  // every pack; everything counts, and what cannot be seen through is blocked
	modeOff    = "off"
)

var guardModes = []string{string(guards.Auto), string(guards.Monitor), string(guards.Enforce), modeOff}

// ruleWords are what a rule may be set to in one word.
var ruleWords = []string{"allow", "ask", "block", "monitor", "auto", "enforce", modeOff}

// guardsSpec is "guards" as it is written, or what it says of one project.
type guardsSpec struct {
	node *yaml.Node
	keys map[string]*yaml.Node

	use       []string // names of packs; nil: nothing is said
	strict    bool
	mode      string // "": nothing is said
	rules     []ruleSpec
	protected []string
	scratch   []string
	allow     []string // hosts
	block     []string
	budget    *guards.Budget
	projects  []projectSpec
	loosen    bool // of a project: its own guards may be milder
}

// ruleSpec changes a rule, or all rules of a pack.
type ruleSpec struct {
	node *yaml.Node
	name string
	guards.Setting
}

// projectSpec is what the user says of one project.
type projectSpec struct {
	path string
	guardsSpec
}

var guardsTable, partOfGuards table[guardsSpec]

func guardsKeys() []key[guardsSpec] { return guardsTable.get(makeGuardsKeys) }

func projectKeys() []key[guardsSpec] { return partOfGuards.get(makeProjectKeys) }

// makeGuardsKeys lists the keys of guards.
func makeGuardsKeys() []key[guardsSpec] {
	return append(commonGuardsKeys(), key[guardsSpec]{
		name: "projects", doc: "Other settings for single projects, by folder, as ~/work/x; they may be milder. Only the user's configuration may say it.",
		shape: schema{"type": "object", "additionalProperties": refShape("guards_project")}, read: readProjects,
	})
}

// makeProjectKeys lists the keys of a project of guards.
func makeProjectKeys() []key[guardsSpec] {
	return append(commonGuardsKeys(),
		boolKey("loosen", "true: what the project's own hookway.yaml says of guards counts, also where it is milder. Default: false.", func(g *guardsSpec) *bool { return &g.loosen }))
}

func commonGuardsKeys() []key[guardsSpec] {
	return []key[guardsSpec]{
		{name: "use", doc: "Which rules are on: default (every pack), strict (every pack; all of it counts, and what cannot be seen through is blocked), or a list of packs.",
			shape: schema{"anyOf": []schema{choiceShape(useDefault, useStrict), {"type": "array", "items": textShape()}}}, read: readUse},
		choiceKey("mode", "auto (default): what blocks and is sure counts, the rest is on record as what would have been done; monitor: nothing counts; enforce: everything counts; off: no rule is asked.",
			guardModes, func(g *guardsSpec, word string) { g.mode = word }),
		{name: "rules", doc: "What becomes of single rules (git/force-push), or of all rules of a pack (git): allow, ask, block, monitor, auto, enforce or off, or a map with verdict and mode.",
			shape: schema{"type": "object", "additionalProperties": schema{"anyOf": []schema{choiceShape(ruleWords...), objectSchema(settingKeys())}}}, read: readRules},
		patternsKey("protected_branches", "Branches whose history nobody forces or deletes, as patterns with *, ? and [a-z]. Default: main, master and the like.", branchPattern, func(g *guardsSpec) *[]string { return &g.protected }),
		patternsKey("scratch", "More places that may be emptied, as globs of whole paths: /mnt/scratch/**.", placePattern, func(g *guardsSpec) *[]string { return &g.scratch }),
		{name: "hosts", doc: "Hosts that rules of the network let pass (allow), or that nothing connects to (block), as patterns.", shape: objectSchema(hostsKeys()),
			read: func(r *reader, n *yaml.Node, g *guardsSpec) { object(r, n, "hosts", hostsKeys(), g) }},
		{name: "budget", doc: "How much one session may use, or one agent in a day (per: day): calls, minutes and tokens; agents sets it for single agents.", shape: objectSchema(budgetKeys()),
			read: func(r *reader, n *yaml.Node, g *guardsSpec) {
				g.budget = &guards.Budget{}
				if keys := object(r, n, "budget", budgetKeys(), g.budget); keys != nil && keys["calls"] == nil && keys["minutes"] == nil && keys["tokens"] == nil && keys["agents"] == nil {
					r.Fail(n, "write how many calls, minutes or tokens", "the budget counts nothing")
				}
			}},
	}
}

// patternsKey is a pattern or a list of patterns. One that can match nothing, or not
// what it seems to, is a mistake: rules would pass what somebody meant to be stopped.
func patternsKey(name, doc string, check func(string) (string, error), at func(*guardsSpec) *[]string) key[guardsSpec] {
	return key[guardsSpec]{name: name, doc: doc, shape: textsShape(), read: func(r *reader, n *yaml.Node, into *guardsSpec) {
		for _, e := range r.Texts(n, name) {
			pattern, err := check(e.Text)
			if err != nil {
				r.Fail(e.Node, "", "invalid pattern %q in %s: %s", strict.Clip(e.Text), name, strict.Line(err.Error()))
				continue
			}
			*at(into) = append(*at(into), pattern)
		}
	}}
}

func branchPattern(pattern string) (string, error) {
	switch name, full := strings.CutPrefix(pattern, "refs/heads/"); {
	case full:
		return "", fmt.Errorf("write %q: branches are named without refs/heads/", name)
	case strings.ContainsAny(pattern, " \t~^:") || strings.Contains(pattern, ".."):
		return "", errors.New("no branch has such a name: it cannot have spaces, two dots, or ~, ^ and : in it")
	}
	return pattern, guards.CheckBranch(pattern)
}

func placePattern(pattern string) (string, error) {
	if pattern == "~" {
		return "", errors.New("write ~/ with a folder behind it, as ~/scratch/**")
	}
	_, err := hook.CompileGlob(strings.TrimPrefix(pattern, "~/")) // ~ is the home, as in projects
	return pattern, err
}

var (
	hostsTable   table[guardsSpec]
	settingTable table[guards.Setting]
)

func hostsKeys() []key[guardsSpec] {
	return hostsTable.get(func() []key[guardsSpec] {
		return []key[guardsSpec]{
			patternsKey("allow", "Hosts that rules of the network let pass, as patterns with *, ? and [a-z].", guards.HostPattern, func(g *guardsSpec) *[]string { return &g.allow }),
			patternsKey("block", "Hosts that nothing connects to, as patterns with *, ? and [a-z].", guards.HostPattern, func(g *guardsSpec) *[]string { return &g.block }),
		}
	})
}

func settingKeys() []key[guards.Setting] {
	return settingTable.get(func() []key[guards.Setting] {
		return []key[guards.Setting]{
			choiceKey("verdict", "What the rule says: block, ask or allow.", []string{"block", "ask", "allow"}, func(s *guards.Setting, word string) { s.Verdict = guards.Verdict(word) }),
			choiceKey("mode", "Whether it counts: auto, monitor or enforce.", guardModes[:3], func(s *guards.Setting, word string) { s.Mode = guards.Mode(word) }),
		}
	})
}

// mapOf gives the pairs of a map.
func (r *reader) mapOf(n *yaml.Node, what, hint string) []strict.Pair {
	node, ok := r.Enter(n)
	switch {
	case !ok:
	case node.Kind != yaml.MappingNode:
		r.Fail(n, hint, "%s must be a map, not %s", what, strict.Describe(node))
	default:
		return r.Pairs(node)
	}
	return nil
}

// readGuards reads "guards".
func readGuards(r *reader, n *yaml.Node) *guardsSpec {
	g := &guardsSpec{node: n}
	if node, ok := r.Enter(n); ok && node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" { // all that follows is comments
		g.keys = map[string]*yaml.Node{}
		return g
	}
	if g.keys = object(r, n, "guards", guardsKeys(), g); g.keys == nil {
		return nil
	}
	return g
}

// readUse reads which packs are on.
func readUse(r *reader, n *yaml.Node, g *guardsSpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	if node.Kind != yaml.SequenceNode && (node.Value == useDefault || node.Value == useStrict) {
		g.use, g.strict = guards.Names(), node.Value == useStrict
		return
	}
	if node.Kind == yaml.SequenceNode && len(node.Content) == 0 {
		r.Fail(n, "switch the rules off with mode: off, or name packs: "+strict.OneOf(guards.Names()), "use has no packs")
		return
	}
	names := append(guards.Names(), useDefault, useStrict)
	for _, e := range r.Texts(n, "use") {
		switch {
		case slices.Contains(guards.Names(), e.Text):
			if !slices.Contains(g.use, e.Text) {
				g.use = append(g.use, e.Text)
			}
		case e.Text == useDefault || e.Text == useStrict:
			r.Fail(e.Node, "write use: "+e.Text, "%s is every pack, and stands alone", e.Text)
		default:
			r.unknown(e.Node, "the pack", e.Text, names, "there are "+strict.OneOf(guards.Names()))
		}
	}
}

// unknown says that a name is not known, and which may have been meant.
func (r *reader) unknown(n *yaml.Node, what, name string, known []string, otherwise string) {
	hint := otherwise
	if near := hook.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	r.Fail(n, hint, "%s %q is unknown", what, strict.Clip(name))
}

// readRules reads what becomes of single rules.
func readRules(r *reader, n *yaml.Node, g *guardsSpec) {
	for _, p := range r.mapOf(n, "rules", "write rules: {git/force-push: allow}") {
		if name := p.Key.Value; !guards.Known(name) {
			r.unknown(p.Key, "the rule", name, GuardNames(), "hookway guards --rules lists them")
			continue
		}
		set, ok := r.setting(p.Value)
		if ok {
			g.rules = append(g.rules, ruleSpec{p.Key, p.Key.Value, set})
		}
	}
}

func (r *reader) setting(n *yaml.Node) (guards.Setting, bool) {
	if node, ok := r.Enter(n); ok && node.Kind == yaml.MappingNode {
		var set guards.Setting
		object(r, n, "a rule", settingKeys(), &set)
		if len(node.Content) == 0 {
			r.Fail(n, "write {verdict: block, mode: monitor}, or one word", "the rule is set to nothing")
		}
		return set, true
	}
	word, ok := r.Choice(n, "a rule", ruleWords...)
	return settingOf(word), ok
}

// settingOf is what one word makes of a rule.
func settingOf(word string) guards.Setting {
	switch word {
	case modeOff:
		return guards.Setting{Verdict: guards.Allow}
	case "allow", "ask", "block":
		return guards.Setting{Verdict: guards.Verdict(word)}
	}
	return guards.Setting{Mode: guards.Mode(word)}
}

// ruleNames are the ids of all rules.
func ruleNames() (ids []string) {
	for _, p := range guards.Packs() {
		for _, rule := range p.Rules {
			ids = append(ids, rule.ID)
		}
	}
	return ids
}

// readProjects reads what the user says of single projects.
func readProjects(r *reader, n *yaml.Node, g *guardsSpec) {
	for _, p := range r.mapOf(n, "projects", "write projects: {~/work/x: {mode: monitor}}") {
		path := p.Key.Value
		if path != "~" && !strings.HasPrefix(path, "~/") && !filepath.IsAbs(path) {
			r.Fail(p.Key, "write ~/work/x or /work/x", "the project %q has no full path", strict.Clip(path))
			continue
		}
		project := projectSpec{path: path, guardsSpec: guardsSpec{node: p.Key}}
		project.keys = object(r, p.Value, "the project "+strconv.Quote(strict.Clip(path)), projectKeys(), &project.guardsSpec)
		g.projects = append(g.projects, project)
	}
}

// project is what is said of the nearest of the projects that a folder lies in, or nil.
func (g *guardsSpec) project(dir, home string) *guardsSpec {
	var nearest *guardsSpec
	longest := -1
	for i := range g.projects {
		path := g.projects[i].path
		if rest, ok := strings.CutPrefix(path, "~"); ok {
			path = home + rest
		}
		if path = filepath.Clean(disk.Real(path)); len(path) > longest && disk.Inside(path, dir) {
			nearest, longest = &g.projects[i].guardsSpec, len(path)
		}
	}
	return nearest
}
