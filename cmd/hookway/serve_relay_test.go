package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
)

// relayHome gives an app with a folder of its own, and its store with one message for
// Bob in the outbox.
func relayHome(t *testing.T) (*app, *relay.Store) {
	t.Helper()
	home := t.TempDir()
	a := appWith(nil, io.Discard, io.Discard, func(name string) string {
		if name == "HOOKWAY_HOME" {
			return home
		}
		return ""
	})
	a.dir, a.home.Lasting = home, true
	store, err := a.openRelay(t.Context())
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
	if _, err := store.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	return a, store
}

// natsOf runs a server of messages in an app's folder, until it is told to end.
func natsOf(t *testing.T, a *app, store bus.Store) (end func()) {
	t.Helper()
	dir, err := a.relayDir()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bus.Start(t.Context(), store, bus.Config{Dir: natsDir(dir)})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// arrives waits until the outbox has nothing more.
func arrives(t *testing.T, store *relay.Store) {
	t.Helper()
	eventually.True(t, "the message is in the inbox", func() bool {
		left, err := store.Uncarried(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return !left
	})
}

// unread is a store into which nothing comes.
type unread struct{ *relay.Store }

func (unread) Ingest(context.Context, relay.Source, uint64, [][]byte) ([]string, error) {
	return nil, errors.New("the daemon was killed")
}

// TestWhatADaemonHasPublishedArrivesWithTheNext: the one before was killed when the
// message was in the stream, and not in the inbox yet.
func TestWhatADaemonHasPublishedArrivesWithTheNext(t *testing.T) {
	a, store := relayHome(t)
	before := natsOf(t, a, unread{store})
	eventually.True(t, "the message is in the stream", func() bool {
		rows, err := store.Outgoing(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return len(rows) == 0
	})
	before()
	c := a.newCarrier(func(line string) { t.Log(line) })
	defer c.Close()
	c.begin()
	arrives(t, store)
}

// TestACarrierThatCouldNotStartTriesAgain, without being called again: a daemon that
// ends has the files for a moment longer.
func TestACarrierThatCouldNotStartTriesAgain(t *testing.T) {
	a, store := relayHome(t)
	other, err := relay.Open(t.Context(), t.TempDir(), relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	before := natsOf(t, a, other)
	c := a.newCarrier(func(line string) { t.Log(line) })
	defer c.Close()
	if err := c.Poke(); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "it says why it does not carry", func() bool { return c.Status().Problem != "" })
	before()
	arrives(t, store)
	eventually.True(t, "all is well again", func() bool { return c.Status().Problem == "" })
}

// TestAFileThatWasMovedAwayIsNotCarriedAnyMore: commands write to the one that there
// is now, and so does the daemon.
func TestAFileThatWasMovedAwayIsNotCarriedAnyMore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be moved away")
	}
	a, store := relayHome(t)
	c := a.newCarrier(func(line string) { t.Log(line) })
	defer c.Close()
	if err := c.Poke(); err != nil {
		t.Fatal(err)
	}
	arrives(t, store)
	dir, err := a.relayDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(filepath.Join(dir, "relay.db"+end), filepath.Join(t.TempDir(), "away")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	now, err := a.openRelay(t.Context())
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
	if err := c.Poke(); err != nil {
		t.Fatal(err)
	}
	arrives(t, now)
}
