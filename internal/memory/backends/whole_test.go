package backends_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/mem0"
	"github.com/hookway/hookway/internal/memory/remote"
)

// records are n memories of one workspace, as mem0 has them.
func records(n int) (all []map[string]any) {
	for i := range n {
		all = append(all, map[string]any{
			"id": fmt.Sprintf("00000000-0000-4000-8000-%012d", i), "memory": fmt.Sprint("number ", i), "user_id": "u",
			"metadata": map[string]any{"hookway_id": fmt.Sprint("n", i)}, "created_at": fmt.Sprintf("2026-01-02T03:%02d:%02dZ", i/60%60, i%60),
		})
	}
	return all
}

// exported is what is exported of a backend.
func exported(t *testing.T, b memory.Backend) (lines int, err error) {
	t.Helper()
	var out strings.Builder
	n, err := memory.Export(t.Context(), b, &out, memory.View{All: true})
	if lines = strings.Count(out.String(), "\n"); lines != n {
		t.Errorf("%d lines, and it says %d", lines, n)
	}
	return lines, err
}

// TestMem0sPlatformIsExportedWhole, however many pages there are.
func TestMem0sPlatformIsExportedWhole(t *testing.T) {
	const all = 10_500
	fake := &fakePlatform{memories: records(all), page: 200}
	server := httptest.NewServer(fake)
	defer server.Close()
	s := mem0.New(mem0.Config{Client: remote.Client{URL: server.URL}, Key: "right", User: "u", Flavor: mem0.Platform})
	if n, err := exported(t, s); n != all || err != nil {
		t.Errorf("%d of %d are exported: %v", n, all, err)
	}
	if err := s.Forget(t.Context(), "n0", memory.View{All: true}); err != nil { // on the last page
		t.Error(err)
	}
	if found, err := s.List(t.Context(), 5, memory.View{All: true}); len(found) != 5 || err != nil {
		t.Errorf("of five: %d, %v", len(found), err)
	}
	fake.stuck = true
	if n, err := exported(t, s); n != 0 || err == nil || !strings.Contains(err.Error(), "nothing new on page 2") {
		t.Errorf("a list without an end: %d, %v", n, err)
	}
}

// TestMem0sServerSaysThatThereMayBeMore: it has no pages, and gives 1000 at most.
func TestMem0sServerSaysThatThereMayBeMore(t *testing.T) {
	for all, want := range map[int]int{0: 0, 999: 999, 1000: 1000, 1200: 1000} {
		memories := records(all)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			most, err := strconv.Atoi(r.URL.Query().Get("top_k"))
			if r.URL.Path != "/memories" || err != nil || most > 1000 {
				w.WriteHeader(http.StatusUnprocessableEntity)
				return
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"results": append([]map[string]any{}, memories[:min(most, len(memories))]...)})
		}))
		defer server.Close()
		s := mem0.New(mem0.Config{Client: remote.Client{URL: server.URL}, User: "u", Flavor: mem0.OSS})
		n, err := exported(t, s)
		cut := want == 1000
		if n != want || errors.Is(err, memory.ErrPart) != cut {
			t.Errorf("of %d: got %d exported, want %d: %v", all, n, want, err)
		}
		if err != nil && !cut {
			t.Errorf("of %d: %v", all, err)
		}
		if cut && !strings.Contains(err.Error(), "gives the first 1000 and has no pages") {
			t.Errorf("it says: %v", err)
		}
		err = s.Forget(t.Context(), "n9999", memory.View{All: true})
		if errors.Is(err, memory.ErrUnknown) == cut || err == nil {
			t.Errorf("of %d, one that is not listed: %v", all, err)
		}
		if found, err := s.List(t.Context(), 5, memory.View{All: true}); len(found) != min(5, all) || err != nil {
			t.Errorf("of five: %d, %v", len(found), err)
		}
	}
}
