package judge

import (
	"fmt"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/trust"
)

func TestASessionIsToldOnceThatItsFolderIsNotTrusted(t *testing.T) {
	var seen warned
	if !seen.first("a") || seen.first("a") || !seen.first("b") {
		t.Error("a session was warned twice, or never")
	}
	for i := range 3 * maxWarned {
		seen.first(fmt.Sprint(i))
	}
	if len(seen.sessions) > maxWarned {
		t.Errorf("%d sessions are remembered", len(seen.sessions))
	}
}

// TestWhatIsToldOfAnUntrustedFolderHasNothingOfIt: no path, no count, no name.
func TestWhatIsToldOfAnUntrustedFolderHasNothingOfIt(t *testing.T) {
	set := &config.Set{Workspace: "/tmp/evil", Unread: true, Trust: trust.Status{State: trust.Missing, Workspace: "/tmp/evil"}}
	ev, err := hook.SessionStart.Info().New(hook.Envelope{Session: "s"}, hook.SessionInfo{})
	if err != nil {
		t.Fatal(err)
	}
	out := hook.Outcome[any]{}
	Caution(set, ev, &out)
	if out.UserMessage != untrustedWords || out.Inject != "" || out.Reason != "" {
		t.Errorf(`got %+v, want out.UserMessage == untrustedWords and out.Inject == "" and out.Reason == ""`, out)
	}
}

// TestAnAgentWithoutAnEventForPromptsIsToldAtItsFirstStep, since it has none for the
// begin of a session either.
func TestAnAgentWithoutAnEventForPromptsIsToldAtItsFirstStep(t *testing.T) {
	if turnOf(adapter.Antigravity{}.About()) != hook.GenerateStart.Info() || turnOf(adapter.Claude{}.About()) != hook.AgentStart.Info() {
		t.Error("they are warned at the wrong event")
	}
}
