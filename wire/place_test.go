package wire

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// What would stop something must not be dropped because it stands in the wrong place.
func TestADecidingNameInTheWrongPlaceIsAFailureThatSaysWhereItBelongs(t *testing.T) {
	for in, want := range map[string]string{
		`{"hookSpecificOutput":{"behavior":"allow"}}`:                            "hookSpecificOutput.behavior: it does not belong here and would have no effect; write it as behavior inside hookSpecificOutput.decision",
		`{"hookSpecificOutput":{"permission":"ask"}}`:                            "write it as permission at the top of the answer",
		`{"hookSpecificOutput":{"continue":true}}`:                               "write it as continue at the top of the answer",
		`{"hookSpecificOutput":{"block":"yes"}}`:                                 "write it as block at the top of the answer",
		`{"hookSpecificOutput":{"Cancel":null}}`:                                 "write it as cancel at the top of the answer",
		`{"hookSpecificOutput":{"suppress":false}}`:                              "write it as suppress at the top of the answer",
		`{"hookSpecificOutput":{"modified":{}}}`:                                 "write it as modified at the top of the answer",
		`{"hookSpecificOutput":{"action":"ask"}}`:                                "write it as action at the top of the answer",
		`{"hookSpecificOutput":{"hookSpecificOutput":{}}}`:                       "write it as hookSpecificOutput at the top",
		`{"hookSpecificOutput":{"decision":{"behavior":"allow","block":false}}}`: "hookSpecificOutput.decision.block: it does not belong here",
		`{"hookSpecificOutput":{"decision":{"permissionDecision":"allow"}}}`:     "write it as permissionDecision inside hookSpecificOutput",
	} {
		d, err := DecodeDecision(pre(), []byte(in), hook.Profile{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %s", in, d, err, want)
		}
	}
}

func TestANoInTheWrongPlaceIsABlock(t *testing.T) {
	for _, in := range []string{
		`{"hookSpecificOutput":{"behavior":"deny"}}`, `{"hookSpecificOutput":{"permission":"deny"}}`,
		`{"hookSpecificOutput":{"continue":false}}`, `{"hookSpecificOutput":{"block":true}}`,
		`{"hookSpecificOutput":{"action":"block"}}`, `{"hookSpecificOutput":{"decision":"block"}}`,
	} {
		d, err := DecodeDecision(pre(), []byte(in), hook.Profile{})
		if err != nil || d.Action != hook.ActionBlock || !strings.Contains(d.Reason, "hookSpecificOutput.") {
			t.Errorf(`%s: got %+v, %v, want err == nil and d.Action == hook.ActionBlock and strings.Contains(d.Reason, "hookSpecificOutput.")`, in, d, err)
		}
	}
}

func TestOnlyElicitationsHaveAnActionInsideHookSpecificOutput(t *testing.T) {
	for name, fine := range map[string]bool{"Elicitation": true, "ElicitationResult": true, "PreModelSwitch": false} {
		ev, err := hook.Native(name).New(hook.Envelope{}, map[string]any{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := DecodeDecision(ev, []byte(`{"hookSpecificOutput":{"action":"decline"}}`), hook.Profile{})
		if (err == nil) != fine || fine && d.Metadata["claude.action"] != "decline" {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}
