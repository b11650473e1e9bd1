package hook_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// pretend is a session for tests of hooks; what is not asked for is left out.
type pretend struct {
	hook.Wrapped
	typed []string
}

func (p *pretend) Name() string { return "Alice" }

func (p *pretend) Inject(text string) error {
	p.typed = append(p.typed, text)
	return nil
}

func ExampleSessionOf() {
	var engine hook.Engine
	err := hook.On(&engine, hook.Idle, func(ctx context.Context, _ *hook.Event[hook.Silence]) (hook.Decision, error) {
		if session, ok := hook.SessionOf(ctx); ok {
			return hook.Decision{}, session.Inject("Are you making progress, " + session.Name() + "?")
		}
		return hook.Continue(), nil
	})
	if err != nil {
		panic(err)
	}
	alice := &pretend{}
	_, err = hook.Fire(hook.WithSession(context.Background(), alice), &engine, hook.Idle, nil, hook.Silence{})
	fmt.Println(alice.typed, err)
	// Output: [Are you making progress, Alice?] <nil>
}

func TestHooksOfEveryLaneFindTheSession(t *testing.T) {
	var engine hook.Engine
	found := make(chan string, 4)
	for _, options := range [][]hook.Option{{hook.As(hook.Transform)}, {hook.As(hook.Guard), hook.Timeout(time.Minute)}, {hook.As(hook.Observe)}} {
		err := engine.Add(hook.New(fmt.Sprint(len(engine.All())), hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			session, ok := hook.SessionOf(ctx)
			if !ok {
				found <- "none"
				return hook.Decision{}, nil
			}
			found <- session.Name()
			return hook.Decision{}, nil
		}), append(options, hook.For("Output"))...))
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := hook.Fire(hook.WithSession(t.Context(), &pretend{}), &engine, hook.Output, nil, hook.OutputText{}); err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if name := <-found; name != "Alice" {
			t.Errorf("a hook found %s", name)
		}
	}
}
