package hook_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
)

// hears notes the metadata of the events that it is asked about, by their names.
type hears struct {
	mu  sync.Mutex
	all map[string]map[string]any
}

func (h *hears) Handle(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]map[string]any{}
	}
	h.all[ev.Info().Name] = maps.Clone(ev.Head().Metadata)
	return hook.Decision{}, nil
}

func listen(t *testing.T, e *hook.Engine) *hears {
	h := &hears{}
	add(t, e, "hears", h, hook.For("*"), hook.Priority(1000))
	return h
}

// sets is a hook that sets metadata at some events.
func sets(t *testing.T, e *hook.Engine, events string, metadata map[string]any) {
	add(t, e, "sets-"+events, tells(metadata), hook.For(events))
}

func inSession(id string) *hook.Envelope { return &hook.Envelope{Session: id, Agent: "a"} }

func TestMetadataOfToolCallIsThereAfterIt(t *testing.T) {
	var e hook.Engine
	sets(t, &e, "PreToolUse", map[string]any{"span": "x"})
	h := listen(t, &e)
	w := tool{err: errors.New("broken")}
	if _, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run); err == nil {
		t.Fatal("the tool did not fail")
	}
	w.err = nil
	if _, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"PostToolUse", "Error", "ToolResultPersist"} {
		if h.all[name]["span"] != "x" {
			t.Errorf("%s has %v", name, h.all[name])
		}
	}
}

// Events that a program fires one by one belong together by the call's id, and
// without one by its content.
func TestMetadataFollowsCallsThatAreFiredOneByOne(t *testing.T) {
	use := func(id, command string) hook.ToolUse {
		u := bash(command)
		u.ToolUseID = id
		return u
	}
	for name, c := range map[string]struct {
		pre, post hook.ToolUse
		session   string
		want      any
	}{
		"one id":                    {use("1", "a"), use("1", "a"), "s", "x"},
		"one id, changed input":     {use("1", "a"), use("1", "b"), "s", "x"},
		"no ids":                    {use("", "a"), use("", "a"), "s", "x"},
		"no ids, other input":       {use("", "a"), use("", "b"), "s", nil},
		"another id":                {use("1", "a"), use("2", "a"), "s", nil},
		"an id later only":          {use("", "a"), use("2", "a"), "s", "x"},
		"another session":           {use("1", "a"), use("1", "a"), "t", nil},
		"one id, of another's tool": {use("1", "a"), hook.ToolUse{ToolName: "Read", ToolUseID: "1"}, "s", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var e hook.Engine
			sets(t, &e, "PreToolUse", map[string]any{"k": "x"})
			h := listen(t, &e)
			_, _ = hook.Fire(t.Context(), &e, hook.PreToolUse, inSession("s"), c.pre)
			_, _ = hook.Fire(t.Context(), &e, hook.PostToolUse, inSession(c.session), hook.ToolResult{ToolUse: c.post})
			if got := h.all["PostToolUse"]["k"]; got != c.want {
				t.Errorf("after the call: %v, want %v", got, c.want)
			}
			_, _ = hook.Fire(t.Context(), &e, hook.PostToolUse, inSession("s"), hook.ToolResult{ToolUse: use("", "c")})
			if got := h.all["PostToolUse"]["k"]; got != nil {
				t.Errorf("another call has %v", got)
			}
		})
	}
}

func TestMetadataOfCallDoesNotReachTheNext(t *testing.T) {
	var e hook.Engine
	add(t, &e, "sets", tells(map[string]any{"k": "x"}), hook.MatchCommand("^first"))
	h := listen(t, &e)
	for _, c := range []struct {
		command string
		want    any
	}{{"first", "x"}, {"second", nil}} {
		u := bash(c.command)
		u.ToolUseID = "same" // agents use the ids of calls again
		_, _ = hook.Fire(t.Context(), &e, hook.PreToolUse, inSession("s"), u)
		_, _ = hook.Fire(t.Context(), &e, hook.PostToolUse, inSession("s"), hook.ToolResult{ToolUse: u})
		if got := h.all["PostToolUse"]["k"]; got != c.want {
			t.Errorf("%s: %v, want %v", c.command, got, c.want)
		}
	}
}

