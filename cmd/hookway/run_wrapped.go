package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/server"
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
				relative(server.Cwd(), said.File), visible.Line(strings.Join(command, " ")), said.From)
		}
	}
	if name == "" && said.Name != "" {
		if err := checkName(said.Name); err != nil {
			a.warn("the name of new Relay in %s cannot be used: %v", relative(server.Cwd(), said.File), err)
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

// showWrapped says what hookway run runs when it is given nothing.
func showWrapped(a *app, set *config.Set) {
	if command := set.Wrapped.Command(); len(command) > 0 {
		fmt.Fprintf(visible.Writer{To: a.out}, "hookway run without a program runs %s (%s)\n", visible.Line(strings.Join(command, " ")), relative(server.Cwd(), set.Wrapped.File))
	}
}

// showWraps says so before anything is trusted.
func showWraps(a *app, all []trust.Wrap) {
	for _, w := range all {
		if !a.json {
			fmt.Fprintf(visible.Writer{To: a.out}, "hookway run without a program runs %s (%s)\n", visible.Line(w.Command), w.File)
		}
	}
}
