package relay_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/relay"
)

// children are what this test binary does as a process of its own: each prints a
// line for each thing that it has done, and is killed at some line.
var children = map[string]func(ctx context.Context, s *relay.Store, args []string) error{
	"send": childSends, "receive": childReceives,
}

func TestMain(m *testing.M) {
	what, dir := os.Getenv("RELAY_CHILD"), os.Getenv("RELAY_DIR")
	if what == "" {
		os.Exit(m.Run())
	}
	ctx := context.Background()
	s, err := relay.Open(ctx, dir, relay.Options{Machine: "m1", Limits: nobodyHeld})
	if err == nil {
		err = errors.Join(children[what](ctx, s, os.Args[1:]), s.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, what, err)
		os.Exit(1)
	}
}

// child is one process, and what it prints.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	out   io.Closer
	told  bytes.Buffer // on stderr
}

func start(t *testing.T, dir, what string, args ...string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0], args...)}
	c.cmd.Env = append(os.Environ(), "RELAY_CHILD="+what, "RELAY_DIR="+dir)
	c.cmd.Stderr = &c.told
	out, err := c.cmd.StdoutPipe()
	must(t, err)
	c.lines, c.out = bufio.NewScanner(out), out
	must(t, c.cmd.Start())
	t.Cleanup(func() { c.kill() })
	return c
}

// next is the next line that the child prints, or "" at its end.
func (c *child) next() string {
	if !c.lines.Scan() {
		return ""
	}
	return c.lines.Text()
}

// kill ends the child as nothing else does, and waits until it is gone. It gives the
// lines that were printed before.
func (c *child) kill() (rest []string) {
	if c.cmd.ProcessState != nil {
		return nil
	}
	_ = c.cmd.Process.Kill()
	for c.lines.Scan() {
		rest = append(rest, c.lines.Text())
	}
	_ = c.cmd.Wait()
	return rest
}

// childSends sends the messages from the number first to below end, each with an id
// of its own.
func childSends(ctx context.Context, s *relay.Store, args []string) error {
	first, _ := strconv.Atoi(args[0])
	end, _ := strconv.Atoi(args[1])
	for i := first; i < end; i++ {
		if _, err := s.Send(ctx, relay.Message{ID: number(i), From: "Alice", To: "Bob", Content: number(i)}); err != nil {
			return err
		}
		fmt.Println(i)
	}
	return nil
}

func number(i int) string { return fmt.Sprintf("message-%06d", i) }

// waitOutgoing waits until there is something to be published.
func waitOutgoing(ctx context.Context, s *relay.Store) error {
	_, err := s.Targets(ctx, func(string) bool { return false })
	return err
}

// childReceives injects into a transcript, for ever, and looks there for what
// another process has begun.
func childReceives(ctx context.Context, s *relay.Store, args []string) error {
	session, transcript := args[0], args[1]
	consumer, err := s.Join(ctx, relay.Presence{Name: "Bob", Session: session, Kind: "wrapped", Transcript: transcript})
	if err != nil {
		return err
	}
	fmt.Println("joined")
	for {
		if err := consumer.Wait(ctx); err != nil {
			return err
		}
		got, err := consumer.Take(ctx, 5)
		if err != nil {
			return err
		}
		for _, m := range got {
			if err := receive(ctx, consumer, m, transcript, os.Stdout); err != nil {
				return err
			}
		}
	}
}

func receive(ctx context.Context, consumer *relay.Consumer, m relay.Taken, transcript string, tell io.Writer) error {
	id := m.Message.ID
	if m.Again != nil {
		said, err := os.ReadFile(m.Again.Transcript)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if strings.Contains(string(said), m.Again.Text+"\n") {
			fmt.Fprintln(tell, "found", id)
			return consumer.Done(ctx, id, false)
		}
	}
	if err := consumer.Begin(ctx, id, id, "typed"); err != nil {
		return err
	}
	fmt.Fprintln(tell, "begun", id)
	f, err := os.OpenFile(transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(id + "\n"); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	fmt.Fprintln(tell, "injected", id)
	if err := consumer.Done(ctx, id, false); err != nil {
		return err
	}
	fmt.Fprintln(tell, "done", id)
	return nil
}