func TestMetadataOfAgentStartIsThereInTheWholeRun(t *testing.T) {
	var e hook.Engine
	sets(t, &e, "AgentStart", map[string]any{"trace": "t-1"})
	h := listen(t, &e)
	ctx, env := t.Context(), inSession("s")
	_, _ = hook.Fire(ctx, &e, hook.AgentStart, env, hook.AgentRun{Prompt: "go"})
	_, _ = hook.Generate(ctx, &e, env, hook.Generation{Prompt: "p"}, func(context.Context, hook.Generation) (hook.GenerationResult, error) {
		return hook.GenerationResult{ResponseText: "r"}, nil
	})
	w := tool{response: fine}
	_, _ = hook.Tool(ctx, &e, env, bash("ls"), w.run)
	of := &hook.Envelope{Session: "s", Agent: "a", Metadata: map[string]any{"agent_id": "sub-1"}}
	_, _ = hook.Fire(ctx, &e, hook.Notification, of, hook.Alert{Message: "m"})
	_, _ = hook.Fire(ctx, &e, hook.AgentStop, env, hook.AgentResult{Success: true})
	for _, name := range []string{"GenerateStart", "GenerateEnd", "PreToolUse", "PostToolUse", "ToolResultPersist", "Notification", "AgentStop"} {
		if h.all[name]["trace"] != "t-1" {
			t.Errorf("%s has %v", name, h.all[name])
		}
	}
	_, _ = hook.Fire(ctx, &e, hook.Idle, env, hook.Silence{})
	_, _ = hook.Fire(ctx, &e, hook.Output, inSession("other"), hook.OutputText{})
	if h.all["Idle"]["trace"] != nil || h.all["Output"]["trace"] != nil {
		t.Errorf("after the run: %v; in another session: %v", h.all["Idle"], h.all["Output"])
	}
}

func TestMetadataLastsWhereHooksMakeTheAgentGoOn(t *testing.T) {
	var e hook.Engine
	sets(t, &e, "AgentStart", map[string]any{"k": 1})
	add(t, &e, "on", says(hook.Block("go on")), hook.For("AgentStop"))
	h := listen(t, &e)
	_, _ = hook.Fire(t.Context(), &e, hook.AgentStart, inSession("s"), hook.AgentRun{})
	_, _ = hook.Fire(t.Context(), &e, hook.AgentStop, inSession("s"), hook.AgentResult{})
	_, _ = hook.Fire(t.Context(), &e, hook.PreToolUse, inSession("s"), bash("ls"))
	if h.all["PreToolUse"]["k"] != 1 {
		t.Errorf("it has %v", h.all["PreToolUse"])
	}
}

