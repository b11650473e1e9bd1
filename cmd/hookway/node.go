package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/internal/bundle"
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

// nodeCall is what hookway node is asked to run, as Node is asked.
type nodeCall struct {
	file    string // "": the code
	code    *string
	print   bool // -p: what the code comes to is printed
	module  bool // --input-type=module
	args    []string
	version bool
}

// Options of Node's that mean nothing here: they concern warnings, memory, or how
// TypeScript is read, which needs no flag.
var (
	nodeIdle = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^--(?:(?:no|disable|trace|throw|pending)-(?:warnings?|deprecation)|disable-warning=.*|experimental-.*|no-experimental-.*|enable-source-maps|max-old-space-size=.*|stack-size=.*|unhandled-rejections=.*|preserve-symlinks.*|dns-result-order=.*|use-.*-ca|input-type=commonjs|loader=.*|import=(?:tsx|ts-node).*|require=(?:tsx|ts-node).*)$`)
	})
	nodeIdleValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:--(?:disable-warning|max-old-space-size|stack-size|unhandled-rejections|loader|experimental-loader)|-C|--conditions)$`)
	})
	typesLoader = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:tsx|ts-node|esbuild-register|@swc-node|@esbuild-kit)(?:/|$)`)
	})
)

// nodeOptions reads a command line as Node reads it.
func nodeOptions(args []string) (nodeCall, error) {
	var c nodeCall
	for len(args) > 0 {
		word := args[0]
		value := func() string {
			if len(args) < 2 {
				return ""
			}
			args = args[1:]
			return args[0]
		}
		switch {
		case word == "--":
			args = args[1:]
			return c.behind(args), nil
		case word == "-v" || word == "--version":
			c.version = true
			return c, nil
		case word == "-e" || word == "--eval" || word == "-p" || word == "--print" || word == "-pe":
			if len(args) < 2 {
				return c, fmt.Errorf("%s takes the code to run", word)
			}
			c.print = strings.HasPrefix(word, "-p") || word == "--print"
			c.code = new(value())
		case strings.HasPrefix(word, "--eval="), strings.HasPrefix(word, "--print="):
			name, code, _ := strings.Cut(word, "=")
			c.code, c.print = new(code), name == "--print"
		case word == "--input-type=module":
			c.module = true
		case word == "--input-type":
			c.module = value() == "module"
		case word == "-r" || word == "--require" || word == "--import":
			if name := value(); !typesLoader().MatchString(name) {
				return c, fmt.Errorf("hookway node reads no %s %s; import it in the file itself", word, name)
			}
		case nodeIdle().MatchString(word) && !nodeIdleValue().MatchString(word):
		case nodeIdleValue().MatchString(word):
			value()
		case word != "-" && strings.HasPrefix(word, "-"):
			return c, fmt.Errorf("hookway node does not have Node's option %s; take it out, or install Node", word)
		default:
			return c.behind(args), nil
		}
		args = args[1:]
	}
	return c.behind(nil), nil
}

// behind takes what stands behind the options: the file, unless there is code, and
// what it is given.
func (c nodeCall) behind(args []string) nodeCall {
	if c.code == nil && len(args) > 0 {
		c.file, args = args[0], args[1:]
	}
	c.args = args
	return c
}

// mainFile finds what a path means where an extension was left out, or a folder named.
func mainFile(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return path
	}
	for _, more := range []string{".js", ".cjs", ".mjs", ".ts", "/index.js", "/index.cjs", "/index.mjs", "/index.ts"} {
		if info, err := os.Stat(path + filepath.FromSlash(more)); err == nil && info.Mode().IsRegular() {
			return path + filepath.FromSlash(more)
		}
	}
	return path
}

// nodeFile is the file to run: one with the code, if there is none. done takes it away.
func nodeFile(a *app, c nodeCall, dir string) (path string, done func(), err error) {
	if c.file != "" && c.file != "-" {
		path = c.file
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return mainFile(path), func() {}, nil
	}
	if c.code == nil {
		text, err := io.ReadAll(io.LimitReader(a.in, bundle.MaxSource+1))
		if err != nil {
			return "", nil, fmt.Errorf("the code cannot be read from stdin: %w", err)
		}
		c.code = new(string(text))
	}
	folder, err := os.MkdirTemp("", "hookway-node-")
	if err != nil {
		return "", nil, fmt.Errorf("the code cannot be put into a file: %w", err)
	}
	done = func() { _ = os.RemoveAll(folder) }
	path = filepath.Join(folder, "[eval].cjs")
	if c.module {
		path = filepath.Join(folder, "[eval].mjs")
	}
	if err := os.WriteFile(path, []byte(bundle.Evaluated(*c.code, dir, c.print)), 0o600); err != nil {
		done()
		return "", nil, fmt.Errorf("the code cannot be put into a file: %w", err)
	}
	return path, done, nil
}
