package suggest

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
)

// Bounds of what is kept of a record, however long it is.
const (
	mostSessions = 512
	mostWaiting  = 32   // calls of a session that have no result yet
	mostCalls    = 2000 // different ones, of each kind
	mostTimes    = 64   // of one call
	mostRan      = 8    // calls of a session that may be undone
)

// How long after a call what a person says has to do with it, and how many calls after
// that may be its undoing.
const (
	speaks = time.Hour
	undoes = 3
)

// hash tells calls apart.
type hash [sha256.Size]byte

// call is one that was made, as the agent asked.
type call struct {
	tool  string
	input map[string]any
	dir   string

	agent, source string
}

// hash is the same for calls that do the same in one folder: what an agent says of a call
// does not count.
func (c *call) hash() hash {
	input := maps.Clone(c.input)
	delete(input, "description")
	text, err := json.Marshal([]any{c.source, c.tool, c.dir, input})
	if err != nil { // it came from JSON
		text = []byte(c.tool)
	}
	return sha256.Sum256(text)
}

// times is when something happened, and in which sessions.
type times struct {
	all         int
	first, last time.Time
	at          []time.Time // the first of them, apart from each other
	sessions    map[string]bool
}

func (t *times) add(at time.Time, session string) {
	t.all++
	if t.first.IsZero() || at.Before(t.first) {
		t.first = at
	}
	if at.After(t.last) {
		t.last = at
	}
	if len(t.at) < mostTimes {
		t.at = append(t.at, at)
	}
	if t.sessions == nil {
		t.sessions = map[string]bool{}
	}
	if len(t.sessions) < mostTimes {
		t.sessions[session] = true
	}
}

func (t *times) join(o *times) {
	all := t.all + o.all
	for _, at := range o.at {
		t.add(at, "")
	}
	delete(t.sessions, "")
	t.all = all
	for session := range o.sessions {
		if len(t.sessions) < mostTimes {
			t.sessions[session] = true
		}
	}
	if o.last.After(t.last) {
		t.last = o.last
	}
}

// habit is how often it happened on its own: what came within minutes counts once. Days
// are those of UTC.
func (t *times) habit() (occasions, days int) {
	at := slices.SortedFunc(slices.Values(t.at), time.Time.Compare)
	seen := map[string]bool{}
	var before time.Time
	for i, when := range at {
		if i == 0 || when.Sub(before) >= apart {
			occasions, before = occasions+1, when
		}
		seen[when.UTC().Format(time.DateOnly)] = true
	}
	return occasions, len(seen)
}

// answered is a call that a person answered, or stopped.
type answered struct {
	call
	times
	how string // of what was stopped
}

// waiting is a call without a result.
type waiting struct {
	call
	hash   hash
	id     string // of the agent
	event  string // of the record
	at     time.Time
	asked  string // the hook that asked
	rule   string // of hookway's own, that asked
	dialog bool   // the agent asked its user
	early  bool   // its question came before the call
	would  []would
	said   bool // a person said something before its result came
}

// would is what a rule on trial would have done.
type would struct{ rule, action string }

// ran is a call that may be undone.
type ran struct {
	call
	paths []string
	after bool // a person has spoken since
}

// session is what is known of a session.
type session struct {
	waits []*waiting
	ran   []ran
	left  int // calls after a person spoke that may undo something
	used  int // when it was last seen
}

// watch finds out what a person did about calls.
type watch struct {
	sessions map[string]*session
	n        int

	calls, answered, blind int

	yes     map[hash]*answered // in the agent's own dialog
	no      map[hash]*answered // refused, interrupted, undone
	blocked map[hash]*answered // by hooks
	told    map[string]bool    // tools of agents whose results are on record
	rules   map[string]*asking
	trials  map[string]*trial
	more    int // calls that there was no room for
}

// asking is a rule of hookway's own that asked, and what a person said.
type asking struct {
	times
	no    int
	calls map[hash]call
}

