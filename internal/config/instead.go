package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
)

// UseGuards puts hookway's own rules into the set as words say them, in place of what its
// files say: default, strict or names of packs, and a mode.
func (s *Set) UseGuards(words []string, handler func(*Guards) hook.Handler) error {
	g, err := guardsOf(words)
	if err != nil {
		return err
	}
	s.guards = guardLayers{user: &guardLayer{spec: g, file: "--guards", layer: LayerUser}, home: s.guards.home}
	s.settleGuards(handler)
	return nil
}

// CheckGuards says what is wrong with such words.
func CheckGuards(words []string) error {
	_, err := guardsOf(words)
	return err
}

func guardsOf(words []string) (*guardsSpec, error) {
	g := &guardsSpec{}
	whole := false
	for _, word := range words {
		switch {
		case slices.Contains(guardModes, word):
			if g.mode != "" {
				return nil, fmt.Errorf("%s and %s are two modes; say one", g.mode, word)
			}
			g.mode = word
		case word == useDefault || word == useStrict:
			if whole || g.use != nil {
				return nil, fmt.Errorf("%s is every pack, and stands without others", word)
			}
			whole, g.strict = true, word == useStrict
		case slices.Contains(guards.Names(), word):
			if whole {
				return nil, fmt.Errorf("%s is one pack of all; leave it out, or default and strict", word)
			}
			g.use = append(g.use, word)
		default:
			known := slices.Concat([]string{useDefault, useStrict}, guardModes, guards.Names())
			hint := "want one of " + strings.Join(known, ", ")
			if near := hook.Nearest(word, known); near != "" {
				hint = "did you mean " + near + "?"
			}
			return nil, fmt.Errorf("unknown pack or mode %q: %s", word, hint)
		}
	}
	if g.use == nil {
		g.use = guards.Names()
	}
	return g, nil
}
