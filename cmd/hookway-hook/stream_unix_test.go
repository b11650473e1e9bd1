//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// streaming is a shim that answers one event after another.
type streaming struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.Reader
}

func (w *world) streaming(t *testing.T) *streaming {
	s := &streaming{t: t, cmd: w.command("opencode", "--stream", "--timeout", "600s", "--hold", "7200s")}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if s.out, err = s.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.in.Close(); _ = s.cmd.Wait() })
	return s
}

func (s *streaming) ask(id uint32, event, stdin string) {
	s.t.Helper()
	var b bytes.Buffer
	for _, n := range []int{int(id), len(event), len(stdin)} {
		_ = binary.Write(&b, binary.BigEndian, uint32(n)) //nolint:gosec // small
	}
	b.WriteString(event + stdin)
	if _, err := s.in.Write(b.Bytes()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *streaming) answer() (id, how uint32, text string) {
	s.t.Helper()
	var head [3]uint32
	if err := binary.Read(s.out, binary.BigEndian, &head); err != nil {
		s.t.Fatal(err)
	}
	b := make([]byte, head[2])
	if _, err := io.ReadFull(s.out, b); err != nil {
		s.t.Fatal(err)
	}
	return head[0], head[1], string(b)
}

// TestAStreamAnswersOneEventAfterAnother: by the daemon, which hears of each in the
// order in which they came, and may take its time with one of them.
func TestAStreamAnswersOneEventAfterAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	go1 := make(chan struct{})
	shown := make(chan string, 1)
	w.listen(func(conn net.Conn, r *call.Request) {
		if r.Kind == call.KindShown {
			shown <- "shown"
			return
		}
		if r.Agent != "opencode" || r.Dir == "" {
			t.Errorf("the daemon is asked %+v", r)
		} else if len(r.Env) == 0 || r.Timeout <= 0 {
			t.Errorf("the daemon is asked %+v", r)
		}
		switch r.Event {
		case "slow":
			<-go1
			_ = call.WriteReply(conn, &call.Reply{Stdout: r.Stdin, Ask: true})
		case "refused":
			_ = call.WriteReply(conn, &call.Reply{Stderr: []byte("no"), ExitCode: 2})
		case "broken":
			_ = call.WriteReply(conn, &call.Reply{Err: "it is broken"})
		case "odd":
			_ = call.WriteReply(conn, &call.Reply{ExitCode: 1})
		case "gone":
			_ = conn.Close()
		default:
			_ = call.WriteReply(conn, &call.Reply{Stdout: r.Stdin})
		}
	})
	s := w.streaming(t)
	large := strings.Repeat("x", 1<<20)
	s.ask(1, "slow", `{"a":1}`)
	for i, c := range []struct {
		event, stdin string
		how          uint32
		text         string
	}{
		{"quick", "{}", streamAnswered, "{}"}, {"quick", large, streamAnswered, large}, {"refused", "{}", streamRefused, "no"},
		{"broken", "{}", streamUnable, ""}, {"odd", "{}", streamUnable, ""}, {"gone", "{}", streamUnable, ""}, {"quick", "", streamAnswered, ""},
	} {
		s.ask(uint32(i+2), c.event, c.stdin)                                                  //nolint:gosec // small
		if id, how, text := s.answer(); id != uint32(i+2) || how != c.how || text != c.text { //nolint:gosec // small
			t.Errorf("%s: %d, %d, %.50q", c.event, id, how, text)
		}
	}
	close(go1)
	if id, how, text := s.answer(); id != 1 || how != streamAnswered || text != `{"a":1}` {
		t.Errorf("the slow one: %d, %d, %q", id, how, text)
	}
	if got := <-shown; got != "shown" {
		t.Errorf(`got %v, want "shown"`, got)
	}
}

// TestAStreamWaitsLongerForAPerson: where a call may be held, and nowhere else.
func TestAStreamWaitsLongerForAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.listen(func(conn net.Conn, r *call.Request) {
		_ = call.WriteReply(conn, &call.Reply{Stdout: []byte(r.Timeout.Round(time.Hour).String())})
	})
	s := w.streaming(t)
	for event, want := range map[string]string{"tool.execute.before": "2h0m0s", "chat.params": "0s"} {
		s.ask(1, event, "{}")
		if _, how, text := s.answer(); how != streamAnswered || text != want {
			t.Errorf("%s: %d, the daemon is given %s, want %s", event, how, text, want)
		}
	}
}

// TestAStreamSaysWhatItCannot: without a daemon another hookway-hook is to be
// started, and with the next one it answers again.
func TestAStreamSaysWhatItCannot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.streaming(t)
	s.ask(7, "quick", "{}")
	if id, how, _ := s.answer(); id != 7 || how != streamUnable {
		t.Errorf("without a daemon: %d, %d", id, how)
	}
	l := w.listen(func(conn net.Conn, r *call.Request) { _ = call.WriteReply(conn, &call.Reply{Stdout: []byte("here")}) })
	for id := range uint32(3) {
		s.ask(id, "quick", "{}")
		if _, how, text := s.answer(); how != streamAnswered || text != "here" {
			t.Errorf("with a daemon: %d, %q", how, text)
		}
	}
	_ = l.Close()
	s.ask(9, "quick", "{}")
	if _, how, _ := s.answer(); how != streamUnable {
		t.Errorf("after the daemon ended: %d", how)
	}
	_ = s.in.Close()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("it does not end with its agent: %v", err)
	}
}
