//go:build unix

package web

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// TestTheServerInTheDocs runs the program of docs/web.md as it stands there.
func TestTheServerInTheDocs(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	text, err := os.ReadFile("../../docs/web.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```python\n")
	program, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("there is no program in docs/web.md")
	}
	file := filepath.Join(t.TempDir(), "policy.py")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, file, "0")
	cmd.Env = append(os.Environ(), "POLICY_SECRET="+testSecret)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it serves for ever
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	port := strings.TrimSpace(strings.TrimPrefix(line, "listening on port "))
	c := Config{URL: "http://127.0.0.1:" + port + "/hooks", Secret: testSecret, Verify: true, AllowPrivate: true}
	h := newHandler(t, c)
	for command, want := range map[string]hook.Action{"rm -rf x": hook.ActionBlock, "ls": hook.ActionContinue, strings.Repeat("x", 1<<20): hook.ActionContinue} {
		if d, err := h.Handle(t.Context(), bash(command)); err != nil || d.Action != want {
			t.Errorf("%.20s: %v, %v; want %v", command, d.Action, err, want)
		}
	}
	c.Secret = otherSecret
	fails(t, newHandler(t, c), bash("ls"), "401", "signature is wrong")
}
