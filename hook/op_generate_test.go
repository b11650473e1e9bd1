package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

// model is a model that notes what it is asked.
type model struct {
	calls []hook.Generation
	fail  int // the first calls fail
}

func (m *model) run(_ context.Context, g hook.Generation) (hook.GenerationResult, error) {
	m.calls = append(m.calls, g)
	if len(m.calls) <= m.fail {
		return hook.GenerationResult{}, errBroken
	}
	return hook.GenerationResult{ResponseText: "hi", DurationMS: 5, Usage: &hook.Usage{TotalTokens: 3}}, nil
}

var question = hook.Generation{Prompt: "hello", ModelName: "m-1"}

func TestGenerateWithoutHooks(t *testing.T) {
	var e hook.Engine
	var m model
	r, err := hook.Generate(t.Context(), &e, nil, question, m.run)
	want := hook.GenerationResult{Generation: question, ResponseText: "hi", DurationMS: 5, Usage: &hook.Usage{TotalTokens: 3}}
	switch {
	case err != nil || !reflect.DeepEqual(r.Result, want):
		t.Errorf("%+v, %v", r, err)
	case r.Tries != 1:
		t.Errorf("r.Tries: got %v, want %v", r.Tries, 1)
	case r.Blocked || r.Answered || r.Recovered:
		t.Errorf("%+v, %v", r, err)
	}
}

func TestGenerateMeasuresItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		r, err := hook.Generate(t.Context(), &e, nil, question, func(context.Context, hook.Generation) (hook.GenerationResult, error) {
			<-time.After(1500 * time.Millisecond)
			return hook.GenerationResult{}, nil
		})
		if err != nil || r.Result.DurationMS != 1500 {
			t.Errorf("%d ms, %v", r.Result.DurationMS, err)
		}
	})
}

func TestGenerateRunsWithTheChangedRequest(t *testing.T) {
	var e hook.Engine
	var m model
	add(t, &e, "h", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		g := ev.Body().(hook.Generation)
		g.ModelName, g.Tools = "m-2", []hook.ToolDefinition{{"name": "Read"}}
		return hook.Change(g), nil
	}), hook.For("beforeLLM"))
	r, err := hook.Generate(t.Context(), &e, nil, question, m.run)
	if err != nil {
		t.Errorf("asked %+v, %v", m.calls, err)
	}
	is(t, "m.calls[0].ModelName", m.calls[0].ModelName, "m-2")
	is(t, "len(m.calls[0].Tools)", len(m.calls[0].Tools), 1)
	is(t, "r.Result.ModelName", r.Result.ModelName, "m-2")
}

func TestInjectedTextReachesTheModel(t *testing.T) {
	var e hook.Engine
	add(t, &e, "h", says(hook.Inject("note")), hook.For("beforeLLM"))
	var m model
	if _, err := hook.Generate(t.Context(), &e, nil, question, m.run); err != nil || m.calls[0].Prompt != "hello\n\nnote" {
		t.Errorf("prompt %q, %v", m.calls[0].Prompt, err)
	}
	given := make([]hook.ChatMessage, 1, 4)
	given[0] = hook.ChatMessage{"role": "user", "content": "hello"}
	if _, err := hook.Generate(t.Context(), &e, nil, hook.Generation{Messages: given}, m.run); err != nil {
		t.Fatal(err)
	}
	if got := m.calls[1].Messages; len(got) != 2 || got[1].Role() != "user" || got[1]["content"] != "note" {
		t.Errorf("messages %v", got)
	}
	if given[:2][1] != nil {
		t.Error("the caller's messages were written to")
	}
}

func TestGenerateIsBlocked(t *testing.T) {
	for _, event := range []string{"GenerateStart", "GenerateEnd"} {
		var e hook.Engine
		var m model
		add(t, &e, "budget", says(hook.Block("out of tokens")), hook.For(event))
		add(t, &e, "again", says(hook.Retry(0)), hook.For("GenerateEnd"), hook.Priority(1000)) // a block is final
		r, err := hook.Generate(t.Context(), &e, nil, question, m.run)
		calls := map[string]int{"GenerateStart": 0, "GenerateEnd": 1}[event]
		if err != nil || !r.Blocked {
			t.Errorf("%s: %+v, %v, %d calls", event, r, err, len(m.calls))
		}
		is(t, fmt.Sprint(event, ": r.Reason"), r.Reason, "out of tokens")
		is(t, fmt.Sprint(event, ": r.By"), r.By, "budget")
		is(t, fmt.Sprint(event, ": r.Result.ResponseText"), r.Result.ResponseText, "")
		is(t, fmt.Sprint(event, ": len(m.calls)"), len(m.calls), calls)
		is(t, fmt.Sprint(event, ": r.Tries"), r.Tries, calls)
	}
}

