package mcp

import (
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostCalls is how many questions are worked on at once. The next is not read
// before one of them is answered.
const mostCalls = 32

// patient is a conversation over two streams that is not over before every
// question has its answer: the library alone breaks off what it works on when
// the other side has nothing more to say, and reads questions without end.
type patient struct {
	in      io.ReadCloser
	out     io.Writer
	answers *answers
}

// Connect begins the conversation.
func (p *patient) Connect(ctx context.Context) (sdk.Connection, error) {
	streams := &sdk.IOTransport{Reader: p.in, Writer: noClose{p.out}, MaxLineLength: mostFrame}
	conn, err := streams.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConn{Connection: conn, answers: p.answers, open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

type noClose struct{ io.Writer }

func (noClose) Close() error { return nil }

type patientConn struct {
	sdk.Connection
	answers   *answers
	answered  chan struct{} // something was, since the last look
	closed    chan struct{}
	closeOnce sync.Once

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // questions without an answer
}

// Read reads the next message, when there is room for it. It is called by one
// goroutine.
func (c *patientConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	if err := c.await(ctx, mostCalls-1); err != nil {
		return nil, err
	}
	m, err := c.Connection.Read(ctx)
	if err != nil { // there is nothing more to read
		_ = c.await(ctx, 0)
		return nil, err
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.mu.Lock()
		c.open[r.ID] = true
		c.mu.Unlock()
	}
	return m, nil
}

// await waits until at most so many questions are open.
func (c *patientConn) await(ctx context.Context, most int) error {
	for {
		c.mu.Lock()
		n := len(c.open)
		c.mu.Unlock()
		if n <= most {
			return nil
		}
		select {
		case <-c.answered:
		case <-c.closed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Write writes a message; any number of goroutines may.
func (c *patientConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		if err == nil {
			c.answers.written(ctx, r.Result)
		}
		c.mu.Lock()
		delete(c.open, r.ID)
		c.mu.Unlock()
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

// Close ends the conversation.
func (c *patientConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
