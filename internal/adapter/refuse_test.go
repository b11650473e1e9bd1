package adapter_test

import (
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/wire/call"
)

// TestTheShimRefusesInTheSameWords: what hookway-hook says by itself, when all
// else failed, is what the codec says of a block. An event that gates passes
// nowhere, and the shim knows every agent.
func TestTheShimRefusesInTheSameWords(t *testing.T) {
	for _, x := range flatExams {
		about := x.about()
		if !call.Known(about.Name) {
			t.Errorf("the shim does not know %s", about.Name)
			continue
		}
		for file, stdin := range x.recorded(t) {
			ev := x.decode(t, file, stdin)
			row := about.Event(nativeEvent(file))
			if row.Kind == nil || !row.Kind.Gates || row.Can&adapter.Block == 0 || row.Kind == hook.GenerateStart.Info() {
				continue
			}
			r, err := x.codec.Encode(ev, hook.Outcome[any]{Verdict: hook.Verdict{Action: hook.ActionBlock, Reason: "it broke"}, Payload: ev.Body()})
			if err != nil {
				t.Fatal(err)
			}
			shim := call.Refuse(about.Name, nativeEvent(file), stdin, "", "it broke")
			got, want := objectOf(t, shim.Stdout), objectOf(t, r.Stdout)
			delete(got, "hookSpecificOutput") // a second dialect, where two are spoken
			if _, nested := want["hookSpecificOutput"]; nested {
				got = objectOf(t, shim.Stdout)
			}
			if asJSON(t, got) != asJSON(t, want) {
				t.Errorf("%s %s: the shim says %s, the codec %s", about.Name, file, shim.Stdout, r.Stdout)
			}
		}
	}
}
