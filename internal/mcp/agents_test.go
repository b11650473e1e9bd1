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
	if len(got) != mostAgents || got[0].Name != "Zoe" || got[1].Name != "Wilma" || got[2].Name != "claude-000" {
		t.Errorf("of more there are %d: %+v", len(got), got[:3])
	}
	if !slices.IsSortedFunc(all[:mostAgents], func(a, b relay.Agent) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) }) {
		t.Error("the list that was given is changed")
	}
}
