//go:build unix

package judge_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/wire/call"
)

// post is a world in which agents write to each other.
type mailWorld struct {
	*world
	store *relay.Store // as another process has it open
}

// newMail makes one; unless used is set, no message was ever sent there.
func newMail(t testing.TB, yaml string, used bool) *mailWorld {
	m := &mailWorld{world: newWorld(t, yaml)}
	m.Relay = m.relay()
	if used {
		m.open()
	}
	return m
}

func (m *mailWorld) relay() delivery.Relay {
	return delivery.Relay{
		Dir:      filepath.Join(m.home, "relay"),
		Patience: time.Minute, // a slow machine takes longer for its first message than an event waits
		Open: func(ctx context.Context) (*relay.Store, func(), error) {
			s, err := relay.Open(ctx, filepath.Join(m.home, "relay"), relay.Options{Machine: "here"})
			return s, func() {
				if err := s.Close(); err != nil {
					m.t.Error(err)
				}
			}, err
		},
	}
}

// open opens the store as another process does.
func (m *mailWorld) open() *relay.Store {
	m.t.Helper()
	if m.store == nil {
		s, err := relay.Open(m.t.Context(), m.Relay.Dir, relay.Options{Machine: "here"})
		if err != nil {
			m.t.Fatal(err)
		}
		m.store = s
		m.t.Cleanup(func() { _ = s.Close() })
	}
	return m.store
}

// write sends a message from Bob.
func (m *mailWorld) mail(to, text string, priority ...relay.Priority) (id string) {
	m.t.Helper()
	message := relay.Message{From: "Bob", To: to, Content: text}
	if len(priority) > 0 {
		message.Priority = priority[0]
	}
	sent, err := m.open().Send(m.t.Context(), message)
	if err != nil {
		m.t.Fatal(err)
	}
	return sent.Message.ID
}

// is checks how far a message is.
func (m *mailWorld) is(id string, want relay.State) relay.Receipt {
	m.t.Helper()
	_, all, err := m.open().Receipts(m.t.Context(), id)
	if err != nil || len(all) != 1 || all[0].State != want {
		m.t.Errorf("the receipts are %+v, %v; want one that is %s", all, err, want)
		return relay.Receipt{}
	}
	return all[0]
}

// own is an event of an agent that is not wrapped.
func (m *mailWorld) own(session, name string, fields ...string) *call.Request {
	m.t.Helper()
	return m.native(name, append([]string{"session_id", session}, fields...)...)
}

const session = "0c4f42e8-5a80-4f60-a788-417b387c20e8"

func TestWhoNeverWritesHasNoStore(t *testing.T) {
	m := newMail(t, quiet, false)
	for _, name := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"} {
		m.printed(m.own(session, name))
	}
	if _, err := os.Stat(m.Relay.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the store's folder: %v", err)
	}
}

func TestAMessageIsInTheNextAnswerThatTakesText(t *testing.T) {
	for event, takes := range map[string]bool{"SessionStart": true, "UserPromptSubmit": true, "PreToolUse": false, "PostToolUse": true, "Stop": true} {
		t.Run(event, func(t *testing.T) {
			m := newMail(t, quiet, true)
			m.printed(m.own(session, "SessionStart", "source", "startup"))
			id := m.mail("claude-0c4f", "the build is green")
			text := "Message from Bob [" + relay.Short(id) + "]: the build is green"
			got := m.printed(m.own(session, event, "source", "resume"))
			if !takes {
				m.want(got, "!the build")
				m.is(id, relay.StateAccepted)
				return
			}
			m.want(got, text)
			if r := m.is(id, relay.StateInjected); r.How != "hook" || r.Session != session || r.Repeat {
				t.Errorf("the receipt is %+v", r)
			}
			m.want(m.printed(m.own(session, "PostToolUse", "agent_id", "sub")), "!the build")
			m.is(id, relay.StateInjected) // a sub-agent says nothing of what the agent has seen
			m.want(m.printed(m.own(session, "PostToolUse", "tool_use_id", "t2")), "!the build")
			m.is(id, relay.StateSeen)
		})
	}
}

