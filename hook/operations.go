package hook

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
)

// Operations keeps what hooks set in the metadata of an event for the later events
// of its operation:
//
//   - What is set at PreToolUse is there at PostToolUse of the same call. Calls
//     belong together by id, or else by tool and input.
//   - What is set at GenerateStart or IterationStart is there at their end.
//   - What is set at AgentStart is there until the agent stops.
//
// It also counts the turns of runs where hooks ask for that (see
// Profile.Iterations). An engine has one of its own; several may share one, and
// the zero value is ready. Its methods may be called from many goroutines.
//
// It is bounded: 1024 sessions in memory, of which the least recently used goes
// first, 64 calls of a session, and 64 KiB of JSON of an operation.
type Operations struct {
	// Store keeps the state outside of this process, where others go on with it.
	// With nil it is in memory. It must not be changed after the first event.
	Store OperationStore

	known atomic.Int64 // sessions in memory

	mu       sync.Mutex
	sessions map[string]*operations
	clock    uint64
}

// OperationStore keeps the operations of sessions for several processes. The bytes
// are Operations' own: a store does not read them. Its methods may be called from
// many goroutines. A store that fails loses metadata, never an event, so there are
// no errors to return: log them.
type OperationStore interface {
	// Load returns what is kept for a session, or nil.
	Load(session string) []byte

	// Update replaces what is kept by the result of edit, atomically: no other
	// process updates the session meanwhile. If edit returns nil, nothing is kept.
	Update(session string, edit func([]byte) []byte)
}

// Bounds of what follows operations.
const (
	maxSessions = 1024     // sessions
	maxCalls    = 64       // of a session
	maxRuns     = 64       // of a session: the agent and its sub-agents
	maxFollows  = 64 << 10 // bytes of JSON of one operation
)

// operations are those of one session.
type operations struct {
	Runs  []*agentRun `json:"runs,omitempty"`
	Calls []*toolRun  `json:"calls,omitempty"`

	used uint64 // when it was used last, by the clock of Operations
}

// agentRun is an agent, or a sub-agent, at work on a prompt.
type agentRun struct {
	Agent    string         `json:"agent,omitempty"`
	Subagent string         `json:"subagent,omitempty"`
	Set      map[string]any `json:"set,omitempty"`   // by hooks of AgentStart
	Turn     map[string]any `json:"turn,omitempty"`  // by hooks of IterationStart
	Model    map[string]any `json:"model,omitempty"` // by hooks of GenerateStart
	TurnOver bool           `json:"turn_over,omitempty"`
	Count    *turns         `json:"count,omitempty"`
}

// toolRun is a call of a tool. Calls without an id are distinguished by what they are
// called with: as they were fired, and as hooks left them.
type toolRun struct {
	ID     string         `json:"id,omitempty"`
	Tool   string         `json:"tool"`
	Inputs []string       `json:"inputs,omitempty"`
	Set    map[string]any `json:"set,omitempty"`
	Over   bool           `json:"over,omitempty"`
}

// operations returns those that the engine keeps.
func (e *Engine) operations() *Operations {
	if e.Operations != nil {
		return e.Operations
	}
	return &e.own
}

// idle reports that nothing is kept for any operation, and no turns are counted.
func (o *Operations) idle(e *Engine) bool {
	return o.Store == nil && o.known.Load() == 0 && e.counting.Load() == 0
}

// sessionKey names the session of an event. Programs that name none are distinguished
// as far as they can be; nothing of theirs is kept outside of the process.
func sessionKey(env *Envelope) (key string, stored bool) {
	if env.Session != "" {
		return env.Session, true
	}
	return "\x00" + env.Agent + "\x00" + env.CWD, false
}

