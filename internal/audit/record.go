package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/hook"
)

// Record is one outcome. Seq, Prev, Hash, Lost and Torn are the log's: Append
// sets them.
type Record struct {
	Seq  int64     `json:"seq"` // from 1, without gaps
	Time time.Time `json:"time"`

	Event     string `json:"event,omitempty"` // canonical name
	EventID   string `json:"event_id,omitempty"`
	Native    string `json:"native,omitempty"` // the agent's own name for the event
	Via       string `json:"via,omitempty"`    // screen: only the terminal has shown it
	Session   string `json:"session,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Source    string `json:"source,omitempty"`
	CWD       string `json:"cwd,omitempty"`
	Workspace string `json:"workspace,omitempty"`

	Tool      string         `json:"tool,omitempty"`
	ToolUseID string         `json:"tool_use_id,omitempty"`
	ToolInput map[string]any `json:"tool_input,omitempty"` // as the agent asked; see Changes
	What      string         `json:"what,omitempty"`       // what it is about, for people: a command, a file, a prompt

	Ran string `json:"ran,omitempty"` // in its place, where hooks changed that

	Action      string `json:"action,omitempty"` // or Observed, Repeat or Untaken
	Answer      string `json:"answer,omitempty"` // with Repeat and Untaken: the action that the answer has
	Of          string `json:"of,omitempty"`     // with Repeat: the EventID of the report that was judged
	Reason      string `json:"reason,omitempty"`
	By          string `json:"by,omitempty"`    // the hook that decided
	Rule        string `json:"rule,omitempty"`  // of that hook, with its version
	Would       string `json:"would,omitempty"` // the strictest that hooks on trial would have decided; see the steps
	UserMessage string `json:"user_message,omitempty"`
	Inject      string `json:"inject,omitempty"`
	Result      any    `json:"result,omitempty"` // with the action answer

	Facts    []hook.Fact    `json:"facts,omitempty"` // what the call would do, if a hook asked; without its arguments
	Steps    []Step         `json:"steps,omitempty"`
	Changes  []Change       `json:"changes,omitempty"`  // of the payload
	Metadata map[string]any `json:"metadata,omitempty"` // the event's, with what hooks added
	Degraded []string       `json:"degraded,omitempty"` // what the agent cannot enforce
	Warnings []string       `json:"warnings,omitempty"`
	Failure  string         `json:"failure,omitempty"` // of hookway itself

	DurationMS float64  `json:"duration_ms"`
	Cut        []string `json:"cut,omitempty"`  // what was shortened
	Lost       int64    `json:"lost,omitempty"` // records before this one that could not be written
	Torn       *Torn    `json:"torn,omitempty"` // the line before this one is not a record

	Kept   string `json:"kept,omitempty"`   // hash of the event, as it is kept whole beside the log
	Unkept string `json:"unkept,omitempty"` // why it is not

	Prev string `json:"prev"`           // hash of the record before
	Hash string `json:"hash,omitempty"` // of this one

	// Hide names what of this record is not written, besides Config.Fields and in
	// the same words.
	Hide []string `json:"-"`

	whatFrom []string // where What comes from, for redaction
	ranFrom  []string
	whole    *whole // the event, to be kept; nil is none
}

// The actions of records that are not decisions.
const (
	Observed = "observed" // of a hook that nobody waits for
	Repeat   = "repeat"   // the event was reported before, and is answered as it was then
	Untaken  = "untaken"  // revises the record of the event before: the agent did not get that answer, as far as is known
)

// Approval is the event of a record that is of no event at hooks: somebody answered for a
// stopped call, or was refused what only the owner may.
const Approval = "Approval"

// NewRepeat is the record of a report that was answered as the one before it.
func NewRepeat(r Record, of string) Record {
	r.Answer, r.Action, r.Of, r.Steps, r.whole = r.Action, Repeat, of, nil, nil
	return r
}

// NewUntaken revises a record whose answer did not get to the agent.
func NewUntaken(r Record, why string) Record {
	if r.Action != Repeat {
		r.Answer = r.Action
	}
	r.Action, r.Time, r.whole = Untaken, time.Now(), nil
	r.Reason = fmt.Sprintf("the agent did not take the answer %q: %s", r.Answer, why)
	r.Ran, r.UserMessage, r.Inject, r.Result, r.Changes, r.Degraded, r.Warnings = "", "", "", nil, nil, nil, nil
	return r
}

// Step is one call of one hook.
type Step struct {
	Hook       string  `json:"hook"`
	Lane       string  `json:"lane,omitempty"`
	Action     string  `json:"action"`
	Reason     string  `json:"reason,omitempty"`
	DurationMS float64 `json:"duration_ms"`
	Changed    bool    `json:"changed,omitempty"`
	Injected   bool    `json:"injected,omitempty"`
	Rule       string  `json:"rule,omitempty"`   // behind the decision
	Would      *Would  `json:"would,omitempty"`  // what it would have decided, had it counted
	Note       string  `json:"note,omitempty"`   // what was odd about its answer
	Failed     bool    `json:"failed,omitempty"` // the handler failed, so its policy spoke
	Error      string  `json:"error,omitempty"`  // why it failed, or what was refused of its decision
}

// Would is what a hook on trial would have decided.
type Would struct {
	Action string `json:"action"`
	Reason string `json:"reason,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Change bool   `json:"change,omitempty"` // it would have changed the payload, or injected text
}

