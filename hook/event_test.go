package hook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

func TestChangedSystemPromptReplacesTheSystemMessage(t *testing.T) {
	system := hook.ChatMessage{"role": "system", "content": "old", "cache": true}
	user := hook.ChatMessage{"role": "user", "content": "hello"}
	for _, c := range []struct {
		name           string
		messages, want []hook.ChatMessage
	}{
		{"with a system message", []hook.ChatMessage{system, user}, []hook.ChatMessage{{"role": "system", "content": "new", "cache": true}, user}},
		{"without one", []hook.ChatMessage{user}, []hook.ChatMessage{user}},
		{"without messages", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e hook.Engine
			add(t, &e, "h", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
				g := ev.Body().(hook.Generation)
				g.SystemPrompt = "new"
				return hook.Change(g), nil
			}), hook.For("beforeLLM"))
			var seen []hook.ChatMessage
			add(t, &e, "g", sees(func(ev hook.AnyEvent) {
				seen = ev.Body().(hook.Generation).Messages
			}), hook.For("beforeLLM"), hook.As(hook.Guard))
			out := fireAt(t, &e, hook.GenerateStart, hook.Generation{SystemPrompt: "old", Messages: c.messages})
			for i, m := range c.want {
				if !equalMessages(out.Payload.Messages[i], m) || !equalMessages(seen[i], m) {
					t.Errorf("message %d: %v, the guard saw %v; want %v", i, out.Payload.Messages[i], seen[i], m)
				}
			}
			if len(out.Payload.Messages) != len(c.want) || out.Payload.SystemPrompt != "new" {
				t.Errorf("got %+v", out.Payload)
			}
			if system["content"] != "old" {
				t.Error("the caller's message was edited")
			}
		})
	}
}

func equalMessages(a, b hook.ChatMessage) bool {
	for k := range b {
		if a[k] != b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestBlockedAgentStartIsFollowedByAnError(t *testing.T) {
	var e hook.Engine
	var faults []hook.Fault
	var heads []string
	on(t, &e, hook.Error, func(_ context.Context, ev *hook.Event[hook.Fault]) (hook.Decision, error) {
		faults = append(faults, ev.Payload)
		heads = append(heads, ev.Session)
		return hook.Answer("ignored"), nil
	})
	add(t, &e, "h", says(hook.Block("out of hours")), hook.For("UserPromptSubmit"), hook.MatchField("prompt", "deploy*"))
	if out := fireAt(t, &e, hook.AgentStart, hook.AgentRun{Prompt: "look"}); out.Action != hook.ActionContinue || len(faults) != 0 {
		t.Errorf("%v with faults %v", out.Action, faults)
	}
	out := fireAt(t, &e, hook.AgentStart, hook.AgentRun{Prompt: "deploy"})
	switch want := (hook.Fault{Phase: "agent", Error: "out of hours"}); {
	case out.Action != hook.ActionBlock:
		t.Errorf("out.Action: got %v, want %v", out.Action, hook.ActionBlock)
	case len(faults) != 1:
		t.Errorf("len(faults): got %v, want %v", len(faults), 1)
	case faults[0] != want:
		t.Errorf("faults[0]: got %v, want %v", faults[0], want)
	case heads[0] != "s-1":
		t.Errorf("heads[0]: got %v, want %v", heads[0], "s-1")
	}
}

func TestNestedFiringsWorkToADepthOfEight(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		var e hook.Engine
		depth := 0
		var deepest error
		add(t, &e, "h", does(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			depth++
			ctx, cancel := context.WithCancel(ctx) // as handlers do
			defer cancel()
			out, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("nested"))
			if err != nil && deepest == nil {
				deepest = err
				if out.Action != hook.ActionBlock {
					t.Errorf("%v: the refused firing says %v", lane, out.Action)
				}
			}
			return hook.Decision{}, nil
		}), hook.As(lane))
		out := fire(t, &e, bash("ls"))
		is(t, fmt.Sprint(lane, ": depth"), depth, 8)
		if deepest == nil || !strings.Contains(deepest.Error(), "PreToolUse") {
			t.Errorf("%v: depth %d, %v, outcome %v", lane, depth, deepest, out.Action)
		}
		is(t, fmt.Sprint(lane, ": out.Action"), out.Action, hook.ActionContinue)
	}
}

// Another event fired from a handler is not nested in itself.
func TestHandlersMayFireOtherEvents(t *testing.T) {
	var e hook.Engine
	add(t, &e, "stop", says(hook.Inject("from within")), hook.For("Stop"))
	add(t, &e, "h", does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		for range 20 {
			out, err := hook.Fire(ctx, &e, hook.AgentStop, nil, hook.AgentResult{})
			if err != nil || out.Inject != "from within" {
				return hook.Decision{}, errors.Join(err, errors.New("the inner firing failed"))
			}
		}
		return hook.Allow(""), nil
	}))
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionAllow {
		t.Errorf("got %+v, want out.Action == hook.ActionAllow", out.Steps)
	}
}

func TestIDStaysTheSameThroughChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var seen []hook.ID
		var times []time.Time
		note := does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			seen, times = append(seen, ev.ID()), append(times, ev.Time())
			<-time.After(time.Second)
			return hook.Change(ev.Body().(hook.ToolUse).WithInput("n", len(seen))), nil
		})
		add(t, &e, "a", note)
		add(t, &e, "tell", tells(map[string]any{"k": "v"}))
		add(t, &e, "b", note)
		add(t, &e, "g", note, hook.As(hook.Guard))
		began := time.Now()
		ev := hook.PreToolUse.New(hook.Envelope{}, bash("ls"))
		if _, err := e.Fire(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
		for i := range seen {
			if seen[i] != ev.ID() || seen[i] == (hook.ID{}) || !times[i].Equal(began) {
				t.Errorf("hook %d saw %v at %v, the caller has %v at %v", i, seen[i], times[i], ev.ID(), began)
			}
		}
		if len(seen) != 3 {
			t.Errorf("%d hooks saw it", len(seen))
		}
	})
}

func TestIDsSortByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var list []string
		add(t, &e, "h", sees(func(ev hook.AnyEvent) {
			list = append(list, ev.ID().String())
		}))
		for range 100 {
			fire(t, &e, bash("ls"))
			<-time.After(time.Millisecond)
		}
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != 100 {
			t.Errorf("got %v, want slices.IsSorted(list) and len(slices.Compact(slices.Clone(list))) == 100", list)
		}
	})
}

func TestIDsOfOneInstantDiffer(t *testing.T) {
	seen := map[hook.ID]bool{}
	for range 1000 {
		id := hook.PreToolUse.New(hook.Envelope{}, bash("ls")).ID()
		if seen[id] {
			t.Fatalf("%v came twice", id)
		}
		seen[id] = true
	}
}

func TestMarkFromAnotherProcessIsKept(t *testing.T) {
	var e hook.Engine
	mark := hook.Mark{ID: hook.ParseID("0123456789abcdef0123456789abcdef"), Time: time.Unix(1700000000, 0)}
	add(t, &e, "h", sees(func(ev hook.AnyEvent) {
		if ev.ID() != mark.ID || !ev.Time().Equal(mark.Time) {
			t.Errorf("got %v at %v", ev.ID(), ev.Time())
		}
	}))
	if _, err := hook.Fire(t.Context(), &e, hook.PreToolUse, &hook.Envelope{Mark: &mark}, bash("ls")); err != nil {
		t.Fatal(err)
	}
}

func TestIDsAsText(t *testing.T) {
	id := hook.PreToolUse.New(hook.Envelope{}, bash("ls")).ID()
	text, err := id.MarshalText()
	var back hook.ID
	if err != nil {
		t.Errorf("%s, %v: %v", text, err, back)
	}
	is(t, "len(text)", len(text), 32)
	if back.UnmarshalText(text) != nil {
		t.Errorf("got %s, %v: %v, want back.UnmarshalText(text) == nil", text, err, back)
	}
	is(t, "back", back, id)
	if a, b := hook.ParseID("toolu_1"), hook.ParseID("toolu_1"); a != b || a == (hook.ID{}) || a == hook.ParseID("toolu_2") {
		t.Error("another program's ids are not stable")
	}
	if hook.ParseID("") != (hook.ID{}) {
		t.Error("the empty text is an id")
	}
	if hook.ParseID("01234567-89ab-cdef-0123-456789abcdef") != hook.ParseID("0123456789abcdef0123456789abcdef") {
		t.Error("dashes matter")
	}
}

func TestMemoIsMadeOnceAnEvent(t *testing.T) {
	ev := hook.PreToolUse.New(hook.Envelope{}, bash("ls"))
	made := 0
	build := func(hook.AnyEvent) (any, error) { made++; return []byte("encoded"), errBroken }
	for range 3 {
		v, err := ev.Memo(build)
		if !bytes.Equal(v.([]byte), []byte("encoded")) || !errors.Is(err, errBroken) || made != 1 {
			t.Errorf("%v, %v, made %d times", v, err, made)
		}
	}
}

func TestCloneMayBeEdited(t *testing.T) {
	input := map[string]any{"command": "ls", "list": []any{map[string]any{"a": 1}}}
	ev := hook.PreToolUse.New(hook.Envelope{Metadata: map[string]any{"m": map[string]any{"x": 1}}}, hook.ToolUse{ToolName: "Bash", ToolInput: input})
	id := ev.ID()
	c := ev.Clone()
	use := c.Body().(hook.ToolUse)
	use.ToolInput["command"] = "rm"
	use.ToolInput["list"].([]any)[0].(map[string]any)["a"] = 2
	c.Head().Metadata["m"].(map[string]any)["x"] = 2
	if input["command"] != "ls" || input["list"].([]any)[0].(map[string]any)["a"] != 1 || ev.Metadata["m"].(map[string]any)["x"] != 1 {
		t.Errorf("the original was edited: %v, %v", input, ev.Metadata)
	}
	if c.ID() != id || c.Info() != ev.Info() {
		t.Error("the clone is another event")
	}
}