// protocols are an event of each agent at which it takes text, in its own words.
var protocols = []struct{ codec, event, stdin string }{
	{"codex", "SessionStart", `{"session_id":"SESSION","hook_event_name":"SessionStart","source":"startup","model":"m"}`},
	{"codex", "UserPromptSubmit", `{"session_id":"SESSION","turn_id":"1","hook_event_name":"UserPromptSubmit","prompt":"do it"}`},
	{"codex", "PostToolUse", `{"session_id":"SESSION","turn_id":"1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"","tool_use_id":"c1"}`},
	{"codex", "Stop", `{"session_id":"SESSION","turn_id":"1","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done"}`},
	{"gemini", "BeforeAgent", `{"session_id":"SESSION","hook_event_name":"BeforeAgent","prompt":"do it","timestamp":"2026-01-01T00:00:00Z"}`},
	{"gemini", "AfterTool", `{"session_id":"SESSION","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"ls"},"tool_response":{"llmContent":"x"},"timestamp":"2026-01-01T00:00:01Z"}`},
	{"gemini", "AfterAgent", `{"session_id":"SESSION","hook_event_name":"AfterAgent","prompt":"do it","prompt_response":"done","stop_hook_active":false,"timestamp":"2026-01-01T00:00:02Z"}`},
	{"qwen", "UserPromptSubmit", `{"session_id":"SESSION","hook_event_name":"UserPromptSubmit","prompt":"do it"}`},
	{"cursor", "sessionStart", `{"conversation_id":"SESSION","session_id":"SESSION","hook_event_name":"sessionStart","is_background_agent":false}`},
	{"cursor", "postToolUse", `{"conversation_id":"SESSION","hook_event_name":"postToolUse","tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"t","tool_output":"x"}`},
	{"cursor", "stop", `{"conversation_id":"SESSION","hook_event_name":"stop","status":"completed","loop_count":0}`},
	{"copilot", "userPromptSubmitted", `{"sessionId":"SESSION","timestamp":1767225600000,"prompt":"do it"}`},
	{"copilot", "postToolUse", `{"sessionId":"SESSION","timestamp":1767225601000,"toolName":"bash","toolArgs":{"command":"ls"},"toolResult":{"resultType":"success","textResultForLlm":"x"}}`},
	{"copilot", "agentStop", `{"sessionId":"SESSION","timestamp":1767225602000,"stopReason":"end_turn","stop_hook_active":false}`},
	{"opencode", "chat.message", `{"input":{"sessionID":"SESSION"},"output":{"message":{},"parts":[{"type":"text","text":"do it"}]}}`},
	{"antigravity", "PreInvocation", `{"conversationId":"SESSION"}`},
	{"antigravity", "Stop", `{"conversationId":"SESSION"}`},
}

func TestEveryAgentIsToldInItsOwnWords(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.codec+" "+p.event, func(t *testing.T) {
			m := newMail(t, quiet, true)
			ask := func(event, stdin string) string {
				r := &call.Request{Kind: call.KindHook, Agent: p.codec, Event: event, Dir: m.dir, Env: m.env, Timeout: patient,
					Stdin: []byte(strings.ReplaceAll(stdin, "SESSION", session))}
				return m.printed(r)
			}
			first := map[string]string{"cursor": `{"conversation_id":"SESSION","hook_event_name":"sessionStart","x":1}`, "antigravity": `{"conversationId":"SESSION"}`}[p.codec]
			if first == "" {
				first = p.stdin
			}
			ask(cmp.Or(map[string]string{"cursor": "sessionStart", "antigravity": "PostInvocation"}[p.codec], p.event), first)
			id := m.mail(p.codec+"-0c4f", "green")
			again := strings.NewReplacer("do it", "do more", "c1", "c2", ":00Z", ":20Z", ":01Z", ":21Z", ":02Z", ":22Z", "16960", "16961", "176722560", "176722570", `"t"`, `"u"`, `"done"`, `"all done"`).Replace(p.stdin)
			m.want(ask(p.event, again), "Message from Bob ["+relay.Short(id)+"]: green")
			m.is(id, relay.StateInjected)
		})
	}
}

func TestTheUsersOwnStopIsHeeded(t *testing.T) {
	m := newMail(t, quiet, true)
	r := &call.Request{Kind: call.KindHook, Agent: "cursor", Event: "stop", Dir: m.dir, Env: m.env, Timeout: patient,
		Stdin: []byte(`{"conversation_id":"` + session + `","hook_event_name":"stop","status":"aborted","loop_count":0}`)}
	m.printed(r)
	id := m.mail("cursor-0c4f", "green")
	r.Stdin = []byte(strings.Replace(string(r.Stdin), ":0}", ":0,\"x\":1}", 1))
	m.want(m.printed(r), "!green")
	m.is(id, relay.StateAccepted)
}

