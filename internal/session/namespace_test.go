//go:build linux || darwin

package session_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// post is a messenger that remembers what it is given.
type post struct{ log[hook.Message] }

func (p *post) Send(_ context.Context, m hook.Message) ([]hook.Delivery, error) {
	p.add(m)
	return []hook.Delivery{{Message: m, Success: true}}, nil
}

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
	var sent post
	in, keys := keyboard(t)
	w.agent("@relay:Bob one\n@relay:Stop two\n@relay:team-web three\n@relay:Eve four", session.Config{Stdin: in, Messenger: &sent})
	sent.await(t, "the message to Eve", func(all []hook.Message) bool {
		return slices.ContainsFunc(all, func(m hook.Message) bool { return m.To == "Eve" })
	})
	write(t, keys, "bye\n")
	w.clean()

	var to []string
	for _, m := range sent.list() {
		to = append(to, m.To)
	}
	if want := []string{"Bob", "Eve"}; !slices.Equal(to, want) {
		t.Errorf("messages went to %q, want %q", to, want)
	}
	if got, want := asked.list(), []string{"after", "stops", "instead", "after", "after"}; !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}
