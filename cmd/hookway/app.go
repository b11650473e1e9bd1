package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/owner"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
	"github.com/hookway/hookway/wire/call"
)

// app is one call of hookway: the outside world, and the flags that every
// command has.
type app struct {
	in       *os.File
	out, err io.Writer
	getenv   func(string) string
	dir      string // -C
	json     bool   // --json

	later func(line string) // nil: complaints go to err at once; else the terminal is not ours now

	home  *server.Home
	owner owner.Rule // who may say what only a person may
}

func newApp() *app { return appWith(os.Stdin, os.Stdout, visible.Writer{To: os.Stderr}, os.Getenv) }

// appWith is an app with an outside world of its own.
func appWith(in *os.File, out, err io.Writer, getenv func(string) string) *app {
	a := &app{in: in, out: out, err: err, getenv: getenv}
	a.home = &server.Home{Getenv: getenv, Err: err, Log: logline.New(a.complain), Environ: a.environ, Version: ownVersion()}
	a.owner.Daemon = a.daemonPID
	marker := new(owner.Marker)
	a.home.Called = func(pid int) { marker.Mark(a.owner, pid) } // as the rule is by then
	return a
}

// daemonPID is the number of the daemon that runs, as it is seen from here; 0 if none is.
func (a *app) daemonPID() int {
	at, err := call.Find(a.getenv)
	if err != nil {
		return 0
	}
	client, err := daemon.Dial(context.Background(), at.Socket)
	if err != nil {
		return 0
	}
	defer client.Close()
	if pid := client.PID(); pid > 0 {
		return pid
	}
	return -1 // another process namespace's
}

// Exit codes of every command.
const (
	exitFailure = 1
	exitBlocked = 2
)

// exit ends the program with a code after what was printed already. Its err may
// be nil; otherwise it is printed.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// enter goes to the folder of -C, so that every name on the command line is
// meant from there.
func (a *app) enter() error {
	if a.dir == "" {
		return nil
	}
	if info, err := os.Stat(a.dir); err == nil && !info.IsDir() {
		return fmt.Errorf("-C %s: it is a file; name its folder", a.dir)
	}
	if err := os.Chdir(a.dir); err != nil {
		return fmt.Errorf("-C %s: %w", a.dir, errors.Unwrap(err))
	}
	return nil
}

// warn tells the user something on stderr, one line.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.err, "hookway: %s\n", hook.LogLine(fmt.Sprintf(format, args...)))
}

// complain tells what a part has to say that works in the background, when the
// terminal is ours.
func (a *app) complain(line string) {
	if a.later != nil {
		a.later(line)
		return
	}
	a.warn("%s", line)
}

// print writes a value as indented JSON.
func (a *app) print(v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := a.out.Write(a.undirected(text.Bytes()))
	return err
}

// heads begin directives.
var heads = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@([A-Za-z][\w-]*:)`) })

// undirected is JSON that says the same and has no directives in it for an agent on
// whose screen it stands, which may break it where it likes.
func (a *app) undirected(text []byte) []byte {
	if a.getenv("HOOKWAY_SESSION") == "" {
		return text
	}
	return heads().ReplaceAll(text, []byte(`\u0040$1`))
}

// exactly checks the number of arguments and says what they are.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s is missing; usage: %s", names[len(args)], cmd.UseLine())
		case len(args) > len(names):
			return fmt.Errorf("%q is one argument too many; usage: %s", args[len(names)], cmd.UseLine())
		}
		return nil
	}
}

func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return fmt.Errorf("%q is one argument too many; usage: %s", strings.Join(args[n:], " "), cmd.UseLine())
		}
		return nil
	}
}

// ownVersion is the version that daemon and callers compare.
func ownVersion() string {
	v, _ := buildVersion()
	return v
}

func buildVersion() (v, revision string) {
	v = version
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return orDevel(v), ""
	}
	if v == "" {
		v = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	return orDevel(v), revision
}

func orDevel(v string) string {
	if v == "" || v == "(devel)" {
		return "devel"
	}
	return v
}

// version is set by release builds; others take it from the build information.
var version = ""

// oneOf refuses the call of a command that only has others in it.
func oneOf(cmd *cobra.Command, args []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	which := strings.Join(names, ", ")
	if len(args) == 0 {
		return fmt.Errorf("what %s shall do is missing; name one of: %s", cmd.CommandPath(), which)
	}
	return fmt.Errorf("%s knows no %q; name one of: %s", cmd.CommandPath(), args[0], which)
}

// environ is this process's environment, with what -C means for it: the folder
// that the user named judges.
func (a *app) environ() []string {
	env := os.Environ()
	if a.dir == "" {
		return env
	}
	dir, err := os.Getwd() // enter went there
	if err != nil {
		return env
	}
	kept := env[:0:0]
	for _, kv := range env {
		if !strings.HasPrefix(kv, "HOOKWAY_PROJECT_DIR=") {
			kept = append(kept, kv)
		}
	}
	return append(kept, "HOOKWAY_PROJECT_DIR="+dir)
}

// field makes text of an agent fit for a line: no control characters, no line
// breaks, and not too long.
func field(text string, most int) string {
	return visible.Clip(hook.LogLine(text), most)
}

// after is what follows another text, if there is any.
func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + field(text, 200)
}

// orDash is a column of a table, which must not be empty.
func orDash(text string) string { return field(cmp.Or(text, "-"), 80) }
