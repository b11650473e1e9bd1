package adapter_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
)

// geminiExam is the exam for Gemini CLI.
var geminiExam = exam{
	codec:   adapter.Gemini{},
	session: at("session_id"), cwd: at("cwd"), transcript: at("transcript_path"),
}

func TestGemini(t *testing.T) { geminiExam.take(t) }

func FuzzGemini(f *testing.F) { geminiExam.fuzz(f) }

func TestAnAskOfGeminiIsABlockWhereItWouldHang(t *testing.T) {
	stdin := geminiExam.recorded(t)["BeforeTool~run_shell_command"]
	ev := geminiExam.decode(t, "BeforeTool", stdin)
	out, err := saying(t, hook.Ask("sure?")).Fire(t.Context(), ev)
	if err != nil {
		t.Fatal(err)
	}
	about := adapter.Gemini{}.About()
	attended := adapter.Fit(about, ev, out, hook.ActionBlock)
	if attended.Outcome.Action != hook.ActionAsk || len(attended.Degraded) > 0 {
		t.Errorf("where somebody can be asked: %v, %v", attended.Outcome.Action, attended.Degraded)
	}
	unattended := adapter.FitUnattended(about, ev, out, hook.ActionBlock)
	if unattended.Outcome.Action != hook.ActionBlock || len(unattended.Degraded) != 1 {
		t.Errorf("where no user can be asked: %v, %v", unattended.Outcome.Action, unattended.Degraded)
	}
	r, err := adapter.Gemini{}.Encode(ev, unattended.Outcome)
	if err != nil || !strings.HasPrefix(string(r.Stdout), `{"decision":"deny"`) {
		t.Errorf("got %s, %v, want err == nil and strings.HasPrefix(string(r.Stdout), `{\"decision\":\"deny\"`)", r.Stdout, err)
	}
}

func TestGeminisOwnFieldsStandAtTheirEventsOnly(t *testing.T) {
	d := hook.Decision{Metadata: map[string]any{
		"gemini.toolConfig": map[string]any{"mode": "NONE"}, "gemini.clearContext": "yes", "gemini.tailToolCallRequest": map[string]any{"name": "x"},
	}}
	for file, stdin := range geminiExam.recorded(t) {
		got, _, _ := strings.Cut(geminiExam.answer(t, saying(t, d), file, stdin), "\n")
		want := map[string]string{
			"BeforeToolSelection": `{"hookSpecificOutput":{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"NONE"}}}`,
			"AfterTool":           `{"hookSpecificOutput":{"hookEventName":"AfterTool","tailToolCallRequest":{"name":"x"}}}`,
		}[nativeEvent(file)]
		if want == "" {
			want = "{}"
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", file, got, want)
		}
	}
}

// TestGeminiSendsOnlyWhatChangedOfARequest: parts of messages that hooks are not
// shown would be lost.
func TestGeminiSendsOnlyWhatChangedOfARequest(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*hook.Generation)
		want   string
	}{
		"model":         {func(g *hook.Generation) { g.ModelName = "small" }, `"llm_request":{"model":"small"}`},
		"system prompt": {func(g *hook.Generation) { g.SystemPrompt = "Be terse." }, `"llm_request":{"messages":[{"content":"Be terse.","role":"system"},`},
		"tools":         {func(g *hook.Generation) { g.AvailableTools = []string{"x"} }, "{}\n    warning: "},
	} {
		engine := doing(t, hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			g, _ := ev.Body().(hook.Generation)
			tt.change(&g)
			return hook.Change(g), nil
		}))
		if got := geminiExam.answer(t, engine, "BeforeModel", geminiExam.recorded(t)["BeforeModel~system"]); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want strings.Contains(got, tt.want)", name, got)
		}
	}
}
