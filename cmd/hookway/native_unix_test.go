//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/rogpeppe/go-internal/testscript"
)

// patient bounds each wait of these tests; none comes near it.
const patient = time.Minute

// fakeClaude is an agent that does what it is told by a pipe: it calls hookway's
// hook as Claude Code does, prints, and ends. What is typed to it goes to a file.
const fakeClaude = `#!/bin/sh
stty -echo
cat </dev/tty >>"$AGENT/typed" &
printf '\n❯ '
exec 3<"$AGENT/do" 4>"$AGENT/done"
echo ready >&4
while IFS= read -r line <&3; do
	case $line in
	event*) answer=$(printf '%s' "${line#event }" | hookway-hook claude --timeout 60s 2>&1 | tr -d '\n') ;;
	say*) printf '\r%s\n\n❯ ' "${line#say }"; answer=said ;;
	exit) exit 0 ;;
	die) kill -9 $$ ;;
	esac
	printf '%s\n' "$answer" >&4
done
`

var shimOnce = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "shim")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "hookway-hook")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../hookway-hook")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(program)
})

func init() { storyCommands["shim"] = putShim }

// putShim puts what agents call into the story's PATH.
func putShim(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: shim")
	}
	program, err := shimOnce()
	ts.Check(err)
	dir := ts.MkAbs("bin")
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(os.WriteFile(filepath.Join(dir, "hookway-hook"), program, 0o700))
	ts.Setenv("PATH", dir+string(os.PathListSeparator)+ts.Getenv("PATH"))
}

// wrapped is hookway run with a fake Claude Code in it.
type wrapped struct {
	*agentHome
	run     *exec.Cmd
	ended   chan error
	orders  *os.File
	answers *bufio.Reader
	reads   *os.File
}

func startWrapped(t *testing.T, daemon bool) *wrapped {
	t.Helper()
	w := &wrapped{ended: make(chan error, 1), agentHome: newAgentHome(t, daemon, map[string]string{
		"bin/claude": fakeClaude,
		"project/hookway.yaml": `hooks:
  - {id: begins, on: SessionStart, inject: from the hooks}
  - {id: life, on: [SessionStart, SessionEnd], command: 'cat >> life; echo >> life'}
  - {id: tell, on: Directive, match: {namespace: tell}, inject: a note}
`,
	})}
	w.begin()
	return w
}

// begin starts hookway run and waits for the agent.
func (w *wrapped) begin() {
	w.t.Helper()
	for _, name := range []string{"do", "done"} {
		w.must(syscall.Mkfifo(filepath.Join(w.dir, name), 0o600))
	}
	open := func(name string) *os.File {
		f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_RDWR|syscall.O_NONBLOCK, 0)
		w.must(err)
		w.t.Cleanup(func() { f.Close() })
		return f
	}
	w.orders, w.reads = open("do"), open("done")
	w.answers = bufio.NewReader(w.reads)
	w.run = w.hookway("run", "-n", "Alice", "--", "claude")
	keys, user, err := os.Pipe() // a user who types nothing
	w.must(err)
	screen, err := os.Create(filepath.Join(w.dir, "screen"))
	w.must(err)
	w.run.Stdin, w.run.Stdout, w.run.Stderr = keys, screen, screen
	w.must(w.run.Start())
	keys.Close()
	screen.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.ended <- w.run.Wait()
	}()
	w.t.Cleanup(func() {
		_ = w.run.Process.Kill()
		<-done
		user.Close()
		_ = w.hookway("stop").Run()
	})
	if got := w.answer(); got != "ready" {
		w.t.Fatalf("the agent said %q; %s", got, w.text("screen"))
	}
}

func (w *wrapped) answer() string {
	w.t.Helper()
	w.must(w.reads.SetReadDeadline(time.Now().Add(patient)))
	line, err := w.answers.ReadString('\n')
	if err != nil {
		w.t.Fatalf("the agent does not answer: %v; %s", err, w.text("screen"))
	}
	return strings.TrimSuffix(line, "\n")
}

// order has the agent do something, and gives what came of it.
func (w *wrapped) order(line string) string {
	w.t.Helper()
	w.send(line)
	return w.answer()
}

