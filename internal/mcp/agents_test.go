package mcp

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/relay"
)

// TestOfManyAgentsThoseThatRunAreNamed: sessions that have ended must not keep an agent
// from knowing who is there.
func TestOfManyAgentsThoseThatRunAreNamed(t *testing.T) {
	var all []relay.Agent
	for i := range mostAgents {
		all = append(all, relay.Agent{Name: fmt.Sprintf("claude-%03d", i), Kind: relay.KindHooks})
	}
	if got := likeliest(all); len(got) != mostAgents || got[0].Name != "claude-000" {
		t.Errorf("of as many as are named there are %d, from %s on", len(got), got[0].Name)
	}
	all = append(all, relay.Agent{Name: "Wilma", Kind: relay.KindWrapped}, relay.Agent{Name: "Zoe", Kind: relay.KindHooks, Running: true})
	got := likeliest(all)
	if len(got) != mostAgents {
		t.Errorf("of more there are %d: %+v", len(got), got[:3])
	} else if got, want := fmt.Sprint([]any{got[0].Name, got[1].Name, got[2].Name}), fmt.Sprint([]any{"Zoe", "Wilma", "claude-000"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !slices.IsSortedFunc(all[:mostAgents], func(a, b relay.Agent) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) }) {
		t.Error("the list that was given is changed")
	}
}
