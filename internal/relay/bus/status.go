package bus

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The modes of a bus.
const (
	ModeExternal = "external"
	ModeLeaf     = "leaf"
)

// Status is how a bus is doing.
type Status struct {
	Mode      string    `json:"mode"`
	Machine   string    `json:"machine"`
	Connected bool      `json:"connected"`          // messages can be stored now
	Server    string    `json:"server,omitempty"`   // external: the address in use
	Replicas  int       `json:"replicas,omitempty"` // of this machine's stream
	Outgoing  int       `json:"outgoing"`           // rows of the outbox that are in no stream yet
	Peers     []Peer    `json:"peers,omitempty"`
	LastError string    `json:"last_error,omitempty"` // empty when all is well again
	ErrorAt   time.Time `json:"error_at,omitzero"`
}

// Peer is another machine that was in contact since the bus began.
type Peer struct {
	Machine     string    `json:"machine"`
	LastContact time.Time `json:"last_contact"`
	Reachable   bool      `json:"reachable"` // the link to it is up, and its messages can be fetched or it was in contact lately
}

// state is what the parts of a bus report.
type state struct {
	connected bool
	server    string
	replicas  int
	failing   map[string]string // what does not work, by the part that says so
	last      string            // the latest of these
	at        time.Time
}

// countTime bounds how long a status waits for the outbox.
const countTime = time.Second

// Status says how the bus is doing.
func (b *Bus) Status() Status {
	ctx, cancel := context.WithTimeout(context.Background(), countTime)
	defer cancel()
	outgoing, err := b.store.Unpublished(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{Mode: b.c.mode(), Machine: b.machine, Connected: b.state.connected, Server: b.state.server, Replicas: b.state.replicas, Outgoing: outgoing}
	if cause := b.state.failing["server"]; cause != "" { // of which all others follow
		s.LastError, s.ErrorAt = cause, b.state.at
	} else if len(b.state.failing) > 0 {
		s.LastError, s.ErrorAt = b.state.last, b.state.at
	} else if err != nil {
		s.LastError, s.ErrorAt = fmt.Sprintf("what waits in the outbox cannot be counted: %v", err), time.Now()
	}
	for _, p := range b.peers {
		s.Peers = append(s.Peers, Peer{p.machine, p.heard, !p.parted && (p.reachable || time.Since(p.heard) < 2*helloEvery)})
	}
	slices.SortFunc(s.Peers, func(a, b Peer) int { return strings.Compare(a.Machine, b.Machine) })
	return s
}

// fails notes that a part does not work; the same twice is logged once.
func (b *Bus) fails(part string, err error) {
	text := err.Error()
	b.mu.Lock()
	known := b.state.failing[part] == text
	b.state.failing[part], b.state.last, b.state.at = text, text, time.Now()
	b.mu.Unlock()
	if !known {
		b.say("%s", text)
	}
}

// works notes that a part works again.
func (b *Bus) works(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.state.failing, part)
	if b.state.last != "" && len(b.state.failing) > 0 {
		for _, text := range b.state.failing {
			b.state.last = text
		}
	}
}

func (b *Bus) set(change func(*state)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.state)
}

func (b *Bus) say(format string, v ...any) { b.c.Log.Warn(fmt.Sprintf(format, v...)) }
