package daemon

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// piped serves one connection on a pipe in memory, whose deadlines keep to the
// clock of the test.
func piped(t *testing.T) (client net.Conn, over <-chan struct{}) {
	t.Helper()
	s := newServer(Config{Handle: echo})
	t.Cleanup(func() { s.cancel(nil) })
	ours, theirs := net.Pipe()
	t.Cleanup(func() { ours.Close() })
	done := make(chan struct{})
	go func() {
		defer close(done)
		(&conn{s: s, nc: theirs}).serve()
	}()
	return ours, done
}

func frame(t *testing.T, r *call.Request) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := call.WriteRequest(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAConnectionThatSaysNothingIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, over := piped(t)
		began := time.Now()
		<-over
		if after := time.Since(began); after != firstTime {
			t.Errorf("closed after %v", after)
		}
	})
}

func TestAFrameThatDoesNotComeToItsEndIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, over := piped(t)
		began := time.Now()
		text := frame(t, event("a part of this"))
		wrote := make(chan struct{})
		go func() { // a byte from time to time
			defer close(wrote)
			for i := range text {
				if _, err := c.Write(text[i : i+1]); err != nil {
					return
				}
				time.Sleep(frameTime / 4 * 3)
			}
		}()
		r, err := call.ReadReply(c)
		if err != nil || !strings.Contains(r.Err, "cannot be read") || !strings.Contains(r.Err, os.ErrDeadlineExceeded.Error()) {
			t.Errorf(`got %+v, %v, want err == nil and strings.Contains(r.Err, "cannot be read") and strings.Contains(r.Err, os.ErrDeadlineExceeded.Error())`, r, err)
		}
		<-over
		if after := time.Since(began); after != frameTime {
			t.Errorf("closed after %v", after)
		}
		<-wrote
	})
}

func TestAQuietConnectionIsClosedInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, over := piped(t)
		for range 3 {
			if _, err := c.Write(frame(t, event("hello"))); err != nil {
				t.Fatal(err)
			}
			if r, err := call.ReadReply(c); err != nil || string(r.Stdout) != "hello" {
				t.Fatalf(`got %+v, %v, want err == nil and string(r.Stdout) == "hello"`, r, err)
			}
			time.Sleep(quietTime - time.Second)
		}
		if _, err := call.ReadReply(c); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("it gives %v", err)
		}
		<-over
	})
}

func TestAReplyThatIsNotReadIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, over := piped(t)
		began := time.Now()
		if _, err := c.Write(frame(t, event("hello"))); err != nil {
			t.Fatal(err)
		}
		<-over
		if after := time.Since(began); after != frameTime {
			t.Errorf("closed after %v", after)
		}
	})
}

// Requests that are sent before their time are answered in order.
func TestRequestsInARow(t *testing.T) {
	d := start(t, Config{})
	nc, err := dialSocket(t.Context(), d.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	words := []string{"one", "two", "three"}
	var all []byte
	for _, w := range words {
		all = append(all, frame(t, event(w))...)
	}
	if _, err := nc.Write(all); err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		if r, err := call.ReadReply(nc); err != nil || string(r.Stdout) != w {
			t.Errorf("%q: got %+v, %v, want err == nil and string(r.Stdout) == w", w, r, err)
		}
	}
}