// trial is a rule that does not count.
type trial struct {
	times
	blocks, asks int
	ran, yes     int // of these calls, ran; and were allowed by a person
	calls        map[hash]call
}

func newWatch() *watch {
	return &watch{sessions: map[string]*session{}, yes: map[hash]*answered{}, no: map[hash]*answered{}, blocked: map[hash]*answered{},
		told: map[string]bool{}, rules: map[string]*asking{}, trials: map[string]*trial{}}
}

// see takes in a record.
func (w *watch) see(r *audit.Record) {
	switch {
	case r.Action == audit.Repeat || r.Action == audit.Observed:
		return
	case r.Action == audit.Untaken:
		w.drop(r)
		return
	}
	s := w.session(r.Agent + "\x00" + r.Session)
	switch r.Event {
	case hook.PreToolUse.Info().Name:
		w.begin(s, r)
	case hook.PermissionRequest.Info().Name:
		w.dialog(s, r)
	case hook.PostToolUse.Info().Name:
		w.told[r.Agent+"\x00"+r.Tool] = true
		w.result(s, r, true)
	case hook.PostToolUseFailure.Info().Name: // also of what was interrupted
		w.told[r.Agent+"\x00"+r.Tool] = true
		w.result(s, r, false)
	case hook.PermissionDenied.Info().Name:
		if p := s.take(r); p != nil {
			w.stopped(p, "refused", r.Session)
		}
	case hook.AgentStart.Info().Name:
		s.spoken(r.Time)
	case hook.AgentStop.Info().Name, hook.SessionStart.Info().Name, hook.SessionEnd.Info().Name:
		w.end(s, r.Session)
	}
}

// session is the one of a key. The one that was seen least lately goes.
func (w *watch) session(key string) *session {
	w.n++
	s := w.sessions[key]
	if s == nil {
		if len(w.sessions) >= mostSessions {
			oldest := ""
			for name, o := range w.sessions {
				if oldest == "" || o.used < w.sessions[oldest].used {
					oldest = name
				}
			}
			w.close(oldest)
			delete(w.sessions, oldest)
		}
		s = &session{}
		w.sessions[key] = s
	}
	s.used = w.n
	return s
}

// whole reports whether the record has a call as it was made.
func whole(r *audit.Record) bool {
	if r.ToolInput == nil {
		return false
	}
	for _, path := range r.Cut {
		if strings.HasPrefix(path, "tool_input") {
			return false
		}
	}
	text, err := json.Marshal(r.ToolInput)
	return err == nil && !strings.Contains(string(text), facts.Redacted) && !strings.Contains(string(text), "[secret: ")
}

func callOf(r *audit.Record) call {
	return call{tool: r.Tool, input: r.ToolInput, dir: r.CWD, agent: r.Agent, source: r.Source}
}

// begin takes in a call.
func (w *watch) begin(s *session, r *audit.Record) {
	w.calls++
	if !whole(r) {
		w.blind++
		return
	}
	p := &waiting{call: callOf(r), id: r.ToolUseID, event: r.EventID, at: r.Time}
	p.hash = p.call.hash()
	if len(r.Changes) > 0 { // what ran is another call
		return
	}
	w.undone(s, r)
	if i := slices.IndexFunc(s.waits, func(o *waiting) bool { return o.early && o.hash == p.hash }); i >= 0 {
		p.dialog, s.waits = s.waits[i].dialog, slices.Delete(s.waits, i, i+1)
	}
	granted := "" // the rule, of a call that a person let through
	for i := range r.Steps {
		step := &r.Steps[i]
		if t := step.Would; t != nil && t.Rule != "" {
			p.would = append(p.would, would{name(t.Rule), t.Action})
		}
		if strings.HasPrefix(step.Note, guards.PassNote) {
			granted = name(between(step.Note, guards.PassNote, " "))
		}
	}
	switch r.Action {
	case "block", "answer", "retry":
		w.keep(w.blocked, p, r.Session, "blocked")
		return
	case "ask":
		if len(r.Degraded) == 0 {
			if p.asked = r.By; r.By == guards.ID {
				p.rule = name(r.Rule)
			}
		}
	}
	if granted != "" {
		w.allowed(granted, p, r.Session)
	}
	w.tried(p, r.Session)
	s.wait(p)
}

