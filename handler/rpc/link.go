package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/loopback"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// Bounds of a connection.
const (
	dialTime  = 10 * time.Second
	idleTime  = time.Minute
	maxAnswer = 2 << 20
	maxHeader = 64 << 10
)

// pauses are those between tries to connect.
var pauses = []time.Duration{50 * time.Millisecond, 200 * time.Millisecond}

// link is a connection that is made when it is needed, and again when it broke.
type link struct {
	secure  bool // it is TLS
	pauses  []time.Duration
	conn    *grpc.ClientConn
	dialing atomic.Int32 // connections that are being made
	dials   atomic.Int64 // connections that were begun

	mu   sync.Mutex
	last error // of the last try to connect
}

func newLink(t *target, c *Config) (*link, error) {
	plain := c.TLS == nil && (t.network != tcp || c.Insecure || loopback.Host(t.host))
	l := &link{secure: !plain, pauses: pauses}
	creds := insecure.NewCredentials()
	if !plain {
		cfg, err := c.TLS.config()
		if err != nil {
			return nil, err
		}
		creds = credentials.NewTLS(cfg)
	}
	authority := t.authority()
	if c.TLS != nil && c.TLS.ServerName != "" {
		authority = c.TLS.ServerName // grpc wants them to be the same
	}
	conn, err := grpc.NewClient("passthrough:///hookway",
		grpc.WithTransportCredentials(&watched{creds, l}),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return l.dial(ctx, t, plain && t.network == tcp && !c.Insecure)
		}),
		grpc.WithAuthority(authority),
		grpc.WithUserAgent("hookway"),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second},
			MinConnectTimeout: dialTime,
		}),
		// Servers hang up on those who ping more often than every five minutes. What
		// is sent and never acknowledged ends the connection after Timeout.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: dialTime}),
		grpc.WithIdleTimeout(5*idleTime),
		grpc.WithInitialWindowSize(256<<10),
		grpc.WithInitialConnWindowSize(1<<20),
		grpc.WithMaxHeaderListSize(maxHeader),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer), grpc.MaxCallSendMsgSize(maxEvent)),
	)
	l.conn = conn
	return l, err
}

// dial connects, and remembers why it could not. A connection that is yet to be secured
// does not make us forget why the one before was not.
func (l *link) dial(ctx context.Context, t *target, loopback bool) (net.Conn, error) {
	l.dials.Add(1)
	l.dialing.Add(1)
	defer l.dialing.Add(-1)
	conn, err := t.dial(ctx, loopback)
	if err != nil || !l.secure {
		l.note(err)
	}
	return conn, err
}

func (l *link) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = err
}

// failure is why the last try to connect failed, or nil.
func (l *link) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// watched are credentials that tell a link why they were refused: grpc keeps
// only the text.
type watched struct {
	credentials.TransportCredentials
	link *link
}

// ClientHandshake secures a connection.
func (w *watched) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	w.link.dialing.Add(1)
	defer w.link.dialing.Add(-1)
	secured, info, err := w.TransportCredentials.ClientHandshake(ctx, authority, conn)
	w.link.note(err)
	return secured, info, err
}

// Clone copies them.
func (w *watched) Clone() credentials.TransportCredentials {
	return &watched{w.TransportCredentials.Clone(), w.link}
}

// notConnected is the error of a connection that could not be made.
type notConnected struct{ cause error }

// Error says why.
func (n *notConnected) Error() string { return n.cause.Error() }

// Unwrap returns the cause.
func (n *notConnected) Unwrap() error { return n.cause }

// ready waits until there is a connection. A server that was started anew is
// asked at once, not when grpc thinks it is time.
func (l *link) ready(ctx context.Context) error {
	for try := 0; ; {
		state := l.conn.GetState()
		wait, cancel := ctx, context.CancelFunc(func() {})
		switch state {
		case connectivity.Ready:
			return nil
		case connectivity.Shutdown:
			return ErrClosed
		case connectivity.Idle:
			l.conn.Connect()
		case connectivity.TransientFailure:
			if try == len(l.pauses) {
				if err := l.failure(); err != nil {
					return &notConnected{unreachable(err)}
				}
				return l.why(ctx)
			}
			l.conn.ResetConnectBackoff()
			wait, cancel = context.WithTimeout(ctx, l.pauses[try])
			if l.dialing.Load() == 0 {
				try++
			}
		}
		changed := l.conn.WaitForStateChange(wait, state)
		cancel()
		if !changed && ctx.Err() != nil {
			return fmt.Errorf("it could not be connected to in time: %w", ctx.Err())
		}
	}
}

// why finds out what is wrong with a connection that was made, but is not gRPC's:
// only a call says so.
func (l *link) why(ctx context.Context) error {
	_, err := grpc_health_v1.NewHealthClient(l.conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if status.Code(err) != codes.Unavailable {
		return nil // it answers now
	}
	text := status.Convert(err).Message()
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	}
	switch {
	case has("certificate required", "bad certificate", "unknown certificate"):
		err = fmt.Errorf("it wants another certificate from us; name it with tls: {cert: …, key: …}: %w", said{err})
	case l.secure && has("EOF", "connection reset", "broken pipe"):
		err = fmt.Errorf("it ended the connection when it knew us; if it wants another certificate from us, name it with tls: {cert: …, key: …}: %w", said{err})
	default:
		err = fmt.Errorf("it does not speak gRPC; look at the target, and whether it wants tls: %w", said{err})
	}
	return &notConnected{err}
}

// unreachable says what to do about a connection that could not be made.
func unreachable(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var name *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("its certificate is not to be trusted: %w; if it is meant, name its authority with tls: {ca: …}", certificate.Err)
	case errors.As(err, &record):
		return fmt.Errorf("it does not speak TLS; set insecure: true if that is meant: %w", err)
	case errors.As(err, &name):
		return fmt.Errorf("its name cannot be resolved: %w", err)
	case errors.As(err, &op):
		return fmt.Errorf("it cannot be reached, %d tries: %w", len(pauses)+1, err)
	}
	return fmt.Errorf("it cannot be connected to: %w", err)
}
