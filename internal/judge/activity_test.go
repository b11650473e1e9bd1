//go:build unix

package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/delivery"
)

func TestWhatTheAgentsHooksHaveTold(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	if got := s.Activity(); got != (delivery.Activity{}) {
		t.Errorf("before anything was told: %+v", got)
	}
	w.printed(w.native("SessionStart", "source", "startup"))
	if got := s.Activity(); got.Events != 1 || got.Prompts != 0 {
		t.Errorf("after the begin: %+v", got)
	}
	prompt := "do it\n" + strings.Repeat("x", 4000)
	w.printed(w.native("UserPromptSubmit", "prompt", prompt, "transcript_path", "/t/one.jsonl"))
	w.printed(w.native("PostToolUse"))
	w.printed(w.native("PostToolUse", "agent_id", "sub-1", "tool_use_id", "t2")) // a sub-agent's
	got := s.Activity()
	if got, want := fmt.Sprint([]any{got.Events, got.Prompts, got.Prompt, got.Transcript}), fmt.Sprint([]any{3, 1, prompt[:1<<10], "/t/one.jsonl"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The file of what was told is not without end.
func TestManyEventsAreHeardToo(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	long := strings.Repeat("y", 1<<10)
	before := 0
	for n := range 400 {
		w.printed(w.native("UserPromptSubmit", "prompt", long, "prompt_id", strings.Repeat("p", n+1)))
		got := s.Activity().Events
		if got <= before {
			t.Fatalf("after event %d: %d were heard, and %d before it", n, got, before)
		}
		before = got
	}
}

// What a run that was killed has left belongs to the next session, and to no event.
func TestATextOfARunThatIsGoneIsNotGiven(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	w.printed(w.native("UserPromptSubmit"))
	if s.Offer("the text", nil, 0, granted) == nil {
		t.Fatal("the text was not taken, though the agent works")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.want(w.printed(w.native("PostToolUse")), "!the text")
}

func TestATextThatMayNotBeLeftIsNot(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	w.printed(w.native("UserPromptSubmit"))
	if s.Offer("the text", nil, 0, func() bool { return false }) != nil {
		t.Error("it was left")
	}
	w.want(w.printed(w.native("PostToolUse")), "!the text")
}