func (w *wrapped) send(line string) {
	w.t.Helper()
	_, err := w.orders.WriteString(line + "\n")
	w.must(err)
}

// claudeEvent is an event as Claude Code reports it, with some fields more. tools
// counts its calls of tools.
func claudeEvent(t *testing.T, name, session, dir string, tools *int, fields ...any) string {
	t.Helper()
	event := map[string]any{"hook_event_name": name, "session_id": session, "cwd": filepath.Join(dir, "project")}
	switch name {
	case "UserPromptSubmit":
		event["prompt"] = "work"
	case "PostToolUse":
		*tools++
		event["tool_name"], event["tool_use_id"], event["tool_input"] = "Bash", fmt.Sprint("t", *tools), map[string]any{"command": "ls"}
	}
	for i := 0; i < len(fields); i += 2 {
		event[fields[i].(string)] = fields[i+1]
	}
	text, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// event has the agent report an event.
func (w *wrapped) event(name string, fields ...any) string {
	w.t.Helper()
	return w.order("event " + claudeEvent(w.t, name, "claudes-own", w.dir, &w.tools, fields...))
}

func (w *wrapped) text(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(text)
}

// until waits for something that nobody tells.
func (w *wrapped) until(what string, holds func() bool) {
	w.t.Helper()
	eventually.True(w.t, what, holds, func() string { return w.text("screen") })
}

// waits reports whether a text waits for an event.
func (w *wrapped) waits() bool {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.dir, "home", "state", "wrapped", "*", "state.json"))
	w.must(err)
	return len(files) == 1 && strings.Contains(w.text(strings.TrimPrefix(files[0], w.dir)), `"waiting"`)
}

func (w *wrapped) killDaemon() {
	w.t.Helper()
	out, err := w.hookway("status", "--json").Output()
	w.must(err)
	var status struct{ PID int }
	w.must(json.Unmarshal(out, &status))
	w.must(syscall.Kill(status.PID, syscall.SIGKILL))
}

// ends waits for the end of run, and compares its exit code.
func (w *wrapped) ends(code int) {
	w.t.Helper()
	select {
	case err := <-w.ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			w.t.Fatal(err)
		}
		if got := w.run.ProcessState.ExitCode(); got != code {
			w.t.Errorf("hookway run ended with %d, want %d: %s", got, code, w.text("screen"))
		}
	case <-time.After(patient):
		w.t.Fatalf("hookway run does not end: %s", w.text("screen"))
	}
}

// lived checks that the hooks of begin and end ran once, that the record shows
// it, and that it has one session and agent.
func (w *wrapped) lived() {
	w.t.Helper()
	for _, event := range []string{"SessionStart", "SessionEnd"} {
		if n := strings.Count(w.text("project/life"), `"hook_event_name":"`+event+`"`); n != 1 {
			w.t.Errorf("%s was fired %d times:\n%s", event, n, w.text("project/life"))
		}
	}
	out, err := w.hookway("log", "--json").Output()
	w.must(err)
	count, who := map[string]int{}, map[string]bool{}
	for line := range bytes.Lines(out) {
		var r struct{ Event, Session, Agent string }
		w.must(json.Unmarshal(line, &r))
		count[r.Event]++
		who[r.Session+"/"+r.Agent] = true
	}
	if count["SessionStart"] != 1 || count["SessionEnd"] != 1 || len(who) != 1 {
		w.t.Errorf("the log has %v of %v", count, who)
	}
	for one := range who {
		if session, agent, _ := strings.Cut(one, "/"); session == "" || session == "claudes-own" || agent != "Alice" {
			w.t.Errorf("the log has events of %s", one)
		}
	}
}

// typed is how often the note was typed.
func (w *wrapped) typed() int { return strings.Count(w.text("typed"), "a note") }

// works has the agent report tools until an event brings the note.
func (w *wrapped) works() {
	w.t.Helper()
	w.until("a text waits", w.waits)
	if got := w.event("PostToolUse"); !strings.Contains(got, "a note") {
		w.t.Errorf("the event answered %s", got)
	}
	if got := w.event("PostToolUse"); strings.Contains(got, "a note") {
		w.t.Errorf("the text came twice: %s", got)
	}
}

