package fetch

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// transport makes connections that do not outlive the request they are made for,
// unless it uses them.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 8
	dialer := &net.Dialer{Timeout: Time, KeepAlive: 30 * time.Second}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		d, ok := ctx.Value(dialKey{}).(*dialing)
		if !ok {
			return dialer.DialContext(ctx, network, address)
		}
		conn, err := dialer.DialContext(d.ctx, network, address)
		if err == nil {
			d.opened(conn)
		}
		return conn, err
	}
	return t
}

// dialKey finds the dialing of a request in a context.
type dialKey struct{}

// dialing closes the connections that are made for a request which is cancelled
// before it gets one: the transport would keep them for later, and the far side
// would see us come and stay.
type dialing struct {
	ctx context.Context

	mu    sync.Mutex
	stops []func() bool
	got   bool
}

// watch is a context for a request.
func watch(ctx context.Context) context.Context {
	d := &dialing{ctx: ctx}
	ctx = context.WithValue(ctx, dialKey{}, d)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { d.done() }})
}

func (d *dialing) opened(conn net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.got {
		d.stops = append(d.stops, context.AfterFunc(d.ctx, func() { conn.Close() }))
	}
}

// done lets the connections live: the request has one, which the transport
// closes if need be.
func (d *dialing) done() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.got = true
	for _, stop := range d.stops {
		stop()
	}
	d.stops = nil
}
