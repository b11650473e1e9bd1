package hooktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
)

// examCase is one question of the exam, with the rule that it checks.
type examCase struct {
	name      string
	rule      string
	behaviour Behaviour
	check     func(*attempt) error
}

// toolEvent is a tool call with the given arguments.
func toolEvent(input map[string]any) hook.AnyEvent {
	return hook.PreToolUse.New(hook.Envelope{Session: "exam", Agent: "examiner"}, hook.ToolUse{
		ToolName: "Bash", ToolInput: input, ToolUseID: "call-1",
	})
}

func plainEvent() hook.AnyEvent {
	return toolEvent(map[string]any{"command": "ls"})
}

func examCases() []examCase {
	cases := answerCases()
	cases = append(cases, malformedCases()...)
	cases = append(cases, contentCases()...)
	return append(cases, failureCases()...)
}

// answerCases: what is decided arrives as it was decided.
func answerCases() []examCase {
	const rule = "A decision arrives with its action, reason, user_message, modified, result, retry_delay_ms, inject and metadata."
	var out []examCase
	for _, a := range []struct {
		name, text string
		want       hook.Decision
	}{
		{"continue", `{"action":"continue"}`, hook.Continue()},
		{"allow", `{"action":"allow","reason":"known"}`, hook.Allow("known")},
		{"ask", `{"action":"ask","reason":"sure?"}`, hook.Ask("sure?")},
		{"block", `{"action":"block","reason":"no"}`, hook.Block("no")},
		{"retry", `{"action":"retry","retry_delay_ms":250}`, hook.Retry(250 * time.Millisecond)},
		{"skip", `{"action":"skip"}`, hook.Skip()},
		{"answer", `{"action":"answer","result":"cached"}`, hook.Answer("cached")},
		{"inject", `{"inject":"remember the milk"}`, hook.Inject("remember the milk")},
		{"user message", `{"action":"block","reason":"no","user_message":"ask Ops"}`, hook.Decision{Action: hook.ActionBlock, Reason: "no", UserMessage: "ask Ops"}},
		{"metadata", `{"action":"continue","metadata":{"ticket":"T-1"}}`, hook.Decision{Metadata: map[string]any{"ticket": "T-1"}}},
		{"change", `{"action":"continue","modified":{"tool_input":{"command":"ls -l"}}}`, hook.Change(hook.ToolUse{
			ToolName: "Bash", ToolInput: map[string]any{"command": "ls -l"}, ToolUseID: "call-1",
		})},
		{"pretty-printed JSON", "{\n  \"action\": \"block\",\n  \"reason\": \"no\"\n}\n", hook.Block("no")},
		{"byte order mark", "\ufeff{\"action\":\"block\",\"reason\":\"no\"}\r\n", hook.Block("no")},
	} {
		out = append(out, examCase{
			name: "answers " + a.name, rule: rule, behaviour: Behaviour{Kind: Says, Text: a.text},
			check: func(x *attempt) error {
				d, err := x.decide(plainEvent())
				if err != nil {
					return err
				}
				return sameDecision(d, a.want)
			},
		})
	}
	return out
}

// malformedCases: what means nothing is a failure, never a continue.
func malformedCases() []examCase {
	const rule = "An unknown action or a malformed answer is a failure of the handler, never silently a continue."
	var out []examCase
	for _, m := range []struct{ name, text string }{
		{"a bare string", `"allow"`},
		{"null", `null`},
		{"a bare boolean", `true`},
		{"a list", `[{"action":"block"}]`},
		{"an unknown action", `{"action":"explode"}`},
		{"an action that is a number", `{"action":7}`},
		{"a reason that is an object", `{"action":"allow","reason":{"text":"no"}}`},
		{"a change that is a string", `{"action":"continue","modified":"ls"}`},
		{"a change of a field that is not there", `{"action":"continue","modified":{"tool_imput":{"command":"ls"}}}`},
		{"a delay that is a text", `{"action":"retry","retry_delay_ms":"soon"}`},
		{"half an object", `{"action":"block","reason":`},
		{"a banner before the JSON", "Welcome to the build host\n{\"action\":\"continue\"}"},
		{"no JSON at all", "all good"},
	} {
		out = append(out, examCase{
			name: "refuses " + m.name, rule: rule, behaviour: Behaviour{Kind: Says, Text: m.text},
			check: func(x *attempt) error { return x.fail(plainEvent()) },
		})
	}
	return append(out, examCase{
		name: "refuses an answer of 3 MiB", rule: "An answer of more than 2 MiB is a failure; it is not kept in memory.",
		behaviour: Behaviour{Kind: Says, Size: 3 << 20},
		check:     func(x *attempt) error { return x.fail(plainEvent()) },
	})
}

