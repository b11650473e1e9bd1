package hook

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// addMetadata merges what a hook wants to tell the hooks after it. Later keys
// win; environment maps under "env" are merged key by key, and names that
// would change what programs are run, or what code they load, are refused.
func (r *run) addMetadata(step *Step, more map[string]any) {
	env := *r.ev.Head()
	merged := maps.Clone(env.Metadata)
	if merged == nil {
		merged = make(map[string]any, len(more))
	}
	var refused []string
	for key, value := range more {
		vars, isEnv := value.(map[string]any)
		if key != "env" || !isEnv {
			merged[key] = value
			continue
		}
		all, _ := merged["env"].(map[string]any)
		all = maps.Clone(all)
		if all == nil {
			all = map[string]any{}
		}
		for name, v := range vars {
			if unsafeVariable(name) {
				refused = append(refused, name)
				continue
			}
			all[name] = v
		}
		merged["env"] = all
	}
	env.Metadata = merged
	r.ev = r.ev.sameKind(env)
	r.look()
	if len(refused) > 0 {
		slices.Sort(refused)
		r.refuse(step, fmt.Sprintf("a hook may not set the environment variables %s", strings.Join(refused, ", ")))
	}
}

// unsafeVariable reports the variables that decide which code a program runs.
func unsafeVariable(name string) bool {
	upper := strings.ToUpper(name)
	return upper == "PATH" || upper == "NODE_OPTIONS" || strings.HasPrefix(upper, "LD_") || strings.HasPrefix(upper, "DYLD_")
}
