// Command hookway runs hooks for AI agents: it fires events, wraps programs in a
// terminal, answers agents' own hooks, and tests and trusts the hooks of a
// workspace. `hookway help` lists the commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends what does not listen to the first
	os.Exit(newApp().run(ctx, os.Args[1:]))
}

// run runs one command line and gives the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.root(commandsFor(args)...)
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	if len(args) > 0 && args[0] == cobra.ShellCompRequestCmd {
		showFlagsPlainly(root)
	}
	command, err := root.ExecuteContextC(ctx)
	a.home.CloseWebhooks()
	if err == nil {
		return 0
	}
	refusedOwner(ctx, a, command.Name(), args, err)
	code := exitFailure
	if command.Name() == "hook" && command.Parent() == root { // called by an agent, to which any other code means: go on
		code = exitBlocked
	}
	var e *exit
	if errors.As(err, &e) {
		if code = e.code; e.err == nil {
			return code
		}
	}
	fmt.Fprintf(a.err, "hookway: %s\n", err)
	return code
}

func (a *app) root(commands ...func(*app) *cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:           "hookway",
		Short:         "One hook engine for every AI agent",
		Long:          "hookway runs hooks that see, stop, change and feed what AI agents do.\nWrite a hook once; it works under every agent, in any terminal, and inside Go programs.",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.enter()
		},
	}
	root.PersistentFlags().StringVarP(&a.dir, "dir", "C", "", "act as if started in `DIR`")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON for machines")
	root.SetFlagErrorFunc(flagError)
	for _, command := range commands {
		root.AddCommand(command(a))
	}
	root.InitDefaultCompletionCmd("")
	group(root)
	for _, c := range root.Commands() { // without this, a wrong word prints the help and is a success
		if c.HasSubCommands() && !c.Runnable() {
			c.Args, c.RunE = oneOf, func(*cobra.Command, []string) error { return nil }
		}
	}
	return root
}

// all gives the commands.
func all() []func(*app) *cobra.Command {
	return []func(*app) *cobra.Command{
		fireCommand, explainCommand, guardsCommand, listCommand, testCommand, trustCommand, untrustCommand, allowCommand, approvalsCommand, initCommand,
		runCommand, hookCommand, installCommand, uninstallCommand, schemaCommand, versionCommand,
		sessionsCommand, holdCommand, releaseCommand, injectCommand, sendCommand, messagesCommand, outputCommand,
		serveCommand, statusCommand, stopCommand, logCommand, replayCommand, statsCommand, suggestCommand, doctorCommand, benchCommand, memoryCommand,
		attachCommand, paneCommand, typesCommand, nodeCommand, mcpCommand,
		inboxCommand, receiptsCommand, agentsCommand, channelsCommand, uiCommand,
	}
}

// commandsFor are the commands that a command line may mean. The daemon is started while
// an agent waits, and to make the others takes a millisecond.
func commandsFor(args []string) []func(*app) *cobra.Command {
	if len(args) > 0 && args[0] == "serve" {
		return []func(*app) *cobra.Command{serveCommand}
	}
	return all()
}
