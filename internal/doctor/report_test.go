package doctor

import "testing"

func TestWhatMendsAFindingIsACommandOrWords(t *testing.T) {
	for mend, want := range map[string]string{
		"hookway install claude":                                           "hookway install claude",
		"hookway install codex (or: hookway run -- codex)":                 "hookway install codex",
		"hookway install codex --yes, or approve them in the agent":        "hookway install codex --yes",
		"hookway stop, if it does so again; the next event starts another": "hookway stop",
		"hookway serve, which says why":                                    "hookway serve",
		"hookway doctor --live --yes, which sends it":                      "hookway doctor --live --yes",
		"see hookway list --events":                                        "",
		"unset HOOKWAY_DAEMON":                                             "",
		"":                                                                 "",
	} {
		if got := (Finding{Mend: mend}).Command(); got != want {
			t.Errorf("%q: got %q, want %q", mend, got, want)
		}
	}
}
