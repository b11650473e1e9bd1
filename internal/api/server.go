package api

import (
	"cmp"
	"context"
	"log"
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
	http    *http.Server
	service *Service

	web, calls *inbox // connections by language
	written    written

	stop    context.CancelFunc
	stopped context.Context // ended when the daemon stops
	firing  chan struct{}   // one for each request under way
	taking  chan struct{}   // one for each that waits for messages
	looking chan struct{}   // one for each that looks at what there is and was

	previewing chan struct{} // one for the preview under way
	keys       keys
	owned      map[string]map[string]answerer // what the page may ask for
}

// maxFiring bounds how many events are under way.
const maxFiring = 1024

// maxTaking bounds how many wait for messages beside these.
const maxTaking = 512

// New makes a server.
func New(c Config) *Server {
	c.HeadTime, c.BodyTime = cmp.Or(c.HeadTime, headTime), cmp.Or(c.BodyTime, bodyTime)
	d := &Server{Config: c, web: newInbox(), calls: newInbox(), firing: make(chan struct{}, maxFiring), taking: make(chan struct{}, maxTaking), looking: make(chan struct{}, mostLooking), previewing: make(chan struct{}, 1)}
	d.stopped, d.stop = context.WithCancel(context.Background())
	d.service = NewService(c.Engine, ServiceOptions{Dial: c.Dial, Admit: d.admitCall, From: from, Work: d.work, Large: d.large, Log: c.Log})
	return d
}

// Begin starts the servers.
func (d *Server) Begin(h daemon.Host) {
	d.host = h
	d.http = &http.Server{
		Handler: d.handler(), ReadHeaderTimeout: d.HeadTime, IdleTimeout: quietTime, MaxHeaderBytes: maxHead,
		BaseContext: func(net.Listener) context.Context { return h.Context() },
		ConnContext: func(ctx context.Context, nc net.Conn) context.Context { return withOrigin(ctx, nc) },
		ConnState:   d.written.changed,
		ErrorLog:    log.New(lines{d}, "", 0),
	}
	go func() { _ = d.http.Serve(d.web) }()
	grpc := d.service.Server()
	go func() { _ = grpc.Serve(d.calls) }()
}

// Bounds of a connection.
const (
	headTime  = 10 * time.Second // for the head of a request
	quietTime = 5 * time.Minute  // between two requests
	maxHead   = 64 << 10
)

// preface is how HTTP/2 begins, which gRPC speaks.
const preface = "PRI * HTTP/2.0\r\n"

// Serve hands a connection to the server of its language.
func (d *Server) Serve(g *daemon.APIConn) {
	to := d.web
	_ = g.SetReadDeadline(time.Now().Add(d.HeadTime))
	if page := d.Page != nil && g.Listener == d.Page.Listener; !page && string(g.Begins(3)) == preface[:3] && string(g.Begins(len(preface))) == preface {
		to = d.calls
	}
	_ = g.SetReadDeadline(time.Time{})
	if !to.put(g) {
		g.Close()
	}
}

// Refuse tells a connection that there is no room for it.
func (d *Server) Refuse(nc net.Conn, why string) {
	p := problem("busy", "%s", why).with("Retry-After", "1").with("Connection", "close")
	w := &refusal{header: http.Header{}}
	p.write(w)
	_, _ = nc.Write(w.bytes())
}

// End begins nothing more.
func (d *Server) End() {
	d.stop()
	go func() { // it looks often for connections that have become quiet, until there is none
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = d.http.Shutdown(ctx)
	}()
	d.service.Stop()
	d.web.Close()
	d.calls.Close()
}

// Close takes out what was registered. Call it when no request is under way any more.
func (d *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	d.service.Close(ctx)
}

// closeTime is how long streams have to end when the daemon does.
const closeTime = time.Second

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
