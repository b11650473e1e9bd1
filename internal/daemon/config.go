package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/wire/call"
)

// Bounds of the server.
const (
	maxConns     = 1024             // open at a time; the next are refused
	maxElsewhere = 1024             // of Config.Listeners, besides
	maxRefused   = 64               // refused with an answer at a time; the next are just closed
	firstTime    = 10 * time.Second // for a new connection to begin its first request
	quietTime    = 5 * time.Minute  // between two requests of a connection
	frameTime    = 10 * time.Second // for one frame, once it has begun, in either direction
)

// DefaultIdle is how long a daemon that is not used stays.
const DefaultIdle = 30 * time.Minute

// Peer is the process at the other end of a connection.
type Peer struct {
	UID int // -1 where the system has none
	PID int // 0 where the system does not say
}

// Config says what to serve, and where.
type Config struct {
	// Places are the socket and its folder, which is made if it is missing.
	Places call.Places

	// Version is given in the status.
	Version string

	// Idle is how long the daemon stays without a call; 0 is for ever.
	Idle time.Duration

	// Executable is the daemon's own program. When that file is replaced, the
	// daemon ends as soon as nothing runs, so that the next call starts the new
	// one. Empty is not watched.
	Executable string

	// Handle answers a request. It is called from many goroutines; the context
	// ends when the client has gone, when the request's time is over, and some
	// time after the server was asked to stop.
	Handle func(ctx context.Context, peer Peer, r *call.Request) call.Reply

	// Leaves reports whether a request of more than [call.MaxShared] is left to a process of
	// its own, and not given to Handle. It may be nil: then each is given.
	Leaves func() bool

	// Load names the workspaces and sessions in use, for the status. It may be nil.
	Load func() (workspaces, sessions []string)

	// Relay says how the carrying of messages stands, for the status. It may be nil.
	Relay func() *RelayStatus

	// Webhooks says how those stand for which something waits, for the status. It may
	// be nil.
	Webhooks func() []WebhookStatus

	// Channels says which channels of approvals do not work, for the status. It may be
	// nil, and is quick.
	Channels func() []ChannelStatus

	// Page says where the page is, for the status. It may be nil, and is quick.
	Page func() string

	// API answer what does not begin like a frame. Nil: it is not a request then.
	API APIServer

	// Listeners opens further listeners, whose connections are all for the API. Who comes
	// in there may be anybody. It is called once, when the socket is this daemon's;
	// Serve closes them. It may be nil, and is not called without API.
	Listeners func() ([]net.Listener, error)

	// Needed reports that the daemon has what would be lost with it, so that it must
	// not end for want of calls. It may be nil.
	Needed func() bool

	// Stopping is called once, with the reason, when the daemon is to end. It runs beside
	// the requests that are still under way, and is waited for before Close is called;
	// it bounds its time itself. It may be nil.
	Stopping func(reason string)

	// Close is called once, when the last request has ended or there will be none,
	// and before those who asked the daemon to stop learn that it has. It may be nil.
	Close func()

	// Ready is called once, when connections are accepted. It may be nil.
	Ready func()

	// Log gets what happens besides answers. Nil drops it.
	Log *slog.Logger
}

func (c *Config) log(format string, args ...any) {
	logline.Or(c.Log).Warn(fmt.Sprintf(format, args...))
}

// RunningError says that another daemon serves the socket.
type RunningError struct {
	PID    int // 0 if it is not known
	Socket string
}

func (e *RunningError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("a hookway daemon runs already at %s; hookway stop ends it", e.Socket)
	}
	return fmt.Sprintf("a hookway daemon runs already (pid %d) at %s; hookway stop ends it", e.PID, e.Socket)
}
