//go:build unix

package main

import (
	"errors"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hookway/hookway/internal/environ"
)

// typed runs a program as a person does who sits in a terminal, and answers its
// question: at-terminal ANSWER PROGRAM ARGS... What the terminal shows is stdout.
func typed(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] at-terminal ANSWER PROGRAM ARGS...")
	}
	env := storyEnv(ts)
	program, err := environ.LookPath(env, args[1], ts.MkAbs("."))
	ts.Check(err)
	cmd := exec.Command(program, args[2:]...)
	cmd.Env, cmd.Dir = env, ts.MkAbs(".")
	shown, err := atTerminal(cmd, args[0])
	_, _ = io.WriteString(ts.Stdout(), shown)
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		ts.Fatalf("%v", err)
	case (err != nil) != neg:
		ts.Fatalf("%s: %v\n%s", args[1], err, shown)
	}
}

// storyEnv is the environment of a story.
func storyEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "HOOKWAY_HOME", "HOOKWAY_DAEMON", "NO_COLOR", "GORACE", "GOCOVERDIR", statusFile, storyRoot, "TMPDIR", "CLAUDECODE", "HOOKWAY_SESSION"} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// terminalTime bounds how long a program may run at a terminal of a test.
const terminalTime = 2 * time.Minute

// atTerminal runs a program in a terminal, types the answer when it has asked, and gives
// what the terminal shows.
func atTerminal(cmd *exec.Cmd, answer string) (string, error) {
	tty, err := pty.StartWithAttrs(cmd, nil, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	if err != nil {
		return "", err
	}
	defer tty.Close()
	late := time.AfterFunc(terminalTime, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	var shown strings.Builder
	buf := make([]byte, 4096)
	for asked := false; ; {
		n, err := tty.Read(buf)
		shown.Write(buf[:n])
		if !asked && strings.Contains(shown.String(), "[y/N] ") {
			asked = true
			if _, err := io.WriteString(tty, answer+"\n"); err != nil {
				return shown.String(), err
			}
		}
		if err != nil { // the program has ended
			break
		}
	}
	err = cmd.Wait()
	return strings.ReplaceAll(shown.String(), "\r\n", "\n"), err
}

// codeFrom sets a variable to the code that a refusal names: code-from VARIABLE.
func codeFrom(ts *testscript.TestScript, neg bool, args []string) {
	found := offered.FindStringSubmatch(ts.ReadFile("stdout"))
	if neg || len(args) != 1 || found == nil {
		ts.Fatalf("no code is offered; usage: code-from VARIABLE")
	}
	ts.Setenv(args[0], found[1])
}

var offered = regexp.MustCompile(`hookway (?:approvals )?allow ([A-Z0-9]+)`)
