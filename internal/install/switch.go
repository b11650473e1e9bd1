package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookway/hookway/internal/disk"
)

// switches are the settings by which an agent runs no hooks, or not ours, as
// sentences that say where each is. What only its command line says is not known.
func (a *agent) switches(w *world, hooks []byte) []string {
	var off []string
	text := bytes.TrimPrefix(hooks, bom)
	switch {
	case len(bytes.TrimSpace(text)) == 0:
	case a.strict && !json.Valid(text):
		off = append(off, w.file(a)+" has comments or a comma too many, for which "+a.title+" reads nothing of it: no hook runs until you take them out")
	case a.noMark && len(text) < len(hooks):
		off = append(off, w.file(a)+" begins with a byte order mark, for which "+a.title+" reads nothing of it: no hook runs until you take it out")
	}
	if a.off != nil {
		off = append(off, a.off(a, w)...)
	}
	return off
}

// layer is one of the files that an agent puts its settings together from.
type layer struct {
	path string
	v    map[string]any
}

// layers are such files, the weakest first; what cannot be read is empty.
type layers []layer

func readLayers(paths ...string) layers {
	var all layers
	for _, path := range paths {
		all = append(all, layer{path, readObject(path)})
	}
	return all
}

// readObject reads a file of JSON that is an object; nil if it is none.
func readObject(path string) map[string]any {
	text, err := disk.Read(path, maxConfig)
	if err != nil || deep(text) {
		return nil
	}
	text, err = hujson.Standardize(ended(bytes.TrimPrefix(text, bom)))
	var v map[string]any
	if err != nil || json.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}

// of is a setting of one file; nil if it is not there.
func (l layer) of(keys ...string) any {
	inner := table(l.v, keys[:len(keys)-1]...)
	return inner[keys[len(keys)-1]]
}

// last is a setting as the strongest file has it, and that file.
func (all layers) last(keys ...string) (value any, path string) {
	for _, l := range all {
		if v := l.of(keys...); v != nil {
			value, path = v, l.path
		}
	}
	return value, path
}

// says gives a sentence if a setting is as it is where hooks are off.
func (all layers) says(off any, keys ...string) []string {
	if value, path := all.last(keys...); value == off {
		return []string{fmt.Sprintf("%s has %s %v: no hook runs until you change it", path, strings.Join(keys, "."), value)}
	}
	return nil
}

// texts are the texts in a list.
func texts(v any) (all []string) {
	list, _ := v.([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// truthy reports whether a variable's text means yes to most agents.
func truthy(text string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(strings.TrimSpace(text)))
}

// environment gives a sentence for each of the variables that says yes, in the
// environment or where the agent finds some of its own.
func (w *world) environment(names []string, more ...variables) []string {
	var off []string
	for _, name := range names {
		for _, vars := range append([]variables{{"the environment", w.Getenv}}, more...) {
			if truthy(vars.get(name)) {
				off = append(off, fmt.Sprintf("%s has %s=%s: no hook runs until you take it out", vars.where, name, vars.get(name)))
				break
			}
		}
	}
	return off
}

// variables are some that an agent finds elsewhere than in its environment.
type variables struct {
	where string
	get   func(name string) string
}

// inEnv are the variables that settings files have under env.
func (all layers) inEnv() []variables {
	var found []variables
	for _, l := range all {
		vars := table(l.v, "env")
		found = append(found, variables{l.path, func(name string) string {
			text, _ := vars[name].(string)
			return text
		}})
	}
	return found
}

// inDotEnv are the variables of a file with lines NAME=value.
func inDotEnv(path string) variables {
	vars := map[string]string{}
	text, _ := disk.Read(path, maxConfig)
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if ok {
			vars[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return variables{path, func(name string) string { return vars[name] }}
}

// dotEnv are the files of variables that an agent reads: the nearest, in its folder
// or beside it, from the working directory upwards, or else in the user's home.
func (w *world) dotEnv(folder string) []variables {
	for d := w.dir; ; d = filepath.Dir(d) {
		for _, path := range []string{filepath.Join(d, folder, ".env"), filepath.Join(d, ".env")} {
			if _, err := disk.Stat(path); err == nil {
				return []variables{inDotEnv(path)}
			}
		}
		if d == filepath.Dir(d) {
			return []variables{inDotEnv(filepath.Join(w.home, folder, ".env")), inDotEnv(filepath.Join(w.home, ".env"))}
		}
	}
}

// system is a file that an agent has for the whole machine, where a variable names
// no other.
func (w *world) system(variable, linux, mac, windows string) string {
	if path := w.getenv(variable); variable != "" && path != "" {
		return path
	}
	switch runtime.GOOS {
	case "windows":
		return windows
	case "darwin":
		return mac
	}
	return w.path(w.System, linux)
}

// beside is a file in the folder of another.
func beside(path, name string) string { return filepath.Join(filepath.Dir(path), name) }

// only says when hookway is asked at an event, by an entry that somebody changed; ""
// if it is at each. tells is set where the answer is not needed.
func (e entry) only(tells bool) string {
	group, odd := readCalled(e.element)
	if group == nil {
		return ""
	} else if odd != "" {
		return "if the agent reads it at all, since its " + odd
	}
	h := group
	if e.inner != nil && e.index < len(group.Hooks) {
		h = &group.Hooks[e.index]
	}
	switch {
	case group.Matcher != nil && !slices.Contains([]string{"", "*", ".*"}, *group.Matcher):
		return "where the matcher " + *group.Matcher + " fits"
	case h.If != "":
		return "if " + h.If
	case (h.Async || h.AsyncRewake) && !tells:
		return "without that anybody waits for the answer"
	}
	return ""
}
