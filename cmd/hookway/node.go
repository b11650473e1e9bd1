package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/handler/script"
)

// nodeMemory is what a program may have that somebody runs as a command.
const nodeMemory = 512 << 20

func (a *app) nodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "node FILE [ARGUMENT]...",
		Short: "Run a program in JavaScript or TypeScript without Node",
		Long: `Run a program in JavaScript or TypeScript as Node runs it: it reads stdin, prints
and ends with its own exit code. The modules of Node that hooks use are there;
"hookway node" may stand in place of "node" in a hook's command. The program may do
what you may do: there are no grants.`,
		Example:            "  echo '{\"tool_name\": \"Bash\"}' | hookway node .claude/hooks/guard.js",
		Args:               cobra.MinimumNArgs(1),
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
				return c.Help()
			}
			if len(args) == 0 {
				return errors.New("name the file to run: hookway node FILE")
			}
			return a.runNode(c.Context(), args[0], args[1:])
		},
	}
}

// runNode runs a file, and ends with its exit code.
func (a *app) runNode(ctx context.Context, file string, args []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("the working directory cannot be found: %w", err)
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	b, err := script.BuildProgram(path, filepath.Dir(path), script.Grants()...)
	if err != nil {
		return fmt.Errorf("%s cannot be run: %w", file, err)
	}
	p := script.Open(b, script.Config{Allow: script.Grants()})
	run := script.Run{Args: args, Dir: dir, Environ: os.Environ(), Stdin: a.in, Stdout: a.out, Stderr: os.Stderr, Alone: true, Memory: nodeMemory}
	for i, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		run.TTY[i] = term.IsTerminal(int(f.Fd()))
	}
	code, err := p.Run(ctx, run)
	if err != nil {
		return &exit{code: exitFailure, err: err}
	}
	if code != 0 {
		return &exit{code: code}
	}
	return nil
}
