package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/scaffold"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

func initCommand(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a first hook and its tests",
		Long: `Write a hookway.yaml that switches hookway's own rules on (hookway guards) and has
three hooks, hooks_test.yaml with their tests, and the schema by which editors
complete and check the file.

With --lang, write one hook in that language instead, and add it to the workspace
that is here already, if there is one:

  ts       TypeScript, run inside hookway; nothing has to be installed
  python   a program in Python that hookway keeps; no packages
  go       a program in Go that hookway keeps; built at once
  sh       a shell script, run for each event
  wasm     a WebAssembly module in a sandbox, from Go; built at once (without Go,
           one that was written by hand)
  http     a web server in Python that checks signatures

With --user, write the hookway.yaml of your own configuration: hookway's own rules
and two guards, in every project.

Each hook of --lang comes with two tests: a call that it refuses, and one that it lets pass.
Nothing that exists is overwritten; hookway.yaml and hooks_test.yaml are added to,
and keep their comments. If the other hooks of the folder are trusted, or there
are none, the new ones are trusted, too.`,
		Example: `  hookway init
  hookway init --user
  hookway init --lang ts
  hookway init --lang python --name protected-branches && hookway test`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.user && (cmd.Flags().Changed("lang") || cmd.Flags().Changed("name")):
				return errors.New("--user writes rules, and no code; leave --lang and --name out, or write the hook in a folder and name it there")
			case o.user:
				return initUser(a)
			case cmd.Flags().Changed("lang"):
				return initLang(cmd.Context(), a, o)
			case cmd.Flags().Changed("name"):
				return errors.New("--name names the hook of --lang; say which language: " + strings.Join(scaffold.Languages(), ", "))
			}
			return initWorkspace(a)
		},
	}
	cmd.Flags().BoolVar(&o.user, "user", false, "write your own configuration, which counts in every project")
	cmd.Flags().StringVar(&o.lang, "lang", "", "write one hook in this `LANGUAGE`: "+strings.Join(scaffold.Languages(), ", "))
	cmd.Flags().StringVar(&o.name, "name", "", "with --lang: the `ID` of the hook, after which its files are named")
	err := errors.Join(cmd.RegisterFlagCompletionFunc("lang", completeLang), cmd.RegisterFlagCompletionFunc("name", cobra.NoFileCompletions))
	if err != nil {
		panic(err) // the flags are defined above
	}
	return cmd
}

func initWorkspace(a *app) error {
	written, trusted, err := scaffold.Workspace(a.home.Options(), server.Cwd())
	if err != nil {
		return err
	}
	return sayInit(a, written, trusted)
}

func sayInit(a *app, written []string, trusted bool) error {
	if a.json {
		return a.print(map[string]any{"written": written, "trusted": trusted})
	}
	for _, path := range written {
		fmt.Fprintf(a.out, "wrote %s\n", path)
	}
	if trusted {
		fmt.Fprintln(a.out, "\nThe hooks are trusted as they are. Next:")
	} else {
		fmt.Fprintln(a.out, "\nThere were other hooks here already. Look at all of them, then run hookway trust. Next:")
	}
	fmt.Fprint(a.out, `  hookway test             runs their tests
  hookway guards           shows hookway's own rules, and what they did
  hookway list             shows what would run
  hookway trust            lets them run after you changed them
  hookway install claude   brings Claude Code's events to them; other agents likewise
  hookway ui               opens a page on which you see what your agents do
`)
	return nil
}

// initUser writes the user's own configuration, whose hooks run everywhere.
func initUser(a *app) error {
	dir, _, err := config.Places(a.getenv)
	if err != nil {
		return err
	}
	written, err := scaffold.User(dir)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(map[string]any{"written": written})
	}
	for _, path := range written {
		fmt.Fprintf(a.out, "wrote %s\n", path)
	}
	fmt.Fprint(a.out, `
These hooks run in every project, and need no trust. Next:
  hookway guards           shows hookway's own rules, and what they did
  hookway list             shows what would run
  hookway install claude   brings Claude Code's events to them; other agents likewise
  hookway ui               opens a page on which you see what your agents do
`)
	return nil
}

// initOptions say which hook is written.
type initOptions struct {
	lang, name string
	user       bool
}

// initLang writes a hook in a language, with its tests.
func initLang(ctx context.Context, a *app, o initOptions) error {
	options := a.home.Options()
	options.Dir = server.Cwd()
	k, err := scaffold.New(o.lang, o.name, options)
	if err != nil {
		return err
	}
	if !a.json {
		k.Building = func(program string) { fmt.Fprintf(visible.Writer{To: a.out}, "building %s with go\n", program) }
	}
	if err := k.Write(ctx); err != nil {
		return err
	}
	return sayHook(a, k)
}

// completeLang offers the languages.
func completeLang(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, name := range scaffold.Languages() {
		out = append(out, name+"\t"+scaffold.Title(name))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// errTodo ends an init that leaves something to the user, and has said so.
var errTodo = errors.New("the hook does not run before that")

// sayHook says what was written.
func sayHook(a *app, k *scaffold.Kit) error {
	var next [][2]string
	if len(k.Todo) == 0 {
		next = k.Next()
	}
	if a.json {
		steps := []map[string]string{}
		for _, step := range next {
			steps = append(steps, map[string]string{"command": step[0], "what": step[1]})
		}
		err := a.print(map[string]any{"lang": k.Lang(), "name": k.Name, "workspace": k.Root, "trusted": k.Trusted,
			"written": k.Paths(false), "changed": k.Paths(true), "todo": append([]scaffold.Todo{}, k.Todo...), "next": steps})
		if err == nil && len(k.Todo) > 0 {
			err = &exit{code: exitFailure}
		}
		return err
	}
	out := visible.Writer{To: a.out}
	for _, path := range k.Paths(false) {
		fmt.Fprintf(out, "wrote %s\n", path)
	}
	for _, path := range k.Paths(true) {
		fmt.Fprintf(out, "added to %s\n", path)
	}
	for _, t := range k.Todo {
		fmt.Fprintf(out, "\n%s was left alone: %s. Add these lines to its list %s:\n\n%s", t.File, t.Why, t.List, t.Lines)
	}
	if len(k.Todo) > 0 {
		return &exit{code: exitFailure, err: fmt.Errorf("%w; then run hookway trust and hookway test", errTodo)}
	}
	if k.Trusted {
		fmt.Fprintf(out, "\nThe hook %s is trusted as it is. Next:\n", k.Name)
	} else {
		fmt.Fprintln(out, "\nThe other hooks here are not trusted as they are, so the new one does not run yet. Next:")
	}
	for _, step := range next {
		if len(step[0]) > 22 {
			fmt.Fprintf(out, "  %s\n%27s%s\n", step[0], "", step[1])
			continue
		}
		fmt.Fprintf(out, "  %-22s   %s\n", step[0], step[1])
	}
	return nil
}
