package judge

import (
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
)

// An agent may report one thing several times: through two layers of its
// configuration, through the configuration of another agent that it also reads,
// or under a general and a special event. The hooks must run once. Reports belong
// together if session, event and content are the same, and
//
//   - both name the same call (tool_use_id) or prompt, or the same turn that a prompt begins, or
//   - one names none, and they differ in codec or native name: each of these
//     reports a call once, or
//   - they are the same in both and of the same instant: as the agent says, or,
//     where it tells no time, as they came; except calls of tools and the stops
//     of an agent that hooks make go on, which may well follow that fast: of these
//     stops the agent must have told the same time to the millisecond. A call that
//     was refused before the agent's time is another try.
//
// Reports under one native event are alike in all that they tell but their time: hooks
// decide by the folder, and may by the mode of permissions or the transcript. The content
// always counts, because agents use the ids of calls again: a call must never get
// the decision that was made about another. So a call ends with the word of what it
// gave: what is reported of it then is another.
const (
	soon        = 5 * time.Second       // after the answer to the first report
	sameInstant = 50 * time.Millisecond // between the agent's own times of day, or between arrivals
)

// maxSeen bounds how many events are remembered; then the oldest is forgotten.
const maxSeen = 1024

// seen remembers what was reported lately.
type seen struct {
	mu     sync.Mutex
	events map[uint64][]*flight
	ring   [maxSeen]*flight // all of them, in the order in which they came
	next   int              // place of the one to come
	oldest int              // place of the first of them
}

// flight is an event that is being judged, or was.
type flight struct {
	id      string // of the call or the turn, if it has one
	agents  string // the codec and native name that reported it first
	around  uint64 // all else that the report tells
	session string
	call    bool      // it is about a call that is to be made
	over    bool      // which was made; guarded by seen.mu
	others  []string  // those that reported it again
	stamp   time.Time // the agent's own time, if it tells it
	claimed time.Time
	key     uint64

	done  chan struct{}
	ended time.Time // what follows is set when done is closed
	event string    // its id
	out   hook.Outcome[any]
	more  string // to say, if that is an ask
	err   error
}

// settle tells those who reported the same event what came of it.
func (f *flight) settle(event hook.ID, out hook.Outcome[any], more string, err error) {
	f.event, f.out, f.more, f.err, f.ended = event.String(), slim(out), more, err, time.Now()
	close(f.done)
}

// slim keeps of an outcome what an answer is made of.
func slim(out hook.Outcome[any]) hook.Outcome[any] {
	if !out.Changed {
		out.Payload, out.Steps = nil, nil
	}
	own := map[string]any{}
	for name, value := range out.Metadata {
		if strings.HasPrefix(name, "claude.") {
			own[name] = value
		}
	}
	out.Metadata = own
	return out
}

// age is how long ago the event was answered.
func (f *flight) age(now time.Time) time.Duration {
	select {
	case <-f.done:
		return now.Sub(f.ended)
	default:
		return 0
	}
}

// wait gives the outcome of the first report.
func (f *flight) wait(ctx context.Context) (hook.Outcome[any], error) {
	select {
	case <-f.done:
		return f.out, f.err
	case <-ctx.Done():
		return hook.Outcome[any]{}, errors.New("the same event, reported before, is still being judged")
	}
}

