package replay

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/transcript"
)

// Transcripts says which of the records that agents keep of their own sessions are
// replayed.
type Transcripts struct {
	Getenv  func(string) string // where they are
	Agents  []string            // of transcript.Agents; none: all
	Records []transcript.Record // these alone, at the hooks of Rerun.Options; none: what Agents have
	Wanted
}

// Moments gives what happened in the sessions, those of sub-agents beside their session:
// prompts, calls, and their results. No decision of a hook is known, but what became of a
// call; see [Became].
func (t Transcripts) Moments(ctx context.Context) iter.Seq2[*Moment, error] {
	return func(yield func(*Moment, error) bool) {
		records := t.Records
		if len(records) == 0 {
			var problems []error
			records, problems = transcript.List(ctx, t.Getenv, t.agents(), t.Since)
			for _, err := range problems {
				if !yield(nil, err) {
					return
				}
			}
		}
		groups := byGroup(records)
		last := func(g []transcript.Record) transcript.Record {
			return slices.MaxFunc(g, func(a, b transcript.Record) int { return a.Changed.Compare(b.Changed) })
		}
		slices.SortStableFunc(groups, func(a, b []transcript.Record) int { return last(a).Changed.Compare(last(b).Changed) })
		var all int64
		for _, r := range records {
			all += r.Size
		}
		told := &teller{all: all, Transcripts: &t, yield: yield, copies: newCopies(), hooks: map[string]string{}}
		for _, group := range groups {
			if session := path.Base(group[0].Group); t.Session == "" || t.Session == session {
				told.session = session
				if told.group(ctx, group); told.over {
					return
				}
			}
		}
	}
}

func (t *Transcripts) agents() []string {
	if len(t.Agents) > 0 {
		return t.Agents
	}
	return transcript.Agents()
}

// teller makes moments of what agents have recorded, one session after the other.
type teller struct {
	*Transcripts
	yield   func(*Moment, error) bool
	over    bool // nobody wants more
	copies  copies
	hooks   map[string]string // the folder whose hooks count, by that of a call
	session string
	n       uint64 // events

	read, all int64 // bytes

	errs  []error            // that were not told yet
	queue []*Moment          // what waits for what became of the first of them
	open  map[string]*called // calls that have no result yet
	bytes int                // of the queue
}

// called is a call that waits for its result.
type called struct {
	*Moment
	name  string
	input map[string]any
}

// Bounds of what waits for the result of a call. A call that is waited for in vain is not
// known.
const (
	mostWaiting      = 4096
	mostWaitingBytes = 16 << 20
	mostTornWaiting  = 1000 // lines of one record that cannot be read; of more only the number is told
)

// group tells of one session with its sub-agents.
func (t *teller) group(ctx context.Context, records []transcript.Record) {
	t.open = map[string]*called{}
	on := &listener{most: transcript.Ample, problem: func(err error) { t.errs = append(t.errs, err) }, read: t.reads, torn: mostTornWaiting}
	on.inOrder(ctx, records, func(from *stream, e *transcript.Entry) bool {
		t.entry(from, e)
		return t.give(mostWaiting, mostWaitingBytes)
	})
	if !t.over {
		t.give(0, 0)
	}
}

// reads counts bytes that were read.
func (t *teller) reads(n int64) {
	if t.read += n; t.Tell != nil {
		t.Tell(t.read, t.all)
	}
}

// give gives what need not wait, and what is too much to wait.
func (t *teller) give(most, mostBytes int) bool {
	for _, err := range t.errs {
		if t.over = t.over || !t.yield(nil, err); t.over {
			return false
		}
	}
	t.errs = nil
	for len(t.queue) > 0 {
		m := t.queue[0]
		if m.Was == NotKnown && t.waits(m) && len(t.queue) <= most && t.bytes <= mostBytes {
			return true
		}
		t.queue, t.bytes = t.queue[1:], t.bytes-len(m.Event)
		if t.waits(m) {
			delete(t.open, m.Then.ToolUseID)
		}
		if t.over = !t.yield(m, nil); t.over {
			return false
		}
	}
	return true
}

// waits reports whether what became of a call may still be told.
func (t *teller) waits(m *Moment) bool {
	c := t.open[m.Then.ToolUseID]
	return c != nil && c.Moment == m
}

