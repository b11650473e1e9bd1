package hooktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// local is a handler whose far side is in this process. It goes through the
// JSON of events and answers as every transport does.
func local(b Behaviour) hook.HandlerFunc {
	return func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		if err := ctx.Err(); err != nil {
			return hook.Decision{}, err
		}
		event, err := wire.Encode(ev)
		if err != nil {
			return hook.Decision{}, err
		}
		answer, err := b.Perform(ctx, event.Bytes())
		switch {
		case err != nil:
			return hook.Decision{}, err
		case len(answer) > 2<<20:
			return hook.Decision{}, errors.New("the answer is too long")
		}
		return wire.DecodeDecision(ev, answer, hook.Profile{})
	}
}

func TestHonestHandlerPassesTheExam(t *testing.T) {
	TestHandler(t, func(_ *testing.T, b Behaviour) hook.Handler {
		if b.Kind == Deaf {
			return Impossible("a function is given its event whether it wants it or not")
		}
		return local(b)
	})
}

// closing adds a Close to a handler.
type closing struct {
	hook.Handler
	close func() error
}

func (c closing) Close() error { return c.close() }

// after calls a handler and does something to what comes of it.
func after(h hook.Handler, change func(hook.AnyEvent, *hook.Decision, *error)) hook.Handler {
	return hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		d, err := h.Handle(ctx, ev)
		change(ev, &d, &err)
		return d, err
	})
}

