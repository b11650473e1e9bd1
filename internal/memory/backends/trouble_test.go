package backends_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/custom"
	"github.com/hookway/hookway/internal/memory/mem0"
	"github.com/hookway/hookway/internal/memory/qdrant"
	"github.com/hookway/hookway/internal/memory/remote"
)

// TestAServiceInTrouble: each trouble is one clear error, whoever asks.
func TestAServiceInTrouble(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	slow := make(chan struct{})
	defer close(slow)
	for _, one := range []struct {
		name, says  string
		unavailable bool
		serve       http.HandlerFunc
		url         string
	}{
		{name: "down", url: gone.URL, unavailable: true, says: "start it, or correct its url"},
		{name: "slow", unavailable: true, says: "did not answer within", serve: func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // until it is read, nobody sees that the caller has gone
			select {
			case <-slow:
			case <-r.Context().Done():
			}
		}},
		{name: "500", unavailable: true, says: "failed (500): the disk is full", serve: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			fmt.Fprint(w, `{"status": {"error": "the disk is full"}, "detail": "the disk is full"}`)
		}},
		{name: "no JSON", says: "is not its format", serve: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>hello</html>") }},
		{name: "huge", says: "answered with more than 16 MiB", serve: func(w http.ResponseWriter, _ *http.Request) {
			for range 17 {
				fmt.Fprint(w, strings.Repeat(" ", 1<<20))
			}
		}},
		{name: "elsewhere", unavailable: true, says: "sends us elsewhere", serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}},
		{name: "a reason that is not text", unavailable: true, says: "failed (503)", serve: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			fmt.Fprint(w, "\x1b[31m", strings.Repeat("x", 5000))
		}},
	} {
		t.Run(one.name, func(t *testing.T) {
			url := one.url
			if url == "" {
				server := httptest.NewServer(one.serve)
				defer server.Close()
				url = server.URL
			}
			client := remote.Client{URL: url, Timeout: time.Minute}
			if one.name == "slow" {
				client.Timeout = 200 * time.Millisecond
			}
			for name, b := range map[string]memory.Backend{
				"qdrant": qdrant.New(qdrant.Config{Client: client, User: "u"}),
				"mem0":   mem0.New(mem0.Config{Client: client, User: "u", Flavor: mem0.OSS}),
			} {
				_, err := b.Search(context.Background(), "x", 3, memory.View{All: true})
				if errors.Is(err, memory.ErrUnavailable) != one.unavailable {
					t.Errorf("%s: got %v, want it unavailable: %v", name, err, one.unavailable)
				}
				said := fmt.Sprint(err)
				if err == nil || !strings.Contains(said, one.says) {
					t.Errorf("%s: got %v, want %q", name, err, one.says)
				}
				if len(said) > 1000 || strings.ContainsRune(said, 0x1b) {
					t.Errorf("%s: got %q, want it short and safe to show", name, said)
				}
			}
		})
	}
}

// TestOnlyWhatMayBeIsAskedAgain: an addition to mem0 is not, a question is.
func TestOnlyWhatMayBeIsAskedAgain(t *testing.T) {
	var adds, searches atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/memories":
			adds.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/search":
			if searches.Add(1) == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			fmt.Fprint(w, `{"results": []}`)
		}
	}))
	defer server.Close()
	s := mem0.New(mem0.Config{Client: remote.Client{URL: server.URL}, Flavor: mem0.OSS})
	if _, err := s.Save(context.Background(), memory.Memory{Text: "x"}); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("got %v, want errors.Is(err, memory.ErrUnavailable)", err)
	}
	if adds.Load() != 1 || searches.Load() != 2 {
		t.Errorf("%d additions, %d searches", adds.Load(), searches.Load())
	}
}

// switched is a backend that may be away.
type switched struct {
	memory.Backend
	away    atomic.Bool
	refuses atomic.Bool
	calls   atomic.Int32
}

