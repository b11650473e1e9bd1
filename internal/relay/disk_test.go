package relay_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/sqlite"
)

func TestAFullDisk(t *testing.T) {
	s := open(t, "", relay.Options{Limits: nobodyHeld})
	bob := join(t, s, "Bob")
	say(t, s, "Alice", "Bob", "the first")
	s.OneConn() // the bound is of a connection
	must(t, s.Exec("PRAGMA max_page_count = 60"))
	big := relay.Message{From: "Alice", To: "Bob", Content: strings.Repeat("x", 256<<10)}
	_, err := s.Send(t.Context(), big)
	if !errors.Is(err, sqlite.ErrFull) || !strings.Contains(err.Error(), "messages cannot be sent") || !strings.Contains(err.Error(), "the disk is full, nothing was changed") {
		t.Fatalf(`got %v, want errors.Is(err, sqlite.ErrFull) and strings.Contains(err.Error(), "messages cannot be sent") and strings.Contains(err.Error(), "the disk is full, nothing was changed")`, err)
	}
	if sent, err := s.SentBy(t.Context(), "Alice", 10); err != nil || len(sent) != 1 {
		t.Errorf("there are %d messages, %v", len(sent), err)
	}
	if out, err := s.Outgoing(t.Context(), 10); err != nil || len(out) != 0 {
		t.Errorf("the outbox has %v, %v", out, err)
	}
	if agents, err := s.Agents(t.Context()); err != nil || agents[0].Waiting != 1 {
		t.Errorf("got %+v, %v, want err == nil and agents[0].Waiting == 1", agents, err)
	}
	must(t, s.Exec("PRAGMA max_page_count = 100000"))
	send(t, s, big)
	if got := len(inject(t, bob)); got != 256<<10+len("the first ") {
		t.Errorf("Bob got %d bytes", got)
	}
}

func TestADamagedFile(t *testing.T) {
	dir := t.TempDir()
	s, err := relay.Open(t.Context(), dir, relay.Options{})
	must(t, err)
	join(t, s, "Bob")
	for i := range 100 {
		if _, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: strings.Repeat("x", 100*i+1)}); err != nil {
			t.Fatal(err)
		}
	}
	must(t, s.Close())
	path := filepath.Join(dir, "relay.db")
	data, err := os.ReadFile(path)
	must(t, err)
	for i := 4096; i < len(data); i++ { // all but the page that names the tables
		data[i] = byte(i * 7)
	}
	must(t, os.WriteFile(path, data, 0o600))
	s, err = relay.Open(t.Context(), dir, relay.Options{})
	if err == nil {
		_, err = s.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: "x"})
		must(t, s.Close())
	}
	if !errors.Is(err, sqlite.ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "hookway stop") {
		t.Errorf(`got %v, want errors.Is(err, sqlite.ErrDamaged) and strings.Contains(err.Error(), path) and strings.Contains(err.Error(), "hookway stop")`, err)
	}
	must(t, os.WriteFile(path, []byte(strings.Repeat("no database\n", 1000)), 0o600))
	if _, err := relay.Open(t.Context(), dir, relay.Options{}); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("a text: %v", err)
	}
}

func TestAFolderThatMayNotBeWritten(t *testing.T) {
	if os.Getuid() <= 0 || runtime.GOOS == "windows" {
		t.Skip("root may write everywhere, and Windows has other rights")
	}
	dir := filepath.Join(t.TempDir(), "closed")
	must(t, os.Mkdir(dir, 0o500))
	if _, err := relay.Open(t.Context(), dir, relay.Options{}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want err != nil and strings.Contains(err.Error(), dir)", err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, sendErr := s.Send(ctx, relay.Message{From: "Alice", To: "Bob", Content: "x"})
	_, takeErr := bob.Take(ctx, 1)
	_, joinErr := s.Join(ctx, relay.Presence{Name: "Carol", Session: "c"})
	ingestErr := s.Ingest(ctx, relay.Source{}, 1, nil)
	for what, err := range map[string]error{"send": sendErr, "take": takeErr, "join": joinErr, "ingest": ingestErr, "begin": bob.Begin(ctx, "x", "", "")} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want errors.Is(err, context.Canceled)", what, err)
		}
	}
}

func TestOldMessagesGo(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, relay.Options{Limits: nobodyHeld})
	now := time.Now()
	s.SetNow(func() time.Time { return now })
	bob := join(t, s, "Bob")
	must(t, s.Register(t.Context(), "Carol"))
	must(t, s.Learn(t.Context(), "m2", []byte(`{"v":1,"agents":[{"n":"Dave"}]}`)))
	for i := range 250 {
		say(t, s, "Alice", "Bob", fmt.Sprint(i))
	}
	waits := say(t, s, "Alice", "Carol", "waits")
	far := say(t, s, "Alice", "Dave@m2", "is not there")
	for range 3 {
		inject(t, bob)
	}
	count := func() int {
		t.Helper()
		all, err := s.SentBy(t.Context(), "Alice", 1000)
		must(t, err)
		return len(all)
	}
	now = now.Add(29 * 24 * time.Hour)
	say(t, s, "Alice", "Bob", "new")
	if got := count(); got != 253 {
		t.Fatalf("after 29 days there are %d", got)
	}
	now = now.Add(2 * 24 * time.Hour)
	for _, want := range []int{54, 5, 6} { // some at a time; then not again for an hour
		say(t, s, "Alice", "Bob", "newer")
		if got := count(); got != want {
			t.Fatalf("there are %d, not %d", got, want)
		}
	}
	now = now.Add(365 * 24 * time.Hour)
	for _, id := range []string{waits, far} {
		if got := states(t, s, id); !strings.Contains(got, "accepted") {
			t.Errorf("%q: what waits does not go", got)
		}
	}
	if got := inject(t, join(t, s, "Carol")); got != "waits" {
		t.Errorf("Carol got %q", got)
	}
}

func TestAttach(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.log")
	must(t, os.WriteFile(path, []byte("hello\n"), 0o600))
	got, err := relay.Attach(path)
	want := relay.Attachment{Name: "out.log", Path: path, Size: 6, SHA256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want err == nil and got == want", got, err)
	}
	for path, want := range map[string]string{filepath.Join(dir, "none"): "there is no such file", dir: "it is a folder"} {
		if _, err := relay.Attach(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want err != nil and strings.Contains(err.Error(), want) and strings.Contains(err.Error(), path)", path, err)
		}
	}
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob")
	send(t, s, relay.Message{From: "Alice", To: "Bob", Attachments: []relay.Attachment{got}})
	if m := take(t, bob); len(m) != 1 || m[0].Message.Attachments[0] != want {
		t.Errorf("Bob got %+v", m)
	}
}

func TestIDs(t *testing.T) {
	last := ""
	for range 10000 {
		id := relay.NewID()
		if id <= last || len(id) != 26 {
			t.Fatalf("%s comes after %s", id, last)
		}
		last = id
	}
	if got := relay.Short("01ARZ3NDEKTSV4RRFFQ69G5FAV"); got != "q69g5fav" {
		t.Errorf("short: %s", got)
	}
	if got := relay.Short("abc"); got != "abc" {
		t.Errorf("short: %s", got)
	}
}
