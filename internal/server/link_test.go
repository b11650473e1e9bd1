package server

import (
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
)

// relayHome gives a home in a folder of its own, and its store, in which Bob is known.
func relayHome(t *testing.T) (*Home, *relay.Store) {
	t.Helper()
	h := testHome(t, t.TempDir())
	h.Lasting = true
	store, err := h.OpenRelay(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := store.Register(t.Context(), "Bob"); err != nil {
		t.Fatal(err)
	}
	return h, store
}

// testHome is a home in a folder.
func testHome(t testing.TB, dir string) *Home {
	h := &Home{Log: logline.New(func(line string) { t.Log(line) }), Err: io.Discard, Environ: os.Environ, Version: "test"}
	h.Getenv = func(name string) string { return map[string]string{"HOOKWAY_HOME": dir}[name] }
	return h
}

// unreachable is a machine that is not there.
const unreachable = "nats://127.0.0.1:1"

// link has a machine join another one.
func linkHome(t *testing.T, h *Home) {
	t.Helper()
	text := "relay: {leaf: {remotes: [{url: '" + unreachable + "'}]}}\n"
	if err := os.MkdirAll(filepath.Join(h.Getenv("HOOKWAY_HOME"), "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.Getenv("HOOKWAY_HOME"), "config", "hookway.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNothingIsStartedForTheMessagesOfOneMachine: the daemon has no server for them,
// and does not stay for them; once there are other machines, it has and does.
func TestNothingIsStartedForTheMessagesOfOneMachine(t *testing.T) {
	h, store := relayHome(t)
	l := newLink(h)
	defer l.Close()
	l.begin()
	if _, err := store.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	if err := l.notify(); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the store is open", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.store != nil && l.starting == nil
	})
	dir, err := h.RelayDir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(natsDir(dir)); !errors.Is(err, fs.ErrNotExist) || l.Needed() || l.Status().Mode != "off" {
		t.Errorf("needed %v, status %+v, files of a server: %v", l.Needed(), l.Status(), err)
	}
	linkHome(t, h)
	if err := l.notify(); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "it is linked", func() bool { return l.Status().Mode == "leaf" })
	if !l.Needed() {
		t.Error("a daemon that is linked does not stay")
	}
}

// TestADaemonDeliversWhatAnOlderVersionSends: sessions that run since before an update
// put their messages into the outbox, and only tell the daemon.
func TestADaemonDeliversWhatAnOlderVersionSends(t *testing.T) {
	for name, tell := range map[string]func(*link){
		"before the daemon begins": func(l *link) { l.begin() },
		"to a daemon that runs": func(l *link) {
			if err := l.notify(); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, store := relayHome(t)
			sent, err := store.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: "hi"})
			if err != nil {
				t.Fatal(err)
			}
			asOlder(t, h, sent.Message.ID)
			l := newLink(h)
			defer l.Close()
			tell(l)
			bob, err := store.Join(t.Context(), relay.Presence{Session: "s-1", Name: "Bob", Kind: relay.KindMCP})
			if err != nil {
				t.Fatal(err)
			}
			eventually.True(t, "Bob is given it", func() bool {
				got, err := bob.Take(t.Context(), 1)
				if err != nil {
					t.Fatal(err)
				}
				return len(got) == 1 && got[0].Message.ID == sent.Message.ID
			})
		})
	}
}

// asOlder makes of a message that waits for Bob what an older version leaves of it.
func asOlder(t *testing.T, h *Home, id string) {
	t.Helper()
	dir, err := h.RelayDir()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "relay.db")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{
		"INSERT INTO outbox (id, machine, message, agent, session) VALUES (?1, '', ?1, 'Bob', '')",
		"UPDATE delivery SET state = 0, arrival = 0 WHERE message = ?1",
	} {
		if _, err := db.Exec(text, id); err != nil {
			t.Fatal(err)
		}
	}
}

// TestALinkThatCouldNotStartTriesAgain, without being called again: a daemon that
// ends has the files for a moment longer.
func TestALinkThatCouldNotStartTriesAgain(t *testing.T) {
	h, _ := relayHome(t)
	linkHome(t, h)
	other, err := relay.Open(t.Context(), t.TempDir(), relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	dir, err := h.RelayDir()
	if err != nil {
		t.Fatal(err)
	}
	before, err := bus.Start(t.Context(), other, bus.Config{Dir: natsDir(dir), Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: unreachable}}}})
	if err != nil {
		t.Fatal(err)
	}
	l := newLink(h)
	defer l.Close()
	l.begin()
	eventually.True(t, "it says why it is not linked", func() bool { return l.Status().Problem != "" })
	if err := before.Close(t.Context()); err != nil {
		t.Error(err)
	}
	eventually.True(t, "it is linked", func() bool { return l.Status().Mode == "leaf" })
}

// TestAFileThatWasMovedAwayIsNotUsedAnyMore: commands write to the one that there
// is now, and so does the daemon.
func TestAFileThatWasMovedAwayIsNotUsedAnyMore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be moved away")
	}
	h, store := relayHome(t)
	l := newLink(h)
	defer l.Close()
	if before, err := l.open(); err != nil || before.Gone() {
		t.Fatalf("got %v, want err == nil and !before.Gone()", err)
	}
	dir, err := h.RelayDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(filepath.Join(dir, "relay.db"+end), filepath.Join(t.TempDir(), "away")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	now, err := h.OpenRelay(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	if !store.Gone() || now.Gone() {
		t.Errorf("gone: %v, and of the new one %v", store.Gone(), now.Gone())
	}
	if err := now.Register(t.Context(), "Bob"); err != nil {
		t.Fatal(err)
	}
	if _, err := now.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: "again"}); err != nil {
		t.Fatal(err)
	}
	if err := l.notify(); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "it has the new one", func() bool {
		store, err := l.open()
		if err != nil {
			t.Fatal(err)
		}
		known, err := store.Known(t.Context(), "Bob")
		return err == nil && !store.Gone() && known.Waiting == 1
	})
}
