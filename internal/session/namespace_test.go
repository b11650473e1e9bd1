//go:build linux || darwin

package session_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// TestHooksOfTheUserAndBuiltInDirectives: whom @relay goes to.
func TestHooksOfTheUserAndBuiltInDirectives(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	asked := new(log[string])
	add := func(id string, d hook.Decision, options ...hook.Option) {
		t.Helper()
		h := hook.New(id, hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
			asked.add(id)
			return d, nil
		}), append(options, hook.For("Directive"), hook.MatchNamespace("relay"))...)
		if err := w.engine.Add(h); err != nil {
			t.Fatal(err)
		}
	}
	add("after", hook.Decision{})
	add("stops", hook.Decision{Action: hook.ActionSkip}, hook.MatchTarget("Stop"))
	add("instead", hook.Decision{}, hook.MatchTarget("team-*"), hook.Override())
	mailbox := newMailbox(t)
	mailbox.knows("Bob", "Stop", "Eve")
	in, keys := keyboard(t)
	w.agent("@relay:Bob one\n@relay:Stop two\n@relay:team-web three\n@relay:Eve four", session.Config{Stdin: in, Name: "Alice", Mail: mailbox.mail()})
	sent := mailbox.sentBy("Alice", 2)
	write(t, keys, "bye\n")
	w.clean()

	var to []string
	for _, m := range sent {
		to = append(to, m.To)
	}
	if want := []string{"Bob", "Eve"}; !slices.Equal(to, want) {
		t.Errorf("messages went to %q, want %q", to, want)
	}
	if got, want := asked.list(), []string{"after", "stops", "instead", "after", "after"}; !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}
