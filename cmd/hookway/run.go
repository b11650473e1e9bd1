package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/process"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/session"
)

func runCommand(a *app) *cobra.Command {
	var name, file string
	var inTmux bool
	cmd := &cobra.Command{
		Use:   "run [-n NAME] [-c CONFIG] [--tmux] [--] [COMMAND...]",
		Short: "Run a program in a terminal of its own, with hooks",
		Long: `Run a program in a terminal of its own, with hooks. You see and type what you
would without hookway; meanwhile the session fires SessionStart, Output,
Directive, Idle and SessionEnd, and what hooks inject is typed to the program.
Hooks follow their files: a change counts from the next event.

Without a COMMAND it runs what relay.wrap names in a script that is trusted;
new Relay({name}) names the session, unless -n does.

A line  @namespace:target text  in the program's output is a directive. @relay,
@broadcast and @memory are hookway's own. hookway sessions, inject, hold, send and
output reach the session from elsewhere by its name.

An agent that takes hooks by its command line or environment (Claude Code, Codex)
gets hookway's for this session, as hookway install would write them; no file of
yours is touched. HOOKWAY_ATTACH=off keeps that from happening.`,
		Example: "  hookway run -- claude\n  hookway run -n Alice -- python3 -i",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkName(name); err != nil {
				return fmt.Errorf("-n: %w", err)
			}
			if inTmux {
				return wrapInTmux(cmd.Context(), a, name, file, args)
			}
			return runWrapped(cmd.Context(), a, name, file, args)
		},
	}
	cmd.Flags().StringVarP(&name, "name", "n", "", "the agent's `NAME`; without it, the program's")
	cmd.Flags().StringVarP(&file, "config", "c", "", "take the hooks from this `FILE` in place of the workspace's")
	cmd.Flags().BoolVar(&inTmux, "tmux", false, "run it in a session of tmux that outlives this terminal; hookway attach NAME comes back")
	cmd.Flags().SetInterspersed(false) // the program's flags are its own
	return cmd
}

// runWrapped runs a program under the hooks of this workspace. hookway's exit code is
// the program's; a program that a signal ended gives 128 and the signal's number.
func runWrapped(ctx context.Context, a *app, name, file string, command []string) error {
	process.Mark(os.Getpid()) // the program inherits it, and all that it leaves behind
	options := a.home.Options()
	options.File = file
	later, quotes := &notes{app: a}, &session.Quotes{}
	options.MemoryHooks, a.home.Lasting = a.home.Memories().HooksWith(func(text string) string { return quotes.Quoted(command, text) }), true
	a.later = later.add // the terminal is the program's until it ends
	watching, stop := context.WithCancel(ctx)
	defer stop()
	w, err := a.home.OpenLive(watching, options)
	if err != nil {
		return err
	}
	defer later.print()
	if name, command, err = wrappedName(a, w.Set, name, command); err != nil {
		stop()
		return errors.Join(err, w.Close(), a.home.Memories().Close())
	}
	if name == "" {
		name = programName(command)
	}
	record, recorded := a.home.Recorder(w, a.home.Log)
	defer recorded()
	own := attachHooks(a, command) // now: who is not guarded should know it before
	id := sessionID(a)
	hooks, apart := shareSession(a, own, id, name)
	defer apart()
	memory := a.home.Memories().For(server.Cwd(), name, id)
	reached := prepareReach(ctx, a, id, name, command)
	mail, posted := a.sessionMail(ctx)
	defer posted()
	unknown, noted := a.home.UnknownNamespaces(name)
	defer noted()
	status, err := session.Run(ctx, session.Config{
		Memory: memory, Mail: mail, History: reached.history, Reach: reached.announce,
		Engine: w.Engine, Name: name, ID: id, AgentHooks: hooks, Command: own.Command, Dir: server.Cwd(), Env: os.Environ(),
		Stdin: a.in, Stdout: a.out, IdleThreshold: w.Set.Settings.IdleThreshold, Source: "run", Warn: later.add, Native: own.Native, Record: record,
		Unknown: unknown, Quotes: quotes, Attend: attendAsks(a, id, name),
	})
	stop()
	err = errors.Join(err, w.Close(), a.home.Memories().Close())
	if err != nil || status.Code != 0 {
		return &exit{code: max(status.Code, startFailure(err)), err: err}
	}
	return nil
}

// startFailure is the exit code of a program that could not be started, as shells
// have it.
func startFailure(err error) int {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return 127
	case errors.Is(err, fs.ErrPermission):
		return 126
	}
	return exitFailure
}
