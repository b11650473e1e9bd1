//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay"
)

// unwrapped is an agent without hookway run: it calls hookway-hook by itself.
type unwrapped struct {
	*agentHome
	store *relay.Store
}

const unwrappedSession = "0c4f42e8-5a80-4f60-a788-417b387c20e8"

func startUnwrapped(t *testing.T, daemon bool, hooks string) *unwrapped {
	t.Helper()
	g := &unwrapped{agentHome: newAgentHome(t, daemon, map[string]string{"project/hookway.yaml": hooks})}
	t.Cleanup(func() { _ = g.hookway("stop").Run() })
	return g
}

func (g *unwrapped) file(name string) string { return filepath.Join(g.dir, "project", name) }

// shim is a call of the agent's hook, not yet started.
func (g *unwrapped) shim(name string, fields ...any) *exec.Cmd {
	g.t.Helper()
	text := claudeEvent(g.t, name, unwrappedSession, g.dir, &g.tools, fields...)
	cmd := g.program("hookway-hook", "claude", "--timeout", "60s")
	cmd.Stdin = strings.NewReader(text)
	return cmd
}

// event gives the answer to an event, as the agent reads it.
func (g *unwrapped) event(name string, fields ...any) string {
	g.t.Helper()
	out, err := g.shim(name, fields...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		g.t.Errorf("%s: got %v: %s, want !errors.As(err, &exit)", name, err, exit.Stderr)
	} else {
		g.must(err)
	}
	return string(out)
}

// mail sends a message to the agent, and brings it there as the daemon does.
func (g *unwrapped) mail(to, text string) (id string) {
	g.t.Helper()
	ctx := g.t.Context()
	if g.store == nil {
		s, err := relay.Open(ctx, filepath.Join(g.dir, "home", "state", "relay"), relay.Options{Machine: "here"})
		g.must(err)
		g.t.Cleanup(func() { _ = s.Close() })
		g.store = s
	}
	if to == "" {
		return ""
	}
	sent, err := g.store.Send(ctx, relay.Message{From: "Bob", To: to, Content: text})
	g.must(err)
	return sent.Message.ID
}

func (g *unwrapped) is(id string, want relay.State) relay.Receipt {
	g.t.Helper()
	var all []relay.Receipt
	g.until("the message is "+string(want), func() bool { // that an answer was printed is noted after it was
		var err error
		_, all, err = g.store.Receipts(g.t.Context(), id)
		g.must(err)
		return len(all) == 1 && all[0].State == want
	})
	return all[0]
}

// seen has things happen in the session until a message counts as seen.
func (g *unwrapped) seen(id string) relay.Receipt {
	g.t.Helper()
	g.until("the message is seen", func() bool {
		if got := g.event("PostToolUse"); strings.Contains(got, "Message") {
			g.t.Errorf("it came twice: %s", got)
		}
		_, all, err := g.store.Receipts(g.t.Context(), id)
		g.must(err)
		return len(all) == 1 && all[0].State == relay.StateSeen
	})
	return g.is(id, relay.StateSeen)
}

func (g *unwrapped) running(want bool) {
	g.t.Helper()
	all, err := g.store.Agents(g.t.Context())
	g.must(err)
	if len(all) != 1 || all[0].Name != "claude-0c4f" || all[0].Running != want {
		g.t.Errorf("the agents are %+v, want one that runs: %v", all, want)
	}
}

// until waits for something that nobody tells.
func (g *unwrapped) until(what string, holds func() bool) {
	g.t.Helper()
	eventually.True(g.t, what, holds)
}

const noHooks = "version: 1\n"

func TestAMessageReachesAnAgentThatNobodyHasWrapped(t *testing.T) {
	for mode, daemon := range map[string]bool{"daemon": true, "off": false} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			g := startUnwrapped(t, daemon, noHooks)
			g.event("SessionStart", "source", "startup")
			g.mail("", "") // somebody uses the relay for the first time
			g.event("UserPromptSubmit")
			id := g.mail("claude-0c4f", "the build is green")
			want := "Message from Bob [" + relay.Short(id) + "]: the build is green"
			if got := g.event("PreToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "ls"}); strings.Contains(got, want) {
				t.Errorf("an event that takes no text answered %s", got)
			}
			if got := g.event("PostToolUse"); !strings.Contains(got, want) {
				t.Errorf("the event answered %s", got)
			}
			if r := g.is(id, relay.StateInjected); r.How != "hook" || r.Repeat {
				t.Errorf("the receipt is %+v", r)
			}
			g.seen(id)
			again := g.mail("claude-0c4f", "one more thing")
			if got := g.event("Stop"); !strings.Contains(got, `"block"`) || !strings.Contains(got, "one more thing") {
				t.Errorf("the stop was answered %s", got)
			}
			g.seen(again)
			g.event("Stop", "stop_hook_active", true)
			g.event("SessionEnd", "reason", "other")
			g.running(false)
			later := g.mail("claude-0c4f", "for another time")
			g.is(later, relay.StateAccepted)
			if got := g.event("SessionStart", "source", "resume"); !strings.Contains(got, "for another time") {
				t.Errorf("when it is resumed, it is given %s", got)
			}
			if daemon {
				g.running(true)
			}
		})
	}
}

