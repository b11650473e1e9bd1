package backends

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/custom"
	"github.com/hookway/hookway/internal/memory/mem0"
	"github.com/hookway/hookway/internal/memory/qdrant"
	"github.com/hookway/hookway/internal/memory/remote"
)

// TestMem0IsNotWaitedForEver: what it has taken is saved, and sent once, however
// long its model thinks.
func TestMem0IsNotWaitedForEver(t *testing.T) {
	var adds atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/search/"):
			fmt.Fprint(w, `{"results": []}`)
			return
		case strings.HasSuffix(r.URL.Path, "/add/"):
			adds.Add(1)
		}
		fmt.Fprint(w, `{"event_id": "e", "status": "PENDING"}`)
	}))
	defer server.Close()
	s := mem0.New(mem0.Config{Client: remote.Client{URL: server.URL, Timeout: 300 * time.Millisecond}, Flavor: mem0.Platform, User: "u", Infer: true})
	o := memory.NewOutbox(s, filepath.Join(t.TempDir(), "outbox.db"))
	if m, err := o.Save(t.Context(), memory.Memory{Text: "We agreed on Postgres"}); err != nil || m.Waits {
		t.Errorf("saved %+v, %v", m, err)
	}
	if adds.Load() != 1 {
		t.Errorf("%d additions", adds.Load())
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}

// TestASaveWaitsForAnEmbedderAsForQdrant: no longer than is configured.
func TestASaveWaitsForAnEmbedderAsForQdrant(t *testing.T) {
	free := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-free:
		}
	}))
	defer server.Close()
	defer close(free)
	e, _, err := memory.Embedding{Provider: "ollama", URL: server.URL, Timeout: 100 * time.Millisecond}.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := qdrant.New(qdrant.Config{Client: remote.Client{URL: server.URL, Timeout: 100 * time.Millisecond}, Embedder: e})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second) // a batch would have two minutes
	defer cancel()
	_, err = s.Save(ctx, memory.Memory{Text: "The tests need Redis"})
	if !errors.Is(err, memory.ErrUnavailable) || ctx.Err() != nil {
		t.Errorf("%v, and the caller: %v", err, ctx.Err())
	}
}

// TestNobodyWaitsForAnothersQuestion: who has less time has an answer in it, and a
// service that hangs is not asked three times.
func TestNobodyWaitsForAnothersQuestion(t *testing.T) {
	free, asked := make(chan struct{}), make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-free:
		}
	}))
	defer server.Close()
	defer close(free)
	client := remote.Client{URL: server.URL, Timeout: 10 * time.Minute}
	for what, b := range map[string]memory.Backend{"qdrant": qdrant.New(qdrant.Config{Client: client}), "mem0": mem0.New(mem0.Config{Client: client})} {
		long, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = b.Save(long, memory.Memory{Text: "one"})
		}()
		<-asked
		brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		begin := time.Now()
		_, err := b.Search(brief, "x", 1, memory.View{})
		if took := time.Since(begin); err == nil || took > 5*time.Minute {
			t.Errorf("%s: after %v: %v", what, took, err)
		}
		cancel()
		end()
		<-ended
	}
	client.Timeout = 100 * time.Millisecond
	for len(asked) > 0 {
		<-asked
	}
	if _, err := qdrant.New(qdrant.Config{Client: client}).List(t.Context(), 1, memory.View{}); !errors.Is(err, memory.ErrUnavailable) || len(asked) != 1 {
		t.Errorf("asked %d times: %v", len(asked), err)
	}
}

// TestAKeyThatAServiceSaysAgain: it is in no error.
func TestAKeyThatAServiceSaysAgain(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": "wrong key: " + r.Header.Get("api-key") + r.Header.Get("Authorization")})
	}))
	defer server.Close()
	key := "sk-0123456789"
	for what, b := range map[string]memory.Backend{
		"qdrant": qdrant.New(qdrant.Config{Client: remote.Client{URL: server.URL, Header: http.Header{"Api-Key": {key}}}}),
		"mem0":   mem0.New(mem0.Config{Client: remote.Client{URL: server.URL}, Key: key, Flavor: mem0.Platform}),
	} {
		_, err := b.List(t.Context(), 1, memory.View{})
		if err == nil || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "wrong key: ") {
			t.Errorf(`%s: got %v, want err != nil and !strings.Contains(err.Error(), key) and strings.Contains(err.Error(), "wrong key: ")`, what, err)
		}
	}
}

// TestANumberAsAnID: it is written as it was given.
func TestANumberAsAnID(t *testing.T) {
	for answer, want := range map[string]string{`{"id": 12345678}`: "12345678", `9007199254740993`: "9007199254740993", `"7"`: "7"} {
		s := custom.New(func(context.Context, map[string]any) (hook.Outcome[any], error) {
			return hook.Outcome[any]{Verdict: hook.Verdict{Action: hook.ActionAnswer, Result: json.RawMessage(answer)}}, nil
		})
		if m, err := s.Save(t.Context(), memory.Memory{Text: "x"}); err != nil || m.ID != want {
			t.Errorf("%s is %q, %v", answer, m.ID, err)
		}
	}
}
