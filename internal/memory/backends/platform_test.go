package backends_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/mem0"
	"github.com/hookway/hookway/internal/memory/remote"
)

// fakePlatform answers as mem0's platform does, as far as its published API says.
// No part of it can be had.
type fakePlatform struct {
	mu       sync.Mutex
	memories []map[string]any
	events   map[string]int // how often an event is still pending
	fails    bool           // what is inferred fails
	page     int            // how many are listed at once; 0 is two, to see that all are read
	stuck    bool           // it gives its first page for each
}

func (f *fakePlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.URL.Path != "/v1/ping/" && r.Header.Get("Authorization") != "Token right" {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"detail": "Invalid token."}`)
		return
	}
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body) // none is nil
	result, status := f.answer(r, body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(result)
}

func (f *fakePlatform) answer(r *http.Request, body map[string]any) (any, int) {
	const memories, events = "/v1/memories/", "/v1/event/"
	switch path := r.URL.Path; {
	case path == "/v1/ping/":
		return map[string]any{"detail": "Authentication credentials were not provided."}, http.StatusUnauthorized
	case path == "/v3/memories/add/":
		return f.add(body), http.StatusOK
	case path == "/v3/memories/search/":
		return f.search(body), http.StatusOK
	case path == "/v3/memories/":
		return f.list(r, body), http.StatusOK
	case strings.HasPrefix(path, events):
		return f.event(strings.Trim(path[len(events):], "/")), http.StatusOK
	case strings.HasPrefix(path, memories):
		id := strings.Trim(path[len(memories):], "/")
		i := slices.IndexFunc(f.memories, func(m map[string]any) bool { return m["id"] == id })
		if i < 0 {
			return map[string]any{"error": "Memory not found!"}, http.StatusNotFound
		}
		one := f.memories[i]
		if r.Method == http.MethodDelete {
			f.memories = slices.Delete(f.memories, i, i+1)
			return map[string]any{"message": "Memory deleted successfully!"}, http.StatusOK
		}
		return one, http.StatusOK
	}
	return map[string]any{"error": "Not found"}, http.StatusNotFound
}

func (f *fakePlatform) add(body map[string]any) any {
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", len(f.memories)+1000)
	text := body["messages"].([]any)[0].(map[string]any)["content"]
	now := time.Now().UTC().Format(time.RFC3339Nano)
	f.memories = append(f.memories, map[string]any{"id": id, "memory": text, "user_id": body["user_id"], "metadata": body["metadata"], "created_at": now, "updated_at": now})
	if body["infer"] == false {
		return map[string]any{"message": "stored", "status": "SUCCEEDED", "event_id": id, "results": []any{map[string]any{"id": id, "data": map[string]any{"memory": text}, "event": "ADD"}}}
	}
	f.events = map[string]int{id: 2}
	return map[string]any{"message": "queued", "status": "PENDING", "event_id": id}
}

func (f *fakePlatform) event(id string) any {
	f.events[id]--
	switch {
	case f.events[id] >= 0:
		return map[string]any{"id": id, "event_type": "ADD", "status": "RUNNING"}
	case f.fails:
		return map[string]any{"id": id, "event_type": "ADD", "status": "FAILED", "error": "no model"}
	}
	return map[string]any{"id": id, "event_type": "ADD", "status": "SUCCEEDED", "results": []any{map[string]any{"id": id}}}
}

// fits reads the filters that the adapter writes: a user, or that and metadata.
func fits(m map[string]any, filters any) bool {
	f := filters.(map[string]any)
	for _, part := range list(f["AND"]) {
		if !fits(m, part) {
			return false
		}
	}
	if user, ok := f["user_id"]; ok && user != m["user_id"] {
		return false
	}
	meta, _ := f["metadata"].(map[string]any)
	for name, value := range meta {
		if m["metadata"].(map[string]any)[name] != value {
			return false
		}
	}
	return true
}

func (f *fakePlatform) search(body map[string]any) any {
	query := vectorOf(body["query"].(string), 256)
	found := []any{}
	for _, m := range f.memories {
		if !fits(m, body["filters"]) {
			continue
		}
		score := 0.0
		for i, x := range vectorOf(m["memory"].(string), 256) {
			score += float64(x) * float64(query[i])
		}
		one := map[string]any{"score": min(score, 1), "score_breakdown": map[string]any{"semantic": min(score, 1)}}
		for name, value := range m {
			one[name] = value
		}
		found = append(found, one)
	}
	slices.SortStableFunc(found, func(a, b any) int {
		return cmp.Compare(b.(map[string]any)["score"].(float64), a.(map[string]any)["score"].(float64))
	})
	return map[string]any{"results": found[:min(len(found), int(body["top_k"].(float64)))]}
}

func (f *fakePlatform) list(r *http.Request, body map[string]any) any {
	var found []any
	for _, m := range f.memories {
		if fits(m, body["filters"]) {
			found = append(found, m)
		}
	}
	slices.Reverse(found)
	page, size := 1, cmp.Or(f.page, 2)
	if !f.stuck {
		fmt.Sscan(r.URL.Query().Get("page"), &page)
	}
	all := len(found)
	found = found[min((page-1)*size, all):min(page*size, all)]
	var next any
	if page*size < all {
		next = fmt.Sprintf("http://%s/v3/memories/?page=%d", r.Host, page+1)
	}
	return map[string]any{"count": all, "next": next, "previous": nil, "results": append([]any{}, found...)}
}

// TestMem0sPlatform runs the suite, and holds all that passes against the API that
// mem0 publishes.
func TestMem0sPlatform(t *testing.T) {
	url, w := serve(t, readSpec(t, "mem0-platform.json"), &fakePlatform{})
	suite(t, mem0.New(mem0.Config{Client: remote.Client{URL: url, Key: "MEM0_API_KEY"}, Key: "right", User: "u"}))
	if len(w.seen) < 6 {
		t.Errorf("only %v were asked", w.seen)
	}
}

// TestMem0Infers: what mem0 makes facts of is waited for.
func TestMem0Infers(t *testing.T) {
	server := &fakePlatform{}
	url, _ := serve(t, readSpec(t, "mem0-platform.json"), server)
	s := mem0.New(mem0.Config{Client: remote.Client{URL: url}, Key: "right", User: "u", Infer: true})
	m := memory.Memory{Text: "We met on Monday and agreed on Postgres", Workspace: "/w"}
	saved, err := s.Save(context.Background(), m)
	if err != nil || saved.ID == "" {
		t.Errorf("saved %+v, %v", saved, err)
	}
	server.fails = true
	if _, err := s.Save(context.Background(), memory.Memory{Text: "another thing", Workspace: "/w"}); err == nil || !strings.Contains(err.Error(), "could not work on it") {
		t.Errorf("what failed is saved: %v", err)
	}
}

// TestMem0ThatSaysNo: a wrong key is told, and not shown.
func TestMem0ThatSaysNo(t *testing.T) {
	url, _ := serve(t, readSpec(t, "mem0-platform.json"), &fakePlatform{})
	s := mem0.New(mem0.Config{Client: remote.Client{URL: url, Key: "MEM0_API_KEY"}, Key: "sk-wrong", User: "u"})
	_, err := s.Search(context.Background(), "x", 3, memory.View{All: true})
	if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "look at the key in $MEM0_API_KEY") || strings.Contains(err.Error(), "sk-wrong") {
		t.Errorf("a wrong key: %v", err)
	}
}
