//go:build unix

package main

import (
	"errors"
	"io"
	"os/exec"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// typed runs a program as a person does who sits in a terminal, and answers its
// question: at-terminal ANSWER PROGRAM ARGS... What the terminal shows is stdout.
func typed(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] at-terminal ANSWER PROGRAM ARGS...")
	}
	c := conversationOf(ts)
	cmd, err := c.command(args[1:])
	ts.Check(err)
	shown, err := atTerminal(cmd, args[0])
	goesOn(ts, neg, args[1], shown, err)
}

// goesOn has the story go on behind a program in a terminal: what it showed is stdout.
func goesOn(ts *testscript.TestScript, neg bool, program, shown string, err error) {
	_, _ = io.WriteString(ts.Stdout(), shown)
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		ts.Fatalf("%v\n%s", err, shown)
	case (err != nil) != neg:
		ts.Fatalf("%s: %v\n%s", program, err, shown)
	}
}

// storyEnv is the environment of a story.
func storyEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "HOOKWAY_HOME", "HOOKWAY_DAEMON", "NO_COLOR", "GORACE", "GOCOVERDIR", statusFile, storyRoot, "TMPDIR", "CLAUDECODE", "HOOKWAY_SESSION", "SSH_CONNECTION", "DISPLAY", "OPENED"} {
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
	var c conversation
	if err := c.start(cmd); err != nil {
		return "", err
	}
	if c.do("< [y/N] ") == nil { // else it has ended, unasked
		if _, err := c.tty.WriteString(answer + "\n"); err != nil {
			shown, end := c.end()
			return shown, errors.Join(err, end)
		}
	}
	return c.end()
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