// claim finds the first report of an event, or makes this one the first, which
// then must be settled. hooks names the hooks that are to judge: what others
// made of the event says nothing. apart tells of two agents whether some of the
// hooks are for one of them only.
func (s *seen) claim(hooks, codec string, apart func(a, b string) bool, ev hook.AnyEvent) (f *flight, first bool) {
	now := time.Now()
	key, ok := content(hooks, ev.Info().Name, ev)
	f = &flight{
		id: callID(ev), agents: codec + " " + adapter.NativeName(ev), around: around(ev), session: ev.Head().Session, call: toMake(ev.Info()),
		stamp: agentTime(ev), claimed: now, key: key, done: make(chan struct{}),
	}
	if !ok || ev.Head().Session == "" {
		return f, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(now)
	for _, known := range s.events[key] {
		if known.covers(f, ev, now, apart) {
			return known, false
		}
	}
	if s.events == nil {
		s.events = map[uint64][]*flight{}
	}
	if old := s.ring[s.next]; old != nil {
		s.forget(old)
		s.oldest = (s.next + 1) % maxSeen
	}
	s.ring[s.next] = f
	s.next = (s.next + 1) % maxSeen
	s.events[key] = append(s.events[key], f)
	return f, true
}

// covers reports whether another report is about this event.
func (f *flight) covers(g *flight, ev hook.AnyEvent, now time.Time, apart func(a, b string) bool) bool {
	if f.id != "" && g.id != "" && f.id != g.id {
		return false // first, because an agent may make the same call many times
	}
	if f.over || f.age(now) >= soon || !related(f.agents, g.agents) {
		return false
	}
	if a, b := agentOf(f.agents), agentOf(g.agents); a != b && apart(a, b) {
		return false // hooks that are for the one were not asked about the other
	}
	if f.agents == g.agents && f.around != g.around {
		return false // two sub-agents did the same, or it was done in two folders, or modes
	}
	if f.id != "" && g.id != "" {
		return true
	}
	if f.agents != g.agents && !slices.Contains(f.others, g.agents) {
		f.others = append(f.others, g.agents)
		return true
	}
	switch {
	case streams(ev):
		return false
	case f.stamp.IsZero() || g.stamp.IsZero():
		_, tool := hook.CallOf(ev)
		return !tool && !goesOn(ev) && now.Sub(f.claimed) <= sameInstant
	case goesOn(ev):
		return g.stamp.Equal(f.stamp)
	}
	return g.stamp.Sub(f.stamp).Abs() <= sameInstant && !f.refused(g.stamp)
}

// refused reports whether the agent knew already at a time that it may not make this call:
// what it reports then is another try, and a person may have said yes meanwhile.
func (f *flight) refused(at time.Time) bool {
	select {
	case <-f.done:
		return f.call && (f.out.Action == hook.ActionBlock || f.out.Action == hook.ActionAsk) && at.After(f.ended)
	default:
		return false
	}
}

// readsClaude are the codecs of agents that run hooks of Claude Code's
// configuration too, so that one call may come by both.
var readsClaude = []string{"copilot", "copilot-pascal", "cursor"}

// related reports whether one agent may be behind both reports.
func related(a, b string) bool {
	if agentOf(a) == agentOf(b) {
		return true
	}
	a, _, _ = strings.Cut(a, " ")
	b, _, _ = strings.Cut(b, " ")
	return a == "claude" && slices.Contains(readsClaude, b) || b == "claude" && slices.Contains(readsClaude, a)
}

// agentOf is the agent whose codec and native name these are.
func agentOf(agents string) string {
	codec, _, _ := strings.Cut(agents, " ")
	return strings.TrimSuffix(codec, "-pascal")
}

// apart reports whether a hook is for one of two agents and not for the other, as
// far as its matcher says.
func (w *Workspace) apart(a, b string) bool {
	return slices.ContainsFunc(w.set.Hooks, func(h config.Hook) bool { return h.State == config.Active && tellsApart(h.Match, a, b) })
}

func tellsApart(m hook.Match, a, b string) bool {
	for _, names := range [][]string{m.Agent, m.Source} {
		pattern := func(name string) bool { return strings.ContainsAny(name, `*?[{\`) }
		if slices.Contains(names, a) != slices.Contains(names, b) || slices.ContainsFunc(names, pattern) {
			return true
		}
	}
	inner := func(m hook.Match) bool { return tellsApart(m, a, b) }
	return slices.ContainsFunc(m.Any, inner) || slices.ContainsFunc(m.All, inner) || m.Not != nil && inner(*m.Not)
}

// streams reports events of which an agent fires many alike in a row.
func streams(ev hook.AnyEvent) bool {
	return ev.Info() == hook.GenerateEnd.Info() || ev.Info() == hook.Notification.Info()
}

// drop forgets the oldest that no report can belong to any more: what a hook made
// of a call may be large. The caller holds mu.
func (s *seen) drop(now time.Time) {
	for ; s.oldest != s.next || s.ring[s.oldest] != nil; s.oldest = (s.oldest + 1) % maxSeen {
		if f := s.ring[s.oldest]; f != nil {
			if f.age(now) < soon {
				return
			}
			s.forget(f)
			s.ring[s.oldest] = nil
		}
	}
}

// forget drops an event. The caller holds mu.
func (s *seen) forget(f *flight) {
	left := slices.DeleteFunc(s.events[f.key], func(g *flight) bool { return g == f })
	if s.events[f.key] = left; len(left) == 0 {
		delete(s.events, f.key)
	}
}

// toMake reports events about a call that is yet to be made.
func toMake(info *hook.EventInfo) bool {
	return info == hook.PreToolUse.Info() || info == hook.PermissionRequest.Info()
}

// end takes note that a call was made: no later report is about it. Without ids it
// is the call of that content.
func (s *seen) end(hooks string, ev hook.AnyEvent) {
	made, ok := hook.CallOf(ev)
	if !ok || ev.Info() != hook.PostToolUse.Info() && ev.Info() != hook.PostToolUseFailure.Info() {
		return
	}
	session, alike := ev.Head().Session, false
	s.mu.Lock()
	for _, f := range s.ring {
		switch {
		case f == nil || !f.call || f.session != session:
		case f.id == "" || made.ID == "":
			alike = true
		case f.id == made.ID:
			f.over = true
		}
	}
	s.mu.Unlock()
	if !alike {
		return
	}
	for _, info := range []*hook.EventInfo{hook.PreToolUse.Info(), hook.PermissionRequest.Info()} {
		key, _ := content(hooks, info.Name, ev)
		s.mu.Lock()
		for _, f := range s.events[key] {
			f.over = f.over || f.call && (f.id == "" || made.ID == "")
		}
		s.mu.Unlock()
	}
}

// content sums up what an event is about, apart from who reports it.
func content(hooks, name string, ev hook.AnyEvent) (uint64, bool) {
	body := ev.Body()
	if call, ok := hook.CallOf(ev); ok {
		body = []any{call.Name, adapter.Gist(ev, call.Name, call.Input)}
	} else if p, ok := body.(map[string]any); ok { // an agent's own event
		own := maps.Clone(p)
		delete(own, "timestamp")
		body = own
	}
	var h maphash.Hash // seeded at random, so that two contents cannot be made to look alike
	h.SetSeed(seed)
	_, _ = h.WriteString(hooks + "\x00" + name + "\x00" + ev.Head().Session + "\x00")
	if err := json.NewEncoder(&h).Encode(body); err != nil {
		return 0, false
	}
	return h.Sum64(), true
}

// around sums up what a report tells besides its content and its time.
func around(ev hook.AnyEvent) uint64 {
	head := ev.Head()
	native, _ := head.Metadata["native"].(map[string]any)
	native = maps.Clone(native)
	delete(native, "timestamp")
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.WriteString(head.CWD + "\x00" + head.Transcript + "\x00" + head.Subagent() + "\x00")
	_ = json.NewEncoder(&h).Encode(native) // what came as JSON can be written so
	return h.Sum64()
}

var seed = maphash.MakeSeed()

// goesOn reports a stop of an agent that went on because of a hook. Each has to be
// counted, or there would be no end.
func goesOn(ev hook.AnyEvent) bool {
	switch p := ev.Body().(type) {
	case hook.AgentResult:
		return p.StopHookActive
	case hook.Subagent:
		native, _ := ev.Head().Metadata["native"].(map[string]any)
		return native["stop_hook_active"] == true
	}
	return false
}

// callID names the tool call that an event is about, or the turn that it begins.
func callID(ev hook.AnyEvent) string {
	if call, ok := hook.CallOf(ev); ok {
		return call.ID
	}
	if ev.Info() != hook.AgentStart.Info() {
		return ""
	}
	native, _ := ev.Head().Metadata["native"].(map[string]any) // a turn has one prompt of this text, but it may stop many times
	for _, name := range []string{"turn_id", "prompt_id", "generation_id"} {
		if id, _ := native[name].(string); id != "" {
			return id
		}
	}
	return ""
}

// agentTime is when the agent says that it fired the event.
func agentTime(ev hook.AnyEvent) time.Time {
	native, _ := ev.Head().Metadata["native"].(map[string]any)
	switch t := native["timestamp"].(type) {
	case string:
		if at, err := time.Parse(time.RFC3339Nano, t); err == nil {
			return at
		}
	case json.Number:
		if ms, err := t.Int64(); err == nil {
			return time.UnixMilli(ms)
		}
	}
	return time.Time{}
}