func TestTheUrgentIsFirstAndTheRestWaitsForRoom(t *testing.T) {
	m := newMail(t, quiet, true)
	m.printed(m.own(session, "SessionStart", "source", "startup"))
	var ids []string
	for i := range 4 {
		ids = append(ids, m.mail("claude-0c4f", fmt.Sprint("text-", i, strings.Repeat(" word", 700))))
	}
	urgent := m.mail("claude-0c4f", "FIRE", relay.PriorityUrgent)
	got := m.printed(m.own(session, "PostToolUse"))
	m.want(got, "FIRE", "text-0", "text-1", "!text-2")
	if strings.Index(got, "FIRE") > strings.Index(got, "text-0") || strings.Index(got, "text-0") > strings.Index(got, "text-1") {
		t.Errorf("the order is wrong: %s", got)
	}
	if len(got) > 10_000 {
		t.Errorf("the answer has %d bytes, of which the agent cuts some", len(got))
	}
	m.is(urgent, relay.StateInjected)
	m.is(ids[2], relay.StateAccepted)
	m.want(m.printed(m.own(session, "PostToolUse", "tool_use_id", "t2")), "text-2", "text-3", "!text-1")
}

func TestAMessageBesideALongTextOfHooksIsCut(t *testing.T) {
	m := newMail(t, `hooks: [{id: long, on: PostToolUse, inject: "`+strings.Repeat("x", 7000)+`"}]`, true)
	m.printed(m.own(session, "SessionStart", "source", "startup"))
	id := m.mail("claude-0c4f", strings.Repeat("word ", 800))
	got := m.printed(m.own(session, "PostToolUse"))
	m.want(got, "xxx", "Message from Bob", "… more: hookway inbox read "+relay.Short(id))
	if len(got) > 10_000 {
		t.Errorf("the answer has %d bytes", len(got))
	}
}

func TestHooksOfMessagesAreAsked(t *testing.T) {
	m := newMail(t, `hooks:
  - {id: spam, on: MessageReceived, match: {fields: {content: "*spam*"}}, lane: guard, block: no spam}
  - {id: tidy, on: MessageReceived, match: {fields: {content: "*tidy*"}}, modify: {content: all tidy}}
`, true)
	m.printed(m.own(session, "SessionStart", "source", "startup"))
	spam, tidy := m.mail("claude-0c4f", "it is spam"), m.mail("claude-0c4f", "un-tidy")
	m.want(m.printed(m.own(session, "PostToolUse")), "Message from Bob", "all tidy", "!un-tidy", "!spam")
	if r := m.is(spam, relay.StateSuppressed); !strings.Contains(r.Reason, "no spam") {
		t.Errorf("the sender is told %q", r.Reason)
	}
	m.is(tidy, relay.StateInjected)
	m.want(m.recorded(), "MessageReceived block", "MessageReceived continue")
	m.want(m.agents(), session+"/claude-0c4f/claude")
}

