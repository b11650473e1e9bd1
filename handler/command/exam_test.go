//go:build unix

package command

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

func TestOneShotPassesTheExam(t *testing.T) {
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		return newHandler(t, Config{Argv: []string{os.Args[0]}, Env: []string{variable(playOnce, b), atOnce}})
	})
}

func TestWorkerPassesTheExam(t *testing.T) {
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		text := []byte(b.Text)
		if len(text) >= 3 && string(text[:3]) == "\ufeff" && !json.Valid(text) {
			return hooktest.Impossible("an answer is a value inside a JSON-RPC object, before which no byte order mark can stand")
		}
		return newHandler(t, Config{Argv: []string{os.Args[0]}, Worker: true, Env: []string{variable(playWorker, b), atOnce}})
	})
}