func TestGenerateIsAnswered(t *testing.T) {
	calls := []hook.ToolCall{{Name: "Read", Input: map[string]any{"line": json.Number("9007199254740993")}}}
	for _, c := range []struct {
		name   string
		answer any
		want   hook.GenerationResult
	}{
		{"text", "cached", hook.GenerationResult{ResponseText: "cached"}},
		{"result", hook.GenerationResult{ResponseText: "cached"}, hook.GenerationResult{ResponseText: "cached"}},
		{"pointer", &hook.GenerationResult{ResponseText: "cached"}, hook.GenerationResult{ResponseText: "cached"}},
		{"nil pointer", (*hook.GenerationResult)(nil), hook.GenerationResult{}},
		{"nothing", nil, hook.GenerationResult{}},
		{"fields, numbers exact", map[string]any{"response_text": "x", "tool_calls": []any{map[string]any{"name": "Read", "input": map[string]any{"line": int64(9007199254740993)}}}},
			hook.GenerationResult{ResponseText: "x", ToolCalls: calls}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e hook.Engine
			var m model
			add(t, &e, "cache", says(hook.Answer(c.answer)), hook.For("BeforeModel"))
			r, err := hook.Generate(t.Context(), &e, nil, question, m.run)
			c.want.Generation = question
			if err != nil || !r.Answered {
				t.Errorf("got %+v, %v, want err == nil and r.Answered", r, err)
			}
			is(t, "r.By", r.By, "cache")
			is(t, "len(m.calls)", len(m.calls), 0)
			if !reflect.DeepEqual(r.Result, c.want) {
				t.Errorf("got %+v, %v, want reflect.DeepEqual(r.Result, c.want)", r, err)
			}
		})
	}
}

func TestGenerateIsTriedAgain(t *testing.T) {
	for _, c := range []struct {
		event string
		fail  int
		calls int
	}{{"GenerateStart", 0, 1}, {"GenerateEnd", 0, 3}, {"Error", 2, 3}} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			m := model{fail: c.fail}
			add(t, &e, "again", first(2, hook.Retry(2*time.Second)), hook.For(c.event))
			began := time.Now()
			r, err := hook.Generate(t.Context(), &e, nil, question, m.run)
			if err != nil {
				t.Errorf("%s: %+v, %v, %d calls in %v", c.event, r, err, len(m.calls), time.Since(began))
			}
			is(t, fmt.Sprint(c.event, ": len(m.calls)"), len(m.calls), c.calls)
			is(t, fmt.Sprint(c.event, ": r.Tries"), r.Tries, c.calls)
			is(t, fmt.Sprint(c.event, ": r.Result.ResponseText"), r.Result.ResponseText, "hi")
			if time.Since(began) != 4*time.Second {
				t.Errorf("%s: %+v, %v, %d calls in %v", c.event, r, err, len(m.calls), time.Since(began))
			}
		})
	}
}

func TestFailedGenerateIsRecoveredOrChanged(t *testing.T) {
	var e hook.Engine
	m := model{fail: 99}
	add(t, &e, "medic", says(hook.Answer("sorry")), hook.For("onError"), hook.MatchField("phase", "llm"))
	r, err := hook.Generate(t.Context(), &e, nil, question, m.run)
	if err != nil || !r.Recovered {
		t.Errorf("got %+v, %v, want err == nil and r.Recovered", r, err)
	}
	is(t, "r.By", r.By, "medic")
	is(t, "r.Result.ResponseText", r.Result.ResponseText, "sorry")
	is(t, "r.Result.Prompt", r.Result.Prompt, "hello")
	e.Remove("medic")
	add(t, &e, "words", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		return hook.Change(hook.Fault{Phase: ev.Body().(hook.Fault).Phase, Error: "the model is asleep"}), nil
	}), hook.For("onError"))
	if _, err := hook.Generate(t.Context(), &e, nil, question, m.run); err == nil || err.Error() != "the model is asleep" || !errors.Is(err, errBroken) {
		t.Errorf(`got %v, want err != nil and err.Error() == "the model is asleep" and errors.Is(err, errBroken)`, err)
	}
}

func TestAnswerOfTheModelIsChanged(t *testing.T) {
	var e hook.Engine
	var m model
	add(t, &e, "h", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		r := ev.Body().(hook.GenerationResult)
		r.ResponseText += " there"
		return hook.Change(r), nil
	}), hook.For("afterLLM"))
	if r, err := hook.Generate(t.Context(), &e, nil, question, m.run); err != nil || r.Result.ResponseText != "hi there" {
		t.Errorf(`got %+v, %v, want err == nil and r.Result.ResponseText == "hi there"`, r, err)
	}
}
