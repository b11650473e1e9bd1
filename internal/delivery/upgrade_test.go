package delivery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/sqlite"
)

const (
	waitingID = "01jz0000000000000000000001"
	begunID   = "01jz0000000000000000000002"
)

// oldFolder is the folder of an older hookway's messages, with two for Bob: one waits, and
// a process has died while it gave the other. testdata has the tables as they were.
func oldFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	tables, err := os.ReadFile("testdata/relay-1.sql")
	if err != nil {
		t.Fatal(err)
	}
	file, err := sqlite.Open(t.Context(), filepath.Join(dir, "relay.db"), sqlite.Form{What: "messages", Steps: []string{string(tables)}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UnixMicro()
	do := func(query string, args ...any) {
		t.Helper()
		if _, err := file.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	do("INSERT INTO agent (key, name, program, cwd, kind, lead, since, seen) VALUES ('bob', 'Bob', 'sh', '', 'wrapped', 'dead', ?, ?)", now, now)
	for i, id := range []string{waitingID, begunID} {
		do("INSERT INTO message VALUES (?, ?, 'Carol', '', 0, ?, ?)", id, relay.Short(id), now,
			fmt.Sprintf(`{"id":%q,"from":"Carol","to":"Bob","content":"message %d"}`, id, i))
		do("INSERT INTO delivery (message, machine, agent, name, session, sender, origin, state, priority, arrival, accepted) VALUES (?, '', 'bob', 'Bob', '', 'Carol', '', 1, 1, ?, ?)", id, i, now)
	}
	do("UPDATE delivery SET state = 2, owner = 'dead', injected_in = 'old', text = 'Message from Carol [x]: message 1', how = 'typed', begun = ? WHERE message = ?", now, begunID)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// oneText is a terminal that types everything at once.
type oneText struct {
	mu    sync.Mutex
	typed []string
}

type typedText struct{ Result }

func (typedText) Withdraw()      {}
func (t typedText) Wait() Result { return t.Result }

func (e *oneText) Bring(in Input) Typing {
	if err := in.Claim(context.Background(), in.Text, "typed"); err != nil {
		return typedText{Result{Err: err}}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.typed = append(e.typed, in.Text)
	return typedText{Result{Given: true, Repeat: in.Repeat}}
}
func (e *oneText) Read(context.Context) bool       { return true }
func (e *oneText) Busy() func()                    { return func() {} }
func (e *oneText) Ended() <-chan struct{}          { return nil }
func (e *oneText) Activity() (a Activity, ok bool) { return a, false }
func (e *oneText) Typed(string) bool               { return false }
func (e *oneText) UserLines() int64                { return 0 }
func openOld(t *testing.T, dir string) *relay.Store {
	t.Helper()
	store, err := relay.Open(t.Context(), dir, relay.Options{Machine: "m1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// hooked has an agent's own hooks report an event, and gives the text in its answer.
func hooked(t *testing.T, n *Native, ev hook.AnyEvent, change func(*Event)) (injected string) {
	t.Helper()
	e := Event{AnyEvent: ev, Agent: "claude", Raw: []byte("{}"), Began: time.Now(), Name: "Bob", Injects: true,
		Hooks: func(string, int) Hooks { return silent{} }}
	if change != nil {
		change(&e)
	}
	a := n.Arrive(t.Context(), e)
	var out hook.Outcome[any]
	a.Add(t.Context(), ev, &out)
	if settle := a.Sent(); settle != nil {
		settle(Delivered)
	}
	return out.Inject
}

// TestAnOlderFolderKeepsWhatWaits: each channel gives the messages that an older hookway
// has left, the one of the dead process as what may be a repeat.
func TestAnOlderFolderKeepsWhatWaits(t *testing.T) {
	t.Parallel()
	texts := func(items []Item) (all string) {
		for _, i := range items {
			if all += i.Text(); i.Repeat {
				all += RepeatMark
			}
			all += "\n"
		}
		return all
	}
	for name, take := range map[string]func(t *testing.T, dir string, store *relay.Store) (string, error){
		"command line, MCP": func(t *testing.T, _ string, store *relay.Store) (string, error) {
			consumer, err := store.Join(t.Context(), relay.Presence{Session: "new", Name: "Bob", Kind: relay.KindMCP})
			if err != nil {
				return "", err
			}
			in := &Inbox{Consumer: consumer, Hooks: silent{}, How: "inbox"}
			items, err := in.Take(t.Context(), 10)
			return texts(items), errors.Join(err, in.Shown(t.Context(), items), consumer.Close())
		},
		"HTTP": func(t *testing.T, _ string, store *relay.Store) (string, error) {
			leases := NewLeases(store)
			lease, err := leases.Take(t.Context(), TakeRequest{Agent: "Bob", Most: 10, Wait: patient, Hooks: func(string) Hooks { return silent{} }})
			if err != nil {
				return "", err
			}
			lease.Begin(patient)
			_, err = leases.Confirm(t.Context(), "Bob", []string{waitingID, begunID})
			return texts(lease.Items), errors.Join(err, leases.Close())
		},
		"own hooks": func(t *testing.T, dir string, store *relay.Store) (string, error) {
			n := &Native{Log: logline.New(func(line string) { t.Error(line) }), Relay: Relay{Dir: dir, Patience: patient,
				Open: func(context.Context) (*relay.Store, func(), error) { return store, func() {}, nil }}}
			ev := hook.AgentStart.New(hook.Envelope{Session: "new", Agent: "claude"}, hook.AgentRun{Prompt: "hello"})
			return hooked(t, n, ev, nil), n.Close()
		},
		"terminal": func(t *testing.T, dir string, _ *relay.Store) (string, error) {
			edge := &oneText{}
			c := NewTerminal(TerminalConfig{Edge: edge, Hooks: silent{}, Warn: t.Errorf,
				Presence: relay.Presence{Session: "new", Name: "Bob", Kind: relay.KindWrapped},
				Open: func(ctx context.Context) (*relay.Store, error) {
					return relay.Open(ctx, dir, relay.Options{Machine: "m1"})
				}})
			runUntilTyped(t, c, edge, 2)
			return strings.Join(edge.typed, "\n") + "\n", nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := oldFolder(t)
			store := openOld(t, dir)
			got, err := take(t, dir, store)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got, "message 0") || !strings.Contains(got, "message 1"+RepeatMark) || strings.Contains(got, "message 0"+RepeatMark) {
				t.Errorf("got %q, want message 0, and message 1 as a repeat", got)
			}
			for _, id := range []string{waitingID, begunID} {
				_, receipts, err := store.Receipts(t.Context(), id)
				if err != nil || len(receipts) != 1 || receipts[0].Injected.IsZero() {
					t.Errorf("%s: got %+v, %v, want one receipt of an injected message", id, receipts, err)
				}
			}
		})
	}
}

// TestAnOlderSessionSharesItsItems: hookway run is of an older version than the process
// that answers the agent's hooks.
func TestAnOlderSessionSharesItsItems(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	run, err := Share(state, "s", "Bob", "claude", logline.New(func(line string) { t.Error(line) }))
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	const old = `{"name":"Bob","agent":"claude","heard":true,"open":true,"busy":true,"next":3,"letters":[` +
		`{"id":1,"body":"shown before","since":"2026-01-02T03:04:05Z","state":"given"},` +
		`{"id":2,"body":"from run","since":"2026-01-02T03:04:05Z","state":"waiting"},` +
		`{"id":3,"body":"typed meanwhile","since":"2026-01-02T03:04:05Z","state":"back"}]}`
	if err := os.WriteFile(filepath.Join(run.dir, "state.json"), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	ev := hook.PostToolUse.New(hook.Envelope{Session: "s", Agent: "claude"}, hook.ToolResult{})
	inSession := func(e *Event) { e.State, e.Session = state, "s" }
	n := &Native{Log: logline.New(func(line string) { t.Error(line) })}
	if got := hooked(t, n, ev, inSession); got != "from run" {
		t.Errorf("got %q, want the item that waits", got)
	}
	text, err := os.ReadFile(filepath.Join(run.dir, "state.json"))
	if err != nil || strings.Count(string(text), `"state":"given"`) != 2 {
		t.Errorf("got %s, %v, want two items that are given", text, err)
	}
	if got := hooked(t, n, ev, inSession); got != "" {
		t.Errorf("got %q again", got)
	}
}
