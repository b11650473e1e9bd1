package api

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/logline"
)

// Config says what a Server answers with.
type Config struct {
	Engine Engine
	Lister Lister
	Relay  Relay // nil: no messages are taken

	// Approvals are what people are asked about; nil: nothing.
	Approvals Approvals

	// Records answers questions about the record; nil: there is none.
	Records Records

	// Sessions tells what happened in sessions; nil: there is no record.
	Sessions Sessions
	// Views are what people look at; nil: nothing.
	Views Views

	// Addresses are those of the listeners.
	Addresses []string

	// Token is the one that requests from outside must have; "" lets none in.
	Token string

	// Gateway answers what services outside send; nil lets nothing in.
	Gateway *gateway.Gateway

	// Page answers what comes in at its listener; nil: there is none.
	Page *Page

	// OpenPage opens the port of the page, and gives it.
	OpenPage func(ctx context.Context) (port int, err error)

	// Dial makes the handler of a hook that is registered with a target.
	Dial func(target string, h hook.Hook) (Closing, error)

	// HeadTime is how long the head of a request may take to arrive, BodyTime its
	// body; zero is 10 s and 30 s.
	HeadTime, BodyTime time.Duration

	// Log gets what happens besides answers. Nil drops it.
	Log *slog.Logger
}

// Server answers the programs that come to the daemon with HTTP or gRPC: they use
// its API. New makes one.
type Server struct {
	Config
	host    daemon.Host
	http    [2]*http.Server // of programs, and of the page
	service *Service

	web, browsers, calls *inbox // connections by language, and those of the page
	written              written

	stop    context.CancelFunc
	stopped context.Context // ended when the daemon stops
	firing  chan struct{}   // one for each request under way
	taking  chan struct{}   // one for each that waits for messages
	looking chan struct{}   // one for each that looks at what there is and was

	previewing chan struct{} // one for the preview under way
	keys       keys
	owned      map[string]map[string]answerer // what the page may ask for
}

// Bounds of a connection.
const (
	headTime  = 10 * time.Second // for the head of a request
	quietTime = 5 * time.Minute  // between two requests
	maxHead   = 64 << 10

	// A browser sends the page's port all cookies of its host, whichever port set them, and
	// keeps up to 180 of 4 KB.
	maxPageHead = 768 << 10
)

// Registered is how many hooks were registered, which would be lost with the daemon.
func (d *Server) Registered() int { return d.service.Registered() }

func (d *Server) stopping() bool { return d.stopped.Err() != nil }

func (d *Server) log() *slog.Logger { return logline.Or(d.Log) }

// lines are what net/http has to say.
type lines struct{ d *Server }

func (l lines) Write(p []byte) (int, error) {
	if text := strings.TrimSpace(string(p)); text != "" {
		l.d.log().Warn(text)
	}
	return len(p), nil
}

// inbox is a listener for connections that were accepted elsewhere.
type inbox struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newInbox() *inbox { return &inbox{conns: make(chan net.Conn), done: make(chan struct{})} }

// put gives a connection to who accepts; false if none does any more.
func (b *inbox) put(nc net.Conn) bool {
	select {
	case b.conns <- nc:
		return true
	case <-b.done:
		return false
	}
}

// Accept waits for a connection.
func (b *inbox) Accept() (net.Conn, error) {
	select {
	case nc := <-b.conns:
		return nc, nil
	case <-b.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (b *inbox) Close() error {
	b.once.Do(func() { close(b.done) })
	return nil
}

// Addr is none: the connections come from several places.
func (b *inbox) Addr() net.Addr { return inboxAddr{} }

type inboxAddr struct{}

func (inboxAddr) Network() string { return "hookway" }
func (inboxAddr) String() string  { return "hookway" }

// Page is what answers at a port of its own, for browsers. It lets people in itself.
type Page struct {
	Listener net.Listener
	Handler  http.Handler
}
