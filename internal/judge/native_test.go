//go:build unix

package judge_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

// stay is a screen that has just changed, and gone one that shows nothing any more.
func stay() time.Duration { return 0 }
func gone() time.Duration { return time.Hour }

// fateOf is what becomes of a text while the agent's screen changes.
func fateOf(t *testing.T, l delivery.Offer) delivery.Fate {
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	return l.Await(ctx, stay)
}

// wrap makes the world's agent one that hookway run -n Alice has wrapped.
func (w *world) wrap(agent string) *delivery.Shared {
	w.t.Helper()
	s, err := delivery.Share(filepath.Join(w.home, "state"), "run-1", "Alice", agent, w.Log)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.Close() })
	w.env = append(w.env, "HOOKWAY_SESSION=run-1", "HOOKWAY_AGENT=Alice")
	return s
}

// native is an event of the wrapped agent.
func (w *world) native(name string, fields ...string) *call.Request {
	w.t.Helper()
	event := map[string]any{"hook_event_name": name, "session_id": "own"}
	switch name {
	case "PreToolUse", "PostToolUse":
		event["tool_name"], event["tool_use_id"], event["tool_input"] = "Bash", "t1", map[string]any{"command": "ls"}
	case "UserPromptSubmit":
		event["prompt"] = "do it"
	}
	for i := 0; i < len(fields); i += 2 {
		event[fields[i]] = fields[i+1]
	}
	return w.event(event)
}

// printed gives the answer as the agent gets it.
func (w *world) printed(r *call.Request) string {
	w.t.Helper()
	reply := w.Answer(w.t.Context(), judge.Caller{}, r)
	reply.Pass(nil)
	return string(reply.Stdout)
}

func (w *world) agents() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, r := range w.records {
		all = append(all, r.Session+"/"+r.Agent+"/"+r.Source)
	}
	return strings.Join(all, " ")
}

const quiet = `hooks: [{id: none, on: PreCompact, inject: x}]`

func TestABeginThatRunFiredIsNotFiredAgain(t *testing.T) {
	w := newWorld(t, `hooks: [{id: begins, on: SessionStart, inject: from the judge}]`)
	s := w.wrap("claude")
	first := s.Begin("from run")
	w.want(w.printed(w.native("SessionStart", "source", "startup")), "from run", "!from the judge")
	if fate := fateOf(t, first); fate != delivery.Delivered {
		t.Errorf("the text of the begin was %v", fate)
	}
	w.want(w.printed(w.native("SessionStart", "source", "startup")), "!from") // by a second layer of the configuration
	if got := w.recorded(); got != "" {
		t.Errorf("on record: %s", got)
	}
	w.want(w.printed(w.native("SessionStart", "source", "resume")), "from the judge", "!from run")
	w.want(w.printed(w.native("SessionStart", "source", "compact")), "from the judge")
	if got := w.recorded(); got != "SessionStart continue, SessionStart continue" {
		t.Errorf("on record: %s", got)
	}
	w.want(w.agents(), "run-1/Alice/claude")
}

func TestTheBeginsTextIsTakenByTheFirstEventThatCan(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	first := s.Begin("from run")
	w.want(w.printed(w.native("Stop")), "!from run") // it is no reason to go on
	w.want(w.printed(w.native("UserPromptSubmit")), "from run")
	w.want(w.printed(w.native("PostToolUse")), "!from run")
	if fate := fateOf(t, first); fate != delivery.Delivered {
		t.Errorf("the text of the begin was %v", fate)
	}
}

func TestAnEndIsFiredOnceWhoeverTellsIt(t *testing.T) {
	for name, order := range map[string]string{
		"the agent, run":            "ar",
		"the agent twice, run":      "aar",
		"run, the agent":            "ra",
		"run, since the agent died": "r",
		"a cleared session":         "c!a",
		"a cleared session, run":    "c!r",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, quiet)
			s := w.wrap("claude")
			s.Begin("")
			w.printed(w.native("SessionStart", "source", "startup"))
			byRun := 0
			for _, who := range order {
				switch who {
				case 'a':
					w.printed(w.native("SessionEnd", "reason", "other"))
				case 'c':
					w.printed(w.native("SessionEnd", "reason", "clear"))
				case '!':
					w.printed(w.native("SessionStart", "source", "clear", "session_id", "own-2"))
				case 'r':
					s.End(t.Context(), func(context.Context) { byRun++ })
				}
			}
			want := strings.Count(order, "c") + 1
			if got := strings.Count(w.recorded(), "SessionEnd") + byRun; got != want {
				t.Errorf("%d ends, want %d: %s and %d by run", got, want, w.recorded(), byRun)
			}
		})
	}
}