// TestABlockedMessageThatSomebodyElseHasKeepsNoOthersBack: read_inbox of the same
// session was faster than the hook that blocks it.
func TestABlockedMessageThatSomebodyElseHasKeepsNoOthersBack(t *testing.T) {
	m := newMail(t, `hooks: [{id: slow, on: MessageReceived, match: {fields: {content: "*spam*"}}, command: 'echo x > begun; read x < go; echo no spam >&2; exit 2'}]`, true)
	for _, name := range []string{"begun", "go"} {
		if err := syscall.Mkfifo(filepath.Join(m.dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m.printed(m.own(session, "SessionStart", "source", "startup"))
	spam, plain := m.mail("claude-0c4f", "it is spam"), m.mail("claude-0c4f", "plain")
	var slow sync.WaitGroup
	slow.Go(func() { m.want(m.printed(m.own(session, "PostToolUse")), "plain", "!spam") })
	m.read("begun")
	reader, err := m.open().Join(t.Context(), relay.Presence{Session: session, Name: "claude-0c4f", Kind: relay.KindMCP})
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Begin(t.Context(), spam, "it is spam", "mcp"); err != nil {
		t.Fatal(err)
	}
	if err := reader.Done(t.Context(), spam, false); err != nil {
		t.Fatal(err)
	}
	m.write("go", "now\n")
	slow.Wait()
	m.is(spam, relay.StateInjected)
	m.is(plain, relay.StateInjected)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.lines) > 0 {
		t.Errorf("it says %q", m.lines)
	}
}

func TestAnAgentDoesNotGoOnWithoutEnd(t *testing.T) {
	for name, alone := range map[string]bool{"a daemon": false, "a process for each event": true} {
		t.Run(name, func(t *testing.T) {
			m := newMail(t, quiet, true)
			if alone {
				m.Continues = filepath.Join(m.home, "continues")
			}
			m.printed(m.own(session, "UserPromptSubmit"))
			n := 0
			active := false
			for i := range 10 {
				m.mail("claude-0c4f", fmt.Sprint("text ", i))
				text, _ := json.Marshal(map[string]any{"hook_event_name": "Stop", "session_id": session, "cwd": m.dir, "stop_hook_active": active, "last_assistant_message": fmt.Sprint(i)})
				got := m.printed(&call.Request{Kind: call.KindHook, Agent: "claude", Dir: m.dir, Env: m.env, Timeout: patient, Stdin: text})
				if active = strings.Contains(got, `"block"`); active {
					n++
				} else {
					break
				}
			}
			if want := map[bool]int{false: 4, true: 1}[alone]; n != want {
				t.Errorf("it went on %d times in a row, want %d", n, want)
			}
			m.want(m.printed(m.own(session, "UserPromptSubmit", "prompt", "more")), fmt.Sprint("text ", n))
		})
	}
}

func TestAnAgentIsCalledTheSameWhenItIsResumed(t *testing.T) {
	m := newMail(t, quiet, true)
	names := func() (all string) {
		t.Helper()
		list, err := m.open().Agents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			all += fmt.Sprintf("%s %v %s\n", a.Name, a.Running, a.Kind)
		}
		return all
	}
	m.printed(m.own(session, "SessionStart", "source", "startup"))
	m.printed(m.own("0c4fffff-0000-4000-8000-000000000000", "UserPromptSubmit"))
	if got := names(); got != "claude-0c4f true hooks\nclaude-0c4ff true hooks\n" {
		t.Errorf("the agents are\n%s", got)
	}
	m.printed(m.own(session, "SessionEnd", "reason", "other"))
	m.printed(m.own(session, "SessionEnd", "reason", "exit"))
	if got := names(); got != "claude-0c4f false hooks\nclaude-0c4ff true hooks\n" {
		t.Errorf("after the end of one, the agents are\n%s", got)
	}
	id := m.mail("claude-0c4f", "welcome back")
	m.is(id, relay.StateAccepted)
	m.want(m.printed(m.own(session, "SessionStart", "source", "resume")), "welcome back")
	if got := names(); got != "claude-0c4f true hooks\nclaude-0c4ff true hooks\n" {
		t.Errorf("when it is resumed, the agents are\n%s", got)
	}
}

func TestTheUserNamesAnAgent(t *testing.T) {
	m := newMail(t, quiet, true)
	m.env = append(m.env, "HOOKWAY_AGENT=Carol")
	m.printed(m.own(session, "SessionStart", "source", "startup"))
	m.mail("carol", "hi Carol")
	m.want(m.printed(m.own(session, "PostToolUse")), "hi Carol")
}

func TestIdsThatBeginWithTheTimeAreNamedByTheirEnd(t *testing.T) {
	m := newMail(t, quiet, true)
	m.printed(m.own("01a1fb77-5af8-79f1-ae10-de769036335d", "SessionStart", "source", "startup"))
	m.mail("claude-de76", "hi")
}

func TestNobodyInsideOfASessionIsWrittenTo(t *testing.T) {
	m := newMail(t, quiet, true)
	for _, env := range []string{"HOOKWAY_SESSION=run-1", "HOOKWAY_DEPTH=1"} {
		r := m.own(session, "SessionStart", "source", "startup")
		r.Env = append(r.Env, env)
		m.printed(r)
	}
	m.printed(m.own(session, "PostToolUse", "agent_id", "sub"))
	if all, err := m.open().Agents(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("the agents are %+v, %v", all, err)
	}
}

func TestAnAgentThatWasThereFirstIsMet(t *testing.T) {
	m := newMail(t, quiet, false)
	m.printed(m.own(session, "SessionStart", "source", "startup"))
	m.open()
	m.Meet(t.Context())
	id := m.mail("claude-0c4f", "hi")
	m.want(m.printed(m.own(session, "PostToolUse")), "hi")
	m.is(id, relay.StateInjected)
}

func TestAnAnswerThatWasNotSentLeavesTheMessage(t *testing.T) {
	m := newMail(t, quiet, true)
	m.printed(m.own(session, "SessionStart", "source", "startup"))
	id := m.mail("claude-0c4f", "green")
	reply := m.Answer(t.Context(), judge.Caller{}, m.own(session, "PostToolUse"))
	m.want(string(reply.Stdout), "green")
	m.want(m.printed(m.own(session, "PostToolUse", "tool_use_id", "t2")), "!green") // it is on its way
	reply.Pass(errors.New("the agent has gone"))
	m.is(id, relay.StateAccepted)
	m.want(m.printed(m.own(session, "PostToolUse", "tool_use_id", "t3")), "green", "!repeat")
	m.is(id, relay.StateInjected)
}

// An answer that was sent may not have been printed, and a judge may die before it
// knows. Then the agent's transcript tells.
func TestAMessageThatWasBegunIsLookedFor(t *testing.T) {
	const age = -time.Minute
	for name, c := range map[string]struct {
		transcript string        // what it holds then; "" is none
		written    time.Duration // how long after the attempt
		same       bool          // the same event is asked about again
		want       []string
		state      relay.State
	}{
		"it has it":                {`{"x":"\"Message from Bob [ID]: green\""}`, time.Minute, false, []string{"!green"}, relay.StateInjected},
		"it has not":               {`{"x":"other"}`, time.Minute, false, []string{"green", "!repeat"}, relay.StateInjected},
		"it is not written yet":    {`{"x":"other"}`, age, false, []string{"!green"}, relay.StateAccepted},
		"there is none":            {"", 0, false, []string{"green (may be a repeat)"}, relay.StateInjected},
		"the same event once more": {`{"x":"other"}`, age, true, []string{"green", "!repeat"}, relay.StateInjected},
		"the same event, and none": {"", 0, true, []string{"green", "!repeat"}, relay.StateInjected},
	} {
		for how, dies := range map[string]bool{"the judge dies": true, "it is unknown whether it was printed": false} {
			if c.same && !dies {
				continue
			}
			t.Run(name+", "+how, func(t *testing.T) {
				m := newMail(t, quiet, true)
				file := filepath.Join(m.dir, "transcript.jsonl")
				event := func(id string) *call.Request {
					fields := []string{"tool_use_id", id}
					if c.transcript != "" {
						fields = append(fields, "transcript_path", file)
					}
					return m.own(session, "PostToolUse", fields...)
				}
				m.printed(event("t0"))
				id := m.mail("claude-0c4f", "green")
				reply := m.Answer(t.Context(), judge.Caller{}, event("t1"))
				m.want(string(reply.Stdout), "green")
				if dies {
					if err := m.Close(); err != nil {
						t.Fatal(err)
					}
					m.Judge = &judge.Judge{Relay: m.relay(), Log: m.Log, Record: m.Record}
				} else {
					reply.Pass(call.ErrUnshown)
				}
				m.is(id, relay.StateAccepted)
				if c.transcript != "" {
					m.write("transcript.jsonl", strings.ReplaceAll(c.transcript, "ID", relay.Short(id)))
					at := time.Now().Add(c.written)
					if err := os.Chtimes(file, at, at); err != nil {
						t.Fatal(err)
					}
				}
				next := map[bool]string{false: "t2", true: "t1"}[c.same]
				m.want(m.printed(event(next)), c.want...)
				m.is(id, c.state)
				if c.state == relay.StateInjected {
					m.want(m.printed(event("t3")), "!green")
					m.is(id, relay.StateSeen)
				}
			})
		}
	}
}

func TestWhatMayBeARepeatStaysSoInTheNextAnswer(t *testing.T) {
	m := newMail(t, quiet, true)
	m.printed(m.own(session, "PostToolUse", "tool_use_id", "t0"))
	id := m.mail("claude-0c4f", "green")
	reply := m.Answer(t.Context(), judge.Caller{}, m.own(session, "PostToolUse", "tool_use_id", "t1"))
	reply.Pass(call.ErrUnshown)
	reply = m.Answer(t.Context(), judge.Caller{}, m.own(session, "PostToolUse", "tool_use_id", "t2"))
	m.want(string(reply.Stdout), "green (may be a repeat)")
	reply.Pass(errors.New("the agent has gone"))
	m.is(id, relay.StateAccepted)
	m.want(m.printed(m.own(session, "PostToolUse", "tool_use_id", "t3")), "green (may be a repeat)", "!(may be a repeat) (may")
	if r := m.is(id, relay.StateInjected); !r.Repeat {
		t.Errorf("the receipt is %+v", r)
	}
}

// A session that ends before anything was asked in it has made nothing of what it
// was told, and one that is killed may not have written it down.
func TestWhatNobodyHasMadeAnythingOfIsToldAgain(t *testing.T) {
	const other = "11111111-0000-4000-8000-000000000000"
	for name, c := range map[string]struct {
		events     string // what follows the begin
		transcript string
		next       string // session
		again      bool
	}{
		"another session after one without a prompt": {"SessionEnd", "", other, true},
		"another session after one with a prompt":    {"UserPromptSubmit SessionEnd", "", other, false},
		"another session beside it":                  {"", "", other, false},
		"resumed, and it is not on record":           {"", `{"x":"other"}`, session, true},
		"resumed, and it is on record":               {"", `{"x":"Message from Bob [ID]: green"}`, session, false},
		"resumed, after more had happened":           {"PostToolUse", `{"x":"other"}`, session, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMail(t, quiet, true)
			m.env = append(m.env, "HOOKWAY_AGENT=Carol")
			file := filepath.Join(m.dir, "transcript.jsonl")
			if _, err := m.open().Join(t.Context(), relay.Presence{Session: "before", Name: "Carol", Kind: "hooks"}); err != nil {
				t.Fatal(err)
			}
			m.store.Close()
			m.store = nil
			id := m.mail("Carol", "green")
			m.want(m.printed(m.own(session, "SessionStart", "source", "startup", "transcript_path", file)), "green")
			for _, event := range strings.Fields(c.events) {
				m.want(m.printed(m.own(session, event, "transcript_path", file)), "!green")
			}
			if c.transcript != "" {
				m.write("transcript.jsonl", strings.ReplaceAll(c.transcript, "ID", relay.Short(id)))
			}
			if !strings.Contains(c.events, "SessionEnd") { // it is killed, and the daemon too
				if name != "another session beside it" {
					if err := m.Close(); err != nil {
						t.Fatal(err)
					}
					m.Judge = &judge.Judge{Relay: m.relay(), Log: m.Log, Record: m.Record}
				}
			}
			source := map[bool]string{true: "resume", false: "startup"}[c.next == session]
			got := m.printed(m.own(c.next, "SessionStart", "source", source, "transcript_path", file))
			m.want(got, map[bool]string{true: "Message from Bob [" + relay.Short(id) + "]: green", false: "!green"}[c.again])
			m.want(m.printed(m.own(c.next, "UserPromptSubmit", "transcript_path", file)), "!green")
			m.want(m.printed(m.own(c.next, "PostToolUse", "transcript_path", file)), "!green")
			if c.next == session || strings.Contains(c.events, "UserPromptSubmit") {
				m.is(id, relay.StateSeen)
			}
		})
	}
}

// A hook that takes its time over a message holds up the answer that the message is
// for, and no other.
func TestASlowHookOfAMessageHoldsUpNoOtherEvent(t *testing.T) {
	m := newMail(t, `hooks: [{id: slow, on: MessageReceived, command: 'echo x > begun; read x < go'}]`, true)
	for _, name := range []string{"begun", "go"} {
		if err := syscall.Mkfifo(filepath.Join(m.dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m.printed(m.own(session, "SessionStart", "source", "startup"))
	id := m.mail("claude-0c4f", "green")
	var slow sync.WaitGroup
	slow.Go(func() { m.want(m.printed(m.own(session, "PostToolUse")), "green") })
	m.read("begun")
	for _, event := range []string{"PreToolUse", "PostToolUse", "Stop"} {
		m.want(m.printed(m.own(session, event, "tool_use_id", "t9")), "!green")
	}
	m.write("go", "now\n")
	slow.Wait()
	m.is(id, relay.StateInjected)
}
