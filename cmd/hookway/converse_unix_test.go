//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hookway/hookway/internal/environ"
)

// converse runs a program in a terminal, and does what a file says, a line each: converse
// FILE PROGRAM ARGS... What the terminal shows is stdout.
//
//	< TEXT          waits until the text is shown, after what was seen before
//	> KEYS          types; \r, \t and \x1b are as in Go
//	FILE| PROGRAM…  runs another program meanwhile, with the file as its input
func converse(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] converse FILE PROGRAM ARGS...")
	}
	c := conversationOf(ts)
	shown, err := c.hold(strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n"), args[1:])
	goesOn(ts, neg, args[1], shown, err)
}

func conversationOf(ts *testscript.TestScript) *conversation {
	return &conversation{env: storyEnv(ts), dir: ts.MkAbs("."), file: ts.MkAbs}
}

type conversation struct {
	env  []string
	dir  string
	file func(string) string

	cmd   *exec.Cmd
	tty   *os.File
	late  *time.Timer
	shown bytes.Buffer
	in    *bufio.Reader
}

func (c *conversation) command(args []string) (*exec.Cmd, error) {
	program, err := environ.LookPath(c.env, args[0], c.dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, args[1:]...)
	cmd.Env, cmd.Dir = c.env, c.dir
	return cmd, nil
}

// hold does the lines one after the other, and gives what was shown, with line feeds alone.
func (c *conversation) hold(lines, args []string) (string, error) {
	cmd, err := c.command(args)
	if err == nil {
		err = c.start(cmd)
	}
	if err != nil {
		return "", err
	}
	for _, line := range lines {
		if err := c.do(line); err != nil {
			_ = cmd.Process.Kill()
			shown, end := c.end()
			return shown, errors.Join(fmt.Errorf("%q: %w", line, err), end)
		}
	}
	return c.end()
}

// start starts a program in a terminal.
func (c *conversation) start(cmd *exec.Cmd) (err error) {
	c.cmd = cmd
	c.tty, err = pty.StartWithAttrs(cmd, &pty.Winsize{Cols: 200, Rows: 50}, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	if err != nil {
		return err
	}
	c.late = time.AfterFunc(terminalTime, func() { _ = cmd.Process.Kill() })
	c.in = bufio.NewReader(io.TeeReader(c.tty, &c.shown))
	return nil
}

// end waits for the program's end, and gives what was shown.
func (c *conversation) end() (string, error) {
	_, _ = io.Copy(io.Discard, c.in) // EIO at its end
	err := c.cmd.Wait()
	c.late.Stop()
	return strings.ReplaceAll(c.shown.String(), "\r\n", "\n"), errors.Join(err, c.tty.Close())
}

// do does a line.
func (c *conversation) do(line string) error {
	if text, ok := strings.CutPrefix(line, "< "); ok {
		var seen []byte
		for !bytes.HasSuffix(seen, []byte(text)) {
			b, err := c.in.ReadByte()
			if err != nil {
				return fmt.Errorf("it was not shown: %.2000q", seen)
			}
			seen = append(seen, b)
		}
		return nil
	}
	if keys, ok := strings.CutPrefix(line, "> "); ok {
		_, err := c.tty.WriteString(strings.NewReplacer(`\r`, "\r", `\t`, "\t", `\x1b`, "\x1b", `\x03`, "\x03").Replace(keys))
		return err
	}
	file, other, ok := strings.Cut(line, "| ")
	if !ok {
		return errors.New("what shall be done?")
	}
	input, err := os.Open(c.file(file))
	if err != nil {
		return err
	}
	defer input.Close()
	cmd, err := c.command(strings.Fields(other))
	if err != nil {
		return err
	}
	cmd.Stdin = input
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return err
}