func (s *switched) Save(ctx context.Context, m memory.Memory) (memory.Memory, error) {
	s.calls.Add(1)
	switch {
	case s.away.Load():
		return memory.Memory{}, fmt.Errorf("%w: it is away", memory.ErrUnavailable)
	case s.refuses.Load() && strings.Contains(m.Text, "bad"):
		return memory.Memory{}, errors.New("it does not take this")
	}
	return s.Backend.Save(ctx, m)
}

func (s *switched) Search(ctx context.Context, q string, k int, v memory.View) ([]memory.Memory, error) {
	if s.away.Load() {
		return nil, fmt.Errorf("%w: it is away", memory.ErrUnavailable)
	}
	return s.Backend.Search(ctx, q, k, v)
}

// TestNothingIsLostWhileABackendIsAway: what is saved meanwhile is sent later, in
// order, also by another process.
func TestNothingIsLostWhileABackendIsAway(t *testing.T) {
	dir := t.TempDir()
	open := func(name string) *memory.Store {
		s, err := memory.Open(context.Background(), filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ctx, view := context.Background(), memory.View{Workspace: "/w"}
	there := &switched{Backend: open("there.db")}
	away := memory.NewOutbox(there, filepath.Join(dir, "outbox.db"))
	there.away.Store(true)
	var first memory.Memory
	for i := range 5 {
		m, err := away.Save(ctx, memory.Memory{Text: fmt.Sprintf("note %d", i), Workspace: "/w"})
		if err != nil || m.ID == "" || !m.Waits {
			t.Fatalf(`got %+v, %v, want err == nil and m.ID != "" and m.Waits`, m, err)
		}
		if i == 0 {
			first = m
		}
	}
	if n := there.calls.Load(); n != 1 {
		t.Errorf("who is away was asked %d times at once", n)
	}
	if _, err := away.Search(ctx, "note", 3, view); err == nil || !strings.Contains(err.Error(), "5 saved meanwhile wait on this machine") {
		t.Errorf("a search: %v", err)
	}
	if err := away.Forget(ctx, first.ID, view); err != nil {
		t.Errorf("what waits is not forgotten: %v", err)
	}
	if err := away.Close(); err != nil {
		t.Error(err)
	}
	back := &switched{Backend: open("there.db")}
	back.refuses.Store(true)
	later := memory.NewOutbox(back, filepath.Join(dir, "outbox.db")) // as another process has it
	if _, err := later.Save(ctx, memory.Memory{Text: "note 5", Workspace: "/w"}); err != nil {
		t.Error(err)
	}
	found, err := later.List(ctx, 0, view)
	if err != nil || len(found) != 5 {
		t.Fatalf("got %q, %v, want 5", texts(found), err)
	}
	if found[0].Text != "note 5" || found[4].Text != "note 1" {
		t.Errorf("got %q to %q, want note 5 to note 1", found[0].Text, found[4].Text)
	}
	if err := later.Close(); err != nil {
		t.Error(err)
	}
}

// TestWhatIsNeverTakenKeepsNothingElse: it is put aside, and told.
func TestWhatIsNeverTakenKeepsNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		store, err := memory.Open(context.Background(), filepath.Join(dir, "there.db"))
		if err != nil {
			t.Fatal(err)
		}
		there := &switched{Backend: store}
		o := memory.NewOutbox(there, filepath.Join(dir, "outbox.db"))
		var log []string
		o.Log = logline.New(func(line string) { log = append(log, line) })
		there.away.Store(true)
		ctx := context.Background()
		for _, text := range []string{"a bad one", "a good one"} {
			if _, err := o.Save(ctx, memory.Memory{Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		there.away.Store(false)
		there.refuses.Store(true)
		time.Sleep(6 * time.Second) // of the bubble: it is asked again
		all, err := o.List(ctx, 0, memory.View{All: true})
		if err != nil || len(all) != 1 || all[0].Text != "a good one" {
			t.Errorf("there are %q, %v", texts(all), err)
		}
		if got := strings.Join(log, "\n"); !strings.Contains(got, "outbox.db.refused.jsonl: it does not take this") {
			t.Errorf("logged %s", got)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
}

// asked is a handler with a memory of its own.
func asked(store *memory.Store) custom.Ask {
	return func(ctx context.Context, p map[string]any) (hook.Outcome[any], error) {
		text := func(name string) string { s, _ := p[name].(string); return s }
		n, _ := p["k"].(float64)
		v := memory.View{Workspace: text("workspace"), Agent: text("agent_name"), Session: text("in_session"), By: text("by"), Scope: memory.Scope(text("scope"))}
		v.All, _ = p["all"].(bool)
		for _, tag := range list(p["tags"]) {
			v.Tags = append(v.Tags, tag.(string))
		}
		var result any
		var err error
		switch text("action") {
		case "save":
			m := memory.Memory{ID: text("id"), Text: text("text"), Scope: v.Scope, Workspace: v.Workspace, Agent: v.Agent, Session: text("session"), Tags: v.Tags, File: text("file")}
			m.Session = v.Session
			result, err = store.Save(ctx, m)
		case "search":
			result, err = store.Search(ctx, text("query"), int(n), v)
		case "list":
			all, failed := store.List(ctx, int(n), v)
			result, err = map[string]any{"memories": all}, failed
		case "forget":
			err = store.Forget(ctx, text("id"), v)
			result = err == nil
			if errors.Is(err, memory.ErrUnknown) {
				err = nil
			}
		}
		out := hook.Outcome[any]{}
		if err != nil {
			return out, err
		}
		out.Action, out.Result = hook.ActionAnswer, result
		return out, nil
	}
}

// TestAHandlerOfTheUsersOwn runs the suite on a handler.
func TestAHandlerOfTheUsersOwn(t *testing.T) {
	store, err := memory.Open(context.Background(), filepath.Join(t.TempDir(), "own.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	suite(t, custom.New(asked(store)))
}

// TestWhatAHandlerMayAnswer: what it says is read leniently, and what it does not
// say is an error that tells what to say.
func TestWhatAHandlerMayAnswer(t *testing.T) {
	ctx := context.Background()
	answer := func(result any) *custom.Store {
		return custom.New(func(context.Context, map[string]any) (hook.Outcome[any], error) {
			out := hook.Outcome[any]{}
			out.Action, out.Result = hook.ActionAnswer, result
			return out, nil
		})
	}
	for _, found := range []any{[]any{"a text"}, map[string]any{"memories": []any{map[string]any{"id": 7, "text": "a text", "score": 0.5}}}, map[string]any{"results": []any{"a text", "b", "c", "d"}}} {
		all, err := answer(found).Search(ctx, "x", 1, memory.View{})
		if err != nil || len(all) != 1 || all[0].Text != "a text" {
			t.Errorf(`%v: got %v, %v, want err == nil and len(all) == 1 and all[0].Text == "a text"`, found, all, err)
		}
	}
	for _, id := range []any{"7", 7.0, map[string]any{"id": "7"}, map[string]any{"id": 7.0}} {
		if m, err := answer(id).Save(ctx, memory.Memory{Text: "x"}); err != nil || m.ID != "7" {
			t.Errorf(`%v: got %+v, %v, want err == nil and m.ID == "7"`, id, m, err)
		}
	}
	for result, says := range map[any]string{"text": "not a list of memories", 5: "not a list of memories"} {
		if _, err := answer(result).List(ctx, 1, memory.View{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: got %v, want err != nil and strings.Contains(err.Error(), says)", result, err)
		}
	}
	if _, err := answer(map[string]any{"error": "the shelf is full"}).Save(ctx, memory.Memory{Text: "x"}); err == nil || err.Error() != "the shelf is full" {
		t.Errorf(`got %v, want err != nil and err.Error() == "the shelf is full"`, err)
	}
	none := custom.New(func(context.Context, map[string]any) (hook.Outcome[any], error) { return hook.Outcome[any]{}, nil })
	if _, err := none.List(ctx, 1, memory.View{}); err == nil || !strings.Contains(err.Error(), "no hook answers MemoryRequest") {
		t.Errorf(`got %v, want err != nil and strings.Contains(err.Error(), "no hook answers MemoryRequest")`, err)
	}
}