// read shows the operations of an event's session; nil if there are none.
func (o *Operations) read(env *Envelope, look func(*operations)) {
	key, stored := sessionKey(env)
	if o.Store != nil && stored {
		if s := decodeOperations(o.Store.Load(key)); s != nil {
			look(s)
		}
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if s := o.sessions[key]; s != nil {
		o.clock++
		s.used = o.clock
		look(s)
	}
}

// edit changes the operations of an event's session.
func (o *Operations) edit(env *Envelope, change func(*operations)) {
	key, stored := sessionKey(env)
	if o.Store != nil && stored {
		o.Store.Update(key, func(state []byte) []byte {
			s := decodeOperations(state)
			if s == nil {
				s = new(operations)
			}
			change(s)
			if s.empty() {
				return nil
			}
			data, err := json.Marshal(s)
			if err != nil { // what a Go program sets need not be JSON
				return state
			}
			return data
		})
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.sessions[key]
	if s == nil {
		s = new(operations)
	}
	change(s)
	o.clock++
	s.used = o.clock
	switch {
	case s.empty():
		delete(o.sessions, key)
	default:
		if o.sessions == nil {
			o.sessions = map[string]*operations{}
		}
		if o.sessions[key] == nil && len(o.sessions) >= maxSessions {
			o.forgetOldest()
		}
		o.sessions[key] = s
	}
	o.known.Store(int64(len(o.sessions)))
}

// forgetOldest makes room for a session. The lock is held.
func (o *Operations) forgetOldest() {
	oldest := ""
	for key, s := range o.sessions {
		if at := o.sessions[oldest]; at == nil || s.used < at.used {
			oldest = key
		}
	}
	delete(o.sessions, oldest)
}

// decodeOperations reads what was kept. What another version wrote is forgotten: that costs
// metadata of operations that run, and never a decision.
func decodeOperations(data []byte) *operations {
	if len(data) == 0 {
		return nil
	}
	s := new(operations)
	if decodeExact(data, s) != nil { // it is of another version
		return nil
	}
	return s
}

// empty reports whether nothing is left to be kept for the session.
func (s *operations) empty() bool { return len(s.Runs) == 0 && len(s.Calls) == 0 }

// ownMetadata reports keys that belong to one event only: the agent's own event, and
// decisions in the words of one agent's protocol.
func ownMetadata(key string) bool {
	return strings.HasPrefix(key, "native") || key == "agent_id" || key == turnsKey || strings.HasPrefix(key, "claude.") || strings.HasPrefix(key, "gemini.")
}

// following returns the part of a hook's metadata that is kept for the operation:
// what is new to the event, and does not belong to it alone.
func following(before, more map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range more {
		if old, ok := before[key]; !ownMetadata(key) && !(ok && sameValue(old, value)) {
			out[key] = value
		}
	}
	return out
}

// following is the envelope of the events after one of an operation, which hooks
// left with this metadata.
func (env *Envelope) following(metadata map[string]any) *Envelope {
	if env == nil {
		env = &noEnvelope
	}
	if len(metadata) == 0 || reflect.ValueOf(metadata).Pointer() == reflect.ValueOf(env.Metadata).Pointer() {
		return env
	}
	next := *env
	next.Metadata = laid(following(env.Metadata, metadata), env.Metadata)
	return &next
}

// sameValue compares what may have been JSON meanwhile.
func sameValue(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(x) == string(y)
}

// laid puts metadata over other metadata; the environments in both are one.
func laid(over, under map[string]any) map[string]any {
	if len(under) == 0 {
		return over
	}
	out := maps.Clone(under)
	for key, value := range over {
		if key == "env" {
			inner, isMap := variables(value)
			below, wasMap := variables(under["env"])
			if isMap && wasMap {
				maps.Copy(below, inner)
				value = below
			}
		}
		out[key] = value
	}
	return out
}

// tooMuch says why metadata does not follow its operation, or "".
func tooMuch(set map[string]any) string {
	if data, err := json.Marshal(set); err == nil && len(data) > maxFollows {
		return fmt.Sprintf("its metadata does not follow the operation: it is %d bytes, and at most %d are kept", len(data), maxFollows)
	}
	return ""
}
