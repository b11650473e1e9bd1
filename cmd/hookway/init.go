package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/docs/schema"
	"github.com/hookway/hookway/internal/config"
)

//go:embed template/hookway.yaml
var templateConfig []byte

//go:embed template/hooks_test.yaml
var templateCases []byte

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a hookway.yaml with three hooks and their tests",
		Long: `Write a hookway.yaml with three hooks, hooks_test.yaml with their tests, and the
schema by which editors complete and check the file. Nothing that exists is
overwritten. If these are the only hooks of the folder, they are trusted.`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return a.init() },
	}
}

func (a *app) init() error {
	editorSchema, err := schema.Get("config")
	if err != nil {
		return err
	}
	dir := a.cwd()
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
		options := a.options()
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
