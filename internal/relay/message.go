package relay

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Priority orders what waits for one agent; within one priority, what came first
// is first. "" is [PriorityNormal].
type Priority string

// The priorities.
const (
	PriorityLow    Priority = "low"
	PriorityNormal Priority = "normal"
	PriorityHigh   Priority = "high"
	PriorityUrgent Priority = "urgent"
)

// Message is one message, as it is kept and sent.
type Message struct {
	ID          string         `json:"id"`                // sorts by time; the same id is the same message, however often it is sent
	From        string         `json:"from"`              // the sender's name
	Machine     string         `json:"machine,omitempty"` // the sender's
	Session     string         `json:"session,omitempty"` // the sender's
	To          string         `json:"to"`                // Name, Name@machine, a session's id, #channel or *
	Thread      string         `json:"thread,omitempty"`  // the id of the message that began it, or a name; empty at sending: that of ReplyTo, or the message's own id
	ReplyTo     string         `json:"reply_to,omitempty"`
	Priority    Priority       `json:"priority,omitempty"`
	Content     string         `json:"content"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	Attachments []Attachment   `json:"attachments,omitempty"`
	Sent        time.Time      `json:"sent"`
	Hops        int            `json:"hops,omitempty"`     // how often hooks have passed it on
	Agent       bool           `json:"by_agent,omitempty"` // an agent or a hook wrote it, so that the limits of agents hold
	Hook        bool           `json:"-"`                  // at sending: a hook wrote it, for any receiver
}

// Attachment is a file that a message refers to.
type Attachment struct {
	Name   string `json:"name"`
	Path   string `json:"path"` // on the sender's machine
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// State is how far a message is with one of those it is for.
type State string

// The states, in their order.
const (
	StateAccepted   State = "accepted"   // it is kept, and waits for its receiver
	StateInjected   State = "injected"   // it was put into the receiver's session
	StateSeen       State = "seen"       // the receiver did something after that
	StateReplied    State = "replied"    // the receiver has answered it
	StateSuppressed State = "suppressed" // a hook of the receiver has blocked it
	StateRefused    State = "refused"    // its inbox was full, or its machine has not taken it
	StateDead       State = "dead"       // it could not be injected, several times
)

// Receipt is what the sender may know of a message and one receiver. The times
// are zero for what has not happened.
type Receipt struct {
	Message  string    `json:"message"`
	To       string    `json:"to"` // Name or Name@machine
	State    State     `json:"state"`
	Reason   string    `json:"reason,omitempty"` // of suppressed, refused and dead; of accepted: why it waits ("offline since …")
	Session  string    `json:"session,omitempty"`
	How      string    `json:"how,omitempty"`    // typed, hook, mcp, inbox or http
	Repeat   bool      `json:"repeat,omitempty"` // it may have been injected twice, and says so
	Reply    string    `json:"reply,omitempty"`  // the id of the answer
	Accepted time.Time `json:"accepted,omitzero"`
	Injected time.Time `json:"injected,omitzero"`
	Seen     time.Time `json:"seen,omitzero"`
	Replied  time.Time `json:"replied,omitzero"`
}

const longestThread = 128 // characters

// Thread says why a thread cannot have that name: in front of a directive's
// text, as in [thread:build], it is one word. What programs of others call a thread
// is kept as it is, so that [Store.Send] takes more; there it is answered by
// [Message.ReplyTo]. "" is not a thread, and fine.
func Thread(name string) error {
	if strings.ContainsFunc(name, func(r rune) bool { return r == ']' || unicode.IsSpace(r) }) {
		return &refusal{fmt.Sprintf("%q cannot be the name of a thread: agents write it as one word, [thread:NAME]; use - or _ in place of blanks and brackets", name)}
	}
	return nil
}
