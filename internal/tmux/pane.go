package tmux

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// followLimit is how long one who follows the output may take for a piece of it.
var followLimit = time.Minute

// mostWatches bounds who watches one session.
const mostWatches = 64

// Pane is the process in a session, as those outside see it. Its methods may be
// called by several goroutines at once.
type Pane struct {
	// Signals are those that somebody outside wants this process to get.
	Signals chan os.Signal

	listener *net.UnixListener
	all      sync.WaitGroup

	mu       sync.Mutex
	watches  map[net.Conn]struct{}
	follower net.Conn // nil: the output goes nowhere else
}

// Take asks what this pane is to do.
func Take(link string) (*Pane, Start, error) {
	conn, err := net.Dial("unix", link)
	if err != nil {
		return nil, Start{}, fmt.Errorf("there is no order of what to run; this command is for hookway run --tmux: %w", err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(helloLimit))
	var m message
	decode := json.NewDecoder(io.LimitReader(conn, mostMessage))
	if err = decode.Decode(&m); err == nil && m.Start == nil {
		err = errors.New("this was not a beginning")
	}
	if err != nil {
		conn.Close()
		return nil, Start{}, fmt.Errorf("there is no order of what to run: %w", err)
	}
	_ = conn.SetReadDeadline(time.Time{})
	p := &Pane{Signals: make(chan os.Signal, 4), watches: map[net.Conn]struct{}{}}
	if p.listener, err = listen(link); err != nil {
		conn.Close()
		return nil, Start{}, err
	}
	if m.Start.Follow {
		p.follower = conn
	}
	p.add(conn)
	p.all.Go(p.accept)
	return p, *m.Start, nil
}

func (p *Pane) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		if !p.add(conn) {
			conn.Close()
		}
	}
}

// add watches who watches.
func (p *Pane) add(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watches == nil || len(p.watches) == mostWatches {
		return false
	}
	p.watches[conn] = struct{}{}
	p.all.Go(func() {
		p.hear(conn)
		p.drop(conn)
	})
	return true
}

// hear takes signals until the other end has gone.
func (p *Pane) hear(conn net.Conn) {
	limit := &io.LimitedReader{R: conn}
	decode := json.NewDecoder(limit)
	for {
		var m message
		limit.N = 1 << 10
		if decode.Decode(&m) != nil {
			return
		}
		if m.Signal == syscall.SIGINT || m.Signal == syscall.SIGTERM {
			select {
			case p.Signals <- m.Signal:
			default:
			}
		}
	}
}

func (p *Pane) drop(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	conn.Close()
	delete(p.watches, conn)
	if p.follower == conn {
		p.follower = nil
	}
}

// Write gives output to who follows it. It never fails: one who does not take it
// for too long gets no more of it.
func (p *Pane) Write(output []byte) (int, error) {
	p.mu.Lock()
	follower := p.follower
	p.mu.Unlock()
	if follower != nil && send(follower, message{Output: output}, followLimit) != nil {
		follower.Close()
	}
	return len(output), nil
}

// Finish tells everybody how it has ended, and waits a moment for them to act on
// it: when this process ends, so does the session. Nothing else may be called
// after it.
func (p *Pane) Finish(end End) {
	p.listener.Close()
	p.mu.Lock()
	watches := p.watches
	p.watches = nil
	p.mu.Unlock()
	end.Notes, end.Screen = tail(end.Notes), tail(end.Screen)
	for conn := range watches {
		p.all.Go(func() {
			limit := endLimit
			if p.follows(conn) { // there may be output before it that was not taken yet
				limit = followLimit
			}
			if send(conn, message{End: &end}, limit) != nil {
				conn.Close()
			}
			_ = conn.SetReadDeadline(time.Now().Add(limit))
		})
	}
	p.all.Wait()
}

func (p *Pane) follows(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.follower == conn
}

// mostText bounds each text of an End.
const mostText = 256 << 10

// tail is the end of a text that is too long, from the begin of a line.
func tail(text string) string {
	if len(text) <= mostText {
		return text
	}
	_, text, _ = strings.Cut(text[len(text)-mostText:], "\n")
	return text
}
