package page

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"
)

// What is kept is bounded: the oldest goes first.
func TestWhatIsKeptIsBounded(t *testing.T) {
	store := NewStore(t.TempDir())
	var first, last string
	err := store.Change(t.Context(), func(st *State, now time.Time) error {
		for i := range 2 * mostSessions {
			s, _, _ := st.begin("anna", "", now.Add(time.Duration(i-2*mostSessions)*time.Second))
			if last = s.ID; i == 0 {
				first = s.ID
			}
			st.MakeLink("anna", now)
		}
		return nil
	})
	st, bad := store.Read()
	if err = errors.Join(err, bad); err != nil {
		t.Fatal(err)
	}
	if len(st.Sessions) != mostSessions || len(st.Links) != mostLinks {
		t.Fatalf("%d sessions and %d links, want %d and %d", len(st.Sessions), len(st.Links), mostSessions, mostLinks)
	}
	if st.End(first) || !st.End(last) {
		t.Error("the newest should be there, and the oldest gone")
	}
}

// A change that fails changes nothing.
func TestAChangeIsWholeOrNot(t *testing.T) {
	store := NewStore(t.TempDir())
	wrong := errors.New("no")
	err := store.Change(t.Context(), func(st *State, now time.Time) error {
		st.MakeLink("anna", now)
		return wrong
	})
	if st, bad := store.Read(); !errors.Is(err, wrong) || bad != nil || len(st.Links) != 0 {
		t.Errorf("got %v, %v, %+v, want errors.Is(err, wrong) and bad == nil and len(st.Links) == 0", err, bad, st)
	}
}

func TestWrongLinksAreLookedAtSlowly(t *testing.T) {
	var l limit
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for i := range mostWrong {
		if wait := l.wait(now); wait != 0 {
			t.Fatalf("try %d waits %v", i, wait)
		}
		l.note(now)
		now = now.Add(time.Second)
	}
	if got, want := l.wait(now), time.Minute-mostWrong*time.Second; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := l.wait(now.Add(time.Minute)); got != 0 {
		t.Errorf("a minute later: %v", got)
	}
}

func TestTheTableSaysWhoseAConnectionIs(t *testing.T) {
	table := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:1239 0100007F:A2C0 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0\n" +
		"   1: 0100007F:A2C0 0100007F:1239 01 00000000:00000000 00:00000000 00000000  1000        0 1 1 0\n" +
		"   2: 0000000000000000FFFF00000100007F:A2C1 0000000000000000FFFF00000100007F:1239 01 0:0 00:0 0  1001  0 1\n"
	here := netip.MustParseAddrPort("127.0.0.1:4665")
	for from, want := range map[string]string{"127.0.0.1:41664": "1000 true", "127.0.0.1:41665": "1001 true", "127.0.0.1:41666": "0 false", "127.0.0.2:41664": "0 false"} {
		uid, ok := uidOf(table, netip.MustParseAddrPort(from), here)
		if got := fmt.Sprint(uid, ok); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
}

// The port is closed before it is opened, open once, and closed for good.
func TestThePortIsOpenWhenItIsWanted(t *testing.T) {
	l := NewListener()
	if l.Port() != 0 {
		t.Errorf("port %d", l.Port())
	}
	came := make(chan error)
	accept := func() {
		nc, err := l.Accept()
		if err == nil {
			err = nc.Close()
		}
		came <- err
	}
	go accept()
	port, err := l.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := l.Open(0); again != port || err != nil {
		t.Errorf("%d, %v; want %d", again, err, port)
	}
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	if err := <-came; err != nil {
		t.Error(err)
	}
	go accept()
	other := NewListener()
	if _, err := other.Open(port); !errors.Is(err, ErrTaken) {
		t.Errorf("%v, want that it is taken", err)
	}
	if err := errors.Join(l.Close(), l.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	if err := <-came; !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v, want that it is closed", err)
	}
	if _, err := l.Open(0); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v, want that it is closed", err)
	}
	if _, err := other.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v, want that it is closed", err)
	}
}

func TestACookieIsOfItsPort(t *testing.T) {
	for host, want := range map[string]string{"127.0.0.1:4665": "hookway-4665", "localhost": "hookway", "127.0.0.1:0x1": "hookway", "127.0.0.1:;a=b": "hookway", "[::1]:80": "hookway-80"} {
		if got := cookieName(host); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
	if _, err := typedPIN([]string{"a", "b"}); err == nil {
		t.Error("two PINs are taken for one")
	}
	var p *problem
	if err := only(&http.Request{Method: http.MethodPut}, http.MethodPost, nil); !errors.As(err, &p) || p.header["Allow"] != http.MethodPost {
		t.Errorf(`got %v, want errors.As(err, &p) and p.header["Allow"] == http.MethodPost`, err)
	}
}
