package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/handler/script"
)

// nodeMemory is what a program may have that somebody runs as a command.
const nodeMemory = 512 << 20

func nodeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "node FILE [ARGUMENT]...",
		Short: "Run a program in JavaScript or TypeScript without Node",
		Long: `Run a program in JavaScript or TypeScript as Node runs it: it reads stdin, prints
and ends with its own exit code. Code may stand behind -e or -p, or come from stdin.
The modules of Node that hooks use are there; "hookway node" may stand in place of
"node" in a hook's command. The program may do what you may do: there are no grants.`,
		Example:            "  echo '{\"tool_name\": \"Bash\"}' | hookway node .claude/hooks/guard.js",
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
				return c.Help()
			}
			what, err := nodeOptions(args)
			if err != nil || what.version {
				if err == nil {
					fmt.Fprintln(a.out, script.NodeVersion)
				}
				return err
			}
			return runNode(c.Context(), a, what)
		},
	}
}

// runNode runs a file, and ends with its exit code.
func runNode(ctx context.Context, a *app, what nodeCall) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("the working directory cannot be found: %w", err)
	}
	path, done, err := nodeFile(a, what, dir)
	if err != nil {
		return err
	}
	defer done()
	b, err := script.BuildProgram(path, filepath.Dir(path), script.Grants()...)
	if err != nil {
		return fmt.Errorf("%s cannot be run: %w", cmp.Or(what.file, "the code"), err)
	}
	done()
	p := script.Open(b, script.Config{Allow: script.Grants()})
	run := script.Run{Args: what.args, Dir: dir, Environ: os.Environ(), Stdin: a.in, Stdout: a.out, Stderr: os.Stderr, Alone: true, Memory: nodeMemory}
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
