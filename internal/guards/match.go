package guards

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/hookway/hookway/hook"
)

// Alternatives are conditions of which one must hold. In YAML they are a mapping, or
// a list of mappings.
type Alternatives []*Condition

// UnmarshalYAML reads one condition or a list of them.
func (a *Alternatives) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		var c Condition
		if err := n.Decode(&c.members); err != nil {
			return err
		}
		*a = Alternatives{&c}
		return nil
	}
	for _, e := range n.Content {
		var c Condition
		if err := e.Decode(&c.members); err != nil {
			return err
		}
		*a = append(*a, &c)
	}
	return nil
}

// hold reports whether one of the conditions holds.
func (a Alternatives) hold(f *hook.Fact, in branches) bool {
	return slices.ContainsFunc(a, func(c *Condition) bool { return c.holds(f, in) })
}

// Condition says of members of a fact what they must be.
type Condition struct {
	members map[string]any
	checks  []check
}

// check is about one member of a fact.
type check struct {
	field int
	want  []string
	yes   bool // of a member that is true or false, and of one that must be there or not
	kind  byte // 'b' boolean, 'p' present, 's' text, 'l' list
}

// members are the fields of a fact by their names in JSON.
var members = func() map[string]int {
	t := reflect.TypeFor[hook.Fact]()
	m := map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		m[name] = i
	}
	return m
}()

// compile makes checks of what the YAML says.
func (c *Condition) compile() error {
	t := reflect.TypeFor[hook.Fact]()
	names := make([]string, 0, len(c.members))
	for name := range c.members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		i, ok := members[name]
		if !ok {
			return fmt.Errorf("a fact has no member %q", name)
		}
		k := check{field: i}
		want := c.members[name]
		yes, isBool := want.(bool)
		switch kind := t.Field(i).Type.Kind(); {
		case kind == reflect.Bool && isBool:
			k.kind, k.yes = 'b', yes
		case kind == reflect.Bool:
			return fmt.Errorf("%s: want true or false", name)
		case isBool:
			k.kind, k.yes = 'p', yes
		case kind == reflect.String || kind == reflect.Slice:
			k.kind = 's'
			if kind == reflect.Slice {
				k.kind = 'l'
			}
			var err error
			if k.want, err = texts(want); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		default:
			return fmt.Errorf("%s cannot be asked for", name)
		}
		if name == "does" {
			c.checks = slices.Insert(c.checks, 0, k) // it tells the most
			continue
		}
		c.checks = append(c.checks, k)
	}
	return nil
}

func texts(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var out []string
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return nil, fmt.Errorf("invalid value %v: want a text or a list of texts", e)
		}
		if _, err := path.Match(s, ""); err != nil {
			return nil, fmt.Errorf("invalid pattern %q: want *, ? and [a-z] as in file names", s)
		}
		out = append(out, s)
	}
	return out, nil
}

func (c *Condition) holds(f *hook.Fact, in branches) bool {
	v := reflect.ValueOf(f).Elem()
	for _, k := range c.checks {
		if !k.holds(v.Field(k.field), in) {
			return false
		}
	}
	return true
}

func (k check) holds(v reflect.Value, in branches) bool {
	switch k.kind {
	case 'b':
		return v.Bool() == k.yes
	case 'p':
		return v.IsZero() != k.yes
	case 'l':
		for i := range v.Len() {
			if matches(k.want, v.Index(i).String(), in) {
				return true
			}
		}
		return false
	}
	return matches(k.want, v.String(), in)
}

// protectedBranches stands in a pack for the branches that a policy protects.
const protectedBranches = "$protected"

// blockedHosts stands in a pack for the hosts that a policy blocks.
const blockedHosts = "$blocked"

// branches are patterns of protected branches, of which none are the usual ones, and of
// blocked hosts.
type branches struct{ patterns, blocked []string }

var usualBranches = []string{"main", "master", "trunk", "develop", "production", "release/*"}

// Protected are the branches that are protected where nobody says which, as patterns.
func Protected() []string { return slices.Clone(usualBranches) }

func (b branches) protected() []string {
	if len(b.patterns) == 0 {
		return usualBranches
	}
	return b.patterns
}

// matches reports whether a text is one of those wanted. What begins with "!" takes
// texts out.
func matches(want []string, s string, in branches) bool {
	found, positive := false, false
	for _, w := range want {
		if no, ok := strings.CutPrefix(w, "!"); ok {
			if glob(no, s) {
				return false
			}
			continue
		}
		positive = true
		if w == protectedBranches {
			found = found || s == "*" || anyGlob(in.protected(), s) // "*" is every branch
			continue
		}
		if w == blockedHosts {
			found = found || anyHost(in.blocked, s)
			continue
		}
		found = found || glob(w, s)
	}
	return found || !positive
}

// anyGlob reports whether one of the patterns of a configuration matches. None takes
// texts out: layers add patterns, and one layer's must not cancel another's.
func anyGlob(patterns []string, s string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return glob(p, s) })
}

// anyHost is anyGlob for the name of a host, in any case.
func anyHost(patterns []string, host string) bool {
	return host != "" && len(patterns) > 0 && anyGlob(patterns, strings.ToLower(host))
}

// glob is path.Match, in which a star takes slashes too.
func glob(pattern, s string) bool {
	if !strings.ContainsAny(pattern, `?[\`) {
		return stars(pattern, s)
	}
	ok, _ := path.Match(unslashed(pattern), unslashed(s))
	return ok
}

// stars is glob for a pattern that has no signs but stars, as most have.
func stars(pattern, s string) bool {
	head, rest, more := strings.Cut(pattern, "*")
	if !more {
		return pattern == s
	}
	s, found := strings.CutPrefix(s, head)
	for found {
		var part string
		if part, rest, more = strings.Cut(rest, "*"); !more {
			return strings.HasSuffix(s, part)
		}
		_, s, found = strings.Cut(s, part)
	}
	return false
}

func unslashed(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// Syntax is how patterns of branches and hosts are written.
const Syntax = "*, ? and [a-z]"

// CheckBranch says what is wrong with a pattern of branches that somebody wrote.
func CheckBranch(pattern string) error {
	switch {
	case pattern == "":
		return errors.New("it is empty")
	case pattern[0] == '!':
		return errors.New("a leading ! takes nothing out: each pattern only adds branches")
	case strings.ContainsAny(pattern, "{}"):
		return errors.New("braces are not understood: write a pattern for each alternative")
	}
	if _, err := path.Match(unslashed(pattern), ""); err != nil {
		return errors.New("a [ or \\ in it has no end")
	}
	return nil
}

// HostPattern is a pattern of hosts that somebody wrote, as facts name hosts: in lower
// case.
func HostPattern(pattern string) (string, error) {
	host := strings.ToLower(pattern)
	switch {
	case host != "" && host[0] == '!':
		return "", errors.New("a leading ! takes nothing out: each pattern only adds hosts")
	case strings.ContainsAny(host, "/@ \t\n"):
		return "", errors.New("it is more than a host: leave out the scheme, the user and the path")
	case strings.Count(host, ":") == 1, strings.Contains(host, ":") && strings.Contains(host, "["):
		return "", errors.New("it is more than a host: leave out the port and the brackets")
	case strings.HasSuffix(host, "."):
		return "", errors.New("leave out the dot at its end")
	}
	return host, CheckBranch(host)
}
