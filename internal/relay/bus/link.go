package bus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// callTime bounds one call of the server.
const callTime = 5 * time.Second

// link is one life of a server, or of a connection to the user's own.
type link struct {
	b   *Bus
	srv *server.Server // nil: external
	nc  *nats.Conn
	js  jetstream.JetStream

	again chan struct{} // holds one when the connection or a leaf link is new, for those who know other machines
	retry chan struct{} // the same, for the pump

	mu      sync.Mutex
	streams map[string]*stream // that are known to be there, by machine
	refused error              // the last thing that the server did not let us do
}

// open starts the server, or begins to connect to the user's own.
func (b *Bus) open(ctx context.Context) (*link, error) {
	l := &link{b: b, again: make(chan struct{}, 1), retry: make(chan struct{}, 1), streams: map[string]*stream{}}
	var err error
	if b.c.NATS != "" {
		err = l.dial()
	} else {
		err = l.embed(ctx)
	}
	if err == nil {
		l.js, err = jetstream.New(l.nc)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// embed starts the server in this process.
func (l *link) embed(ctx context.Context) error {
	var err error
	if l.srv, err = l.b.startServer(ctx); err != nil {
		return err
	}
	l.nc, err = nats.Connect("", nats.InProcessServer(l.srv), nats.Name("hookway"), nats.ErrorHandler(l.onError), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1))
	if err != nil {
		return fmt.Errorf("the relay's server cannot be spoken to: %w", err)
	}
	l.b.set(func(s *state) { s.connected = true })
	l.b.works("server")
	return nil
}

// dialling are the options of a connection to the user's own servers.
func (b *Bus) dialling() ([]nats.Option, error) {
	opts := []nats.Option{
		nats.Name("hookway " + b.machine),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(500 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, 500*time.Millisecond),
		nats.ReconnectBufSize(-1), // what cannot be sent now is an error now: the outbox has it
		nats.PingInterval(20 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(callTime),
	}
	if b.c.Creds != "" {
		if _, err := os.Stat(b.c.Creds); err != nil {
			return nil, fmt.Errorf("the credentials for %s cannot be read: %w", safeURL(b.c.NATS), err)
		}
		opts = append(opts, nats.UserCredentials(b.c.Creds))
	}
	config, err := b.c.TLS.client()
	if err != nil {
		return nil, err
	}
	if config != nil {
		opts = append(opts, nats.Secure(config))
	}
	return opts, nil
}

// dial begins to connect; that goes on until it works, also after every loss.
func (l *link) dial() error {
	opts, err := l.b.dialling()
	if err != nil {
		return err
	}
	up := func(nc *nats.Conn) {
		l.b.set(func(s *state) { s.connected, s.server = true, nc.ConnectedAddr() })
		l.b.works("server")
		l.forget("")
		l.renewed()
	}
	down := func(nc *nats.Conn, err error) {
		l.b.set(func(s *state) { s.connected = false })
		if err == nil || nc.IsClosed() {
			return
		}
		l.b.fails("server", fmt.Errorf("the relay's server %s cannot be reached; messages wait in the outbox: %w", safeURL(l.b.c.NATS), err))
	}
	opts = append(opts, nats.ConnectHandler(up), nats.ReconnectHandler(up), nats.DisconnectErrHandler(down), nats.ReconnectErrHandler(down), nats.ErrorHandler(l.onError))
	nc, err := nats.Connect(l.b.c.NATS, opts...)
	if err != nil {
		return fmt.Errorf("the relay's server %s cannot be used: %w", safeURL(l.b.c.NATS), err)
	}
	l.nc = nc
	return nil
}

// safeURL is a list of addresses without what is secret in them.
func safeURL(list string) string {
	var out []string
	for one := range strings.SplitSeq(list, ",") {
		scheme, rest, ok := strings.Cut(one, "://")
		if !ok {
			scheme, rest = "", one
		}
		if _, host, ok := strings.Cut(rest, "@"); ok {
			rest = host
		}
		if scheme != "" {
			rest = scheme + "://" + rest
		}
		out = append(out, strings.TrimSpace(rest))
	}
	return strings.Join(out, ",")
}

// onError gets what the server refuses: the caller only sees that
// no answer comes.
func (l *link) onError(_ *nats.Conn, _ *nats.Subscription, err error) {
	if errors.Is(err, nats.ErrPermissionViolation) || errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) {
		err = fmt.Errorf("the relay's server does not allow what is needed; give these credentials the rights on hookway.>, $JS.API.> and _INBOX.>: %w", err)
		l.mu.Lock()
		l.refused = err
		l.mu.Unlock()
		l.b.fails("rights", err)
	}
}

// explain adds to an error what the server had refused meanwhile.
func (l *link) explain(err error) error {
	l.mu.Lock()
	refused := l.refused
	l.refused = nil
	l.mu.Unlock()
	if err == nil || refused == nil {
		return err
	}
	return refused
}

// renewed notes that a connection is new.
func (l *link) renewed() {
	nudge(l.again)
	nudge(l.retry)
}

// gone says whether the embedded server has stopped storing.
func (l *link) gone() bool { return l.srv != nil && !l.srv.JetStreamEnabled() }

// serve carries messages until something fails that only a new link mends, or the
// context ends.
func (l *link) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g := &group{ctx: ctx, cancel: cancel}
	g.start(newPump(l, g).run)
	others := &others{link: l, group: g, fetching: map[string]chan struct{}{}}
	if l.srv != nil {
		g.start(l.watchLeafs)
	} else {
		others.fetchFrom("", l.js)
	}
	g.start(others.run) // from here on only this part knows of the others
	g.wg.Wait()
	return context.Cause(ctx)
}

