package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire/call"
)

// What the daemon may take for one event more than when it rests, and how long a decision
// of another workspace may take meanwhile.
const (
	mostTaken  = 32 << 20
	mostWaited = 100 * time.Millisecond
)

// shared is a daemon of the program itself, as it is for its user: the race detector would
// take five times as much.
type shared struct {
	*testing.T
	root   string
	env    []string
	places call.Places
	pid    int
	calls  int
}

func newShared(t *testing.T) *shared {
	root, err := os.MkdirTemp("", "hw") // the path of a socket may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	program := filepath.Join(root, "hookway")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := &shared{T: t, root: root, env: []string{"HOME=" + root, "HOOKWAY_HOME=" + filepath.Join(root, "home"), "PATH=" + os.Getenv("PATH")}}
	s.put("home/config/hookway.yaml", "guards: {use: default, mode: enforce}\n")
	s.places, err = call.Find(func(name string) string { return map[string]string{"HOOKWAY_HOME": filepath.Join(root, "home")}[name] })
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve")
	cmd.Env = s.env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
	s.pid = cmd.Process.Pid
	eventually.True(t, "the daemon is there", func() bool { return s.client() != nil })
	return s
}

func (s *shared) put(name, text string) {
	path := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *shared) client() *daemon.Client {
	c, _ := daemon.Dial(context.Background(), s.places.Socket)
	return c
}

// ask has a call judged in a folder.
func (s *shared) ask(agent, dir, tool string, input any) call.Reply {
	c := s.client()
	defer c.Close()
	s.calls++
	dir = filepath.Join(s.root, dir)
	event, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": fmt.Sprint(dir, s.calls/20), "cwd": dir, "tool_name": tool, "tool_use_id": fmt.Sprint(s.calls), "tool_input": input})
	if err != nil {
		s.Fatal(err)
	}
	reply, err := c.Do(context.Background(), &call.Request{Kind: call.KindHook, Agent: agent, Dir: dir, Env: s.env, Stdin: event, Timeout: time.Minute})
	if err != nil {
		s.Error(err)
	}
	return reply
}

// held is the memory of the daemon that is no page of a file.
func (s *shared) held() (bytes int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "RssAnon: %d kB", &bytes); n == 1 {
			return bytes << 10
		}
	}
	s.Fatal("the system does not tell what the daemon holds")
	return 0
}

// hostile is a call that may take much.
type hostile struct {
	name, agent, tool string
	input             any
}

func bash(line string) any { return map[string]any{"command": line} }

func (s *shared) hostileCalls() []hostile {
	each := strings.Repeat(". ./x.sh\nsh ./y.sh\n", 3200)
	s.put("a/x.sh", each)
	s.put("a/y.sh", each)
	many := map[string]any{}
	for i := range 49_000 {
		many[fmt.Sprint("k", i)] = i
	}
	var patch strings.Builder
	var edits []any
	for i := range 20_000 {
		fmt.Fprintf(&patch, "*** Add File: d/f%d.txt\n+x\n", i)
		edits = append(edits, map[string]any{"old_string": fmt.Sprint("a", i), "new_string": "b"})
	}
	return []hostile{
		{"scripts that source each other", "claude", "Bash", bash("sh x.sh")},
		{"a list that grows", "claude", "Bash", bash("a=(" + strings.Repeat("x y z ", 5000) + ")\n" + strings.Repeat("b+=(\"${a[@]}\")\nrm \"${b[@]}\"\n", 1000))},
		{"many values", "claude", "mcp__a__b", many},
		{"a patch of many files", "codex", "apply_patch", bash("*** Begin Patch\n" + patch.String() + "*** End Patch\n")},
		{"many edits of one file", "claude", "MultiEdit", map[string]any{"file_path": "a.txt", "edits": edits[:12_000]}},
		{"a large text", "claude", "Write", map[string]any{"file_path": "a.md", "content": strings.Repeat("The fox jumps. ", 1<<20)}},
		{"a text just small enough", "claude", "Write", map[string]any{"file_path": "a.sh", "content": strings.Repeat("rm -rf x; ", 100_000)}},
	}
}

// elsewhere has a call of another workspace judged, and gives the time that it took.
func (s *shared) elsewhere() time.Duration {
	began := time.Now()
	s.ask("claude", "other", "Bash", bash(fmt.Sprint("grep -n x", s.calls, " README.md")))
	return time.Since(began)
}

// beside has calls of another workspace judged while the hostile one is: what they took,
// sorted, and the most that the daemon held.
func (s *shared) beside(c hostile) (waited []time.Duration, peak int64) {
	done := make(chan call.Reply, 1)
	attacker := *s
	attacker.calls += 1_000_000
	go func() { done <- attacker.ask(c.agent, "a", c.tool, c.input) }()
	for over := false; !over || len(waited) < 10; {
		select {
		case <-done:
			over = true
		default:
		}
		waited = append(waited, s.elsewhere())
		peak = max(peak, s.held())
	}
	slices.Sort(waited)
	return waited, peak
}

// TestOneWorkspaceTakesLittleFromOthers: whatever a folder or an event holds, the daemon
// that all share stays small, and others are answered meanwhile.
func TestOneWorkspaceTakesLittleFromOthers(t *testing.T) {
	s := newShared(t)
	for range 50 {
		s.elsewhere()
	}
	rest := s.held()
	for _, c := range s.hostileCalls() {
		eventually.True(t, "memory goes back before "+c.name, func() bool { return s.held() < rest+mostTaken/2 })
		idle := s.held()
		waited, peak := s.beside(c)
		slowest, usual := waited[len(waited)-1], waited[len(waited)/2]
		t.Logf("%s: %.1f MiB more; another decision took %v at most, %v as a rule (of %d)", c.name, float64(peak-idle)/(1<<20), slowest, usual, len(waited))
		if peak-idle > mostTaken {
			t.Errorf("%s: the daemon took %d MiB more, want at most %d", c.name, (peak-idle)>>20, mostTaken>>20)
		}
		if usual > mostWaited { // the slowest one tells of the machine, too
			t.Errorf("%s: a decision of another workspace took %v, want at most %v", c.name, usual, mostWaited)
		}
	}
}