// The agent does not wait for the hooks of its end, and is gone before they are.
func TestAnEndIsFiredOnceThoughTheAgentIsGoneMeanwhile(t *testing.T) {
	w := newWorld(t, `hooks: [{id: slow, on: SessionEnd, command: 'echo x > begun; read x < go; echo x >> ended'}]`)
	s := w.wrap("claude")
	s.Begin("")
	for _, name := range []string{"begun", "go"} {
		if err := syscall.Mkfifo(filepath.Join(w.dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	var agent, run sync.WaitGroup
	agent.Go(func() { w.Answer(ctx, judge.Caller{}, w.native("SessionEnd", "reason", "other")) })
	w.read("begun")
	leave()
	run.Go(func() { s.End(t.Context(), func(context.Context) { t.Error("run fired the end too") }) })
	w.write("go", "now\n")
	agent.Wait()
	run.Wait()
	if got := w.read("ended"); got != "x\n" {
		t.Errorf("the hook ended with %q", got)
	}
}

func TestATextGoesToTheNextEventThatTakesOne(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	if s.Offer("early", nil, 0, granted) != nil {
		t.Error("a text was taken before the agent was heard of")
	}
	w.printed(w.native("SessionStart", "source", "startup"))
	if s.Offer("idle", nil, 0, granted) != nil {
		t.Error("a text was taken for an agent that has nothing to do")
	}
	w.printed(w.native("UserPromptSubmit"))
	one, two := s.Offer("first text", nil, 0, granted), s.Offer("second text", nil, 0, granted)
	if one == nil || two == nil {
		t.Fatal("the text was not taken, though the agent works")
	}
	w.want(w.printed(w.native("PreToolUse")), "!text")
	w.want(w.printed(w.native("PostToolUse", "agent_id", "sub-1")), "!text") // a sub-agent's
	w.want(w.printed(w.native("PostToolUse")), `first text\n\nsecond text`)
	for _, l := range []delivery.Offer{one, two} {
		if fate := fateOf(t, l); fate != delivery.Delivered {
			t.Errorf("a text was %v", fate)
		}
	}
	w.want(w.printed(w.native("PostToolUse", "tool_use_id", "t2")), "!text")
	w.want(w.printed(w.native("Stop")), "!text")
	if s.Offer("idle", nil, 0, granted) != nil {
		t.Error("a text was taken for an agent that has stopped")
	}
	if got, want := strings.Count(w.agents(), "run-1/Alice/claude"), 5; got < want {
		t.Errorf("events are of %s", w.agents())
	}
}

// Texts that wait one behind the other keep their order, whatever becomes of the
// first.
func TestTextsBehindOneAnotherKeepTheirOrder(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	w.printed(w.native("UserPromptSubmit"))
	one := s.Offer("first text", nil, 0, granted)
	big := s.Offer("second "+strings.Repeat("x", 8000), one, 0, granted)
	large := s.Offer("third "+strings.Repeat("y", 2000), big, 0, granted)
	small := s.Offer("fourth text", large, 0, granted)
	w.want(w.printed(w.native("PostToolUse")), "first text", "second", "!third", "!fourth")
	w.want(w.printed(w.native("PostToolUse", "tool_use_id", "t2")), "third", "fourth text")
	for i, l := range []delivery.Offer{one, big, large, small} {
		if fate := fateOf(t, l); fate != delivery.Delivered {
			t.Errorf("text %d was %v", i+1, fate)
		}
	}

	one = s.Offer("fifth text", nil, 0, granted)
	behind := s.Offer("sixth text", one, 0, granted)
	if fate := one.Await(t.Context(), gone); fate != delivery.Returned {
		t.Fatalf("the agent shows nothing any more; the text was %v", fate)
	}
	w.want(w.printed(w.native("PostToolUse", "tool_use_id", "t3")), "!sixth") // it must not come before the fifth
	if s.Offer("seventh text", behind, 0, granted) != nil || s.Offer("seventh text", one, 0, granted) != nil {
		t.Error("a text was left behind one that is not there any more")
	}
	if fate := fateOf(t, behind); fate != delivery.Returned {
		t.Errorf("the text behind it was %v", fate)
	}
}

func TestAStoppingAgentGoesOnWithATextOnce(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	w.printed(w.native("UserPromptSubmit"))
	one := s.Offer("one more thing", nil, 0, granted)
	w.want(w.printed(w.native("Stop")), `"decision":"block"`, "one more thing")
	if fate := fateOf(t, one); fate != delivery.Delivered {
		t.Errorf("the text was %v", fate)
	}
	two := s.Offer("and another", nil, 0, granted)
	if two == nil {
		t.Fatal("the agent goes on, so it takes texts")
	}
	stop := w.event(map[string]any{"hook_event_name": "Stop", "session_id": "own", "stop_hook_active": true})
	w.want(w.printed(stop), "!another", "!block")
	if fate := fateOf(t, two); fate != delivery.Returned {
		t.Errorf("the text was %v, though the agent stopped", fate)
	}
}

func TestATextIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, quiet)
		s := w.wrap("claude")
		s.Begin("")
		w.printed(w.native("UserPromptSubmit"))
		still := s.Offer("interrupted", nil, 0, granted)
		if fate := still.Await(t.Context(), gone); fate != delivery.Returned {
			t.Errorf("the agent shows nothing any more; the text was %v", fate)
		}
		ended := s.Offer("ended", nil, 0, granted)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if fate := ended.Await(ctx, stay); fate != delivery.Returned {
			t.Errorf("the session ended; the text was %v", fate)
		}
		if s.Offer("after that", nil, time.Hour, granted) != nil {
			t.Error("a text was left to an agent that shows nothing any more")
		}
		w.want(w.printed(w.native("PostToolUse")), "!interrupted", "!ended")
	})
}

func TestWithoutAnEventTheBeginsTextIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, quiet)
		s := w.wrap("claude")
		begun := time.Now()
		if fate := s.Begin("hello").Await(t.Context(), gone); fate != delivery.Returned || time.Since(begun) < 5*time.Second {
			t.Errorf("it was %v after %v", fate, time.Since(begun))
		}
	})
}

func TestAnAnswerThatWasNotSentGivesItsTextBack(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	w.printed(w.native("UserPromptSubmit"))
	s.Offer("the text", nil, 0, granted)
	reply := w.Answer(t.Context(), judge.Caller{}, w.native("PostToolUse"))
	w.want(string(reply.Stdout), "the text")
	w.want(w.printed(w.native("PostToolUse", "tool_use_id", "t2")), "!the text") // it is in an answer
	reply.Pass(errors.New("the agent has gone"))
	w.want(w.printed(w.native("PostToolUse", "tool_use_id", "t3")), "the text")
}

// It is unknown whether an unconfirmed answer was sent.
func TestATextOfWhichNobodyKnowsMayBeARepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, quiet)
		s := w.wrap("claude")
		s.Begin("")
		w.printed(w.native("UserPromptSubmit"))
		l := s.Offer("the text", nil, 0, granted)
		w.Answer(t.Context(), judge.Caller{}, w.native("PostToolUse"))
		if fate := fateOf(t, l); fate != delivery.Unconfirmed {
			t.Errorf("it was %v", fate)
		}
		w.want(w.printed(w.native("PostToolUse", "tool_use_id", "t2")), "!the text")
	})
}

// An agent may start another, of its own kind too, which inherits the session.
func TestAnAgentWithinTheWrappedOneIsAnother(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	w.printed(w.native("UserPromptSubmit"))
	l := s.Offer("for the outer", nil, 0, granted)
	for _, name := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"} {
		w.want(w.printed(w.native(name, "session_id", "inner", "source", "startup")), "!for the outer")
	}
	w.want(w.recorded(), "SessionStart", "SessionEnd")
	w.want(w.agents(), "run-1/claude/claude")
	w.want(w.printed(w.native("PostToolUse", "tool_use_id", "t2")), "for the outer")
	if fate := fateOf(t, l); fate != delivery.Delivered {
		t.Errorf("it was %v", fate)
	}
	fired := false
	s.End(t.Context(), func(context.Context) { fired = true })
	if !fired {
		t.Error("the end of the inner was taken for that of the outer")
	}
}