// name is a rule without its version.
func name(rule string) string {
	rule, _, _ = strings.Cut(rule, "@")
	return rule
}

// between is the text behind a prefix, up to the first of some characters.
func between(text, prefix, end string) string {
	text = strings.TrimPrefix(text, prefix)
	if i := strings.IndexAny(text, end); i >= 0 {
		text = text[:i]
	}
	return text
}

func (s *session) wait(p *waiting) {
	if len(s.waits) >= mostWaiting {
		s.waits = s.waits[1:]
	}
	s.waits = append(s.waits, p)
}

// dialog takes in that the agent is about to ask its user. Where a hook answers, nobody
// is asked. Copilot tells of each call, also of those that nobody is asked about.
func (w *watch) dialog(s *session, r *audit.Record) {
	if r.Agent == "copilot" || len(r.Degraded) > 0 || r.Action != "continue" && r.Action != "ask" && r.Action != "" {
		return
	}
	if p := s.find(r); p != nil {
		p.dialog = true
		return
	}
	if whole(r) { // Qwen Code asks first
		p := &waiting{call: callOf(r), id: r.ToolUseID, event: r.EventID, at: r.Time, dialog: true, early: true}
		p.hash = p.call.hash()
		s.wait(p)
	}
}

// find is the call that a record is about.
func (s *session) find(r *audit.Record) *waiting {
	for _, p := range slices.Backward(s.waits) {
		if r.ToolUseID != "" && p.id == r.ToolUseID {
			return p
		}
	}
	c := callOf(r)
	h := c.hash()
	for _, p := range s.waits {
		if p.hash == h && (r.ToolUseID == "" || p.id == "") {
			return p
		}
	}
	return nil
}

func (s *session) take(r *audit.Record) *waiting {
	p := s.find(r)
	if p != nil {
		s.waits = slices.DeleteFunc(s.waits, func(o *waiting) bool { return o == p })
	}
	return p
}

// drop forgets a call whose answer did not get to the agent: what it then did is not
// known.
func (w *watch) drop(r *audit.Record) {
	if s := w.sessions[r.Agent+"\x00"+r.Session]; s != nil {
		s.waits = slices.DeleteFunc(s.waits, func(p *waiting) bool { return p.event == r.EventID })
	}
}

// result takes in that a call has run. That it ran after a question is the yes; if it
// failed it may have been interrupted, and says nothing.
func (w *watch) result(s *session, r *audit.Record, well bool) {
	p := s.take(r)
	if p == nil || p.early || !well {
		return
	}
	asked := p.dialog || p.asked != ""
	for _, t := range p.would {
		if tr := w.trials[t.rule]; tr != nil {
			tr.ran++
			if asked {
				tr.yes++
			}
		}
	}
	if asked {
		w.answered++
		switch {
		case p.rule != "":
			w.allowed(p.rule, p, r.Session)
		case p.asked == "": // what a hook of the user's own asks about is meant to be asked
			w.keep(w.yes, p, r.Session, "")
		}
	}
	if paths := changed(r.Facts); len(paths) > 0 {
		s.ran = append(s.ran, ran{call: p.call, paths: paths})
		if len(s.ran) > mostRan {
			s.ran = s.ran[1:]
		}
	}
}

// allowed notes that a person let something pass that a rule asked about.
func (w *watch) allowed(rule string, p *waiting, session string) {
	a := w.asking(rule)
	a.add(p.at, session)
	if len(a.calls) < mostTimes {
		a.calls[p.hash] = p.call
	}
}