func TestAWrappedAgentIsOneSession(t *testing.T) {
	for _, mode := range []string{"daemon", "daemon killed", "off"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := startWrapped(t, mode != "off")
			if got := w.event("SessionStart", "source", "startup"); strings.Count(got, "from the hooks") != 1 {
				t.Errorf("the begin was answered %s", got)
			}
			w.event("UserPromptSubmit")
			w.order("say @tell:me now")
			w.until("a text waits", w.waits)
			if mode == "daemon killed" {
				w.killDaemon()
			}
			w.works()
			if n := w.typed(); n != 0 {
				t.Errorf("the text was typed %d times too", n)
			}
			w.event("Stop")
			w.order("say @tell:me again") // now it has nothing to do
			w.until("the text is typed", func() bool { return w.typed() > 0 })
			if got := w.event("UserPromptSubmit", "prompt", "a note"); strings.Contains(got, "additionalContext") {
				t.Errorf("the text came twice: %s", got)
			}
			w.event("SessionEnd", "reason", "prompt_input_exit")
			w.event("SessionEnd", "reason", "prompt_input_exit") // as Gemini CLI does
			w.send("exit")
			w.ends(0)
			if n := w.typed(); n != 1 {
				t.Errorf("the text was typed %d times: %s", n, w.text("typed"))
			}
			w.lived()
		})
	}
}

func TestATurnThatEndsLeavesTheTextToBeTyped(t *testing.T) {
	t.Parallel()
	w := startWrapped(t, true)
	w.event("SessionStart", "source", "startup")
	w.event("UserPromptSubmit")
	w.order("say @tell:me now")
	w.until("a text waits", w.waits)
	if got := w.event("Stop", "stop_hook_active", true); strings.Contains(got, "a note") {
		t.Errorf("an agent that went on already was made to again: %s", got)
	}
	w.until("the text is typed", func() bool { return w.typed() > 0 })
	if got := w.event("PostToolUse"); strings.Contains(got, "a note") {
		t.Errorf("the text came twice: %s", got)
	}
	w.send("exit")
	w.ends(0)
	if n := w.typed(); n != 1 {
		t.Errorf("the text was typed %d times", n)
	}
	w.lived()
}

// An agent that is killed, or does not report its end, has one all the same.
func TestAnAgentThatReportsNoEndHasOne(t *testing.T) {
	for how, code := range map[string]int{"exit": 0, "die": 128 + int(syscall.SIGKILL)} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := startWrapped(t, true)
			w.event("SessionStart", "source", "startup")
			w.event("UserPromptSubmit")
			w.send(how)
			w.ends(code)
			w.lived()
			if exits := strings.Count(w.text("project/life"), fmt.Sprintf(`"exit_code":%d`, code)); exits != 1 {
				t.Errorf("the end does not tell how: %s", w.text("project/life"))
			}
		})
	}
}

// An agent that the wrapped one starts inherits its session, and has a begin and
// an end of its own.
func TestAnAgentWithinIsNotTheWrappedOne(t *testing.T) {
	t.Parallel()
	w := startWrapped(t, true)
	w.event("SessionStart", "source", "startup")
	w.event("UserPromptSubmit")
	w.event("SessionStart", "source", "startup", "session_id", "inner")
	w.event("SessionEnd", "reason", "other", "session_id", "inner")
	w.send("exit")
	w.ends(0)
	out, err := w.hookway("log", "--json").Output()
	w.must(err)
	var all []string
	for line := range bytes.Lines(out) {
		var r struct{ Event, Agent string }
		w.must(json.Unmarshal(line, &r))
		all = append(all, r.Event+" "+r.Agent)
	}
	slices.Sort(all)
	want := "AgentStart Alice, SessionEnd Alice, SessionEnd claude, SessionStart Alice, SessionStart claude"
	if got := strings.Join(all, ", "); got != want {
		t.Errorf("the log has %s, want %s", got, want)
	}
}