// contentCases: nothing that an event or an answer holds is lost on the way.
func contentCases() []examCase {
	strange := "Zażółć gęślą jaźń 日本語 👩‍👩‍👧‍👦 e\u0301 \u2028\u2029 \u0000\u0001\u001b[31m \"quoted\" \\ </script> \t\r\n end"
	return []examCase{
		{
			name: "carries text exactly", rule: "Text survives both ways: any Unicode, control characters, line ends.",
			behaviour: Behaviour{Kind: Obeys},
			check:     func(x *attempt) error { return x.echo(map[string]any{"text": strange, strange: strange}) },
		}, {
			name: "carries numbers exactly", rule: "Numbers survive a round trip exactly: a 64-bit integer in tool_input comes back the same.",
			behaviour: Behaviour{Kind: Obeys},
			check: func(x *attempt) error {
				return x.echo(map[string]any{
					"text": "n", "max": json.Number("9223372036854775807"), "odd": json.Number("9007199254740993"),
					"unsigned": json.Number("18446744073709551615"), "small": json.Number("0.1000000000000000055"),
				})
			},
		}, {
			name: "carries 1 MiB both ways", rule: "An event and an answer of 1 MiB are nothing special.",
			behaviour: Behaviour{Kind: Obeys},
			check: func(x *attempt) error {
				return x.echo(map[string]any{"text": "big", "content": strings.Repeat("0123456789abcdef", 1<<16)})
			},
		}, {
			name: "takes an answer of 1 MiB", rule: "An answer of up to 2 MiB is taken.",
			behaviour: Behaviour{Kind: Says, Size: 1 << 20},
			check: func(x *attempt) error {
				d, err := x.decide(plainEvent())
				if err == nil && len(d.Inject) < 1<<20-64 {
					err = fmt.Errorf("of an inject of 1 MiB, %d bytes arrived", len(d.Inject))
				}
				return err
			},
		}, {
			name: "does not need its event read", rule: "A far side that never reads its input cannot hold the call up: not with 1 MiB either.",
			behaviour: Behaviour{Kind: Deaf, Text: `{"action":"block","reason":"no"}`},
			check: func(x *attempt) error {
				d, err := x.decide(toolEvent(map[string]any{"content": strings.Repeat("x", 1<<20)}))
				if err != nil {
					return err
				}
				return sameDecision(d, hook.Block("no"))
			},
		}, {
			name: "keeps 64 concurrent calls apart", rule: "Handle is called from many goroutines at once; each call gets its own answer.",
			behaviour: Behaviour{Kind: Obeys},
			check:     manyAtOnce,
		},
	}
}

