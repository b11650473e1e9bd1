package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/session"
	"github.com/hookway/hookway/internal/transcript"
)

// attachHooks gives an agent that takes hooks by flag those of hookway, for this
// session.
func attachHooks(a *app, command []string) install.Attached {
	as := install.Attached{Command: command}
	name, direct := agentName(command), true
	if by := session.AgentOf(command); name != by && by != "" {
		name, direct = by, false // an interpreter runs it: what would be put behind its name cannot be
	}
	if !slices.Contains(install.Agents(), name) || a.getenv("HOOKWAY_ATTACH") == "off" {
		return as
	}
	self, _ := os.Executable()
	shim, err := install.FindShim(self)
	var state string
	if err == nil {
		_, state, err = config.Places(a.getenv)
	}
	if err != nil {
		a.warn("the hooks of %s itself do not run: %v", name, err)
		return as
	}
	as, err = install.Attach(name, direct, command, install.Options{Getenv: a.getenv, Dir: server.Cwd(), State: state, Shim: shim})
	if err != nil {
		a.warn("%v", err)
	}
	return as
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
