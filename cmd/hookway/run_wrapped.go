package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/session"
	"github.com/hookway/hookway/internal/transcript"
	"github.com/hookway/hookway/internal/trust"
	"github.com/hookway/hookway/internal/visible"
)

// wrappedName gives the name of a session, "" for that of its program, and the program: as the
// user says, else as a script says.
func wrappedName(a *app, set *config.Set, name string, command []string) (string, []string, error) {
	said := set.Wrapped
	if len(command) == 0 {
		if command = said.Command(); len(command) == 0 {
			return "", nil, noProgram(set)
		}
		if said.From != "" {
			return "", nil, fmt.Errorf("%s wraps %s, whose names start from %s; run hookway run there, or name a program: hookway run -- claude",
				relative(said.File), visible.Line(strings.Join(command, " ")), said.From)
		}
	}
	if name == "" && said.Name != "" {
		if err := checkName(said.Name); err != nil {
			a.warn("the name of new Relay in %s cannot be used: %v", relative(said.File), err)
		} else {
			name = said.Name
		}
	}
	return name, command, nil
}

// noProgram says why there is nothing to run.
func noProgram(set *config.Set) error {
	if set.Workspace != "" && !set.Trust.State.Runs() && set.Trust.State != trust.None {
		return fmt.Errorf("no program is named, and what a script of %s wraps does not count, for it is not trusted as it is; run hookway trust, or name the program: hookway run -- claude", set.Workspace)
	}
	if set.Wrapped.Left != "" {
		return errors.New(set.Wrapped.Left)
	}
	return errors.New("no program is named; try: hookway run -- claude, or relay.wrap('claude') in a relay.config.ts")
}

// wrappedNameBefore is named for a session that another process begins.
func wrappedNameBefore(ctx context.Context, a *app, name, file string, command []string) (string, []string, error) {
	if name != "" && len(command) > 0 {
		return name, command, nil
	}
	options := a.home.Options()
	options.File, options.TrustedOnly = file, true
	set, err := config.Load(ctx, options)
	if err != nil {
		return "", nil, err
	}
	name, command, err = wrappedName(a, set, name, command)
	return name, command, errors.Join(err, set.Close())
}

// showWraps says so before anything is trusted.
func showWraps(a *app, all []trust.Wrap) {
	for _, w := range all {
		if !a.json {
			fmt.Fprintf(visible.Writer{To: a.out}, "hookway run without a program runs %s (%s)\n", visible.Line(w.Command), w.File)
		}
	}
}

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

// checkName says why a program cannot run under a name that was given; "" is none.
func checkName(name string) error {
	if name == "" {
		return nil
	}
	if _, err := relay.Name(name); err != nil {
		return err
	}
	return relay.Reserved(name)
}
