package hook

import (
	"context"
	"testing"
)

func TestAnOpenCircuitIsTold(t *testing.T) {
	var e Engine
	slow := HandlerFunc(func(context.Context, AnyEvent) (Decision, error) { return Decision{}, ErrTimeout })
	if err := e.Add(New("slow", slow, For("PreToolUse"))); err != nil {
		t.Fatal(err)
	}
	for n := range breakerFailures {
		if e.CircuitOpen("slow") {
			t.Fatalf("it is open after %d failures", n)
		}
		if _, err := e.Fire(t.Context(), PreToolUse.New(Envelope{}, ToolUse{ToolName: "Bash"})); err != nil {
			t.Fatal(err)
		}
	}
	if !e.CircuitOpen("slow") || e.CircuitOpen("none") {
		t.Error("it is not open, or one is that is not there")
	}
}
