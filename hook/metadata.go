package hook

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// addMetadata merges a hook's metadata into the event for the hooks after it.
// Later keys win; environment maps under "env" are merged key by key, and names
// that would change which code a program runs are refused.
func (r *run) addMetadata(step *Step, more map[string]any) {
	env := *r.ev.Head()
	merged := maps.Clone(env.Metadata)
	if merged == nil {
		merged = make(map[string]any, len(more))
	}
	var refused []string
	follows := following(env.Metadata, more)
	for key, value := range more {
		if key != "env" {
			merged[key] = value
			continue
		}
		vars, ok := variables(value)
		if !ok {
			r.refuse(step, fmt.Sprintf("the environment a hook sets must be a map of names to values, not a %T", value))
			continue
		}
		all, _ := variables(merged["env"])
		for name, v := range vars {
			if RefusedVariable(name) {
				refused = append(refused, name)
				continue
			}
			all[name] = v
		}
		merged["env"] = all
	}
	if _, ok := follows["env"]; ok {
		follows["env"] = merged["env"]
	}
	r.follows(step, follows)
	env.Metadata = merged
	r.ev = r.ev.sameKind(env)
	r.look()
	if len(refused) > 0 {
		slices.Sort(refused)
		r.refuse(step, fmt.Sprintf("a hook may not set the environment variables %s", strings.Join(refused, ", ")))
	}
}

// follows keeps what a hook sets for the events after this one.
func (r *run) follows(step *Step, more map[string]any) {
	if len(more) == 0 {
		return
	}
	set := laid(more, r.set)
	if why := tooMuch(set); why != "" {
		r.refuse(step, why)
		return
	}
	r.set = set
}

// variables returns a copy of an environment map, in the types in which Go
// programs and JSON have one. Nil is an empty one.
func variables(value any) (map[string]any, bool) {
	vars := map[string]any{}
	switch v := value.(type) {
	case nil:
	case map[string]any:
		maps.Copy(vars, v)
	case map[string]string:
		for name, text := range v {
			vars[name] = text
		}
	default:
		return vars, false
	}
	return vars, true
}

// RefusedVariable reports whether hooks may not set an environment variable,
// because it decides which code a program runs: PATH, NODE_OPTIONS, LD_* and
// DYLD_*. Case does not count, as on Windows. Such a variable in the metadata of
// a decision is left out, and the step of the hook says so; the rest of the
// decision counts.
func RefusedVariable(name string) bool {
	upper := strings.ToUpper(name)
	return upper == "PATH" || upper == "NODE_OPTIONS" || strings.HasPrefix(upper, "LD_") || strings.HasPrefix(upper, "DYLD_")
}
