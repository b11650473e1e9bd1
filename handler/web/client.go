package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// Bounds of a handler's connections. Events that find all of them busy wait
// for one; over HTTP/2 many events share one.
const (
	maxConns    = 32
	dialTime    = 10 * time.Second
	idleTime    = 60 * time.Second
	maxHeader   = 64 << 10
	continueFor = time.Second // to wait for leave to send a large event
)

// client makes the connections of a handler, knows them all, and ends them.
type client struct {
	transport *http.Transport
	permits   permits
	base      context.Context // ends when the client is closed
	end       context.CancelFunc

	slots chan struct{} // one for each connection

	mu    sync.Mutex
	conns map[*tracked]struct{}
	most  int // connections there were at once
}

func newClient(authorities *x509.CertPool, p permits) *client {
	c := &client{permits: p, conns: map[*tracked]struct{}{}, slots: make(chan struct{}, maxConns)}
	c.base, c.end = context.WithCancel(context.Background())
	c.transport = &http.Transport{
		Proxy:                  func(r *http.Request) (*url.URL, error) { return proxyOf(r.Context()), nil },
		DialContext:            c.dial,
		TLSClientConfig:        &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    dialTime,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: dialTime},
		MaxConnsPerHost:        maxConns,
		MaxIdleConns:           maxConns,
		MaxIdleConnsPerHost:    maxConns,
		IdleConnTimeout:        idleTime,
		ExpectContinueTimeout:  continueFor,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // what is signed is what is sent
	}
	return c
}

// proxyKey finds the proxy of a request in a context.
type proxyKey struct{}

func withProxy(ctx context.Context, proxy *url.URL) context.Context {
	if proxy == nil {
		return ctx
	}
	return context.WithValue(ctx, proxyKey{}, proxy)
}

func proxyOf(ctx context.Context) *url.URL {
	u, _ := ctx.Value(proxyKey{}).(*url.URL)
	return u
}

// dial makes a connection. The transport goes on with it when its request has
// ended, for the next one; it does not outlive the client. The user's proxy may
// be anywhere.
func (c *client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second}
	if !c.permits.private && proxyOf(ctx) == nil {
		d.Control = func(_, address string, _ syscall.RawConn) error { return c.permits.address(address) }
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	defer context.AfterFunc(c.base, cancel)()
	if err := c.takeSlot(ctx); err != nil {
		return nil, err
	}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		<-c.slots
		return nil, err
	}
	t := &tracked{Conn: conn, owner: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.base.Err() != nil {
		<-c.slots
		return nil, errors.Join(ErrClosed, conn.Close())
	}
	c.conns[t] = struct{}{}
	c.most = max(c.most, len(c.conns))
	return t, nil
}

// takeSlot waits until there may be one more connection. The transport bounds
// them too, but by proxy, and not while it finds out that all share one over HTTP/2.
func (c *client) takeSlot(ctx context.Context) error {
	select {
	case c.slots <- struct{}{}:
		return nil
	default:
	}
	c.transport.CloseIdleConnections()
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("all %d connections are busy: %w", maxConns, ctx.Err())
	}
}

// close ends all connections.
func (c *client) close() {
	c.end()
	c.transport.CloseIdleConnections()
	c.mu.Lock()
	open := make([]*tracked, 0, len(c.conns))
	for t := range c.conns {
		open = append(open, t)
	}
	c.mu.Unlock()
	for _, t := range open {
		_ = t.Close() // there is nothing left to do for it
	}
}

// tracked is a connection that its client knows of.
type tracked struct {
	net.Conn
	owner *client
}

// Close ends the connection.
func (t *tracked) Close() error {
	err := t.Conn.Close()
	t.owner.mu.Lock()
	defer t.owner.mu.Unlock()
	if _, open := t.owner.conns[t]; open {
		delete(t.owner.conns, t)
		<-t.owner.slots
	}
	return err
}
