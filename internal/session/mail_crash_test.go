//go:build linux || darwin

package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/session"
)

// remember has the agent of the kit keep what it was told: in a file, and in
// another one as agents do.
//
// Whoever ends it meanwhile waits until it is in both: one that says what it got,
// and keeps no record of it, is not an agent.
func remember(text string) {
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGHUP, syscall.SIGTERM)
	defer func() {
		signal.Stop(ends)
		select {
		case <-ends:
			os.Exit(1)
		default:
		}
	}()
	keep := func(path, line string) {
		if path == "" {
			return
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(line + "\n")
		}
		if err != nil {
			panic(err)
		}
		f.Close()
	}
	keep(os.Getenv("AGENT_MEMORY"), text)
	entry, err := json.Marshal(map[string]any{"type": "user", "timestamp": time.Now().Format(time.RFC3339Nano), "message": map[string]any{"content": text}})
	if err != nil {
		panic(err)
	}
	keep(os.Getenv("AGENT_TRANSCRIPT"), string(entry))
}

// record is the file in which an agent of the kit keeps what it was given.
type record string

func newRecord(t *testing.T) record { return record(filepath.Join(t.TempDir(), "received")) }

func (m record) env() string { return "AGENT_MEMORY=" + string(m) }

func (m record) lines() []string {
	text, _ := os.ReadFile(string(m))
	all := strings.Split(string(text), "\n")
	return all[:len(all)-1]
}

// from gives the texts of a sender's messages, in the order in which they came.
func (m record) from(name string) (texts []string) {
	for _, line := range m.lines() {
		if text, ok := strings.CutPrefix(line, "Message from "+name+" ["); ok {
			_, text, _ = strings.Cut(text, "]: ")
			texts = append(texts, text)
		}
	}
	return texts
}

// of counts how often a message was received, and how often with the mark of a repeat.
func (m record) of(id string) (n, marked int) {
	for _, line := range m.lines() {
		if strings.Contains(line, "["+relay.Short(id)+"]") {
			n++
			if strings.HasSuffix(line, " (may be a repeat)") {
				marked++
			}
		}
	}
	return n, marked
}

// mailrun wraps the agent of the kit for tests that kill it. At the step of a
// message that STOP_AT names it says so, and goes no further.
func mailrun() {
	var engine hook.Engine
	stop := func(step, id string) {
		if step == os.Getenv("STOP_AT") {
			fmt.Fprintln(os.Stderr, "stopped at", step, id)
			select {}
		}
	}
	err := engine.Add(hook.New("received", hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		stop("taken", ev.Body().(hook.Message).ID)
		return hook.Decision{}, nil
	}), hook.For("MessageReceived"), hook.Timeout(0)))
	if err != nil {
		panic(err)
	}
	os.Unsetenv("SESSION_TEST_PROGRAM")
	cfg := session.Config{
		Engine: &engine, Name: "Alice", Command: []string{os.Args[0]}, History: os.Getenv("MAILBOX_HISTORY"), IdleThreshold: -1,
		Env: append(os.Environ(), "SESSION_TEST_PROGRAM=agent"), Stdin: os.Stdin, Stdout: os.Stdout,
		Mail: &session.Mail{Open: func(ctx context.Context) (*relay.Store, error) {
			return relay.Open(ctx, os.Getenv("MAILBOX"), noLimits)
		}},
		Warn: func(text string) { fmt.Fprintln(os.Stderr, text) },
		Reach: func(c *session.Control) func() {
			c.Steps(stop)
			return func() {}
		},
	}
	if path := os.Getenv("AGENT_TRANSCRIPT"); path != "" {
		cfg.AgentHooks, cfg.Native = &ownHooks{activity: delivery.Activity{Events: 1, Transcript: path}}, true
	}
	if _, err := session.Run(context.Background(), cfg); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// mailProcess is a mailrun.
type mailProcess struct {
	*exec.Cmd
	said  log[string] // on stderr
	ended sync.WaitGroup
}

func (c *mailbox) process(env ...string) *mailProcess {
	c.t.Helper()
	p := &mailProcess{Cmd: exec.Command(os.Args[0])}
	p.Env = append(append(os.Environ(), "SESSION_TEST_PROGRAM=mailrun", "MAILBOX="+c.dir, "AGENT_SAYS=ready"), env...)
	stdin, _ := keyboard(c.t)
	p.Stdin = stdin
	out, err := p.StderrPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	p.ended.Go(func() {
		for in := bufio.NewScanner(out); in.Scan(); {
			p.said.add(in.Text())
		}
		_ = p.Wait()
	})
	c.t.Cleanup(p.kill)
	return p
}

// kill ends the process as nothing else does, and waits until it is gone.
func (p *mailProcess) kill() {
	_ = p.Process.Kill()
	p.ended.Wait()
}

func (p *mailProcess) stopped(t *testing.T, step string) {
	t.Helper()
	p.said.await(t, "the stop at "+step, func(all []string) bool {
		return slices.ContainsFunc(all, func(line string) bool { return strings.HasPrefix(line, "stopped at "+step) })
	})
}