// failureCases: a far side that hangs or dies hurts one call, for a bounded time.
func failureCases() []examCase {
	hang := map[string]any{"do": "hang"}
	return []examCase{
		{
			name: "obeys its deadline", rule: "At its deadline a call returns the context's error at once, and the work is cancelled.",
			behaviour: Behaviour{Kind: Obeys},
			check: func(x *attempt) error {
				for deadline := x.limits.deadline; ; deadline *= 2 { // a busy machine needs longer to begin
					ctx, cancel := context.WithTimeout(context.Background(), deadline)
					err := x.interrupted(ctx, func() {}, context.DeadlineExceeded, toolEvent(hang))
					cancel()
					if !errors.Is(err, errNeverAtWork) || deadline >= x.limits.patience/4 {
						return err
					}
				}
			},
		}, {
			name: "obeys an abort", rule: "When its caller gives up, a call returns the context's error at once, and the work is cancelled.",
			behaviour: Behaviour{Kind: Obeys},
			check: func(x *attempt) error {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				return x.interrupted(ctx, cancel, context.Canceled, toolEvent(hang))
			},
		}, {
			name: "does not begin when it is too late", rule: "A call whose context has ended already fails with the context's error.",
			behaviour: Behaviour{Kind: Obeys},
			check: func(x *attempt) error {
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				_, err, broken := x.ask(ctx, plainEvent())
				if broken == nil && !errors.Is(err, context.Canceled) {
					return fmt.Errorf("with an ended context it gave the error %v", err)
				}
				return broken
			},
		}, {
			name: "answers after an interrupted call", rule: "A cancelled event changes nothing for the next one.",
			behaviour: Behaviour{Kind: Obeys},
			check: func(x *attempt) error {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if err := x.interrupted(ctx, cancel, context.Canceled, toolEvent(hang)); err != nil {
					return err
				}
				return x.echo(map[string]any{"text": "still there"})
			},
		}, {
			name: "survives a crash", rule: "A far side that dies in the middle of its answer fails that event; the next one works.",
			behaviour: Behaviour{Kind: Obeys},
			check: func(x *attempt) error {
				if err := x.fail(toolEvent(map[string]any{"do": "crash"})); err != nil {
					return err
				}
				return x.echo(map[string]any{"text": "back again"})
			},
		},
	}
}

// echo checks that the arguments of a tool come back as they are.
func (a *attempt) echo(input map[string]any) error {
	ev := toolEvent(input)
	d, err := a.decide(ev)
	if err != nil {
		return err
	}
	want := hook.Change(ev.Body())
	want.Inject, _ = input["text"].(string)
	return sameDecision(d, want)
}

// manyAtOnce asks 64 times at once.
func manyAtOnce(x *attempt) error {
	const calls = 64
	errs := make([]error, calls)
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			errs[i] = x.echo(map[string]any{"text": fmt.Sprintf("call %d", i), "n": json.Number(fmt.Sprint(i))})
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

var errNeverAtWork = errors.New("the far side was never seen at work")

// interrupted asks, interrupts the call once the far side is at work, and checks
// that the call returns with the wanted error and that the work ends.
func (a *attempt) interrupted(ctx context.Context, interrupt func(), want error, ev hook.AnyEvent) error {
	type reply struct{ err, broken error }
	replies := make(chan reply, 1)
	go func() {
		_, err, broken := a.ask(ctx, ev)
		replies <- reply{err, broken}
	}()
	began := await(a.probe.began, a.limits.cleanup)
	interrupt()
	<-ctx.Done()
	ended := time.Now()
	var r reply
	select {
	case r = <-replies:
	case <-time.After(2 * a.limits.prompt):
		return fmt.Errorf("it had not returned %v after its context had ended", 2*a.limits.prompt)
	}
	took := time.Since(ended)
	switch {
	case r.broken != nil:
		return r.broken
	case began != nil:
		return errNeverAtWork
	case !errors.Is(r.err, want):
		return fmt.Errorf("it gave the error %v, not %v", r.err, want)
	case took > a.limits.prompt:
		return fmt.Errorf("it returned %v after its context had ended", took)
	case await(a.probe.ended, a.limits.cleanup) != nil:
		return fmt.Errorf("the far side is still at work %v after the call was interrupted", a.limits.cleanup)
	}
	return nil
}

// sameDecision compares what arrived with what was decided.
func sameDecision(got, want hook.Decision) error {
	if p, ok := got.Modified.(*hook.ToolUse); ok && p != nil {
		got.Modified = *p
	}
	if len(got.Metadata) == 0 && len(want.Metadata) == 0 {
		got.Metadata, want.Metadata = nil, nil
	}
	if reflect.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("what arrived is not what was decided:\n got %s\nwant %s", brief(got), brief(want))
}

func brief(d hook.Decision) string {
	text := fmt.Sprintf("%+v", d)
	if len(text) > 600 {
		text = text[:600] + "…"
	}
	return text
}