func TestMetadataOfModelCallAndOfTurn(t *testing.T) {
	var e hook.Engine
	sets(t, &e, "GenerateStart", map[string]any{"g": 1})
	sets(t, &e, "IterationStart", map[string]any{"i": 2})
	h := listen(t, &e)
	ctx, env := t.Context(), inSession("s")
	_, _ = hook.Fire(ctx, &e, hook.IterationStart, env, hook.IterationInfo{Iteration: 1})
	_, _ = hook.Fire(ctx, &e, hook.GenerateStart, env, hook.Generation{})
	_, _ = hook.Fire(ctx, &e, hook.GenerateEnd, env, hook.GenerationResult{})
	_, _ = hook.Fire(ctx, &e, hook.PreToolUse, env, bash("ls"))
	_, _ = hook.Fire(ctx, &e, hook.IterationEnd, env, hook.IterationResult{})
	_, _ = hook.Fire(ctx, &e, hook.Notification, env, hook.Alert{})
	for name, want := range map[string]map[string]any{
		"GenerateEnd": {"g": 1, "i": 2}, "PreToolUse": {"i": 2}, "IterationEnd": {"i": 2}, "Notification": {},
	} {
		if got := h.all[name]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
}

// What an agent says in its own protocol, and what a hook answers in it, is about
// one event.
func TestMetadataOfOneEventDoesNotFollow(t *testing.T) {
	var e hook.Engine
	sets(t, &e, "PreToolUse", map[string]any{"claude.suppressOutput": true, "native": 1, "k": 2})
	h := listen(t, &e)
	_, _ = hook.Fire(t.Context(), &e, hook.PreToolUse, inSession("s"), bash("ls"))
	_, _ = hook.Fire(t.Context(), &e, hook.PostToolUse, inSession("s"), hook.ToolResult{ToolUse: bash("ls")})
	if got := h.all["PostToolUse"]; fmt.Sprint(got) != "map[k:2]" {
		t.Errorf("it has %v", got)
	}
}

func TestMetadataThatFollowsIsBounded(t *testing.T) {
	var e hook.Engine
	sets(t, &e, "PreToolUse", map[string]any{"k": strings.Repeat("x", 1<<20)})
	h := listen(t, &e)
	out, _ := hook.Fire(t.Context(), &e, hook.PreToolUse, inSession("s"), bash("ls"))
	var refused *hook.RefusedError
	if !errors.As(out.Steps[0].Err, &refused) {
		t.Errorf("no error: %+v", out.Steps[0])
	}
	_, _ = hook.Fire(t.Context(), &e, hook.PostToolUse, inSession("s"), hook.ToolResult{ToolUse: bash("ls")})
	if h.all["PostToolUse"]["k"] != nil {
		t.Error("a MiB follows a call")
	}
}

// A store takes the place of the engine's memory, so that another process goes on.
func TestMetadataFollowsThroughAStore(t *testing.T) {
	kept := &store{all: map[string][]byte{}}
	process := func() (*hook.Engine, *hears) {
		e := &hook.Engine{Operations: &hook.Operations{Store: kept}}
		sets(t, e, "AgentStart", map[string]any{"run": "r"})
		sets(t, e, "PreToolUse", map[string]any{"call": 7.0})
		return e, listen(t, e)
	}
	e, _ := process()
	_, _ = hook.Fire(t.Context(), e, hook.AgentStart, inSession("s"), hook.AgentRun{})
	e, _ = process()
	_, _ = hook.Fire(t.Context(), e, hook.PreToolUse, inSession("s"), bash("ls"))
	e, h := process()
	_, _ = hook.Fire(t.Context(), e, hook.PostToolUse, inSession("s"), hook.ToolResult{ToolUse: bash("ls")})
	if got := fmt.Sprint(h.all["PostToolUse"]); got != "map[call:7 run:r]" {
		t.Errorf("it has %v", got)
	}
	e, _ = process()
	_, _ = hook.Fire(t.Context(), e, hook.AgentStop, inSession("s"), hook.AgentResult{})
	if len(kept.all) != 0 {
		t.Errorf("%d sessions are kept after the run", len(kept.all))
	}
}

type store struct {
	mu  sync.Mutex
	all map[string][]byte
}

func (s *store) Load(session string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[session]
}

func (s *store) Update(session string, edit func([]byte) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[session] = edit(s.all[session]); s.all[session] == nil {
		delete(s.all, session)
	}
}

func TestTurnsAreCountedForHooksThatAsk(t *testing.T) {
	var e hook.Engine
	add(t, &e, "compilr", says(hook.Decision{}), hook.For("PreToolUse"), hook.WithProfile(hook.ProfileCompilr))
	h := listen(t, &e)
	ctx, env := t.Context(), inSession("s")
	turn := func(name string, want any) {
		t.Helper()
		if got := h.all[name]["iteration"]; got != want {
			t.Errorf("%s: turn %v, want %v", name, got, want)
		}
	}
	call := func() {
		_, _ = hook.Fire(ctx, &e, hook.PreToolUse, env, bash("ls"))
	}
	result := func() {
		_, _ = hook.Fire(ctx, &e, hook.PostToolUse, env, hook.ToolResult{ToolUse: bash("ls")})
	}
	_, _ = hook.Fire(ctx, &e, hook.AgentStart, env, hook.AgentRun{})
	turn("AgentStart", 1)
	call()
	call() // side by side
	turn("PreToolUse", 1)
	result()
	result()
	turn("PostToolUse", 1)
	call()
	turn("PreToolUse", 2)
	result()
	_, _ = hook.Fire(ctx, &e, hook.AgentStart, env, hook.AgentRun{})
	_, _ = hook.Fire(ctx, &e, hook.GenerateStart, env, hook.Generation{})
	turn("GenerateStart", 1)
	call()
	result()
	call()
	turn("PreToolUse", 1) // the model was asked once
	_, _ = hook.Fire(ctx, &e, hook.GenerateStart, env, hook.Generation{})
	turn("GenerateStart", 2)
	_, _ = hook.Fire(ctx, &e, hook.IterationStart, env, hook.IterationInfo{Iteration: 9})
	call()
	turn("PreToolUse", 9) // who counts itself knows best
	e.Remove("compilr")
	_, _ = hook.Fire(ctx, &e, hook.AgentStart, env, hook.AgentRun{})
	turn("AgentStart", nil)
}

// Ten thousand sessions that begin and never end are not kept.
func TestSessionsWhoseMetadataFollowsAreBounded(t *testing.T) {
	var e hook.Engine
	sets(t, &e, "AgentStart", map[string]any{"k": 1})
	h := listen(t, &e)
	for i := range 3000 {
		_, _ = hook.Fire(t.Context(), &e, hook.AgentStart, inSession(fmt.Sprint(i)), hook.AgentRun{})
	}
	for id, want := range map[string]any{"0": nil, "2999": 1} {
		_, _ = hook.Fire(t.Context(), &e, hook.Idle, inSession(id), hook.Silence{})
		if h.all["Idle"]["k"] != want {
			t.Errorf("session %s has %v, want %v", id, h.all["Idle"]["k"], want)
		}
	}
}
