package guardset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/scaffold"
)

// Edits makes of what a file says of guards, nil being nothing, how it is changed.
type Edits func(now *config.Guards) ([]scaffold.GuardEdit, error)

// Use switches packs on: default, strict, or names of packs.
func Use(names ...string) Edits {
	return func(now *config.Guards) ([]scaffold.GuardEdit, error) { return useEdits(now, names) }
}

// Say sets the mode of all rules, or what becomes of the packs and rules that are named:
// enforce, monitor, auto, off; of names also block, ask and allow.
func Say(word string, names ...string) Edits {
	return func(now *config.Guards) ([]scaffold.GuardEdit, error) { return wordEdits(now, word, names) }
}

// useEdits switch packs on.
func useEdits(now *config.Guards, names []string) ([]scaffold.GuardEdit, error) {
	whole := slices.Contains([]string{"default", "strict"}, names[0])
	if whole && len(names) > 1 {
		return nil, fmt.Errorf("%s is every pack; leave %s out", names[0], strings.Join(names[1:], ", "))
	}
	value := names[0]
	if !whole {
		for _, name := range names {
			switch pack, _, rule := strings.Cut(name, "/"); {
			case rule && guards.Known(name):
				return nil, fmt.Errorf("%s is a rule, and use switches packs on: hookway guards use %s, or set the rule: hookway guards block|ask|enforce %[1]s", name, pack)
			case name == "all":
				return nil, errors.New("there is no pack all; every pack is: hookway guards use default")
			case name == "none" || name == "off":
				return nil, fmt.Errorf("there is no pack %s; switch them off: hookway guards off", name)
			}
			if strings.Contains(name, "/") || !slices.Contains(guards.Names(), name) {
				if near := hook.Nearest(name, append(guards.Names(), "default", "strict")); near != "" {
					return nil, fmt.Errorf("there is no pack %q; did you mean %s?", name, near)
				}
				return nil, fmt.Errorf("there is no pack %q; there are default, strict, %s", name, strings.Join(guards.Names(), ", "))
			}
		}
		value = "[" + strings.Join(names, ", ") + "]"
	}
	edits := []scaffold.GuardEdit{{Path: []string{"use"}, Value: value}}
	switch {
	case value == "strict": // all of it counts, whatever mode is there
		edits = append(edits, scaffold.GuardEdit{Path: []string{"mode"}, Value: string(guards.Enforce)})
	case now == nil: // also where a mode: off is
		edits = append(edits, scaffold.GuardEdit{Path: []string{"mode"}, Value: string(guards.Auto)})
	}
	return edits, nil
}

// wordEdits set the mode of all, or what becomes of packs and rules.
func wordEdits(now *config.Guards, word string, names []string) ([]scaffold.GuardEdit, error) {
	for _, name := range names {
		if err := checkName(name); err != nil {
			return nil, err
		}
	}
	if now == nil && word == "off" && len(names) == 0 {
		return nil, nil // they are
	}
	if now == nil {
		return nil, errOff
	}
	if len(names) == 0 {
		return []scaffold.GuardEdit{{Path: []string{"mode"}, Value: word}}, nil
	}
	var edits []scaffold.GuardEdit
	for _, name := range names {
		edits = append(edits, scaffold.GuardEdit{Path: []string{"rules", name}, Value: now.Word(name, word)})
	}
	return edits, nil
}

// errOff says that there is nothing to change.
var errOff = errors.New("hookway's own rules are off")

// checkName checks the name of a pack or of a rule.
func checkName(name string) error {
	if guards.Known(name) {
		return nil
	}
	if strings.Contains(name, ",") {
		return fmt.Errorf("write the names with spaces between them, and not %q", name)
	}
	hint := "hookway guards --rules lists the names"
	if near := config.NearestGuard(name); near != "" {
		hint = "did you mean " + near + "?"
	}
	return fmt.Errorf("there is no pack or rule %q; %s", strings.TrimSpace(name), hint)
}