// Whatever comes in between, and in whichever process: each text is in one answer, or
// returned.
func TestATextIsNeitherLostNorDoubled(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	other := &judge.Judge{} // of a process that judges one event only
	defer other.Close()
	var mu sync.Mutex
	var answers strings.Builder
	typed, taken := map[string]int{}, 0
	stop := make(chan struct{})
	var agent, run sync.WaitGroup
	agent.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			for n, name := range []string{"UserPromptSubmit", "PostToolUse", "Stop"} {
				id := fmt.Sprint(i)
				r := w.native(name, "tool_use_id", id, "prompt_id", id, "last_assistant_message", id)
				if name == "Stop" && i%8 > 0 {
					r = w.event(map[string]any{"hook_event_name": name, "session_id": "own", "stop_hook_active": true, "last_assistant_message": id})
				}
				j := w.Judge
				if (i+n)%3 == 0 {
					j = other
				}
				reply := j.Answer(t.Context(), judge.Caller{}, r)
				if i%5 == 0 && n == 1 { // the agent does not get this one
					reply.Pass(errors.New("gone"))
					continue
				}
				reply.Pass(nil)
				mu.Lock()
				answers.Write(reply.Stdout)
				mu.Unlock()
			}
		}
	})
	const runs, texts = 3, 30
	name := func(n, i int) string { return fmt.Sprintf("[text %d of %d]", i, n) }
	for n := range runs {
		run.Go(func() {
			for i := range texts {
				var l delivery.Offer
				for deadline := time.Now().Add(patient); l == nil && time.Now().Before(deadline); runtime.Gosched() {
					l = s.Offer(name(n, i), nil, 0, granted)
				}
				if l == nil {
					t.Error("the agent never works")
					return
				}
				fate := fateOf(t, l)
				mu.Lock()
				if fate == delivery.Delivered {
					taken++
				} else {
					typed[name(n, i)]++
				}
				mu.Unlock()
				if fate == delivery.Unconfirmed {
					t.Errorf("%s is doubtful", name(n, i))
				}
			}
		})
	}
	run.Wait()
	close(stop)
	agent.Wait()
	for n := range runs {
		for i := range texts {
			if got := strings.Count(answers.String(), name(n, i)) + typed[name(n, i)]; got != 1 {
				t.Errorf("%s came %d times, typed %d", name(n, i), got, typed[name(n, i)])
			}
		}
	}
	t.Logf("%d were taken, %d returned", taken, len(typed))
}

// childEvent is a variable with an event that a process of its own takes, which
// then dies before its answer is sent.
const childEvent = "JUDGE_TEST_EVENT"

func TestMain(m *testing.M) {
	if home := os.Getenv(childJudge); home != "" {
		judgeEvents(home)
		return
	}
	if event, asked := os.LookupEnv(childEvent); asked {
		j := new(judge.Judge)
		reply := j.Answer(context.Background(), judge.Caller{}, &call.Request{
			Kind: call.KindHook, Agent: "claude", Dir: os.Getenv("PWD"), Env: os.Environ(), Timeout: patient, Stdin: []byte(event),
		})
		_, _ = os.Stdout.Write(reply.Stdout)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The daemon may die with an answer that holds a text: the hook then has the same
// event judged elsewhere, and that answer holds it. No other event has it.
func TestATextInTheAnswerOfADeadDaemonIsInThatOfItsSuccessor(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	w.printed(w.native("UserPromptSubmit"))
	l := s.Offer("the text", nil, 0, granted)
	event := w.native("PostToolUse")
	child := exec.Command(os.Args[0])
	child.Env = append(w.env, childEvent+"="+string(event.Stdin), "PWD="+w.dir)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "the text") {
		t.Fatalf(`%v: got %s, want err == nil and strings.Contains(string(out), "the text")`, err, out)
	}
	w.want(w.printed(w.native("PostToolUse", "tool_use_id", "t2")), "!the text")
	w.want(w.printed(event), "the text")
	if fate := fateOf(t, l); fate != delivery.Delivered {
		t.Errorf("the text was %v", fate)
	}
}

func TestASessionThatRunEndedIsNotOpen(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	s.Begin("")
	w.printed(w.native("SessionStart", "source", "startup"))
	w.printed(w.native("UserPromptSubmit"))
	w.printed(w.native("SessionEnd", "session_id", "inner"))
	if _, open := w.Load(); strings.Join(open, " ") != "run-1" {
		t.Errorf("open are %q", open)
	}
	s.End(t.Context(), func(context.Context) {})
	if _, open := w.Load(); len(open) != 0 {
		t.Errorf("open are %q", open)
	}
}

func TestASessionHasOneRun(t *testing.T) {
	w := newWorld(t, quiet)
	s := w.wrap("claude")
	if _, err := delivery.Share(filepath.Join(w.home, "state"), "run-1", "Alice", "claude", nil); err == nil {
		t.Error("a second run shares the session")
	}
	dirs, err := filepath.Glob(filepath.Join(w.home, "state", "wrapped", "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("got %v, %v, want err == nil and len(dirs) == 1", dirs, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(dirs[0], "state.json"), long, long); err != nil {
		t.Fatal(err)
	}
	next, err := delivery.Share(filepath.Join(w.home, "state"), "run-2", "Alice", "claude", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if _, err := os.Stat(dirs[0]); err == nil {
		t.Error("the folder of a session that ended long ago is still there")
	}
}

func granted() bool { return true }
