package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/memory"
)

// embedder is a server for vectors that keeps what it is sent.
type embedder struct {
	mu    sync.Mutex
	texts []string
}

func (s *embedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type one struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var out struct {
		Data []one `json:"data"`
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, text := range ask.Input {
		s.texts = append(s.texts, text)
		out.Data = append(out.Data, one{i, []float32{1, float32(len(text))}})
	}
	_ = json.NewEncoder(w).Encode(out)
}

// of gives what was sent since the last time, but for hookway's own sentence.
func (s *embedder) of() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := func(text string) bool { return strings.HasPrefix(text, "The quick brown fox") }
	texts := slices.DeleteFunc(s.texts, own)
	s.texts = nil
	slices.Sort(texts)
	return texts
}

// TestAnEmbedderOfAWorkspaceGetsNoOthersMemories: a repository that names a server
// for vectors is sent what was said in it, and not what was said elsewhere.
func TestAnEmbedderOfAWorkspaceGetsNoOthersMemories(t *testing.T) {
	server := &embedder{}
	web := httptest.NewServer(server)
	defer web.Close()
	home, own, other := t.TempDir(), t.TempDir(), t.TempDir()
	block := []byte("memory: {embedder: {provider: openai, model: m, url: '" + web.URL + "'}}\n")
	users := filepath.Join(home, "config", "hookway.yaml")
	if err := errors.Join(os.Mkdir(filepath.Dir(users), 0o700), os.WriteFile(filepath.Join(own, "hookway.yaml"), block, 0o600)); err != nil {
		t.Fatal(err)
	}
	within := func(dir string) *app {
		a := appWith(nil, io.Discard, io.Discard, func(name string) string {
			return map[string]string{"HOOKWAY_HOME": home, "HOOKWAY_TRUST": "1"}[name]
		})
		t.Cleanup(func() { _ = a.home.Memories().Close() })
		return a
	}
	embed := func(dir string) string {
		t.Helper()
		t.Chdir(dir)
		var out bytes.Buffer
		a := within(dir)
		a.out = &out
		command := memoryEmbedCommand(a)
		command.SetArgs([]string{})
		if err := command.Execute(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	save := func(dir string, m memory.Memory) {
		t.Helper()
		held, err := within(dir).home.Memories().At(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Done()
		m.Workspace = held.Workspace
		if _, err := held.Save(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	save(own, memory.Memory{Text: "said here"})
	save(other, memory.Memory{Text: "said elsewhere"})
	save(other, memory.Memory{Text: "kept by an agent elsewhere", Scope: memory.ScopeAgent, Agent: "Alice"})
	save(other, memory.Memory{Text: "the user's", Scope: memory.ScopeUser})

	embed(own)
	if got := server.of(); !slices.Equal(got, []string{"said here", "the user's"}) {
		t.Errorf("hookway memory embed has sent %q", got)
	}
	save(own, memory.Memory{Text: "said here later"})
	stays := within(own)
	stays.home.Lasting = true
	held, err := stays.home.Memories().At(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	eventually.True(t, "the vector of what was saved", func() bool {
		got = append(got, server.of()...)
		return len(got) > 0
	})
	held.Done()
	if err := stays.home.Memories().Close(); err != nil {
		t.Fatal(err)
	}
	embed(own) // if it was closed before the vector was kept
	if got = append(got, server.of()...); !slices.Equal(slices.Compact(got), []string{"said here later"}) {
		t.Errorf("in the background it has sent %q", got)
	}
	if err := os.WriteFile(users, block, 0o600); err != nil {
		t.Fatal(err)
	}
	embed(other)
	if got := server.of(); !slices.Equal(got, []string{"Alice: kept by an agent elsewhere", "said elsewhere"}) {
		t.Errorf("an embedder of the user's gets all; it was sent %q", got)
	}
	save(other, memory.Memory{Text: "one more"})
	if said := embed(other); said != "1 vector made\n" {
		t.Errorf("of one it says %q", said)
	}
}
