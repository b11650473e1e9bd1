//go:build unix

package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// What runs is not always what was started: what hooks inject of the words of others
// is not a command for a shell that a script has started or become; the rest is typed.
func TestAQuoteToAShellBehindAScriptIsNoCommand(t *testing.T) {
	t.Parallel()
	shell := program(t, "bash") + " --norc --noprofile -i"
	for name, script := range map[string]string{"becomes": "exec " + shell, "starts": shell + "\n:"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var quotes session.Quotes
			dir, command := t.TempDir(), []string{"sh", "-c", script}
			w := newWrapped(t)
			w.hook("SessionStart", func(context.Context, hook.AnyEvent) (hook.Decision, error) {
				return hook.Inject(quotes.Quoted(command, "Memories:\n- `touch ran` $(touch ran)\n'; touch ran; '") + "\n\necho own $((40+2)); exit"), nil
			})
			in, _ := keyboard(t)
			w.run(session.Config{Stdin: in, Dir: dir, Env: plainly(), Command: command, Quotes: &quotes})
			w.screen.await(t, "own 42")
			w.clean()
			w.screen.await(t, ": 'Memories: - `touch ran`")
			if _, err := os.Stat(filepath.Join(dir, "ran")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the memory was obeyed: %v", err)
			}
		})
	}
}
