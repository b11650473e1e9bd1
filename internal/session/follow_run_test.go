//go:build linux || darwin

package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// likeClaude runs a shell that is called like Claude Code, in a home and a folder of
// its own. The script leaves its number where Claude Code does.
func (w *wrapped) likeClaude(script string) (home, record string, say func(string)) {
	w.t.Helper()
	root, err := filepath.EvalSymlinks(w.t.TempDir())
	if err != nil {
		w.t.Fatal(err)
	}
	home = filepath.Join(root, "home")
	project := filepath.Join(root, "project")
	dashes := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(project, "-")
	record = filepath.Join(home, ".claude", "projects", dashes, "s.jsonl")
	shell, err := exec.LookPath("sh")
	for _, dir := range []string{project, home} {
		if err == nil {
			err = os.MkdirAll(dir, 0o700)
		}
	}
	claude := filepath.Join(root, "claude")
	if err == nil {
		err = os.Symlink(shell, claude)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	in, keys := keyboard(w.t)
	w.run(session.Config{
		Command: []string{claude, "-c", script}, Dir: project, Stdin: in,
		Env: append(os.Environ(), "HOME="+home, "CLAUDE_CONFIG_DIR="),
	})
	return home, record, func(text string) { write(w.t, keys, text) }
}

// records adds a message to a record of Claude Code.
func (w *wrapped) records(record, message string, at time.Time, text string) {
	w.t.Helper()
	line, err := json.Marshal(map[string]any{
		"type": "assistant", "uuid": "u" + message, "sessionId": "s", "version": "2.1.0", "timestamp": at.UTC().Format(time.RFC3339Nano),
		"message": map[string]any{"id": message, "content": []any{map[string]any{"type": "text", "text": text}}},
	})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(record), 0o700)
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err == nil {
		defer f.Close()
		_, err = f.Write(append(line, '\n'))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// firedBy is what was fired: via, target and body.
func firedBy(events []hook.AnyEvent) (all []string) {
	for _, ev := range events {
		if d, ok := ev.Body().(hook.DirectiveCall); ok {
			all = append(all, fmt.Sprint(ev.Head().Metadata["via"], " ", d.Target, " ", d.Body))
		}
	}
	return all
}

// TestTheAgentsOwnRecordSaysWhatItWrote, whatever its screen makes of it, up to what
// it writes at its very end.
func TestTheAgentsOwnRecordSaysWhatItWrote(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", nil)
	_, record, say := w.likeClaude(`mkdir -p "$HOME/.claude/sessions"; printf '{"pid":%d,"sessionId":"s"}' $$ >"$HOME/.claude/sessions/$$.json"
		printf '\033[?1049h\033[H@deploy:no in a fence\n@deploy:a in a list     LSP\nready\n'; read x; printf '\033[?1049l'`)
	w.screen.await(t, "ready")
	w.records(record, "m0", time.Now().Add(-time.Hour), "@deploy:no of an earlier session")
	w.records(record, "m1", time.Now(), "```\n@deploy:no in a fence\n```\n\n- @deploy:a in a list")
	of[hook.DirectiveCall](w, 1)
	w.records(record, "m1", time.Now(), "```\n@deploy:no in a fence\n```\n\n- @deploy:a in a list")
	w.records(record, "m2", time.Now(), "@deploy:a in a list")
	of[hook.DirectiveCall](w, 2)
	w.records(record, "m3", time.Now(), "@deploy:a at the end")
	say("\n")
	w.end()
	want := []string{"<nil> a in a list", "<nil> a in a list", "<nil> a at the end"}
	if got := firedBy(w.events.list()); !slices.Equal(got, want) {
		t.Errorf("fired %q, want %q", got, want)
	}
}

// TestWhatOnlyTheScreenHasShownIsMarked: an agent that keeps no record at all is not
// waited for.
func TestWhatOnlyTheScreenHasShownIsMarked(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", nil)
	_, _, say := w.likeClaude(`echo '@deploy:a go'; read x`)
	of[hook.DirectiveCall](w, 1)
	say("\n")
	w.end()
	if got, want := firedBy(w.events.list()), []string{"screen a go"}; !slices.Equal(got, want) {
		t.Errorf("fired %q, want %q", got, want)
	}
}

// TestARecordThatCannotBeReadIsToldOf: the screen does, then.
func TestARecordThatCannotBeReadIsToldOf(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", nil)
	_, record, say := w.likeClaude(`mkdir -p "$HOME/.claude/sessions"; printf '{"pid":%d,"sessionId":"s"}' $$ >"$HOME/.claude/sessions/$$.json"
		echo ready; read x; echo '@deploy:a go'; read x`)
	w.screen.await(t, "ready")
	if err := os.MkdirAll(filepath.Dir(record), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(record, []byte(`{"type":"user","version":"9.0","message":{"content":"hi"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	say("\n")
	of[hook.DirectiveCall](w, 1)
	say("\n")
	w.end()
	if got, want := firedBy(w.events.list()), []string{"screen a go"}; !slices.Equal(got, want) {
		t.Errorf("fired %q, want %q", got, want)
	}
	lines := w.warnings.await(t, "a warning", func(l []string) bool { return len(l) > 0 })
	if !regexp.MustCompile(`Claude Code 9\.0`).MatchString(fmt.Sprint(lines)) {
		t.Errorf("the user was shown %q", lines)
	}
}