func (t *teller) entry(from *stream, e *transcript.Entry) {
	switch e.Kind {
	case transcript.User:
		if strings.HasPrefix(e.Text, interrupted) {
			for _, c := range t.open {
				c.Was = Refused
			}
			clear(t.open)
			return
		}
		if !e.Hidden && !e.Sub && !from.record.Sub {
			t.add(from, e, hook.AgentStart.Name(), "a prompt", map[string]any{"prompt": e.Text}).Was = Happened
		}
	case transcript.Call:
		if t.copies.first(from.record.Agent, e) {
			t.call(from, e)
		}
	case transcript.Result:
		t.result(from, e)
	}
}

// call queues a call until its result comes.
func (t *teller) call(from *stream, e *transcript.Entry) {
	c := &called{}
	c.name, c.input = adapter.Recorded(from.record.Agent, e.Tool, inputOf(e.Input))
	c.Moment = t.add(from, e, hook.PreToolUse.Name(), "call "+cmp.Or(e.ID, e.Tool), map[string]any{"tool_name": c.name, "tool_input": c.input, "tool_use_id": e.ID})
	c.Was, c.Then.Tool, c.Then.ToolUseID = NotKnown, c.name, e.ID
	if from.record.Agent == "codex" && e.Tool == "exec" && isText(e.Input) {
		c.Lacks = "it is a program of Codex that calls tools"
	}
	if e.ID != "" {
		t.open[e.ID] = c
	}
}

// result tells what became of a call, and that it has ended.
func (t *teller) result(from *stream, e *transcript.Entry) {
	c := t.open[e.ID]
	if c == nil {
		return
	}
	delete(t.open, e.ID)
	c.Was = became(from.record.Agent, e)
	fields := map[string]any{"tool_name": c.name, "tool_input": c.input, "tool_use_id": e.ID}
	event := hook.PermissionDenied.Name()
	if c.Was == Ran {
		event = hook.PostToolUse.Name()
		fields["tool_response"] = map[string]any{"success": !e.Failed, "output": e.Text}
	} else {
		c.Then.Action = hook.ActionBlock.String()
	}
	e.Time = later(e.Time, c.Then.Time)
	m := t.add(from, e, event, "result of "+e.ID, fields)
	m.Was, m.Lacks = Happened, c.Lacks
}

// add queues one event.
func (t *teller) add(from *stream, e *transcript.Entry, event, what string, fields map[string]any) *Moment {
	dir := strings.TrimPrefix(cmp.Or(e.Dir, from.record.Dir), "file://")
	t.n++
	var id hook.ID
	binary.BigEndian.PutUint64(id[:], t.n)
	m := &Moment{Place: t.session + ", " + what, Undecided: true, Before: e.Time.Before(t.Since)}
	m.Then.Event, m.Then.Session, m.Then.Agent, m.Then.CWD, m.Then.Time = event, t.session, from.record.Agent, dir, e.Time
	m.Then.EventID, m.Then.Action = id.String(), hook.ActionContinue.String()
	fields["hook_event_name"], fields["session_id"], fields["cwd"], fields["agent"], fields["source"] = event, t.session, dir, from.record.Agent, from.record.Agent
	var err error
	if m.Event, err = json.Marshal(fields); err != nil {
		m.Lacks = "it cannot be written: " + hook.LogLine(err.Error())
	}
	switch {
	case !filepath.IsAbs(dir):
		m.Lacks = "the agent's record does not say in which folder it was"
	case t.Workspace != "" && t.folder(dir) != t.Workspace:
		m.Before = true // of another workspace
	}
	if len(t.Records) == 0 {
		m.Hooks = t.folder(dir)
	}
	t.queue, t.bytes = append(t.queue, m), t.bytes+len(m.Event)
	return m
}

// folder is where the hooks are that count in a folder.
func (t *teller) folder(dir string) string {
	if found, known := t.hooks[dir]; known {
		return found
	}
	root := filepath.VolumeName(dir) + string(filepath.Separator)
	found := root
	if filepath.IsAbs(dir) && !guards.Far(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil { // it is gone: what is above it may be there
			real = dir
		}
		if above, err := config.WorkspaceOf(t.Getenv, real); err == nil && above != "" {
			found = above
		}
	}
	if len(t.hooks) >= mostWorlds {
		clear(t.hooks)
	}
	t.hooks[dir] = found
	return found
}
