//go:build linux || darwin

package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
)

// TestTheTitleSaysThatAWrappedAgentAsks has a program under hookway run ask about a call,
// and a person in another terminal answer.
func TestTheTitleSaysThatAWrappedAgentAsks(t *testing.T) {
	t.Parallel()
	g := startUnwrapped(t, false, "hooks: []\n")
	g.env = append(g.env, storyRoot+"="+strconv.Itoa(os.Getpid()))
	g.place("home/config/hookway.yaml", []byte("guards: {use: default, mode: enforce}\n"))
	g.place("push.json", []byte(claudeEvent(t, "PreToolUse", unwrappedSession, g.dir, &g.tools, "tool_name", "Bash", "tool_input", map[string]any{"command": "git push --force origin main"})))
	c := &conversation{}
	run := g.hookway("run", "-n", "Alice", "--", "sh", "-c", `printf '\033]0;own\033\\'; hookway-hook claude --timeout 60s <`+g.dir+`/push.json >`+g.dir+`/said; read x; echo over`)
	g.must(c.start(run))
	step := func(line string) {
		t.Helper()
		if err := c.do(line); err != nil {
			_ = run.Process.Kill()
			t.Fatalf("%q: %v", line, err)
		}
	}
	step("< \x1b[22;0t\x1b]2;Alice asks: hookway approvals allow ")
	code, err := c.in.ReadString('\x1b')
	g.must(err)
	code = strings.TrimSuffix(code, "\x1b")
	step("< \a")
	shown, err := atTerminal(g.hookway("approvals", "allow", code), "y")
	if err != nil || !strings.Contains(shown, "Allowed once") {
		t.Errorf(`%v: got %s, want err == nil and strings.Contains(shown, "Allowed once")`, err, shown)
	}
	step("< \x1b[23;0t\x1b]0;own\x1b\\")
	step(`> \r`)
	step("< over")
	if _, err := c.end(); err != nil {
		t.Error(err)
	}
}

func TestTheTitleOfWhatIsAsked(t *testing.T) {
	soon, later := time.Now().Add(time.Minute), time.Now().Add(time.Hour)
	mine := func(code string, state approve.State, until time.Time) approve.Request {
		return approve.Request{Code: code, Session: "s-1", State: state, Until: until}
	}
	rung := map[string]bool{}
	for _, c := range []struct {
		all  []approve.Request
		want string
		ring bool
	}{
		{nil, "", false},
		{[]approve.Request{{Code: "A", Session: "s-2", State: approve.Waiting, Until: soon}, mine("B", approve.Denied, soon)}, "", false},
		{[]approve.Request{mine("C", approve.Waiting, later)}, "Alice asks: hookway approvals allow C", true},
		{[]approve.Request{mine("C", approve.Waiting, later)}, "Alice asks: hookway approvals allow C", false},
		{[]approve.Request{mine("C", approve.Waiting, later), mine("D", approve.Waiting, soon)}, "Alice asks about 2 calls: hookway approvals", true},
		{[]approve.Request{mine("C", approve.Used, later)}, "", false},
	} {
		if text, ring, _ := asksTitle(c.all, "s-1", "Alice", rung); text != c.want || ring != c.ring {
			t.Errorf("%+v: %q, ring %v; want %q, %v", c.all, text, ring, c.want, c.ring)
		}
	}
}
