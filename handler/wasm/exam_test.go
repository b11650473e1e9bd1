package wasm

import (
	"encoding/json"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

func TestWASMPassesTheExam(t *testing.T) {
	m, cache := goGuest(t)
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		play, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		return New(m, Config{Cache: cache, Net: true, Env: []string{"HOOKWAY_EXAM=" + string(play)}})
	})
}