func TestWhoNeverWritesHasNoFileOfMessages(t *testing.T) {
	t.Parallel()
	g := startUnwrapped(t, true, noHooks)
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"} {
		g.event(event)
	}
	if _, err := os.Stat(filepath.Join(g.dir, "home", "state", "relay")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of messages: %v", err)
	}
}

// An agent that began before anybody used the relay is met, though nothing happens
// in it.
func TestAnAgentAtRestIsMet(t *testing.T) {
	t.Parallel()
	g := startUnwrapped(t, true, noHooks)
	g.event("SessionStart", "source", "startup")
	g.mail("", "")
	g.until("the agent is known", func() bool {
		all, err := g.store.Agents(t.Context())
		g.must(err)
		return len(all) == 1 && all[0].Running
	})
}

// The daemon is killed when it has begun one message, and looks at the next.
func TestADaemonThatIsKilledDoublesAndLosesNothing(t *testing.T) {
	t.Parallel()
	g := startUnwrapped(t, true, `hooks:
  - {id: murder, on: MessageReceived, match: {fields: {content: "*second*"}}, command: '[ -e killed ] || { touch killed; kill -9 $PPID; }'}
`)
	g.mail("", "")
	g.event("SessionStart", "source", "startup")
	first, second := g.mail("claude-0c4f", "the first text"), g.mail("claude-0c4f", "the second text")
	got := g.event("PostToolUse")
	if _, err := os.Stat(g.file("killed")); err != nil {
		t.Fatal("the daemon was not killed")
	}
	if strings.Count(got, "the first text") != 1 || strings.Count(got, "the second text") != 1 || strings.Contains(got, "repeat") {
		t.Errorf("the event answered %s", got)
	}
	for _, id := range []string{first, second} {
		if r := g.seen(id); r.Repeat {
			t.Errorf("the receipt is %+v", r)
		}
	}
}

// Nobody reads what the shim prints, so that it has the answer, and dies with it.
func TestAShimThatIsKilledBeforeItPrintsLosesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ transcript, want string }{
		"a transcript":    {`{"text":"something else"}`, "the build is green"},
		"a transcript of": {`{"text":"Message from Bob [ID]: the build is green"}`, ""},
		"no transcript":   {"", "the build is green (may be a repeat)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := startUnwrapped(t, true, noHooks)
			g.mail("", "")
			fields := []any{}
			if c.transcript != "" {
				fields = append(fields, "transcript_path", g.file("transcript.jsonl"))
			}
			g.event("SessionStart", append(fields, "source", "startup")...)
			id := g.mail("claude-0c4f", "the build is green")
			shim := g.shim("PostToolUse", fields...)
			out := fullPipe(t)
			shim.Stdout = out
			g.must(shim.Start())
			for deadline := time.Now().Add(patient / 4); !printing(shim.Process.Pid); time.Sleep(2 * time.Millisecond) {
				if time.Now().After(deadline) {
					where := waitsIn(shim.Process.Pid)
					_ = shim.Process.Kill()
					if strings.Trim(where, "0 ") != "" {
						t.Fatalf("the shim prints nothing: it waits in %s", where)
					}
					t.Skip("this system does not show where a process waits, so not when it waits for the reader of its pipe")
				}
			}
			g.must(shim.Process.Kill())
			_ = shim.Wait()
			g.must(os.WriteFile(g.file("transcript.jsonl"), []byte(strings.ReplaceAll(c.transcript, "ID", relay.Short(id))), 0o600))
			now := time.Now().Add(time.Second) // the agent writes later
			g.must(os.Chtimes(g.file("transcript.jsonl"), now, now))
			got := ""
			g.until("the message is decided", func() bool {
				got += g.event("PostToolUse", fields...)
				_, all, err := g.store.Receipts(t.Context(), id)
				g.must(err)
				return all[0].State != relay.StateAccepted
			})
			told := 1
			if c.want == "" {
				told = 0
			}
			if n := strings.Count(got, "the build is green"); n != told || !strings.Contains(got, c.want) {
				t.Errorf("then it was given %s, want %q, %d times", got, c.want, told)
			}
			if repeats := strings.Contains(got, "repeat"); told == 1 && repeats != strings.Contains(c.want, "repeat") {
				t.Errorf("then it was given %s, want %q", got, c.want)
			}
		})
	}
}

// fullPipe is one into which nothing more goes.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	raw, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 4<<10)
	if err := raw.Write(func(fd uintptr) bool {
		for len(chunk) > 0 {
			n, err := syscall.Write(int(fd), chunk)
			if err != nil {
				chunk = chunk[:len(chunk)/2]
			} else if n < len(chunk) {
				chunk = chunk[:n]
			}
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return w
}

// printing reports whether a process waits for somebody to read from its pipe.
func printing(pid int) bool { return strings.Contains(waitsIn(pid), "pipe_w") }

// waitsIn is where in the kernel the threads of a process wait: any of them may be
// the one that writes. It is empty or noughts if that is not known.
func waitsIn(pid int) (places string) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", pid))
	for _, file := range threads {
		place, _ := os.ReadFile(file)
		places += string(place) + " "
	}
	return places
}
