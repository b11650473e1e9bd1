//go:build ollama && unix

// Tests against a real Ollama, which tools/ollama.sh installs into a cache and
// names in $OLLAMA. The model is ours: see tinyModel.

package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/memory/exam"
)

// server is an Ollama of a test.
type server struct {
	t       *testing.T
	program string
	dir     string
	address string
	cmd     *exec.Cmd
	log     *os.File
}

func startOllama(t *testing.T) *server {
	t.Helper()
	program := os.Getenv("OLLAMA")
	if program == "" {
		t.Fatal("$OLLAMA names no program; run tools/ollama.sh")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, program: program, dir: t.TempDir(), address: free.Addr().String()}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	s.start()
	return s
}

func (s *server) env() []string {
	return append(os.Environ(), "OLLAMA_HOST="+s.address, "OLLAMA_MODELS="+filepath.Join(s.dir, "models"), "HOME="+s.dir, "OLLAMA_NOPRUNE=1")
}

func (s *server) start() {
	s.t.Helper()
	var err error
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		s.t.Fatal(err)
	}
	s.cmd = exec.Command(s.program, "serve")
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.env(), s.log, s.log
	ownGroup(s.cmd)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; {
		resp, err := http.Get("http://" + s.address + "/api/version")
		if err == nil {
			resp.Body.Close()
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("ollama serve does not answer: %v", err)
		}
		time.Sleep(10 * time.Millisecond) // it has no other sign of being ready
	}
}

// stop ends the server, and the runner of a model that it started.
func (s *server) stop() {
	if s.cmd == nil {
		return
	}
	killGroup(s.cmd)
	_ = s.cmd.Wait() // it was killed
	_ = s.log.Close()
	s.cmd = nil
}