// Did says in a word or two what it would have done.
func (w *Would) Did() string {
	if w.Change && w.Action == hook.ActionContinue.String() {
		return "change it"
	}
	return w.Action
}

// Change is one place of the payload that hooks changed. A side that is absent
// was not there.
type Change struct {
	Path string `json:"path"` // "tool_input.command", "messages[2].content"
	From any    `json:"from,omitempty"`
	To   any    `json:"to,omitempty"`
}

// Torn is the fragment of a line that a process left when it died.
type Torn struct {
	Bytes int64  `json:"bytes"`
	Hash  string `json:"hash"` // sha256
}

// maxLine bounds a line. What writers give is far smaller.
const maxLine = 1 << 20

// The last member of each line, and how long it is.
const (
	hashMember = `,"hash":"`
	hashSize   = len(hashMember) + 2*sha256.Size + len(`"}`)
)

// appendLine adds a record to a batch as a line, and gives it its hash.
func appendLine(buf *bytes.Buffer, r *Record) error {
	start := buf.Len()
	r.Hash = ""
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		buf.Truncate(start)
		return fmt.Errorf("the audit record cannot be written as JSON: %w", err)
	}
	buf.Truncate(buf.Len() - len("}\n"))
	r.Hash = chain(r.Prev, buf.Bytes()[start:])
	buf.WriteString(hashMember)
	buf.WriteString(r.Hash)
	buf.WriteString("\"}\n")
	return nil
}

// chain is the hash of a line, without its last member, that follows another.
func chain(prev string, line []byte) string {
	h := sha256.New()
	h.Write([]byte(prev))
	h.Write(line)
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0]))
}

// errNoRecord is a line that no writer wrote.
var errNoRecord = errors.New("it is not a record")

// parseLine reads a line, without its line break. It does not check the hash.
func parseLine(line []byte, r *Record) error { return new(lines).parse(line, r) }

// lines reads one line after the other, with the room that the one before has taken.
type lines struct {
	from bytes.Reader
	d    *json.Decoder // nil: the next line begins anew
	at   int64         // where it is
}

// parse reads a line, as parseLine does.
func (l *lines) parse(line []byte, r *Record) error {
	if len(line) > maxLine {
		return fmt.Errorf("%w: it is longer than %d bytes", errNoRecord, maxLine)
	}
	if !hasHash(line) {
		return fmt.Errorf("%w: it does not end with a hash", errNoRecord)
	}
	if l.from.Reset(line); l.d == nil {
		l.d, l.at = json.NewDecoder(&l.from), 0
		l.d.UseNumber()
	}
	*r = Record{}
	err := l.d.Decode(r)
	l.at += int64(len(line))
	whole := l.d.InputOffset() == l.at
	if err != nil || !whole { // what is left of it is not the next one's
		l.d = nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errNoRecord, err)
	case !whole || r.Seq < 1:
		return errNoRecord
	}
	return nil
}

// hasHash reports whether a line ends as every whole one does.
func hasHash(line []byte) bool {
	at := len(line) - hashSize
	return at > 0 && line[0] == '{' && string(line[at:at+len(hashMember)]) == hashMember && line[len(line)-1] == '}'
}

// computed is the hash that a line should have after the one that it names.
func computed(line []byte, prev string) string {
	return chain(prev, line[:len(line)-hashSize])
}
