//go:build unix

package rpc

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// program is a block of docs/grpc.md.
func program(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/grpc.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```"+language+"\n")
	block, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("there is no %s in docs/grpc.md", language)
	}
	return block
}

// guards wants that a program which serves at a target, and says that it listens
// on one of its outputs, is the guard of docs/grpc.md.
func guards(t *testing.T, cmd *exec.Cmd, target string, output func(*exec.Cmd) (io.ReadCloser, error)) {
	t.Helper()
	out, err := output(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "listening") {
		t.Fatalf("it says %q, %v", line, err)
	}
	h := newHandler(t, Config{Target: target})
	for command, want := range map[string]hook.Action{"rm -rf x": hook.ActionBlock, "ls": hook.ActionContinue, strings.Repeat("x", 5<<20): hook.ActionContinue} {
		if d, err := h.Handle(t.Context(), bash(command)); err != nil || d.Action != want {
			t.Errorf("%.20s: %v, %v; want %v", command, d.Action, err, want)
		}
	}
}

// TestTheGoServerInTheDocs compiles and runs the program as it stands there.
func TestTheGoServerInTheDocs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(program(t, "go")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "guard"), file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	target := place(t)
	guards(t, exec.Command(filepath.Join(dir, "guard"), target), target, (*exec.Cmd).StderrPipe)
}

// TestThePythonServerInTheDocs makes the classes and runs the program as they stand there.
// HOOKWAY_TEST_PYTHON names a python3 that has grpcio-tools.
func TestThePythonServerInTheDocs(t *testing.T) {
	python := os.Getenv("HOOKWAY_TEST_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import grpc, grpc_tools").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: %s has no grpcio-tools: %v %s", python, err, out)
	}
	dir := t.TempDir()
	line := strings.Fields(strings.SplitN(program(t, "sh"), "\n", 2)[0])
	made := exec.Command(python, line[1:]...)
	made.Args = strings.Fields(strings.NewReplacer("=. ", "="+dir+" ").Replace(strings.Join(made.Args, " ")))
	made.Dir = "../.."
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(dir, "guard.py")
	if err := os.WriteFile(file, []byte(program(t, "python")), 0o600); err != nil {
		t.Fatal(err)
	}
	target := place(t)
	guards(t, exec.Command(python, file, target), target, (*exec.Cmd).StdoutPipe)
}
