package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/session"
	"github.com/hookway/hookway/internal/transcript"
)

// attached is how a wrapped agent comes to have hookway's hooks of its own.
type attached struct {
	command []string // the agent's, with what gives it the hooks
	env     []string
	native  bool // the agent reports its events itself, so the terminal need not guess
	agent   string
}

// mostSettings bounds the settings that are put on a command line: systems allow
// 128 KiB for one argument.
const mostSettings = 100 << 10

// attachHooks gives an agent that takes hooks by flag or environment those of
// hookway, for this session; no file is touched. An agent in whose configuration
// they are already needs nothing.
func attachHooks(a *app, command []string, warn func(string)) attached {
	as := attached{command: command}
	name, direct := agentName(command), true
	if by := session.AgentOf(command); name != by && by != "" {
		name, direct = by, false // an interpreter runs it: what would be put behind its name cannot be
	}
	if !slices.Contains(install.Agents(), name) || a.getenv("HOOKWAY_ATTACH") == "off" {
		return as
	}
	self, _ := os.Executable()
	shim, err := install.FindShim(self)
	if err != nil {
		warn("the hooks of " + name + " itself do not run: " + err.Error())
		return as
	}
	_, state, err := config.Places(a.getenv)
	if err != nil {
		warn("the hooks of " + name + " itself do not run: " + err.Error())
		return as
	}
	for _, scope := range []install.Scope{install.User, install.Project} {
		s, err := install.Installed(name, scope, install.Options{Getenv: a.getenv, Dir: server.Cwd(), State: state, Shim: shim})
		if err == nil && len(s.Events) > 0 && len(s.Missing) == 0 {
			as.native, as.agent = true, name
			return as
		}
	}
	args, env, ok := install.SessionArgs(name, shim)
	if !ok || !direct {
		warn(name + " takes hooks only from its configuration; hookway install " + name + " writes them there")
		return as
	}
	rest := command[1:]
	if name == "claude" {
		if rest, err = joinSettings(a, args, rest); err != nil {
			warn("hookway's hooks do not run in this session: " + err.Error() + "; hookway install claude writes them into its configuration")
			return as
		}
	}
	return attached{command: slices.Concat(command[:1], args, rest), env: env, native: true, agent: name}
}

// agentName is the name of a program, without the platform that some publishers put
// behind that of an agent: copilot-linux-x64 is copilot.
func agentName(command []string) string {
	name := strings.TrimSuffix(filepath.Base(command[0]), filepath.Ext(command[0]))
	if plain := transcript.Plain(name); slices.Contains(install.Agents(), plain) {
		return plain
	}
	return name
}

// maxSettings bounds a file of settings.
const maxSettings = 4 << 20

// joinSettings puts what the user says with --settings into ours, which are the
// last of args, since Claude Code takes that flag once. It gives the user's
// arguments without it.
func joinSettings(a *app, args, user []string) (rest []string, err error) {
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
			value = filepath.Join(server.Cwd(), value)
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
		return "", errors.New("claude's --settings are no JSON object with hooks that hookway understands")
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
