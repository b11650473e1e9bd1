//go:build unix

package judge_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/judge"
)

// gateway is a world whose user, too, has hooks of the daemon's begin and end. They
// write who they are and what they hear into one file.
func gateway(t *testing.T, users string) *world {
	t.Helper()
	told := filepath.Join(t.TempDir(), "told")
	line := func(who string) string { return `"echo ` + who + ` $HOOKWAY_EVENT >>` + told + `"` }
	w := newWorld(t, "hooks:\n  - {id: up, on: [GatewayStart, GatewayStop], command: "+line("workspace")+"}\n  - {id: other, on: PreToolUse, command: 'true'}\n")
	t.Setenv("HOOKWAY_HOME", w.home)
	t.Setenv("HOME", filepath.Dir(w.home))
	user := filepath.Join(w.home, "config", "hookway.yaml")
	if users == "" {
		users = "  - {id: seen, on: [gateway-start, gateway-stop], lane: observe, command: " + line("user") + "}\n"
	}
	if err := os.MkdirAll(filepath.Dir(user), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(user, []byte("hooks:\n"+users), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "TOLD="+told)
	return w
}

func (w *world) told() []string {
	w.t.Helper()
	text, err := os.ReadFile(w.getenv("TOLD"))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return strings.Fields(string(text))
}

func TestHooksHearOnceThatTheDaemonBeginsAndEnds(t *testing.T) {
	w := gateway(t, "")
	w.ask(w.bash("s-1", "t-1", "ls")) // quicker than the daemon's own begin
	w.GatewayStart(hook.GatewayInfo{Version: "1"})
	w.GatewayStart(hook.GatewayInfo{Version: "2"})
	w.ask(w.bash("s-1", "t-2", "ls"))
	other := w.bash("s-2", "t-1", "ls") // the same hooks, in an engine of its own
	other.Env = append(slices.Clone(w.env), "CLAUDE_CONFIG_DIR="+w.dir)
	w.ask(other)
	if _, err := w.Fire(t.Context(), judge.Firing{Event: "Notification", Payload: []byte(`{"message":"x"}`)}); err != nil {
		t.Fatal(err)
	}
	w.GatewayStop(t.Context(), "the test is over")
	w.GatewayStop(t.Context(), "again")
	w.GatewayStart(hook.GatewayInfo{})
	w.ask(w.bash("s-1", "t-3", "ls"))
	got := map[string]int{}
	for pair := range slices.Chunk(w.told(), 2) {
		got[strings.Join(pair, " ")]++
	}
	for _, want := range []string{"user GatewayStart", "user GatewayStop", "workspace GatewayStart", "workspace GatewayStop"} {
		if got[want] != 1 {
			t.Errorf("%s came %d times; all: %v", want, got[want], got)
		}
	}
	if len(got) != 4 {
		t.Errorf("got: %v", got)
	}
	w.want(w.recorded(), "GatewayStart continue", "GatewayStop continue", "GatewayStop observed")
}

func TestHooksThatHangHoldUpNoEnd(t *testing.T) {
	w := gateway(t, "  - {id: hang, on: [GatewayStart, GatewayStop], command: 'sleep 1000'}\n")
	w.GatewayStart(hook.GatewayInfo{})
	began := time.Now()
	w.GatewayStop(t.Context(), "the test is over")
	if took := time.Since(began); took > patient {
		t.Errorf("it took %v", took)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestNobodyHearsOfAnEndWithoutABegin(t *testing.T) {
	w := gateway(t, "")
	w.ask(w.bash("s-1", "t-1", "ls"))
	w.GatewayStop(context.Background(), "it never began")
	if told := w.told(); len(told) != 0 {
		t.Errorf("told: %v", told)
	}
}
