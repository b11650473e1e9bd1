package hook

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// FactTest is a condition that Match.Where asks of an event with its facts. Package
// hook has none of its own: programs bring theirs, and hookway.yaml has expressions.
type FactTest interface {
	// Holds reports whether the event is meant. An error means that this cannot be
	// said; a guard has then failed, and its failure policy decides.
	Holds(ev AnyEvent) (bool, error)
	// String is the condition as it is written.
	String() string
}

// Why it cannot be said what a call does. A guard that would have to know has failed.
var (
	errNoAnalyser = errors.New("it is not known what the call does: the engine has no Analyse")
	errNotTold    = errors.New("it is not known what the call does")
)

// told gives the facts of the event's call, and why there may be more than these.
func (k *known) told() ([]Fact, error) {
	if k.factsDone {
		return k.facts, k.more
	}
	k.factsDone = true
	if _, isCall := k.payload.(caller); !isCall {
		return nil, nil
	}
	if k.ev.analysis() == nil {
		k.more = errNoAnalyser
		return nil, k.more
	}
	k.facts = k.ev.Facts()
	for i := range k.facts {
		if f := &k.facts[i]; f.Does == "unknown" && f.Many {
			k.more = fmt.Errorf("%w: %s", errNotTold, f.Because)
		}
	}
	return k.facts, k.more
}

// doubt is the answer of a test that cannot be sure, and why.
func (k *known) doubt(err error) bool {
	k.unclear = err
	return k.lenient
}

// factTest is what one key of a match asks of facts. A fact is an over-approximation, so
// a test has two answers: whether the call may do it, which stops a call, and whether it
// does for sure, which alone lets one pass.
type factTest struct {
	does  []string
	files bool                       // it asks for paths: of what git does, most have none
	holds func(k *known, i int) bool // of fact i: where it can be read in two ways, both count
	sure  func(k *known, i int) bool // in every reading
}

// about reports whether a fact is of the kind that is asked for.
func (t *factTest) about(f *Fact) bool {
	return slices.Contains(t.does, f.Does) && (f.Does != "git" || !t.files || f.Path != "")
}

// anyFact holds if a fact does. Under a not, a guard lets pass what is listed: then
// each fact must be, for sure, and nothing may be unknown.
func (c *compiler) anyFact(t factTest) test {
	negated := c.negated
	return func(k *known) bool {
		facts, more := k.told()
		if negated && k.guard {
			return more == nil && t.all(k, facts)
		}
		for i := range facts {
			if f := &facts[i]; t.about(f) && !f.Dry && t.holds(k, i) {
				return true
			}
		}
		return more != nil && k.doubt(more)
	}
}

// all reports whether every fact of this kind is listed, and whether there is one. What is
// unknown is never listed.
func (t *factTest) all(k *known, facts []Fact) bool {
	found := false
	for i := range facts {
		f := &facts[i]
		if f.Does == "unknown" || t.about(f) && !t.sure(k, i) {
			return false
		}
		found = found || t.about(f)
	}
	return found
}

// facts adds the tests of what the call would do.
func (c *compiler) facts(m Match) {
	c.files("deletes", m.Deletes, "delete", "move", "git") // what is moved away is gone from there; git cleans and removes
	c.files("writes", m.Writes, "write")
	c.files("reads", m.Reads, "read")
	c.files("moves", m.Moves, "move")
	c.words("runs", m.Runs, "run", programs)
	c.words("connects", m.Connects, "connect", hosts)
	c.sends(m.Sends)
	c.words("git", m.Git, "git", gitActs)
	c.words("sql", m.SQL, "sql", sqlActs)
	c.words("infra", m.Infra, "infra", infraActs)
	c.words("secret", m.Secret, "secret", func(f *Fact) []string { return []string{f.Kind} })
	if m.Unknown {
		is := func(*known, int) bool { return true }
		c.add(c.anyFact(factTest{does: []string{"unknown"}, holds: is, sure: is}))
	}
	c.where(m.Where)
}

// programs are the forms of a program that runs: its name, with its sub-command, and
// the whole line.
func programs(f *Fact) []string {
	forms := []string{f.Program}
	if f.Sub != "" {
		forms = append(forms, f.Program+" "+f.Sub)
	}
	if len(f.Args) > 0 {
		forms = append(forms, f.Program+" "+strings.Join(f.Args, " "))
	}
	return forms
}

