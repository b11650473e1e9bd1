//go:build linux || darwin

package session_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/session"
)

// reach makes a session's control available to the test.
func reach(cfg *session.Config) <-chan *session.Control {
	there := make(chan *session.Control, 1)
	cfg.Reach = func(c *session.Control) func() {
		there <- c
		return func() {}
	}
	return there
}

// reached runs an agent and gives the way to reach it.
func (w *wrapped) reached(says string, cfg session.Config) *session.Control {
	w.t.Helper()
	there := reach(&cfg)
	if cfg.Stdin == nil {
		cfg.Stdin, _ = keyboard(w.t)
	}
	w.agent(says, cfg)
	select {
	case c := <-there:
		return c
	case <-time.After(patience):
		w.t.Fatal("the session cannot be reached")
		return nil
	}
}

func TestAMessageToAShellIsNoCommand(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"sh", "bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			path, err := lookPath(shell)
			if err != nil {
				t.Skip(shell, "is not installed")
			}
			dir := t.TempDir()
			w := newWrapped(t)
			cfg := session.Config{Command: []string{path, "-i"}, Dir: dir, Env: append(os.Environ(), "PS1=ready$ ", "HISTFILE=/dev/null", "ENV=", "HOME="+dir)}
			cfg.Stdin, _ = keyboard(t)
			there, mailbox := reach(&cfg), newMailbox(t)
			cfg.Name, cfg.Mail = "Alice", mailbox.mail()
			w.run(cfg)
			c := <-there
			mailbox.notified(c)
			evil := "hi'; touch made1; : '\n$(touch made2)\n`touch made3` \\'; touch made4; : \\\\'; touch made5 #"
			mailbox.becomes(mailbox.send(relay.Message{To: "Alice", Content: evil}), relay.StateInjected)
			if state, reason, err := c.Inject(t.Context(), "touch proof; echo proo''f-is-there", true); state == "failed" || err != nil {
				t.Fatalf(`got %s, %s, %v, want state != "failed" and err == nil`, state, reason, err)
			}
			w.screen.await(t, "proof-is-there")
			files, err := filepath.Glob(dir + "/*")
			if err != nil || len(files) != 1 {
				t.Errorf("there are %v, %v; the screen is %q", files, err, w.screen.String())
			}
			if _, _, err := c.Inject(t.Context(), "exit", false); err != nil {
				t.Error(err)
			}
			w.end()
		})
	}
}

func TestTheOutputIsKept(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	dir := filepath.Join(t.TempDir(), "a", "output")
	c := w.reached("one\ntwo", session.Config{ID: "s-1", Name: "Alice", History: dir})
	if state, reason, err := c.Inject(t.Context(), "three", true); state == "failed" || err != nil {
		t.Fatalf(`got %s, %s, %v, want state != "failed" and err == nil`, state, reason, err)
	}
	w.screen.await(t, "got: three")
	if _, _, err := c.Inject(t.Context(), "bye", false); err != nil {
		t.Fatal(err)
	}
	w.clean()
	text, size, err := session.ReadHistory(session.HistoryFile(dir, "s-1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	got, err := io.ReadAll(text)
	if want := "session s-1 agent Alice\none\ntwo\ngot: three\n"; string(got) != want || err != nil || size != int64(len(want)) {
		t.Errorf("it kept %q (%d), %v", got, size, err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, session.HistoryFile(dir, "s-1") + ".out": 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want err == nil and info.Mode().Perm() == want", path, info.Mode(), err)
		}
	}
	again := newWrapped(t)
	again.screen.writes.add("")
	off := again.reached("x", session.Config{})
	if _, _, err := off.Output(0); err == nil {
		t.Error("output that is not kept was read")
	}
}

// TestWhatHooksFind: the context of a hook in Go has all that a wrapped session is.
func TestWhatHooksFind(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	mailbox := newMailbox(t)
	mailbox.knows("Bob")
	found := make(chan hook.Wrapped, 16)
	w.hook("Directive", func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		if s, ok := hook.SessionOf(ctx); ok {
			found <- s
		}
		return hook.Decision{}, nil
	})
	dir := t.TempDir()
	c := mailbox.reached(w, "first line\n@look:at me\nlast line", session.Config{
		ID: "s-2", Name: "Alice", Dir: dir, History: filepath.Join(dir, "output"), Memory: &fakeMemory{},
	})
	var s hook.Wrapped
	select {
	case s = <-found:
	case <-time.After(patience):
		t.Fatal("the hook has no session")
	}
	if got, want := fmt.Sprint([]any{s.ID(), s.Name(), s.Dir()}), fmt.Sprint([]any{"s-2", "Alice", dir}); got != want {
		t.Errorf("it is %s, %s, %s, %v: got %s, want %s", s.ID(), s.Name(), s.Dir(), s.Env(), got, want)
	} else if s.Memory() == nil || !slices.Contains(s.Env(), "HOOKWAY_SESSION=s-2") || !slices.Contains(s.Env(), "HOOKWAY_AGENT=Alice") {
		t.Errorf("it is %s, %s, %s, %v", s.ID(), s.Name(), s.Dir(), s.Env())
	}
	if err := s.Inject("from a hook"); err != nil {
		t.Error(err)
	}
	w.screen.await(t, "got: from a hook")
	if err := errors.Join(s.Send(t.Context(), "Bob", "hi"), s.Relay().Send(t.Context(), "Bob", "ho"), s.Relay().Broadcast(t.Context(), "hum")); err != nil {
		t.Error(err)
	}
	if all := mailbox.sentBy("Alice", 3); len(all) != 3 {
		t.Errorf("sent were %+v, remembered %+v", all, s.Messages())
	} else if got, want := fmt.Sprint([]any{all[0].To, all[0].From, all[2].To}), fmt.Sprint([]any{"Bob", "Alice", "*"}); got != want {
		t.Errorf("sent were %+v, remembered %+v: got %s, want %s", all, s.Messages(), got, want)
	} else if len(s.Messages()) != 3 {
		t.Errorf("sent were %+v, remembered %+v", all, s.Messages())
	}
	if err := s.Send(t.Context(), "Nobody", "x"); err == nil {
		t.Error("a message to nobody was sent")
	}
	if got, err := s.Output(0); err != nil || !slices.Contains(got, "first line") || !slices.Contains(got, "@look:at me") {
		t.Errorf("the output is %q, %v", got, err)
	}
	for deadline := time.After(patience); ; { // the user sees it first
		got, err := s.Output(1)
		if err == nil && len(got) == 1 && strings.HasPrefix(got[0], "got:") {
			break
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			t.Fatalf("the last line is %q, %v", got, err)
		}
	}
	if _, _, err := c.Inject(t.Context(), "bye", false); err != nil {
		t.Error(err)
	}
	w.clean()
	if err := s.Inject("too late"); err == nil {
		t.Error("a text after the end was taken")
	}
	if _, ok := hook.SessionOf(t.Context()); ok {
		t.Error("there is a session where none is")
	}
}