func (w *watch) asking(rule string) *asking {
	if w.rules[rule] == nil {
		w.rules[rule] = &asking{calls: map[hash]call{}}
	}
	return w.rules[rule]
}

// tried notes what rules on trial would have done.
func (w *watch) tried(p *waiting, session string) {
	for _, t := range p.would {
		tr := w.trials[t.rule]
		if tr == nil {
			tr = &trial{calls: map[hash]call{}}
			w.trials[t.rule] = tr
		}
		switch t.action {
		case "block":
			tr.blocks++
		case "ask":
			tr.asks++
		}
		tr.add(p.at, session)
		if len(tr.calls) < mostTimes {
			tr.calls[p.hash] = p.call
		}
	}
}

// spoken notes that a person said something while calls had no result.
func (s *session) spoken(at time.Time) {
	for _, p := range s.waits {
		p.said = p.said || !p.early && at.Sub(p.at) <= speaks
	}
	s.left = undoes
	for i := range s.ran {
		s.ran[i].after = true
	}
}

// end closes what has no result when a turn or a session ends: what was asked about and
// never ran was refused, and what was cut off by a person's words was interrupted.
func (w *watch) end(s *session, id string) {
	for _, p := range s.waits {
		switch {
		case p.early:
		case p.dialog || p.asked != "":
			w.stopped(p, "refused", id)
		case p.said:
			w.stopped(p, "interrupted", id)
		}
	}
	s.waits = nil
}

// close closes a session of which no more is read. What waits may still be answered, but
// for what a person has spoken over.
func (w *watch) close(key string) {
	s := w.sessions[key]
	_, id, _ := strings.Cut(key, "\x00")
	s.waits = slices.DeleteFunc(s.waits, func(p *waiting) bool { return !p.said })
	w.end(s, id)
}

// finish closes what is open when the record ends.
func (w *watch) finish() {
	for _, key := range slices.Sorted(maps.Keys(w.sessions)) {
		w.close(key)
	}
	maps.DeleteFunc(w.no, func(_ hash, a *answered) bool { return a.how != "undone" && !w.told[a.agent+"\x00"+a.tool] })
}

func (w *watch) stopped(p *waiting, how, session string) {
	if p.rule != "" {
		w.asking(p.rule).no++
	}
	w.keep(w.no, p, session, how)
}

// keep keeps a call with what became of it.
func (w *watch) keep(in map[hash]*answered, p *waiting, session, how string) {
	a := in[p.hash]
	if a == nil {
		if len(in) >= mostCalls {
			w.more++
			return
		}
		a = &answered{call: p.call, how: how}
		in[p.hash] = a
	}
	a.add(p.at, session)
}

// changed are the files that a call changed.
func changed(list []hook.Fact) (paths []string) {
	for i := range list {
		if f := &list[i]; (f.Does == "write" || f.Does == "delete" || f.Does == "move") && f.Path != "" && !f.Dry && len(paths) < mostRan {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// names reports whether words of a command name a file.
func names(words []string, file, dir string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return path.Clean(w) == file || path.Join(dir, w) == file })
}

// undone finds that a call takes back, right after a person spoke, what another did: git
// restores the file, or it is deleted.
func (w *watch) undone(s *session, r *audit.Record) {
	if s.left == 0 {
		return
	}
	s.left--
	words := strings.Fields(guards.CommandOf(r.ToolInput))
	for i := range r.Facts {
		f := &r.Facts[i]
		if f.Dry || f.Does != "delete" && (f.Does != "git" || !f.Uncommitted) {
			continue
		}
		for _, o := range s.ran {
			if o.after && slices.ContainsFunc(o.paths, func(p string) bool { return p == f.Path || f.Does == "git" && names(words, p, r.CWD) }) {
				p := &waiting{call: o.call, at: r.Time, hash: o.call.hash()}
				w.keep(w.no, p, r.Session, "undone")
			}
		}
	}
}
