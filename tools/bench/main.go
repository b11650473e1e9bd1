// Command bench measures hookway where hookway bench does not: each kind of hook,
// programs in terminals, messages, and memory.
//
//	go run ./tools/bench [--json] [--hookway PROGRAM] handlers | memory | relay | run [FLAGS]
//
// make bench-handlers and the others build what they measure first.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(newProgram().run(ctx, os.Args[1:]))
}

// version is what daemons are told of this program; a hookway would tell its own.
const version = "bench"

// program is one call of bench: the outside world, and the flags that every
// measurement has.
type program struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	json     bool
	hookway  string // the program under measurement; empty: the one beside this, or in PATH
}

func newProgram() *program {
	return &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}
}

// run runs one command line and gives the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	root := &cobra.Command{
		Use: "bench", Short: "Measure hookway on this machine",
		SilenceErrors: true, SilenceUsage: true,
	}
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print JSON for machines")
	root.PersistentFlags().StringVar(&p.hookway, "hookway", "", "the `PROGRAM` to measure: by default the hookway beside this program, else the one in PATH")
	root.AddCommand(p.handlersCommand(), p.memoryCommand(), p.relayCommand(), p.runCommand(), p.recordCommand(),
		p.playCommand(), p.answerCommand(), p.memoryStepCommand(), p.worksCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetOut(p.out)
	root.SetErr(p.err)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(p.err, "bench: %v\n", err)
		return 1
	}
	return 0
}

// doing says what is being measured now.
func (p *program) doing(what string) { fmt.Fprintf(p.err, "bench: measuring %s\n", what) }

// print writes a report as JSON.
func (p *program) print(report any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}

// findHookway is the absolute path of the hookway under measurement.
func (p *program) findHookway() (string, error) {
	if p.hookway != "" {
		return filepath.Abs(p.hookway)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	beside := filepath.Join(filepath.Dir(self), "hookway")
	if runtime.GOOS == "windows" {
		beside += ".exe"
	}
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	found, err := exec.LookPath("hookway")
	if err != nil {
		return "", fmt.Errorf("hookway is neither beside this program nor in PATH; build it with make build, or name it with --hookway: %w", err)
	}
	return filepath.Abs(found)
}

// lookUp gives what an environment says, the last entry of a name first.
func lookUp(env []string) func(name string) string {
	return func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if value, ok := strings.CutPrefix(env[i], name+"="); ok {
				return value
			}
		}
		return ""
	}
}
