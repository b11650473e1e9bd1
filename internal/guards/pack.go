package guards

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

//go:embed packs
var embedded embed.FS

// Version is the newest form of packs that this program reads.
const Version = 1

// Verdict is what a rule says of a call. The zero Verdict says nothing.
type Verdict string

// Verdicts, from the milder one.
const (
	Warn  Verdict = "warn" // the agent is told, and the call passes
	Ask   Verdict = "ask"
	Block Verdict = "block"
)

// worse reports whether v is stricter than w.
func (v Verdict) worse(w Verdict) bool { return v == Block && w != Block || v == Ask && w == "" }

// Pack is a set of rules about one matter.
type Pack struct {
	Name    string `yaml:"pack"`
	Version int    `yaml:"version"`
	About   string `yaml:"about"`

	// Judges says what the examples of its rules are: "" is lines of a shell, "sessions"
	// are sessions as in Example, "results" are texts that a tool gives back.
	Judges string `yaml:"judges"`

	Rules []Rule `yaml:"rules"`
}

// Rule is one judgement over the facts of a call. Its ID is "pack/name".
type Rule struct {
	ID      string  `yaml:"id"`
	Verdict Verdict `yaml:"verdict"`

	// When are the facts that the rule is about: it holds for a fact that has every
	// member of one of them. Unless takes facts out again.
	When   Alternatives `yaml:"when"`
	Unless Alternatives `yaml:"unless"`

	Says    string `yaml:"says"`    // what would happen, with members of the fact in braces
	Instead string `yaml:"instead"` // what to do in its place

	// Never is set on what nobody may let through: the loss of a home, hookway itself.
	Never bool `yaml:"never"`

	// Limit marks the rules for what the analysis could not read, and for budgets: they
	// count in auto mode too. A call that is long enough would switch the rules off, and
	// a budget is there because somebody set it.
	Limit bool `yaml:"limit"`

	// Strict marks the rules that only a strict policy has on, unless it names them: they
	// ask about names, too, where nothing is read. Facts that only look count for them.
	Strict bool `yaml:"strict"`

	Stops  []string `yaml:"stops"`
	Passes []string `yaml:"passes"`

	version int // of its pack
}

// Packs gives all packs, in the order of their names. They must not be changed.
var Packs = sync.OnceValue(func() []*Pack {
	names, err := fs.Glob(embedded, "packs/*.yaml")
	if err != nil {
		panic(err)
	}
	var all []*Pack
	for _, name := range names {
		src, err := embedded.ReadFile(name)
		if err != nil {
			panic(err)
		}
		p, err := Parse(src)
		if err != nil {
			panic(fmt.Sprintf("guards: %s: %v", name, err)) // a test reads them all
		}
		if p.Name != strings.TrimSuffix(path.Base(name), ".yaml") {
			panic("guards: the pack in " + name + " is called " + p.Name)
		}
		all = append(all, p)
	}
	return all
})

// Parse reads a pack.
func Parse(src []byte) (*Pack, error) {
	var p Pack
	err := yaml.Load(src, &p, yaml.WithKnownFields())
	if err != nil { // a newer one may have what is not known here
		var head struct {
			Version int `yaml:"version"`
		}
		if err := yaml.Unmarshal(src, &head); err != nil {
			return nil, fmt.Errorf("the pack is not YAML: %w", err)
		}
		p.Version = head.Version
	}
	switch {
	case p.Version > Version:
		return nil, fmt.Errorf("the pack has version %d, and this hookway reads up to %d: install a newer hookway", p.Version, Version)
	case err != nil:
		return nil, fmt.Errorf("reading the pack: %w", err)
	}
	if p.Name == "" {
		return nil, fmt.Errorf("the pack has no name: write pack: NAME")
	}
	seen := map[string]bool{}
	for i := range p.Rules {
		r := &p.Rules[i]
		if seen[r.ID] {
			return nil, fmt.Errorf("the rule %s stands there twice", r.ID)
		}
		seen[r.ID] = true
		r.ID, r.version = p.Name+"/"+r.ID, p.Version
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
	}
	return &p, nil
}

func (r *Rule) check() error {
	switch {
	case r.Verdict != Warn && r.Verdict != Ask && r.Verdict != Block:
		return fmt.Errorf("invalid verdict %q: want warn, ask or block", r.Verdict)
	case len(r.When) == 0:
		return fmt.Errorf("it has no facts: write when: {does: …}")
	case r.Says == "":
		return fmt.Errorf("it has no words: write says: …")
	}
	for _, c := range slices.Concat(r.When, r.Unless) {
		if err := c.compile(); err != nil {
			return err
		}
	}
	return nil
}
