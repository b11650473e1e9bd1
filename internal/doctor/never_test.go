package doctor

import (
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
)

func TestHooksWhoseEventsNeverCome(t *testing.T) {
	codec, err := adapter.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		never   bool
		profile hook.Profile
		events  []string
	}{
		{false, hook.Profile{}, []string{"PreToolUse"}},
		{true, hook.Profile{}, []string{"GenerateStart"}},
		{false, hook.Profile{}, []string{"MessageSending"}},
		{true, hook.ProfileOpenClaw, []string{"MessageSending"}},
		{false, hook.ProfileOpenClaw, []string{"MessageReceived", "AgentStart"}},
		{false, hook.ProfileOpenClaw, []string{"GatewayStart"}},
		{false, hook.Profile{}, []string{"*"}},
	} {
		h := config.Hook{Hook: hook.Hook{ID: "h", Events: c.events, Profile: c.profile}, State: config.Active}
		if got := neverUnder(h, codec.About()); got != c.never {
			t.Errorf("%v under profile %q: %v, want %v", c.events, c.profile.Name, got, c.never)
		}
	}
}