// TestRunIsKilledAtAnyMoment: whatever run was about to do with a message, the
// agent's next session gets it if the agent has not, and says so if that is not known.
func TestRunIsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step       string
		history    bool
		transcript bool
		n, marked  int // how often the agent has the message at the end
	}{
		"taken":                                    {step: "taken", n: 1},
		"claimed, and nothing tells of it":         {step: "claimed", n: 1, marked: 1},
		"claimed, and the output is kept":          {step: "claimed", history: true, n: 1, marked: 1},
		"claimed, and the agent keeps a record":    {step: "claimed", transcript: true, n: 1},
		"typed, and nothing tells of it":           {step: "shown", n: 2, marked: 1},
		"typed, and the output is kept":            {step: "shown", history: true, n: 1},
		"typed, and the agent keeps a record":      {step: "shown", transcript: true, n: 1},
		"noted":                                    {step: "noted", n: 1},
		"noted, and the agent keeps a record, too": {step: "noted", history: true, transcript: true, n: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mailbox, record := newMailbox(t), newRecord(t)
			env := []string{record.env()}
			history := filepath.Join(t.TempDir(), "output")
			if c.history {
				env = append(env, "MAILBOX_HISTORY="+history)
			}
			if c.transcript {
				path := filepath.Join(t.TempDir(), "transcript.jsonl")
				if err := os.WriteFile(path, []byte(`{"type":"start"}`+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				env = append(env, "AGENT_TRANSCRIPT="+path)
			}
			first := mailbox.process(append(env, "STOP_AT="+c.step)...)
			id := mailbox.send(relay.Message{From: "Bob", To: "Alice", Content: "only once"})
			first.stopped(t, c.step)
			if c.step == "shown" || c.step == "noted" {
				mailbox.until("the agent to hear it", func() bool { n, _ := record.of(id); return n == 1 })
			}
			if c.history && c.step == "shown" {
				mailbox.until("the output to be kept", func() bool { return kept(history, relay.Short(id)) })
			}
			first.kill()

			mailbox.process(env...)
			last := mailbox.send(relay.Message{From: "Bob", To: "Alice", Content: "the last one"})
			mailbox.becomes(last, relay.StateInjected, relay.StateSeen)
			r := mailbox.becomes(id, relay.StateInjected, relay.StateSeen)
			if r.Repeat != (c.marked > 0) {
				t.Errorf("the receipt is %+v", r)
			}
			mailbox.until("the last message", func() bool { n, _ := record.of(last); return n == 1 })
			if n, marked := record.of(id); n != c.n || marked != c.marked {
				t.Errorf("the agent got %q", record.lines())
			}
		})
	}
}

// kept reports whether a file in a folder has a text.
func kept(dir, text string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	return slices.ContainsFunc(files, func(path string) bool {
		all, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(all), text)
	})
}

// Messages to an agent that does not run wait for it, and come to its next process.
func TestAnAgentThatComesBackGetsWhatWaited(t *testing.T) {
	t.Parallel()
	mailbox, record := newMailbox(t), newRecord(t)
	mailbox.knows("Alice")
	var ids []string
	for i := range 3 {
		ids = append(ids, mailbox.send(relay.Message{To: "Alice", Content: fmt.Sprint("while you were away ", i)}))
	}
	if r := mailbox.becomes(ids[0], relay.StateAccepted); !strings.Contains(r.Reason, "offline since") {
		t.Errorf("its sender sees %+v", r)
	}
	mailbox.process(record.env())
	for _, id := range ids {
		mailbox.becomes(id, relay.StateInjected)
	}
	mailbox.until("three messages", func() bool { return len(record.lines()) == 3 })
	if got := record.from("Bob"); !slices.Equal(got, []string{"while you were away 0", "while you were away 1", "while you were away 2"}) {
		t.Errorf("it got %q", got)
	}
}

// A program that is killed before it has read what was typed has not got it.
func TestAProgramThatIsKilledBeforeItReads(t *testing.T) {
	t.Parallel()
	mailbox, record := newMailbox(t), newRecord(t)
	w := newWrapped(t)
	cfg := session.Config{Name: "Alice", Mail: mailbox.mail(), Command: sh(`echo $$ ready; sleep 1000`)}
	cfg.Stdin, _ = keyboard(t)
	there := reach(&cfg)
	w.run(cfg)
	c := <-there
	mailbox.notified(c)
	begun := make(chan struct{})
	c.Steps(func(step, _ string) {
		if step == "claimed" {
			close(begun)
		}
	})
	w.screen.await(t, "ready")
	id := mailbox.send(relay.Message{To: "Alice", Content: "are you there?"})
	<-begun
	w.screen.await(t, "are you there?") // the terminal shows it
	w.cancel()
	w.end()
	mailbox.becomes(id, relay.StateAccepted)
	mailbox.process(record.env())
	mailbox.becomes(id, relay.StateInjected)
	mailbox.until("the message", func() bool { n, _ := record.of(id); return n == 1 })
	if _, marked := record.of(id); marked != 1 {
		t.Errorf("it got %q", record.lines())
	}
}

// A hundred messages, while run is killed again and again: none is lost, none comes
// twice without saying so, and all come in order.
func TestRunIsKilledAgainAndAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	t.Parallel()
	const n = 60
	mailbox, record := newMailbox(t), newRecord(t)
	path := filepath.Join(t.TempDir(), "transcript.jsonl")
	if err := os.WriteFile(path, []byte(`{"type":"start"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{record.env(), "AGENT_TRANSCRIPT=" + path}
	mailbox.knows("Alice")
	for i := range n {
		mailbox.send(relay.Message{From: "Bob", To: "Alice", Content: fmt.Sprintf("number %03d.", i)})
	}
	for kills := 0; len(record.lines()) < n; kills++ {
		p, before := mailbox.process(env...), len(record.lines())
		mailbox.until("some messages", func() bool { return len(record.lines()) >= min(before+1+kills%5, n) })
		if len(record.lines()) < n {
			p.kill()
		}
	}
	for i, text := range record.from("Bob") {
		if want := fmt.Sprintf("number %03d.", i); text != want {
			t.Fatalf("message %d is %q; all are %q", i, text, record.from("Bob"))
		}
	}
}
