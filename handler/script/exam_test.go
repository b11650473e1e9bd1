package script

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

func TestScriptPassesTheExam(t *testing.T) {
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		if strings.HasPrefix(b.Text, "\ufeff") {
			return hooktest.Impossible("an answer is a value, before which no byte order mark can stand")
		}
		play, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		h, err := New("testdata/exam.ts", Config{
			Allow:   []Grant{Net},
			Environ: func(context.Context) []string { return append(os.Environ(), "HOOKWAY_EXAM="+string(play)) },
		}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return h
	})
}