// hosts are the forms of where a call connects to: the host, with its port, and the
// class of its network.
func hosts(f *Fact) []string {
	host := f.Host
	if host == "" {
		host = unresolved
	}
	forms := []string{host}
	if f.Port != 0 {
		forms = append(forms, fmt.Sprintf("%s:%d", host, f.Port))
	}
	if f.Class != "" {
		forms = append(forms, f.Class)
	}
	return forms
}

// gitActs are the verb, and what is special about it: "push", "push force", "force".
func gitActs(f *Fact) []string {
	forms := []string{f.Verb}
	for _, is := range []struct {
		it   bool
		word string
	}{{f.Force, "force"}, {f.Deletes, "deletes"}, {f.Uncommitted, "uncommitted"}} {
		if is.it {
			forms = append(forms, is.word, f.Verb+" "+is.word)
		}
	}
	return forms
}

// sqlActs are the verb, and what it acts on: "drop", "drop users".
func sqlActs(f *Fact) []string { return []string{f.Verb, f.Verb + " " + f.Object} }

// infraActs are the system, what happens there, and to what: "terraform apply".
func infraActs(f *Fact) []string {
	act := f.System + " " + f.Verb
	return []string{f.System, act, act + " " + f.Object}
}

// words adds a test of names in a fact, of which it may have several forms.
func (c *compiler) words(key string, patterns []string, does string, forms func(*Fact) []string) {
	globs := c.nameGlobs(key, patterns)
	if len(globs) == 0 {
		return
	}
	match := func(form string, unclear bool) bool {
		form = strings.ToLower(form)
		return slices.ContainsFunc(globs, func(g nameGlob) bool { return g.match(form) || unclear && g.may(form) })
	}
	c.add(c.anyFact(factTest{
		does: []string{does},
		holds: func(k *known, i int) bool {
			return slices.ContainsFunc(forms(&k.facts[i]), func(form string) bool { return match(form, strings.Contains(form, unresolved)) })
		},
		sure: func(k *known, i int) bool {
			return slices.ContainsFunc(forms(&k.facts[i]), func(form string) bool { return !strings.Contains(form, unresolved) && match(form, false) })
		},
	}))
}

// nameGlobs compiles patterns of names, which are compared without case.
func (c *compiler) nameGlobs(key string, patterns []string) []nameGlob {
	var globs []nameGlob
	for i, pattern := range patterns {
		g, err := compileName(strings.ToLower(pattern))
		if err == nil {
			err = factWord(key, strings.ToLower(pattern))
		}
		if err != nil {
			c.fail(key, i, err)
			continue
		}
		globs = append(globs, g)
	}
	return globs
}

// factWords are words that programs use, and facts do not.
var factWords = map[string]map[string]string{
	"infra": {
		"kubectl": "kubernetes", "k8s": "kubernetes", "gcloud": "gcp", "az": "azure", "tofu": "terraform",
		"destroy": "delete", "remove": "delete", "rm": "delete", "terminate": "delete", "uninstall": "delete",
		"create": "apply", "deploy": "apply", "install": "apply", "upgrade": "apply", "update": "apply", "up": "apply",
		"list": "get", "describe": "get", "show": "get",
	},
	"sql": {"remove": "delete", "del": "delete", "flushall": "truncate", "flushdb": "truncate", "get": "select", "set": "update", "upsert": "insert"},
	"git": {"forced": "force", "--force": "force", "-f": "force", "delete": "deletes", "--delete": "deletes"},
}

// factWord reports a word that no fact would have.
func factWord(key, pattern string) error {
	if pattern == "" {
		return errors.New("an empty pattern matches nothing; leave the key out, or write true for any")
	}
	for i, word := range strings.Fields(pattern) {
		system := key == "infra" && i == 0 && slices.Contains(infraSystems, word)
		if fact, ok := factWords[key][word]; ok && !system && i < 2 && (key != "git" || i == 1) && (key != "sql" || i == 0) {
			return fmt.Errorf("%s %q: facts say %q for %q", key, pattern, fact, word)
		}
	}
	if key == "connects" {
		return checkHost(pattern)
	}
	return checkPattern(key, pattern)
}

// where adds the tests of Match.Where, of which one must hold.
func (c *compiler) where(list []FactTest) {
	for i, t := range list {
		if t == nil {
			c.fail("where", i, errors.New("there is no test"))
			return
		}
	}
	if len(list) == 0 {
		return
	}
	c.add(func(k *known) bool {
		for _, t := range list {
			holds, err := t.Holds(k.ev)
			if err != nil {
				if k.doubt(fmt.Errorf("where %s: %w", LogLine(t.String()), err)) {
					return true
				}
			} else if holds {
				return true
			}
		}
		return false
	})
}
