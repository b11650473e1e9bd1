package daemon

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire/call"
)

// parrots is an API that gives each line back.
type parrots struct {
	Host
	welcomed sync.WaitGroup

	mu    sync.Mutex
	here  []*APIConn
	ended bool
}

func (p *parrots) Begin(h Host) { p.Host = h }

func (p *parrots) Serve(g *APIConn) {
	p.mu.Lock()
	p.here = append(p.here, g)
	p.mu.Unlock()
	p.welcomed.Go(func() {
		defer g.Close()
		for in := bufio.NewReader(g); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if !p.Work() {
				return
			}
			_, _ = io.WriteString(g, strings.ToUpper(line))
			p.Done(len(line))
		}
	})
}

func (p *parrots) Refuse(nc net.Conn, why string) { _, _ = io.WriteString(nc, why+"\n") }

func (p *parrots) End() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
}

// talk says a line on a connection, and gives the one that comes back.
func talk(t *testing.T, c net.Conn, text string) string {
	t.Helper()
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(c).ReadString('\n')
	return line
}

func connect(t *testing.T, at call.Places) net.Conn {
	t.Helper()
	c, err := dialSocket(t.Context(), at.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestWhatIsNotAFrameGoesToTheAPI(t *testing.T) {
	p := &parrots{}
	d := start(t, Config{API: p, Version: "test"})
	c := dial(t, d.Places)
	if got := ask(t, c, "a frame"); got != "a frame" {
		t.Errorf("a frame is answered with %q", got)
	}
	for _, text := range []string{"GET / HTTP/1.1\n", "HEAD / HTTP/1.1\n", "H\n", "HKW\n", "HKWX and more\n"} { // some begin like a frame
		client := connect(t, d.Places)
		if got := talk(t, client, text+strings.Repeat("x", 4-min(len(text), 4))); got != strings.ToUpper(text) {
			t.Errorf("%q is answered with %q", text, got)
		}
		client.Close()
	}
	if got := ask(t, c, "another"); got != "another" {
		t.Errorf("a frame is answered with %q", got)
	}
	eventually.True(t, "no request runs: the last one may have been answered just now", func() bool { return p.Status().Running == 0 })
	if st := p.Status(); st.Requests != 7 || st.Version != "test" {
		t.Errorf(`got %+v, want st.Requests == 7 and st.Version == "test"`, st)
	}
	d.stop()
	d.await(t)
	if !p.ended || p.Work() {
		t.Error("End was not called")
	}
	p.welcomed.Wait()
}

func TestAConnectionOfTheAPIThatStaysIsClosed(t *testing.T) {
	p := &parrots{}
	d := start(t, Config{API: p})
	client := connect(t, d.Places)
	if got := talk(t, client, "hello\n"); got != "HELLO\n" {
		t.Errorf("got %v, want \"HELLO\\n\"", got)
	}
	d.stop()
	d.await(t)
	if n, err := client.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes from a daemon that has ended", n)
	}
}

func TestAnotherListenerIsForTheAPIAlone(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &parrots{}
	d := start(t, Config{API: p, Listeners: func() ([]net.Listener, error) { return []net.Listener{other}, nil }})
	c, err := net.Dial("tcp", other.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := talk(t, c, "HKWY is no frame here\n"); got != "HKWY IS NO FRAME HERE\n" {
		t.Errorf("answered with %q", got)
	}
	if g := p.here[0]; g.Listener != other || g.Peer != (Peer{}) {
		t.Errorf("the connection is %+v", g)
	}
	d.stop()
	d.await(t)
	if c, err := net.Dial("tcp", other.Addr().String()); err == nil {
		c.Close()
		t.Error("the listener is still open")
	}
}

func TestStrangersAtADoorKeepNoAgentOut(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &parrots{}
	d := start(t, Config{API: p, Listeners: func() ([]net.Listener, error) { return []net.Listener{other}, nil }})
	for range maxElsewhere {
		c, err := net.Dial("tcp", other.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
	eventually.True(t, "all are in", func() bool { return p.Status().Connections == maxElsewhere })
	if got := ask(t, dial(t, d.Places), "a frame"); got != "a frame" {
		t.Errorf("an agent is answered with %q", got)
	}
}

// TestDoorsAreGivenBackBeforeTheLock: the next daemon may listen there, too.
func TestDoorsAreGivenBackBeforeTheLock(t *testing.T) {
	at := placesIn(folder(t))
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	other := &closing{Listener: inner, locked: func() bool {
		l, err := listen(at)
		if err == nil {
			l.Close()
		}
		return err != nil
	}}
	d := start(t, Config{Places: at, API: &parrots{}, Listeners: func() ([]net.Listener, error) { return []net.Listener{other}, nil }})
	d.stop()
	d.await(t)
	if !other.was {
		t.Error("the lock was free when the listener was closed")
	}
}

// closing is a listener that looks at the lock when it is closed.
type closing struct {
	net.Listener
	locked func() bool
	was    bool
}

func (c *closing) Close() error {
	c.was = c.locked()
	return c.Listener.Close()
}

func TestNoOtherListenerIsOpenedWithoutAnAPI(t *testing.T) {
	start(t, Config{Listeners: func() ([]net.Listener, error) {
		t.Error("a listener was opened without an API")
		return nil, nil
	}})
}

func TestADaemonThatIsNeededStays(t *testing.T) {
	needed := make(chan bool)
	d := start(t, Config{Idle: 4 * time.Millisecond, Needed: func() bool { return <-needed }})
	for range 5 {
		needed <- true // it asked, and stays
	}
	select {
	case <-d.ended:
		t.Fatal("it ended")
	default:
	}
	go func() {
		for {
			select {
			case needed <- false:
			case <-d.ended:
				return
			}
		}
	}()
	d.await(t)
}

func TestADoorThatCannotBeOpenedKeepsTheDaemonFromBeginning(t *testing.T) {
	at := placesIn(folder(t))
	closed := false
	err := Serve(context.Background(), Config{
		Places: at, Handle: echo, API: &parrots{}, Close: func() { closed = true },
		Listeners: func() ([]net.Listener, error) { return nil, io.ErrUnexpectedEOF },
	})
	if err == nil || !closed {
		t.Errorf("%v, closed: %v", err, closed)
	}
	start(t, Config{Places: at}) // the lock and the socket were given back
}
