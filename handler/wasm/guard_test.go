package wasm

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/handler/wasm/testdata/wat"
	"github.com/hookway/hookway/hook"
)

// Examples of a hook that blocks rm -rf.
const (
	guard     = "testdata/guests/wat/guard.wasm"
	rustGuard = "testdata/guests/rust/guard.wasm"
)

func TestTheModuleThatIsCheckedInIsThatOfItsText(t *testing.T) {
	text, err := os.ReadFile(strings.TrimSuffix(guard, ".wasm") + ".wat")
	if err != nil {
		t.Fatal(err)
	}
	want, err := wat.Assemble(string(text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(guard)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("guard.wasm is not what guard.wat is; run make guests")
	}
}

func TestTheExamplesBlock(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, example := range []string{guard, rustGuard} {
		h := open(t, example, Config{Cache: t.TempDir()})
		for command, want := range map[string]hook.Action{
			"ls": hook.ActionContinue, "rm -rf /": hook.ActionBlock, "rm -ri rf": hook.ActionContinue,
			long: hook.ActionContinue, long + "rm -rf": hook.ActionBlock,
		} {
			if d := decide(t, h, command); d.Action != want {
				t.Errorf("%s: %.20s: %+v", example, command, d)
			}
		}
	}
}
