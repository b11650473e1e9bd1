package replay

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/transcript"
)

// player plays one session, with its sub-agents, through the rules.
type player struct {
	p       *preview
	records []transcript.Record
	state   guards.State
	counts  *counts
	made    map[string]*made // calls that have no result yet, by id
	order   []string         // their ids, the oldest first
	n       int              // events
	reads   int              // of files
}

// made is a call of the session.
type made struct {
	use   hook.ToolUse
	head  hook.Envelope
	about call
	rules []string // that held for it
	since bool     // it counts
	blind bool     // it was not judged
}

// mostMade bounds the calls that wait for their results.
const mostMade = 256

func newPlayer(p *preview, records []transcript.Record) *player {
	s := &player{p: p, records: records, counts: newCounts(), made: map[string]*made{}}
	s.state.ReadFile = s.readFile
	return s
}

// mostTorn bounds how many lines of one record are told one by one.
const mostTorn = 3

// readFile reads a file that the session may have written. What it held then is not
// known, so that it is another one each time: no call is taken for one that changed
// nothing.
func (s *player) readFile(name string, most int) ([]byte, error) {
	text, err := guards.UnlessFar(name, func(name string) ([]byte, error) { return disk.Read(name, int64(most)) })
	if err != nil {
		return nil, err
	}
	s.reads++
	return strconv.AppendInt(append(text, '\n'), int64(s.reads), 10), nil
}

func (s *player) play(ctx context.Context) {
	s.counts.Records = len(s.records)
	on := &listener{most: s.p.most(), problem: s.p.problem, read: s.p.read, torn: mostTorn}
	s.counts.Torn = on.inOrder(ctx, s.records, func(from *stream, e *transcript.Entry) bool {
		switch e.Kind {
		case transcript.User:
			if !e.Hidden && !e.Sub && !from.record.Sub {
				s.state.After(hook.AgentStart.New(s.envelope(from, e), hook.AgentRun{}), guards.Seen{})
			}
		case transcript.Call:
			s.call(from, e)
		case transcript.Result:
			s.result(from.record.Agent, e)
		}
		return true
	})
	if s.counts.Calls > 0 {
		s.counts.Sessions = 1
	}
}

// envelope says where an entry happened: the session is that of the whole group, so that
// sub-agents are beside their session.
func (s *player) envelope(from *stream, e *transcript.Entry) hook.Envelope {
	dir := e.Dir
	if dir == "" {
		dir = from.record.Dir
	}
	s.n++
	var id hook.ID
	binary.BigEndian.PutUint64(id[:], uint64(s.n))
	return hook.Envelope{
		Session: from.record.Group, Agent: from.record.Agent, Source: from.record.Agent,
		CWD: strings.TrimPrefix(dir, "file://"), Mark: &hook.Mark{ID: id, Time: e.Time},
	}
}

// call judges a call.
func (s *player) call(from *stream, e *transcript.Entry) {
	s.p.mu.Lock()
	first := s.p.copies.first(from.record.Agent, e)
	s.p.mu.Unlock()
	if !first {
		s.counts.Copies++
		return
	}
	m := &made{head: s.envelope(from, e), since: !e.Time.Before(s.p.Since)}
	m.use = hook.ToolUse{ToolName: e.Tool, ToolInput: inputOf(e.Input), ToolUseID: e.ID}
	world, ok := s.p.worlds.of(m.head.CWD)
	m.about = call{agent: from.record.Agent, sub: e.Sub || from.record.Sub, time: e.Time, tool: e.Tool, input: m.use.ToolInput, home: world.Home, project: world.Project}
	if program := from.record.Agent == "codex" && e.Tool == "exec" && isText(e.Input); !ok || program {
		if m.since {
			s.counts.unjudged(m.about, program)
		}
		m.blind = true
		s.wait(e.ID, m)
		return
	}
	ev := hook.PreToolUse.New(m.head, m.use)
	found := facts.Call(m.use.ToolName, m.use.ToolInput, world)
	judged := s.p.policy.Judge(slices.Concat(found, s.state.Before(ev, found, guards.Budget{})))
	s.state.Decided(ev, found, judged, false) // whatever a rule says now, it went on
	if m.since {
		m.rules = s.counts.judged(m.about, judged)
	}
	s.wait(e.ID, m)
}

// wait keeps a call until its result comes.
func (s *player) wait(id string, m *made) {
	if id == "" {
		return
	}
	if len(s.order) >= mostMade {
		delete(s.made, s.order[0])
		s.order = s.order[1:]
	}
	s.made[id] = m
	s.order = append(s.order, id)
}

// result tells the rules over sessions, and the counts, what came of a call.
func (s *player) result(agent string, e *transcript.Entry) {
	m := s.made[e.ID]
	if m == nil {
		return
	}
	delete(s.made, e.ID)
	s.order = slices.DeleteFunc(s.order, func(id string) bool { return id == e.ID })
	seen := guards.Seen{}
	if !refused(agent, e) {
		seen = s.search(m, e)
	}
	if m.blind {
		return
	}
	head := m.head
	head.Mark = &hook.Mark{ID: m.head.Mark.ID, Time: later(e.Time, m.head.Mark.Time)}
	became := fine
	switch {
	case refused(agent, e):
		became = no
		s.state.After(hook.PermissionDenied.New(head, hook.Permission{ToolName: m.use.ToolName, ToolInput: m.use.ToolInput, ToolUseID: m.use.ToolUseID}), guards.Seen{})
	default:
		if e.Failed {
			became = failed
		}
		s.state.After(hook.PostToolUse.New(head, hook.ToolResult{ToolUse: m.use, ToolResponse: hook.ToolResponse{Success: !e.Failed, Output: e.Text}}), seen)
	}
	if m.since {
		s.counts.became(m.rules, became)
	}
}

// search judges what came back from a call.
func (s *player) search(m *made, e *transcript.Entry) guards.Seen {
	if !s.p.searches {
		return guards.Seen{}
	}
	in := guards.Inspect(e.Text)
	if m.since {
		s.counts.searched(m.about, s.p.policy.Judge(in.Facts(m.use.ToolName)))
	}
	return in.Seen()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// inputOf is the input of a call as rules want it. Some agents write a text that holds
// it, a list of words, or the text of a patch alone.
func inputOf(raw json.RawMessage) map[string]any {
	var in any
	if json.Unmarshal(raw, &in) != nil {
		return nil
	}
	switch v := in.(type) {
	case map[string]any:
		return v
	case []any:
		return map[string]any{"command": v}
	case string:
		var inner map[string]any
		if json.Unmarshal([]byte(v), &inner) == nil && inner != nil {
			return inner
		}
		return map[string]any{"text": v}
	}
	return nil
}

// isText reports whether an input is a text, as the programs of Codex's code mode.
func isText(raw json.RawMessage) bool {
	var text string
	return json.Unmarshal(raw, &text) == nil && !strings.HasPrefix(text, "{")
}
