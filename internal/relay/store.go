package relay

import (
	"context"
	"errors"
	"time"
)

var errNotYet = errors.New("relay: not there yet")

// Limits bound what agents may do to each other. Zero is the default of a field,
// negative is no limit.
type Limits struct {
	PerMinute  int // messages that one agent sends in a minute; 30
	PingPong   int // messages that two agents send to and fro without a human turn; 20
	Hops       int // how often hooks may pass a message on; 8
	Inbox      int // messages that wait for one agent; 1000
	MaxContent int // bytes of a message's text; 256 KiB
}

// Options are how a store is opened; the zero value is ready.
type Options struct {
	Machine string            // what other machines call this one; "" is the host's name
	Limits  Limits            //
	Log     func(text string) // is told what cannot be returned as an error, such as a parcel that means nothing
}

// Store is the relay's file. Several processes have it open at once, and all its
// methods may be called from any goroutine.
type Store struct{}

// Open opens the store in a folder, and makes it if there is none.
func Open(ctx context.Context, dir string, o Options) (*Store, error) { return nil, errNotYet }

// Close closes the store and the seats that are still taken.
func (s *Store) Close() error { return errNotYet }

// Machine is what other machines call this one.
func (s *Store) Machine() string { return "" }

// Sent is a message that is kept for good.
type Sent struct {
	Message  Message   // completed
	Receipts []Receipt // one for each receiver that is known now
}

// Send keeps a message for its receivers: when it returns, the message is on disk.
// A message with an id that was sent before is the same message.
func (s *Store) Send(ctx context.Context, m Message) (Sent, error) { return Sent{}, errNotYet }

// Receipts gives a message, by its id or the short form of it, and how far it is
// with each receiver.
func (s *Store) Receipts(ctx context.Context, id string) (Message, []Receipt, error) {
	return Message{}, nil, errNotYet
}

// SentBy gives the last n messages that an agent has sent, the newest last.
func (s *Store) SentBy(ctx context.Context, agent string, n int) ([]Message, error) {
	return nil, errNotYet
}

// Query says which messages of an inbox are asked for; the zero value is all.
type Query struct {
	State  State  // only those; "" is any
	Thread string // only of that thread
	After  string // only those that came after that message (its id)
	Limit  int    // the newest so many; 0 is 100
}

// Item is a message in an inbox.
type Item struct {
	Message Message `json:"message"`
	Receipt Receipt `json:"receipt"`
}

// Inbox gives what is and was for an agent, the newest last. It changes nothing.
func (s *Store) Inbox(ctx context.Context, agent string, q Query) ([]Item, error) {
	return nil, errNotYet
}

// Agent is one that messages can be sent to, running or not.
type Agent struct {
	Name     string    `json:"name"`
	Machine  string    `json:"machine"`
	Session  string    `json:"session,omitempty"` // the one that has its inbox now
	Program  string    `json:"program,omitempty"`
	CWD      string    `json:"cwd,omitempty"`
	Kind     string    `json:"kind,omitempty"` // as [Presence.Kind]
	Running  bool      `json:"running"`
	Since    time.Time `json:"since,omitzero"`     // it runs, or does not
	LastSeen time.Time `json:"last_seen,omitzero"` // it did something
	Waiting  int       `json:"waiting"`            // messages that wait for it
	Channels []string  `json:"channels,omitempty"`
}

// Agents gives all agents that are known, those of this machine first, by name.
func (s *Store) Agents(ctx context.Context) ([]Agent, error) { return nil, errNotYet }

// Forget removes an agent that is not running, and its inbox. It refuses while
// messages wait for the agent, unless force is set.
func (s *Store) Forget(ctx context.Context, name string, force bool) error { return errNotYet }

// Channel is a name that several agents listen to.
type Channel struct {
	Name    string   `json:"name"` // without #
	Members []string `json:"members"`
}

// Channels gives all channels that have members, by name.
func (s *Store) Channels(ctx context.Context) ([]Channel, error) { return nil, errNotYet }

// JoinChannel makes an agent a member of a channel, which it makes if need be.
func (s *Store) JoinChannel(ctx context.Context, channel, agent string) error { return errNotYet }

// LeaveChannel ends a membership; one that is not there has ended already.
func (s *Store) LeaveChannel(ctx context.Context, channel, agent string) error { return errNotYet }

// Parcel is what the outbox holds for one machine.
type Parcel struct {
	Seq     int64
	ID      string // of this parcel, the same however often it is published
	Machine string // where it goes; this one too
	Data    []byte
}

// Outgoing gives the first parcels that were not published yet, in order.
func (s *Store) Outgoing(ctx context.Context, most int) ([]Parcel, error) { return nil, errNotYet }

// Published says that parcels are safe in a stream.
func (s *Store) Published(ctx context.Context, seqs []int64) error { return errNotYet }

// Republish gives out again, by Outgoing, everything for a machine that it has not
// confirmed: its stream was made anew, so what was in it may be lost.
func (s *Store) Republish(ctx context.Context, machine string) error { return errNotYet }

// WaitOutgoing waits until there may be something in Outgoing.
func (s *Store) WaitOutgoing(ctx context.Context) error { return errNotYet }

// PokeOutgoing ends a WaitOutgoing.
func (s *Store) PokeOutgoing() {}

// Source is one stream. One that was made anew has another time.
type Source struct {
	Stream  string
	Created time.Time
}

// Ingest takes in parcels of a stream, of which the last one has the offset last.
// What was taken in before changes nothing. It gives the agents that have something
// new. An error means that nothing was taken in.
func (s *Store) Ingest(ctx context.Context, from Source, last uint64, data [][]byte) (woken []string, err error) {
	return nil, errNotYet
}

// Offset is how far a stream was taken in; 0 for one that is new.
func (s *Store) Offset(ctx context.Context, from Source) (uint64, error) { return 0, errNotYet }

// Directory is what other machines may know of the agents here.
func (s *Store) Directory(ctx context.Context) ([]byte, error) { return nil, errNotYet }

// Learn keeps the directory of another machine in place of what it was before.
func (s *Store) Learn(ctx context.Context, machine string, directory []byte) error { return errNotYet }
