package main

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
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
)

// relayHome gives an app with a folder of its own, and its store, in which Bob is known.
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
	return a, store
}

// nobody is a machine that is not there.
const nobody = "nats://127.0.0.1:1"

// link has a machine join another one.
func link(t *testing.T, a *app) {
	t.Helper()
	text := "relay: {leaf: {remotes: [{url: '" + nobody + "'}]}}\n"
	if err := os.MkdirAll(filepath.Join(a.dir, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.dir, "config", "hookway.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNothingIsStartedForTheMessagesOfOneMachine: the daemon has no server for them,
// and does not stay for them; once there are other machines, it has and does.
func TestNothingIsStartedForTheMessagesOfOneMachine(t *testing.T) {
	a, store := relayHome(t)
	c := a.newCarrier(func(line string) { t.Log(line) })
	defer c.Close()
	c.begin()
	if _, err := store.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Poke(); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the store is open", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.store != nil && c.starting == nil
	})
	dir, err := a.relayDir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(natsDir(dir)); !errors.Is(err, fs.ErrNotExist) || c.Needed() || c.Status().Mode != "off" {
		t.Errorf("needed %v, status %+v, files of a server: %v", c.Needed(), c.Status(), err)
	}
	link(t, a)
	if err := c.Poke(); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "it is linked", func() bool { return c.Status().Mode == "leaf" })
	if !c.Needed() {
		t.Error("a daemon that is linked does not stay")
	}
}

// TestADaemonDeliversWhatAnOlderVersionSends: sessions that run since before an update
// put their messages into the outbox, and only tell the daemon.
func TestADaemonDeliversWhatAnOlderVersionSends(t *testing.T) {
	for name, tell := range map[string]func(*carrier){
		"before the daemon begins": func(c *carrier) { c.begin() },
		"to a daemon that runs": func(c *carrier) {
			if err := c.Poke(); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, store := relayHome(t)
			sent, err := store.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: "hi"})
			if err != nil {
				t.Fatal(err)
			}
			asOlder(t, a, sent.Message.ID)
			c := a.newCarrier(func(line string) { t.Log(line) })
			defer c.Close()
			tell(c)
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
func asOlder(t *testing.T, a *app, id string) {
	t.Helper()
	dir, err := a.relayDir()
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

// TestACarrierThatCouldNotStartTriesAgain, without being called again: a daemon that
// ends has the files for a moment longer.
func TestACarrierThatCouldNotStartTriesAgain(t *testing.T) {
	a, _ := relayHome(t)
	link(t, a)
	other, err := relay.Open(t.Context(), t.TempDir(), relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	dir, err := a.relayDir()
	if err != nil {
		t.Fatal(err)
	}
	before, err := bus.Start(t.Context(), other, bus.Config{Dir: natsDir(dir), Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: nobody}}}})
	if err != nil {
		t.Fatal(err)
	}
	c := a.newCarrier(func(line string) { t.Log(line) })
	defer c.Close()
	c.begin()
	eventually.True(t, "it says why it is not linked", func() bool { return c.Status().Problem != "" })
	if err := before.Close(t.Context()); err != nil {
		t.Error(err)
	}
	eventually.True(t, "it is linked", func() bool { return c.Status().Mode == "leaf" })
}

// TestAFileThatWasMovedAwayIsNotUsedAnyMore: commands write to the one that there
// is now, and so does the daemon.
func TestAFileThatWasMovedAwayIsNotUsedAnyMore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be moved away")
	}
	a, store := relayHome(t)
	c := a.newCarrier(func(line string) { t.Log(line) })
	defer c.Close()
	if before, err := c.open(); err != nil || before.Gone() {
		t.Fatal(err)
	}
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
	eventually.True(t, "it has the new one", func() bool {
		store, err := c.open()
		if err != nil {
			t.Fatal(err)
		}
		known, err := store.Known(t.Context(), "Bob")
		return err == nil && !store.Gone() && known.Waiting == 1
	})
}
