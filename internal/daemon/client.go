package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// Client is a connection to a daemon, for one request after the other. It is of
// no use after an error; close it and dial again. It must not be used by several
// goroutines at once.
type Client struct {
	nc net.Conn
	in *bufio.Reader
}

// ErrNone says that no daemon serves the socket.
var ErrNone = errors.New("no daemon runs")

// Dial connects to the daemon of a socket. The error is ErrNone if there is none.
func Dial(ctx context.Context, socket string) (*Client, error) {
	nc, err := dialSocket(ctx, socket)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w (%w)", ErrNone, err)
	} else if err != nil {
		return nil, fmt.Errorf("the daemon cannot be reached: %w", err)
	}
	return &Client{nc: nc, in: bufio.NewReader(nc)}, nil
}

// PID is the daemon's number, as this process sees it; 0 if it does not.
func (c *Client) PID() int {
	p, err := peerOf(c.nc)
	if err != nil {
		return 0
	}
	return p.PID
}

// Do sends a request and waits for its reply. When the context ends first, the
// connection is closed, which cancels the request. The reply's Err is not an error of Do.
func (c *Client) Do(ctx context.Context, r *call.Request) (call.Reply, error) {
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { c.nc.Close() })
		defer stop()
	}
	sent := call.WriteRequest(c.nc, r)
	reply, err := call.ReadReply(c.in) // also if it was not sent: the daemon may have said why
	switch {
	case ctx.Err() != nil && (err != nil || sent != nil):
		return call.Reply{}, ctx.Err()
	case err != nil && sent != nil:
		return call.Reply{}, fmt.Errorf("the request cannot be sent to the daemon: %w", sent)
	case err != nil:
		return call.Reply{}, fmt.Errorf("the daemon did not answer: %w", err)
	}
	return *reply, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.nc.Close() }

// Status asks the daemon how it is.
func (c *Client) Status(ctx context.Context, version string) (Status, error) {
	return c.ask(ctx, &call.Request{Kind: call.KindStatus, Version: version})
}

func (c *Client) ask(ctx context.Context, r *call.Request) (st Status, err error) {
	reply, err := c.Do(ctx, r)
	switch {
	case err != nil:
		return st, err
	case reply.Err != "":
		return st, errors.New(reply.Err)
	}
	if err := json.Unmarshal(reply.Stdout, &st); err != nil {
		return st, fmt.Errorf("the daemon's status cannot be read: %w", err)
	}
	return st, nil
}

// Stop asks the daemon to end, and waits until its process is gone.
func (c *Client) Stop(ctx context.Context, version string) (Status, error) {
	st, err := c.ask(ctx, &call.Request{Kind: call.KindStop, Version: version})
	if err != nil {
		return st, err
	}
	return st, c.awaitEnd(ctx, st.PID)
}

// awaitEnd waits for the end of a daemon that was asked to.
func (c *Client) awaitEnd(ctx context.Context, pid int) error {
	stop := context.AfterFunc(ctx, func() { c.nc.Close() })
	_, _ = io.Copy(io.Discard, c.in) // the daemon closes when its last request has ended
	stop()
	if pid == os.Getpid() { // it is served by this process
		return nil
	}
	return awaitExit(ctx, pid)
}

// awaitExit waits until a process is over.
func awaitExit(ctx context.Context, pid int) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for alive(pid) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the daemon (pid %d) still runs: %w", pid, ctx.Err())
		}
	}
	return nil
}
