package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/docs/schema"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/server"
)

//go:embed template/hookway.yaml
var templateConfig []byte

//go:embed template/user.yaml
var templateUser []byte

//go:embed template/hooks_test.yaml
var templateCases []byte

func (a *app) initCommand() *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a first hook and its tests",
		Long: `Write a hookway.yaml with three hooks, hooks_test.yaml with their tests, and the
schema by which editors complete and check the file.

With --lang, write one hook in that language instead, and add it to the workspace
that is here already, if there is one:

  ts       TypeScript, run inside hookway; nothing has to be installed
  python   a program in Python that hookway keeps; no packages
  go       a program in Go that hookway keeps; built at once
  sh       a shell script, run for each event
  wasm     a WebAssembly module in a sandbox, from Go; built at once (without Go,
           one that was written by hand)
  http     a web server in Python that checks signatures

With --user, write the hookway.yaml of your own configuration: two guards that say
never, in any project.

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
				return a.initUser()
			case cmd.Flags().Changed("lang"):
				return a.initLang(cmd.Context(), o)
			case cmd.Flags().Changed("name"):
				return errors.New("--name names the hook of --lang; say which language: " + strings.Join(languageNames(), ", "))
			}
			return a.init()
		},
	}
	cmd.Flags().BoolVar(&o.user, "user", false, "write your own configuration, which counts in every project")
	cmd.Flags().StringVar(&o.lang, "lang", "", "write one hook in this `LANGUAGE`: "+strings.Join(languageNames(), ", "))
	cmd.Flags().StringVar(&o.name, "name", "", "with --lang: the `ID` of the hook, after which its files are named")
	err := errors.Join(cmd.RegisterFlagCompletionFunc("lang", completeLang), cmd.RegisterFlagCompletionFunc("name", cobra.NoFileCompletions))
	if err != nil {
		panic(err) // the flags are defined above
	}
	return cmd
}

func (a *app) init() error {
	editorSchema, err := schema.Get("config")
	if err != nil {
		return err
	}
	dir := server.Cwd()
	if other := existing(dir, "hookway.yaml", "hookway.yml"); other != "" {
		return fmt.Errorf("%s exists already; edit it, or remove it first", other)
	}
	alone := existing(dir, ".hookway/hooks", ".acai/hooks") == ""
	var written []string
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"hookway.yaml", templateConfig},
		{"hooks_test.yaml", templateCases},
		{".hookway/config.schema.json", editorSchema},
	} {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		switch err := writeNew(path, f.text); {
		case errors.Is(err, fs.ErrExist): // kept as it is
		case err != nil:
			return err
		default:
			written = append(written, path)
		}
	}
	if alone {
		options := a.home.Options()
		options.Dir = dir
		if _, err := config.Trust(options); err != nil {
			return fmt.Errorf("the files are written, but the folder cannot be trusted: %w", err)
		}
	}
	return a.sayInit(written, alone)
}

func (a *app) sayInit(written []string, trusted bool) error {
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
  hookway list             shows what would run
  hookway trust            lets them run after you changed them
  hookway install claude   brings Claude Code's events to them; other agents likewise
`)
	return nil
}

// initUser writes the user's own configuration, whose hooks run everywhere.
func (a *app) initUser() error {
	editorSchema, err := schema.Get("config")
	if err != nil {
		return err
	}
	dir, _, err := config.Places(a.getenv)
	if err != nil {
		return err
	}
	if other := existing(dir, "hookway.yaml", "hookway.yml"); other != "" {
		return fmt.Errorf("%s exists already; add to it: hookway schema config describes its keys", other)
	}
	written := []string{filepath.Join(dir, "hookway.yaml")}
	switch path := filepath.Join(dir, "config.schema.json"); {
	case existing(dir, "config.schema.json") != "": // kept as it is
	default:
		if err := writeNew(path, editorSchema); err != nil {
			return err
		}
		written = append(written, path)
	}
	if err := writeNew(written[0], templateUser); err != nil {
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
  hookway list             shows what would run
  hookway install claude   brings Claude Code's events to them; other agents likewise
`)
	return nil
}

// existing gives the first of the names that is there.
func existing(dir string, names ...string) string {
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	return ""
}

// writeNew writes a file that must not exist yet.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("the folder cannot be made: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("the file cannot be written: %w", err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
