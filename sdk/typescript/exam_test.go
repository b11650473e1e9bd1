package typescript_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

// node finds Node, or skips, which is seen with go test -v; the step of
// tools/check.sh says it to everybody.
func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: no hook in JavaScript is examined, because node is not installed")
	}
	out, err := exec.Command(path, "-p", "process.versions.node.split('.')[0]").Output()
	if major, _ := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || major < 20 {
		t.Skipf("SKIPPED: no hook in JavaScript is examined, because %s is older than 20, or does not run (%v)", path, err)
	}
	return path
}

// exam runs the exam on testdata/exam.js.
func exam(t *testing.T, worker bool) {
	if testing.Short() {
		t.Skip("it starts Node a hundred times")
	}
	interpreter := node(t)
	program, err := filepath.Abs(filepath.Join("testdata", "exam.js"))
	if err != nil {
		t.Fatal(err)
	}
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		if b.Kind == hooktest.Says && b.Size == 0 && !json.Valid([]byte(strings.TrimPrefix(b.Text, "\ufeff"))) {
			return hooktest.Impossible("a function returns a value, which is always written as JSON")
		}
		play, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		h, err := command.New(command.Config{
			Argv: []string{interpreter, program}, Worker: worker, Env: []string{"HOOKWAY_EXAM=" + string(play)},
		})
		if err != nil {
			t.Fatal(err)
		}
		return h
	})
}

func TestAHookForOneEventPassesTheExam(t *testing.T) { exam(t, false) }

func TestAWorkerPassesTheExam(t *testing.T) { exam(t, true) }

// TestTheLicenceIsThatOfHookway: a package carries its own copy.
func TestTheLicenceIsThatOfHookway(t *testing.T) {
	ours, err := os.ReadFile("LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := os.ReadFile("../../LICENSE"); err != nil || string(whole) != string(ours) {
		t.Errorf("sdk/typescript/LICENSE is another text than LICENSE: %v", err)
	}
}