// TestExamFindsEveryBrokenRule runs the exam on handlers that each break one
// rule; the case that is there for the rule must find it.
func TestExamFindsEveryBrokenRule(t *testing.T) {
	quick := limits{deadline: time.Second, prompt: time.Second, patience: 3 * time.Second, cleanup: time.Second}
	// These take seconds and compute nothing: they wait side by side, after the others.
	waits := []string{
		"waits where it should fail", "ignores its context", "leaves the work running at its deadline",
		"does not do the work at all", "hangs when closed",
	}
	for _, c := range []struct {
		breaks, foundBy, says string
		make                  func(t *testing.T, b Behaviour) hook.Handler
	}{
		{"edits its event", "answers continue", "edited the payload's ToolInput", func(_ *testing.T, b Behaviour) hook.Handler {
			return after(local(b), func(ev hook.AnyEvent, _ *hook.Decision, _ *error) {
				ev.(*hook.Event[hook.ToolUse]).Payload.ToolInput["command"] = "rm"
			})
		}},
		{"edits the envelope", "answers continue", "edited the envelope's Agent", func(_ *testing.T, b Behaviour) hook.Handler {
			return after(local(b), func(ev hook.AnyEvent, _ *hook.Decision, _ *error) { ev.Head().Agent = "me" })
		}},
		{"panics", "answers continue", "panicked: boo", func(*testing.T, Behaviour) hook.Handler {
			return hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) { panic("boo") })
		}},
		{"loses the reason", "answers block", "not what was decided", func(_ *testing.T, b Behaviour) hook.Handler {
			return after(local(b), func(_ hook.AnyEvent, d *hook.Decision, _ *error) { d.Reason = "" })
		}},
		{"fails instead of blocking", "answers block", "failed instead of deciding", func(_ *testing.T, b Behaviour) hook.Handler {
			return after(local(b), func(_ hook.AnyEvent, d *hook.Decision, err *error) { *err = errors.New(d.Reason) })
		}},
		{"takes garbage for a continue", "refuses an unknown action", "decided continue", func(_ *testing.T, b Behaviour) hook.Handler {
			return after(local(b), func(_ hook.AnyEvent, _ *hook.Decision, err *error) { *err = nil })
		}},
		{"waits where it should fail", "refuses null", "waited for its deadline", func(_ *testing.T, b Behaviour) hook.Handler {
			return hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
				<-ctx.Done()
				return hook.Decision{}, ctx.Err()
			})
		}},
		{"takes any length", "refuses an answer of 3 MiB", "instead of failing", func(_ *testing.T, b Behaviour) hook.Handler {
			return hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
				answer, err := b.Perform(ctx, nil)
				return hook.Inject(string(answer)), err
			})
		}},
		{"reads numbers as floats", "carries numbers exactly", "not what was decided", func(_ *testing.T, b Behaviour) hook.Handler {
			return after(local(b), func(_ hook.AnyEvent, d *hook.Decision, _ *error) {
				use := d.Modified.(hook.ToolUse)
				f, _ := use.ToolInput["odd"].(json.Number).Float64()
				d.Modified = use.WithInput("odd", json.Number(fmt.Sprintf("%.0f", f)))
			})
		}},
		{"drops control characters", "carries text exactly", "not what was decided", func(_ *testing.T, b Behaviour) hook.Handler {
			return after(local(b), func(_ hook.AnyEvent, d *hook.Decision, _ *error) {
				d.Inject = strings.ReplaceAll(d.Inject, "\x00", "")
			})
		}},
		{"mixes calls up", "keeps 64 concurrent calls apart", "not what was decided", func(_ *testing.T, b Behaviour) hook.Handler {
			var mu sync.Mutex
			var last hook.Decision
			return after(local(b), func(_ hook.AnyEvent, d *hook.Decision, _ *error) {
				mu.Lock()
				defer mu.Unlock()
				*d, last = last, *d
			})
		}},
		{"ignores its context", "obeys an abort", "had not returned", func(t *testing.T, b Behaviour) hook.Handler {
			end := t.Context()
			return hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
				return local(b).Handle(end, ev)
			})
		}},
		{"leaves the work running at its deadline", "obeys its deadline", "still at work", func(t *testing.T, b Behaviour) hook.Handler {
			end := t.Context()
			return hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
				go local(b).Handle(end, ev)
				<-ctx.Done()
				return hook.Decision{}, ctx.Err()
			})
		}},
		{"hides why it ended", "obeys an abort", "not context canceled", func(_ *testing.T, b Behaviour) hook.Handler {
			return after(local(b), func(_ hook.AnyEvent, _ *hook.Decision, err *error) { *err = errors.New("sorry") })
		}},
		{"does not do the work at all", "obeys an abort", "never seen at work", func(*testing.T, Behaviour) hook.Handler {
			return hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
				<-ctx.Done()
				return hook.Decision{}, ctx.Err()
			})
		}},
		{"begins though it is too late", "does not begin when it is too late", "with an ended context", func(_ *testing.T, b Behaviour) hook.Handler {
			return hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
				return local(b).Handle(context.WithoutCancel(ctx), ev)
			})
		}},
		{"is gone after a crash", "survives a crash", "failed instead of deciding", func(_ *testing.T, b Behaviour) hook.Handler {
			var mu sync.Mutex
			var gone error
			return after(local(b), func(_ hook.AnyEvent, _ *hook.Decision, err *error) {
				mu.Lock()
				defer mu.Unlock()
				gone = errors.Join(gone, *err)
				*err = gone
			})
		}},
		{"cannot be closed", "answers continue", "closing the handler: stuck", func(_ *testing.T, b Behaviour) hook.Handler {
			return closing{local(b), func() error { return errors.New("stuck") }}
		}},
		{"hangs when closed", "answers continue", "took more than", func(t *testing.T, b Behaviour) hook.Handler {
			end := t.Context()
			return closing{local(b), func() error { <-end.Done(); return nil }}
		}},
		{"leaves goroutines behind", "answers continue", "goroutines are left", func(t *testing.T, b Behaviour) hook.Handler {
			end := t.Context()
			return after(local(b), func(hook.AnyEvent, *hook.Decision, *error) {
				for range 100 { // more than earlier cases may still have to end
					go func() { <-end.Done() }()
				}
			})
		}},
	} {
		t.Run(c.breaks, func(t *testing.T) {
			if slices.Contains(waits, c.breaks) {
				t.Parallel()
			}
			w, err := newProbe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(w.close)
			question := caseNamed(t, c.foundBy)
			b := question.behaviour
			b.Probe = w.address()
			before := runtime.NumGoroutine()
			h := c.make(t, b)
			err = errors.Join(question.examine(h, w, quick), closeHandler(h, quick))
			if err == nil {
				err = goroutinesBackTo(before, quick)
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("a handler that %s got: %v\nwant: %s", c.breaks, err, c.says)
			}
		})
	}
}

func caseNamed(t *testing.T, name string) examCase {
	t.Helper()
	for _, c := range examCases() {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("the exam has no case %q", name)
	return examCase{}
}

func TestEveryCaseQuotesARuleAndHasANameOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range examCases() {
		if c.rule == "" || seen[c.name] {
			t.Errorf("case %q: rule %q, seen before: %v", c.name, c.rule, seen[c.name])
		}
		seen[c.name] = true
	}
}
