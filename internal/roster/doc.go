// Package roster says which wrapped sessions run now on this machine, and is
// the way to reach them.
//
// # Announcing
//
// Serve announces a session in a folder that is the user's alone: a file with
// what a Member holds, and a socket beside it. The file is locked for as long as
// the process lives, so that a session that was killed is known to be dead, and
// what it left behind is removed by the next process that looks.
//
// # Asking
//
// A connection carries one request, which is a line of JSON, and one reply,
// which is another; after a reply with a Size come so many bytes of text. Both
// sides refuse the peer unless it is a process of the same user. A session has a
// bounded number of connections, of which those that wait for something may only
// take half, so that it can always be held and released. A caller that hangs up ends
// what is done for them.
//
// On Windows nothing is wrapped yet: no session is found, and none can be announced.
package roster

import (
	"errors"
	"io"
	"time"

	"github.com/hookway/hookway/hook"
)

// Member is a session that runs.
type Member struct {
	Name    string    `json:"name"`    // the agent's
	Session string    `json:"session"` // id
	PID     int       `json:"pid"`     // of hookway run
	Program string    `json:"program"`
	CWD     string    `json:"cwd"`
	Started time.Time `json:"started"`
	Held    bool      `json:"held"`           // nothing is typed to the program for now
	Mute    bool      `json:"mute,omitempty"` // it does not answer: it is stopped, or hangs
}

// Op is what a request wants.
type Op string

// The requests.
const (
	OpWho      Op = "who"      // say whether it is held
	OpHold     Op = "hold"     // type nothing until release
	OpRelease  Op = "release"  // type again
	OpInject   Op = "inject"   // type a text
	OpNotify   Op = "poke"     // look for messages that wait: there may be new ones
	OpOutput   Op = "output"   // give what the program printed
	OpMessages Op = "messages" // give the messages of the session
)

// Request is asked of a session.
type Request struct {
	Op   Op     `json:"op"`
	Text string `json:"text,omitempty"` // OpInject
	Wait bool   `json:"wait,omitempty"` // OpInject: until the final state
	Tail int    `json:"tail,omitempty"` // OpOutput: so many lines; 0 is all
}

// Reply is a session's answer.
type Reply struct {
	Error    string         `json:"error,omitempty"` // why there is nothing else
	Held     bool           `json:"held,omitempty"`
	State    string         `json:"state,omitempty"`  // of the text
	Reason   string         `json:"reason,omitempty"` // of the state
	Messages []hook.Message `json:"messages,omitempty"`
	Size     int64          `json:"size,omitempty"` // of Body

	Body io.ReadCloser `json:"-"` // text that follows the reply
}

// MaxText is how long a text may be, in bytes.
const MaxText = 64 << 10

// ErrMute says that a session is there and does not answer.
var ErrMute = errors.New("it does not answer: it is stopped, or hangs")
