package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/disk"
)

// Attached is how an agent comes to have hookway's hooks for one session.
type Attached struct {
	Command []string // the agent's, with what gives it the hooks
	Native  bool     // the agent reports its events itself
	Agent   string   // its name, if it does
}

// mostSettings bounds the settings that are put on a command line: systems allow
// 128 KiB for one argument.
const mostSettings = 100 << 10

// Attach gives an agent that takes hooks by flag those of hookway, for one session; no
// file is touched. An agent in whose configuration they are already needs nothing.
// direct says that the command line begins with the agent's own program, behind whose
// name flags can be put. What is given counts beside an error, too.
func Attach(name string, direct bool, command []string, o Options) (Attached, error) {
	for _, scope := range []Scope{User, Project} {
		if s, err := Installed(name, scope, o); err == nil && len(s.Events) > 0 && len(s.Missing) == 0 {
			return Attached{Command: command, Native: true, Agent: name}, nil
		}
	}
	without := Attached{Command: command}
	args, _, ok := SessionArgs(name, o.Shim)
	if !ok || !direct {
		return without, fmt.Errorf("%s takes hooks only from its configuration; hookway install %[1]s writes them there", name)
	}
	rest := command[1:]
	if name == "claude" {
		var err error
		if rest, err = joinSettings(o.Dir, args, rest); err != nil {
			return without, fmt.Errorf("hookway's hooks do not run in this session: %w; hookway install claude writes them into its configuration", err)
		}
	}
	return Attached{Command: slices.Concat(command[:1], args, rest), Native: true, Agent: name}, nil
}

// maxSettings bounds a file of settings.
const maxSettings = 4 << 20

// joinSettings puts what the user says with --settings into ours, which are the
// last of args, since Claude Code takes that flag once. It gives the user's
// arguments without it.
func joinSettings(dir string, args, user []string) (rest []string, err error) {
	at, value, n := findSettings(user)
	if at < 0 {
		return user, nil
	}
	if n == 0 {
		return nil, errors.New("claude was given --settings without a value")
	}
	rest = slices.Delete(slices.Clone(user), at, at+n)
	if again, _, _ := findSettings(rest); again >= 0 {
		return nil, errors.New("claude was given --settings twice, and takes them once")
	}
	text := []byte(value)
	if !strings.HasPrefix(strings.TrimSpace(value), "{") {
		if !filepath.IsAbs(value) {
			value = filepath.Join(dir, value)
		}
		if text, err = disk.Read(value, maxSettings); err != nil {
			return nil, fmt.Errorf("claude's --settings cannot be read: %w", err)
		}
	}
	last := len(args) - 1
	args[last], err = withHooks(text, []byte(args[last]))
	return rest, err
}

// findSettings finds Claude Code's flag --settings: where it is, what it says, and
// how many arguments it takes. Without one, at is -1.
func findSettings(args []string) (at int, value string, n int) {
	for i, arg := range args {
		v, joined := strings.CutPrefix(arg, "--settings=")
		switch {
		case arg == "--":
			return -1, "", 0
		case joined:
			return i, v, 1
		case arg == "--settings" && i+1 < len(args):
			return i, args[i+1], 2
		case arg == "--settings":
			return i, "", 0
		}
	}
	return -1, "", 0
}

// withHooks adds the hooks of our settings to those of the user's. Nothing else
// of them changes.
func withHooks(user, ours []byte) (string, error) {
	var whole map[string]json.RawMessage
	var our struct{ Hooks map[string][]json.RawMessage }
	hooks := map[string][]json.RawMessage{}
	err := json.Unmarshal(user, &whole)
	if err == nil && whole["hooks"] != nil {
		err = json.Unmarshal(whole["hooks"], &hooks)
	}
	if err != nil || whole == nil {
		return "", errors.New("claude's --settings are not a JSON object with hooks that hookway understands")
	}
	if err := json.Unmarshal(ours, &our); err != nil {
		return "", fmt.Errorf("hookway's own settings cannot be read: %w", err)
	}
	if hooks == nil { // it was null
		hooks = map[string][]json.RawMessage{}
	}
	for event, entries := range our.Hooks {
		hooks[event] = append(hooks[event], entries...)
	}
	if whole["hooks"], err = json.Marshal(hooks); err != nil {
		return "", err
	}
	text, err := json.Marshal(whole)
	if err == nil && len(text) > mostSettings {
		err = errors.New("claude's --settings are too long to add to")
	}
	return string(text), err
}
