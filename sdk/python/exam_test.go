package python_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

// python finds the interpreter, or skips, which is seen with go test -v; the
// step of tools/check.sh says it to everybody.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: no hook in Python is examined, because python3 is not installed")
	}
	// Asked for itself: what is found on PATH may be a script that looks for it.
	out, err := exec.Command(path, "-c", "import sys; print(sys.executable if sys.version_info >= (3, 10) else '')").Output()
	if err != nil || len(bytes.TrimSpace(out)) == 0 {
		t.Skipf("SKIPPED: no hook in Python is examined, because %s is older than 3.10, or does not run (%v)", path, err)
	}
	return string(bytes.TrimSpace(out))
}

// exam runs the exam on testdata/exam.py.
func exam(t *testing.T, worker bool, env ...string) {
	if testing.Short() {
		t.Skip("it starts Python a hundred times")
	}
	interpreter := python(t)
	sdk, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		if b.Kind == hooktest.Says && b.Size == 0 && !json.Valid([]byte(strings.TrimPrefix(b.Text, "\ufeff"))) {
			return hooktest.Impossible("a function returns a value, which is always written as JSON")
		}
		if b.Text == "null" {
			return hooktest.Impossible("a function that returns None has no opinion, as one that returns nothing")
		}
		play, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		h, err := command.New(command.Config{
			Argv: []string{interpreter, filepath.Join(sdk, "testdata", "exam.py")}, Worker: worker,
			Env: append([]string{"PYTHONPATH=" + sdk, "PYTHONDONTWRITEBYTECODE=1", "HOOKWAY_EXAM=" + string(play)}, env...),
		})
		if err != nil {
			t.Fatal(err)
		}
		return h
	})
}

func TestAHookForOneEventPassesTheExam(t *testing.T) { exam(t, false) }

func TestAWorkerPassesTheExam(t *testing.T) { exam(t, true) }

func TestAWorkerOfAsyncHooksPassesTheExam(t *testing.T) { exam(t, true, "HOOKWAY_EXAM_ASYNC=1") }

// TestTheLicenceIsThatOfHookway: a package carries its own copy.
func TestTheLicenceIsThatOfHookway(t *testing.T) {
	ours, err := os.ReadFile("LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := os.ReadFile("../../LICENSE"); err != nil || string(whole) != string(ours) {
		t.Errorf("sdk/python/LICENSE is another text than LICENSE: %v", err)
	}
}
