package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/scaffold"
	"github.com/hookway/hookway/internal/server"
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
