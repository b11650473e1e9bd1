package tmux

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Start is what a pane is to do.
type Start struct {
	Dir    string   `json:"dir"`
	Args   []string `json:"args"` // of hookway
	Env    []string `json:"env"`
	Follow bool     `json:"follow,omitempty"` // the sender of this gets the output too
}

// End is how the program of a pane has ended.
type End struct {
	Code   int    `json:"code"`
	Notes  string `json:"notes,omitempty"`  // what hookway has said about it
	Screen string `json:"screen,omitempty"` // what stood there last, which tmux wipes away
	Cut    bool   `json:"-"`                // the output was not all taken
}

// message is one line on a link; it has one field.
type message struct {
	Start  *Start         `json:"start,omitempty"`
	Signal syscall.Signal `json:"signal,omitempty"`
	Output []byte         `json:"output,omitempty"`
	End    *End           `json:"end,omitempty"`
}

const (
	mostMessage = 16 << 20         // bytes of one message; more is not a message of ours
	helloLimit  = 30 * time.Second // for the pane to come up, and to get its order
	endLimit    = 2 * time.Second  // for one who watches to take the end
)

// ErrVanished says that a session has ended and has not said how.
var ErrVanished = errors.New("the session is gone without a word; its process was killed")

// linkPrefix begins the names of links. With the rest they are as long as the
// name of the daemon's socket, which is known to fit.
const linkPrefix = "tmux-"

// Offer waits for the pane that is being started.
type Offer struct {
	Path     string
	listener *net.UnixListener
}

// NewOffer makes a link in the folder, which must be the user's alone.
func NewOffer(dir string) (*Offer, error) {
	sweep(dir)
	path := filepath.Join(dir, linkPrefix+strings.ToLower(rand.Text()[:7]))
	listener, err := listen(path)
	if err != nil {
		return nil, err
	}
	return &Offer{Path: path, listener: listener}, nil
}

func listen(path string) (*net.UnixListener, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		if err = os.Chmod(path, 0o600); err != nil {
			listener.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("make the link of a session: %w", err)
	}
	return listener, nil
}

// sweep removes the links that killed panes have left behind.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, linkPrefix+"*"))
	for _, path := range left {
		info, err := os.Lstat(path)
		if err != nil || time.Since(info.ModTime()) < time.Minute { // it may be about to listen
			continue
		}
		conn, err := net.Dial("unix", path)
		if err == nil {
			conn.Close()
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(path)
		}
	}
}

// Close takes the offer back, if the pane has not come for it.
func (o *Offer) Close() { o.listener.Close() }

// Hand waits for the pane and tells it what to do.
func (o *Offer) Hand(ctx context.Context, start Start) (*Watch, error) {
	stop := context.AfterFunc(ctx, o.Close)
	defer stop()
	_ = o.listener.SetDeadline(time.Now().Add(helloLimit))
	conn, err := o.listener.Accept()
	o.Close() // the pane listens at the same place
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("the session in tmux did not come up: %w", err)
	}
	if err := send(conn, message{Start: &start}, helloLimit); err != nil {
		conn.Close()
		return nil, fmt.Errorf("the session in tmux does not listen: %w", err)
	}
	return &Watch{link: o.Path, conn: conn}, nil
}

// Watch is somebody who wants to know how a session ends.
type Watch struct {
	link string

	mu   sync.Mutex
	conn net.Conn
}

// Join watches the session of a link.
func Join(link string) (*Watch, error) {
	conn, err := net.Dial("unix", link)
	if err != nil {
		return nil, ErrVanished
	}
	return &Watch{link: link, conn: conn}, nil
}

// End waits for the end of the session. Output that comes on the way is written
// to out, if it is not nil; one who is too slow with it misses what comes later,
// of which End.Cut tells. ErrVanished: there was no end.
func (w *Watch) End(out io.Writer) (End, error) {
	end, err := w.follow(out)
	if out == nil || !errors.Is(err, ErrVanished) {
		return end, err
	}
	again, err := Join(w.link)
	if err != nil {
		return End{}, err
	}
	w.mu.Lock()
	w.conn.Close()
	w.conn = again.conn
	w.mu.Unlock()
	end, err = w.follow(nil)
	end.Cut = true
	return end, err
}

func (w *Watch) follow(out io.Writer) (End, error) {
	limit := &io.LimitedReader{R: w.conn}
	decode := json.NewDecoder(limit)
	for {
		var m message
		limit.N = mostMessage
		if err := decode.Decode(&m); err != nil {
			return End{}, ErrVanished
		}
		if m.End != nil {
			return *m.End, nil
		}
		if out != nil && len(m.Output) > 0 {
			if _, err := out.Write(m.Output); err != nil {
				return End{}, fmt.Errorf("write the output: %w", err)
			}
		}
	}
}

// Signal has the session end as if it had been sent the signal, SIGINT or SIGTERM.
func (w *Watch) Signal(s syscall.Signal) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return send(w.conn, message{Signal: s}, endLimit)
}

// Close ends the watching.
func (w *Watch) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conn.Close()
}

func send(conn net.Conn, m message, limit time.Duration) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_ = conn.SetWriteDeadline(time.Now().Add(limit))
	_, err = conn.Write(append(text, '\n'))
	return err
}
