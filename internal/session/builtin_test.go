//go:build linux || darwin

package session_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

func lookPath(program string) (string, error) { return exec.LookPath(program) }

// fakePost takes messages for everybody but Nobody.
type fakePost struct{ sent log[hook.Message] }

func (p *fakePost) Send(_ context.Context, m hook.Message) ([]hook.Delivery, error) {
	p.sent.add(m)
	switch m.To {
	case "Nobody":
		return nil, errors.New(`no such session runs: "Nobody"; did you mean Norbert?`)
	case "Deaf":
		return []hook.Delivery{{Message: m, Error: "suppressed: no time"}}, nil
	}
	return []hook.Delivery{{Message: m, Success: true}}, nil
}

// fakeMemory is a list.
type fakeMemory struct{ log[hook.Remembered] }

func (m *fakeMemory) Save(_ context.Context, content string) (string, error) {
	if content == "too much" {
		return "", errors.New("the disk is full")
	}
	id := fmt.Sprint(len(m.list()) + 1)
	m.add(hook.Remembered{ID: id, Content: content})
	return id, nil
}

func (m *fakeMemory) Search(_ context.Context, query string) (found []hook.Remembered, err error) {
	for _, one := range m.list() {
		if strings.Contains(one.Content, query) {
			found = append(found, one)
		}
	}
	return found, nil
}

func (m *fakeMemory) List(context.Context) ([]hook.Remembered, error) { return m.list(), nil }

func (m *fakeMemory) Forget(_ context.Context, id string) error {
	if id != "1" {
		return errors.New("no memory has this id")
	}
	return nil
}

// courier delivers to another session.
type courier func() *session.Control

func (p courier) Send(ctx context.Context, m hook.Message) ([]hook.Delivery, error) {
	state, reason, err := p().Receive(ctx, m)
	if err != nil {
		return nil, err
	}
	return []hook.Delivery{{Message: m, Success: state == "delivered", Error: reason}}, nil
}

func TestTwoSessionsTalk(t *testing.T) {
	t.Parallel()
	alice, bob := newWrapped(t), newWrapped(t)
	for _, event := range []string{"MessageSending", "MessageSent"} {
		alice.hook(event, nil)
	}
	to := bob.reached("ready", session.Config{Name: "Bob"})
	bob.screen.await(t, "ready")
	alice.reached("@relay:Bob How are you?\n", session.Config{Name: "Alice", Messenger: courier(func() *session.Control { return to })})
	bob.screen.await(t, "heard: Message from Alice: How are you?")
	sent := of[hook.Delivery](alice, 1)[0]
	if !sent.Success || sent.From != "Alice" || sent.To != "Bob" || sent.Direction != "sent" || sent.ID == "" {
		t.Errorf("MessageSent was %+v", sent)
	}
	if sending := of[hook.Message](alice, 1)[0]; sending.Direction != "sending" || sending.Content != "How are you?" || sending.ID != sent.ID {
		t.Errorf("MessageSending was %+v", sending)
	}
}

func TestRelay(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	var p fakePost
	w.hook("MessageSending", func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		switch m := ev.Body().(hook.Message); m.Content {
		case "password":
			return hook.Block("that is a secret"), nil
		case "colour":
			m.Content = "color"
			return hook.Decision{Modified: m, Inject: "spelt anew"}, nil
		}
		return hook.Decision{}, nil
	})
	w.hook("MessageSent", nil)
	w.reached("@relay:Bob one\n\n@relay:* two\n\n@broadcast: three\n\n@broadcast:four and five\n\n@broadcast:* six\n\n@relay:Bob colour\n\n"+
		"@relay:Bob password\n\n@relay:Nobody x\n\n@relay:Deaf y\n\nend", session.Config{Name: "Alice", Messenger: &p})
	for _, told := range []string{
		"heard: spelt anew",
		"heard: The message to Bob was not delivered: it was not sent: that is a secret",
		`heard: The message to Nobody was not delivered: no such session runs: "Nobody"; did you mean Norbert?`,
		"heard: The message to Deaf was not delivered: Deaf: suppressed: no time",
	} {
		w.screen.await(t, told)
	}
	var got []string
	for _, m := range p.sent.list() {
		got = append(got, m.To+":"+m.Content)
	}
	want := "Bob:one *:two *:three *:four and five *:six Bob:color Nobody:x Deaf:y"
	if strings.Join(got, " ") != want {
		t.Errorf("sent were %q, want %s", got, want)
	}
	failed := 0
	for _, d := range of[hook.Delivery](w, 8) {
		if !d.Success {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d deliveries have failed", failed)
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	var m fakeMemory
	w.reached("@memory:save User prefers dark mode\n\n@memory:save too much\n\n@memory:search dark\n\n@memory:search light\n\n@memory:forget 1\n\n"+
		"@memory:forget 7\n\n@memory:list\n\n@memory:serch x\n\n@memory:save\n\nend", session.Config{Memory: &m})
	for _, told := range []string{
		"heard: ✓ Saved to memory",
		"heard: Memory: save failed: the disk is full",
		"heard: Memories: - User prefers dark mode (1)",
		"heard: Nothing in memory is about that.",
		"heard: ✓ Forgotten",
		"heard: Memory: forget failed: no memory has this id",
		`heard: Memory: serch failed: there is no "serch"; did you mean @memory:search?`,
		"heard: Memory: save failed: it needs a text",
	} {
		w.screen.await(t, told)
	}
}

// TestWithoutThemTheirDirectivesAreTheUsers: what a session cannot serve is left alone.
func TestWithoutThemTheirDirectivesAreTheUsers(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", injects("mine"))
	w.reached("@relay:Bob one", session.Config{})
	w.screen.await(t, "heard: mine")
	w.cancel()
	w.end()
	if n := w.engine.Len(); n != 1 {
		t.Errorf("the engine is left with %d hooks", n)
	}
}