// model makes a model, or replaces it.
func (s *server) model(name string, seed uint64, dims int) {
	s.t.Helper()
	file := filepath.Join(s.dir, fmt.Sprintf("%s-%d-%d.gguf", name, seed, dims))
	if err := os.WriteFile(file, tinyModel(seed, dims), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file+".txt", []byte("FROM "+file+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(s.program, "create", name, "-f", file+".txt")
	cmd.Env = s.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("ollama create: %v\n%s", err, out)
	}
}

// embedder opens an embedder of this server, as configured. The tiny model is
// slow to load on a busy machine.
func (s *server) embedder(e Embedding) (Embedder, Space) {
	s.t.Helper()
	e.URL, e.Timeout = "http://"+s.address+e.URL, time.Minute
	embedder, space, err := e.Open()
	if err != nil {
		s.t.Fatal(err)
	}
	return embedder, space
}

func TestOllama(t *testing.T) {
	s := startOllama(t)
	plain, _ := s.embedder(Embedding{Provider: "ollama"})
	if _, err := plain.Embed(t.Context(), []string{"x"}, true); err == nil || !strings.Contains(err.Error(), "it has no model nomic-embed-text; run ollama pull nomic-embed-text") {
		t.Errorf("without the model: %v", err)
	}
	s.model("nomic-embed-text", 1, 768)
	texts := []string{"dark mode", strings.Repeat("a very long text ", 4000), "tab\tand\x00zero", "dark mode"}
	answers := embedAll(t, plain, texts, false)
	for i, v := range answers {
		if len(v) != 768 || math.Abs(float64(cosine(v, v)-1)) > 1e-4 {
			t.Errorf("text %d: %d dims, of the length %v", i, len(v), cosine(v, v))
		}
	}
	if c := cosine(answers[0], answers[3]); c < 0.9999 {
		t.Errorf("the same text has the cosine %v", c)
	}
	asked := embedAll(t, plain, texts[:1], true)
	if c := cosine(asked[0], answers[0]); c > 0.9999 {
		t.Errorf("a question is embedded like a text: cosine %v", c)
	}
	no := false
	bare, space := s.embedder(Embedding{Provider: "ollama", Prefix: &no})
	given := embedAll(t, bare, []string{"search_query: dark mode"}, true)
	if c := cosine(given[0], asked[0]); c < 0.9999 || space.Prefix {
		t.Errorf("the prefix is another one: cosine %v", c)
	}
	short, _ := s.embedder(Embedding{Provider: "ollama", Dims: 256})
	if v := embedAll(t, short, texts[:1], false); len(v[0]) != 256 || cosine(v[0], v[0]) < 0.999 {
		t.Errorf("dims: 256 gives %d, of the length %v", len(v[0]), cosine(v[0], v[0]))
	}
	if v, err := plain.Embed(t.Context(), nil, false); err != nil || len(v) != 0 {
		t.Errorf("nothing: %v, %v", v, err)
	}
	if v := embedAll(t, bare, []string{""}, false); len(v) != 1 {
		t.Errorf("an empty text: %d vectors", len(v))
	}
	other, _ := s.embedder(Embedding{Provider: "openai", Model: "nomic-embed-text", URL: "/v1"})
	for i, v := range embedAll(t, other, texts[:1], true) {
		if c := cosine(v, asked[i]); c < 0.9999 {
			t.Errorf("by the way of OpenAI: cosine %v", c)
		}
	}
	missing, _ := s.embedder(Embedding{Provider: "openai", Model: "nope", URL: "/v1"})
	if _, err := missing.Embed(t.Context(), texts, false); err == nil || !strings.Contains(err.Error(), "it has no model nope") {
		t.Errorf("by the way of OpenAI, without the model: %v", err)
	}
}

func embedAll(t *testing.T, e Embedder, texts []string, query bool) [][]float32 {
	t.Helper()
	v, err := e.Embed(t.Context(), texts, query)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func cosine(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// TestOllamaBehindAStore takes the server away and changes its model under a store.
func TestOllamaBehindAStore(t *testing.T) {
	server := startOllama(t)
	server.model("nomic-embed-text", 1, 768)
	store := fresh(t)
	store.Use(server.embedder(Embedding{Provider: "ollama"}))
	all, asked := recallSet(t, "talk-house.txt")
	importAll(t, store, all)
	began := time.Now()
	if err := store.Embed(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d memories embedded in %v", len(all), time.Since(began))
	wantVectors(t, store, len(all), 768)

	view := View{Workspace: "/w"}
	both, _ := exam.Recall(10, asked, searching(t, store, view))
	words, _ := exam.Recall(10, asked, rankBy(all, tuned))
	t.Logf("recall@10 by words %.1f %%, with a model of random weights %.1f %%", words, both)

	server.stop()
	found, err := store.Find(t.Context(), asked[0].Text, 5, view)
	switch {
	case err != nil || len(found.Memories) == 0 || !strings.Contains(found.Warning, "searched by words alone"):
		t.Errorf("without the server: %d found, warning %q, %v", len(found.Memories), found.Warning, err)
	case !strings.Contains(found.Warning, "is it running?"):
		t.Errorf("without the server: %d found, warning %q, %v", len(found.Memories), found.Warning, err)
	}
	if found, err := store.Find(t.Context(), asked[0].Text, 5, view); err != nil || found.Warning != "" {
		t.Errorf("it is said twice: %q, %v", found.Warning, err)
	}
	server.start()
	store.meaning.until = time.Time{} // as if a second had passed
	if v, warning := store.question(t.Context(), asked[0].Text); len(v) != 768 || warning != "" {
		t.Errorf("it does not come back: %d dims, %q", len(v), warning)
	}

	server.model("nomic-embed-text", 2, 768) // another one under its name
	store.meaning.at = progress{}            // as if ten minutes had passed
	if err := store.Embed(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wantVectors(t, store, len(all), 768)
	server.model("nomic-embed-text", 3, 384)
	store.meaning.at = progress{}
	if _, err := store.Search(t.Context(), asked[0].Text, 5, view); err != nil {
		t.Errorf("vectors of 768 and a question of 384: %v", err)
	}
	if err := store.Embed(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wantVectors(t, store, len(all), 384)
}

// wantVectors checks that each memory has one vector, and all are of one space.
func wantVectors(t *testing.T, s *Store, n, dims int) {
	t.Helper()
	var vectors, spaces, least, most int
	err := s.db.QueryRow("SELECT count(*), count(DISTINCT space), min(length(data)), max(length(data)) FROM vector").Scan(&vectors, &spaces, &least, &most)
	switch {
	case err != nil:
		t.Errorf("%d vectors in %d spaces of %d to %d dims, %v; want %d of %d", vectors, spaces, least, most, err, n, dims)
	case vectors != n:
		t.Errorf("vectors: got %v, want %v", vectors, n)
	case spaces != 1:
		t.Errorf("spaces: got %v, want %v", spaces, 1)
	case least != dims:
		t.Errorf("least: got %v, want %v", least, dims)
	case most != dims:
		t.Errorf("most: got %v, want %v", most, dims)
	}
}

func importAll(t testing.TB, s *Store, all []Memory) {
	t.Helper()
	var lines strings.Builder
	enc := json.NewEncoder(&lines)
	for _, m := range all {
		if err := enc.Encode(m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Import(t.Context(), strings.NewReader(lines.String()), Memory{}); err != nil {
		t.Fatal(err)
	}
}

func searching(t testing.TB, s *Store, v View) ask {
	return func(query string, k int) (ids []string) {
		found, err := s.Find(context.Background(), query, k, v)
		if err != nil || found.Warning != "" {
			t.Fatalf(`got %v, %v, want err == nil and found.Warning == ""`, err, found.Warning)
		}
		for _, m := range found.Memories {
			ids = append(ids, m.ID)
		}
		return slices.Clip(ids)
	}
}
