package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/install"
)

// attached is how a wrapped agent comes to have hookway's hooks of its own.
type attached struct {
	args   []string // to be put before the agent's own
	env    []string
	native bool // the agent reports its events itself, so the terminal need not guess
}

// attach gives an agent that takes hooks by flag or environment those of
// hookway, for this session; no file is touched. An agent in whose configuration
// they are already needs nothing.
func (a *app) attach(command []string, warn func(string)) attached {
	name := strings.TrimSuffix(filepath.Base(command[0]), filepath.Ext(command[0]))
	if !slices.Contains(install.Agents(), name) || a.getenv("HOOKWAY_ATTACH") == "off" {
		return attached{}
	}
	self, _ := os.Executable()
	shim, err := install.FindShim(self)
	if err != nil {
		warn("the hooks of " + name + " itself do not run: " + err.Error())
		return attached{}
	}
	_, state, err := config.Places(a.getenv)
	if err != nil {
		warn("the hooks of " + name + " itself do not run: " + err.Error())
		return attached{}
	}
	for _, scope := range []install.Scope{install.User, install.Project} {
		s, err := install.Installed(name, scope, install.Options{Getenv: a.getenv, Dir: a.cwd(), State: state, Shim: shim})
		if err == nil && len(s.Events) > 0 && len(s.Missing) == 0 {
			return attached{native: true}
		}
	}
	args, env, ok := install.SessionArgs(name, shim)
	if !ok {
		warn(name + " takes hooks only from its configuration; hookway install " + name + " writes them there")
		return attached{}
	}
	if name == "claude" && slices.ContainsFunc(command[1:], func(arg string) bool { return arg == "--settings" || strings.HasPrefix(arg, "--settings=") }) {
		warn("claude was given --settings, and takes them once: its own hooks do not run; hookway install claude writes them into its configuration")
		return attached{}
	}
	return attached{args: args, env: env, native: true}
}