// group runs the parts of a link; the first that fails ends the others.
type group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

func (g *group) start(do func(context.Context) error) {
	g.wg.Go(func() { g.cancel(do(g.ctx)) })
}

// apart is how long a link to another machine may be away before the log says so.
const apart = 5 * time.Second

// watchLeafs notes when a leaf link is new, when one is away, and when others have
// fetched something, so that there is room again. The server has no events for it.
func (l *link) watchLeafs(ctx context.Context) error {
	const look = 250 * time.Millisecond
	t := time.NewTicker(look)
	defer t.Stop()
	before, whole := map[uint64]string{}, time.Now()
	kept := uint64(0)
	for {
		now := l.srv.GlobalAccount().JetStreamUsage().Store
		if now < kept {
			nudge(l.retry)
		}
		kept = now
		if leafs, err := l.srv.Leafz(nil); err == nil {
			now, fresh, ours := map[uint64]string{}, false, 0
			for _, leaf := range leafs.Leafs {
				_, known := before[leaf.ID]
				now[leaf.ID], fresh = leaf.Name, fresh || !known
				if leaf.IsSpoke {
					ours++
				}
			}
			if ours >= len(l.b.c.Leaf.Remotes) {
				whole = time.Now()
				l.b.works("leaf")
			} else if time.Since(whole) > apart {
				l.b.fails("leaf", l.b.c.Leaf.missing(ours))
			}
			var gone []string
			for id, name := range before {
				if _, here := now[id]; !here {
					gone = append(gone, name)
				}
			}
			if len(gone) > 0 {
				l.b.part(gone, slices.Collect(maps.Values(now)))
			}
			if before = now; fresh {
				l.renewed()
			}
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// missing says that not all machines are joined that should be.
func (leaf Leaf) missing(joined int) error {
	if len(leaf.Remotes) == 1 {
		return fmt.Errorf("%s cannot be joined: it is off, or one side does not accept the other's token or certificate, which is in the log of one of the two; messages wait", safeURL(leaf.Remotes[0].URL))
	}
	return fmt.Errorf("of the %d machines to join only %d are there: the others are off, or do not accept a token or certificate, which is in a log; messages wait", len(leaf.Remotes), joined)
}

// close ends the connection and the server.
func (l *link) close() {
	if l.nc != nil {
		l.nc.Close()
	}
	if l.srv != nil {
		stopServer(l.srv)
	}
}
