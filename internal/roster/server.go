package roster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/backoff"
)

const (
	mostCalls   = 64        // connections at once
	mostWaiting = 32        // of which so many may wait for something
	maxRequest  = 512 << 10 // bytes of a request: every byte of a text may take six in JSON
	maxReply    = 8 << 20   // bytes of a reply, without its body

	sayTime  = 5 * time.Second  // for the peer to say what it wants
	hearTime = 10 * time.Second // for the peer to take the next part of the reply
)

// Handler answers for a session. It is called by many goroutines at once, and its
// context ends when the asker hangs up.
type Handler func(ctx context.Context, r Request) Reply

// Server is a session that is announced.
type Server struct {
	entry    *entry
	listener net.Listener
	handler  Handler
	calls    chan struct{} // holds a token for every connection
	waiting  chan struct{} // and for each that waits
	cancel   context.CancelFunc
	running  sync.WaitGroup

	closing sync.Once
	closed  error
}

// Serve announces a session in a folder, which is the user's alone and there
// already, and answers for it until Close. After the end of ctx it answers no more.
func Serve(ctx context.Context, dir string, m Member, h Handler) (*Server, error) {
	if m.Session == "" {
		return nil, errors.New("a session without an id cannot be announced")
	}
	e, err := claim(dir)
	if err != nil {
		return nil, fmt.Errorf("the session cannot be announced: %w", err)
	}
	l, err := listen(e.socket())
	if err == nil {
		if err = e.write(m); err != nil {
			_ = l.Close()
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the session cannot be announced: %w", err), e.remove())
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Server{
		entry: e, listener: l, handler: h, cancel: cancel,
		calls: make(chan struct{}, mostCalls), waiting: make(chan struct{}, mostWaiting),
	}
	s.running.Go(func() { s.accept(ctx) })
	return s, nil
}

// Close takes the session from the roster and ends the requests under way. It may
// be called again.
func (s *Server) Close() error {
	s.closing.Do(func() {
		s.cancel()
		s.closed = errors.Join(s.listener.Close(), s.entry.remove())
		s.running.Wait()
	})
	return s.closed
}

func (s *Server) accept(ctx context.Context) {
	for {
		c, err := s.listener.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = c.Close()
			}
			return
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // too many open files, or the peer is gone already
			if backoff.Sleep(ctx, 50*time.Millisecond) != nil {
				return
			}
			continue
		}
		select {
		case s.calls <- struct{}{}:
			s.running.Go(func() {
				defer func() { <-s.calls }()
				s.serve(ctx, c)
			})
		default:
			_ = c.Close() // its caller learns that the session is busy
		}
	}
}

// serve answers one connection.
func (s *Server) serve(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer func() {
		stop()
		_ = c.Close()
	}()
	if checkPeer(c) != nil {
		return
	}
	r, err := s.read(c)
	if err != nil {
		s.reply(ctx, c, Reply{Error: err.Error()})
		return
	}
	gone := make(chan struct{})
	go func() { // an asker says no more: what it does is hang up
		defer close(gone)
		_, _ = c.Read(make([]byte, 1))
		cancel()
	}()
	answer := s.answer(ctx, r)
	if ctx.Err() == nil {
		s.reply(ctx, c, answer)
	}
	if answer.Body != nil {
		_ = answer.Body.Close()
	}
	_ = c.Close()
	<-gone
}

func (s *Server) read(c net.Conn) (r Request, err error) {
	if err := c.SetReadDeadline(time.Now().Add(sayTime)); err != nil {
		return r, err
	}
	line, err := readLine(c, maxRequest)
	if err != nil {
		return r, fmt.Errorf("the request was not read: %w", err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("the request is not understood: %w", err)
	}
	return r, c.SetReadDeadline(time.Time{})
}

// readLine reads a line of at most so many bytes.
func readLine(r io.Reader, most int64) ([]byte, error) {
	line, err := bufio.NewReader(io.LimitReader(r, most)).ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF) && int64(len(line)) == most:
		return nil, fmt.Errorf("it is longer than %d bytes", most)
	case errors.Is(err, io.EOF):
		return nil, io.ErrUnexpectedEOF
	}
	return line, err
}

// answer asks the handler. Its panic must not end the program in the terminal.
func (s *Server) answer(ctx context.Context, r Request) (a Reply) {
	defer func() {
		if v := recover(); v != nil {
			a = Reply{Error: fmt.Sprintf("hookway failed at %q: %v", r.Op, v)}
		}
	}()
	if r.Op == OpInject && r.Wait {
		select {
		case s.waiting <- struct{}{}:
			defer func() { <-s.waiting }()
		default:
			return Reply{Error: fmt.Sprintf("%d others wait for this session already; try again later", mostWaiting)}
		}
	}
	if len(r.Text) > MaxText {
		return Reply{Error: fmt.Sprintf("the text is longer than %d bytes", MaxText)}
	}
	return s.handler(ctx, r)
}

// reply sends the reply and its body.
func (s *Server) reply(ctx context.Context, c net.Conn, a Reply) {
	text, err := json.Marshal(a)
	if err == nil && len(text) >= maxReply {
		err = errors.New("it is too long")
	}
	if err != nil {
		a = Reply{Error: "the reply cannot be sent: " + err.Error()}
		text, _ = json.Marshal(a)
	}
	w := patient{ctx, c}
	if _, err := io.Copy(w, bytes.NewReader(append(text, '\n'))); err == nil && a.Body != nil && a.Size > 0 {
		_, _ = io.CopyN(w, a.Body, a.Size)
	}
}

// patient gives the peer time for each part of what is written, but none after
// the end of the context, at which somebody else sets the deadline.
type patient struct {
	ctx context.Context
	to  net.Conn
}

func (p patient) Write(b []byte) (int, error) {
	if err := p.to.SetWriteDeadline(time.Now().Add(hearTime)); err != nil {
		return 0, err
	}
	if err := p.ctx.Err(); err != nil { // it has ended before that deadline was set
		return 0, err
	}
	return p.to.Write(b)
}
