package backends_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/mem0"
	"github.com/hookway/hookway/internal/memory/qdrant"
	"github.com/hookway/hookway/internal/memory/remote"
)

// python is the interpreter that has qdrant-client and mem0ai, in a folder of its
// own that tools/memory-backends.sh makes.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("HOOKWAY_TEST_PYTHON")
	if path == "" {
		t.Skip("HOOKWAY_TEST_PYTHON is not set; tools/memory-backends.sh runs this where PyPI can be reached")
	}
	return path
}

// front begins a Python program that prints where it listens.
func front(t *testing.T, args ...string) string {
	url, end := fronted(t, args...)
	t.Cleanup(end)
	return url
}

// fronted begins it, and gives what ends it.
func fronted(t *testing.T, args ...string) (url string, end func()) {
	t.Helper()
	cmd := exec.Command(python(t), args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s ended with %v", args[0], err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		end()
		t.Fatalf("%s did not begin: %v", args[0], err)
	}
	return strings.TrimSpace(line), end
}

// TestQdrantItself runs the suite on the engine of Qdrant's own client, and holds
// what passes against the published API.
func TestQdrantItself(t *testing.T) {
	there := passOn(t, front(t, "testdata/qdrant_front.py"))
	for _, version := range []string{"qdrant-1.15.json", "qdrant-1.19.json"} {
		api := readSpec(t, version)
		for name, e := range map[string]memory.Embedder{"words": nil, "meaning": &counting{dims: 64}} {
			t.Run(version+"/"+name, func(t *testing.T) {
				url, _ := serve(t, api, there)
				suite(t, qdrant.New(qdrant.Config{Client: remote.Client{URL: url}, User: "u", Embedder: e, Collection: version + name}))
			})
		}
	}
}

// embeddings is a server of vectors as OpenAI's is.
func embeddings(t *testing.T, dims int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input any }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		inputs, ok := body.Input.([]any)
		if !ok {
			inputs = []any{body.Input}
		}
		data := []any{}
		for i, text := range inputs {
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vectorOf(fmt.Sprint(text), dims)})
		}
		json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": "counting", "usage": map[string]any{"prompt_tokens": 1, "total_tokens": 1}})
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestMem0Itself runs the suite on mem0's library behind the paths of its server.
func TestMem0Itself(t *testing.T) {
	const dims = 256
	url := front(t, "testdata/mem0_front.py", embeddings(t, dims), strconv.Itoa(dims))
	suite(t, mem0.New(mem0.Config{Client: remote.Client{URL: url}, User: "u"}))
}

// TestMem0sOwnMemoriesAreFound: what others have put into mem0 for the user is seen
// everywhere.
func TestMem0sOwnMemoriesAreFound(t *testing.T) {
	const dims = 256
	url := front(t, "testdata/mem0_front.py", embeddings(t, dims), strconv.Itoa(dims))
	body := `{"messages": [{"role": "user", "content": "I like my tea without sugar"}], "user_id": "u", "infer": false}`
	resp, err := http.Post(url+"/memories", "application/json", strings.NewReader(body))
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %v, want err == nil and resp.StatusCode == http.StatusOK", resp, err)
	}
	resp.Body.Close()
	s := mem0.New(mem0.Config{Client: remote.Client{URL: url}, User: "u"})
	found, err := s.Search(context.Background(), "tea without sugar", 3, memory.View{Workspace: "/w"})
	if err != nil || len(found) != 1 || found[0].Scope != memory.ScopeUser {
		t.Errorf("found %+v, %v", found, err)
	}
	if all, err := s.List(context.Background(), 0, memory.View{Workspace: "/w"}); err != nil || !slices.Equal(texts(all), []string{"I like my tea without sugar"}) {
		t.Errorf("listed %q, %v", texts(all), err)
	}
}

// TestMem0sOwnCollectionIsShared: what hookway writes into a collection of mem0, its
// library finds, and the other way round.
func TestMem0sOwnCollectionIsShared(t *testing.T) {
	const dims = 256
	ctx, folder, vectors := context.Background(), t.TempDir(), embeddings(t, dims)
	theirs := func() (memory.Backend, func()) {
		url, end := fronted(t, "testdata/mem0_front.py", vectors, strconv.Itoa(dims), folder)
		return mem0.New(mem0.Config{Client: remote.Client{URL: url}, User: "u"}), end
	}
	ours := func() (memory.Backend, func()) {
		url, end := fronted(t, "testdata/qdrant_front.py", folder)
		return qdrant.New(qdrant.Config{Client: remote.Client{URL: url}, User: "u", Embedder: &counting{dims: dims}, Collection: "mem0"}), end
	}
	view := memory.View{Workspace: "/w", Agent: "Alice"}
	kept := []string{"Mem0 wrote of purple whales", "Hookway wrote of yellow submarines"}
	for i, open := range []func() (memory.Backend, func()){theirs, ours, theirs, ours} {
		b, end := open()
		if i < len(kept) {
			if _, err := b.Save(ctx, memory.Memory{Text: kept[i], Workspace: "/w", Agent: "Alice", Session: "s"}); err != nil {
				t.Error(err)
			}
		}
		for _, text := range kept[:min(i+1, len(kept))] {
			found, err := b.Search(ctx, text, 2, view) // without its encoder mem0 writes no words, which weigh in ours
			at := slices.IndexFunc(found, func(m memory.Memory) bool { return m.Text == text })
			if err != nil || at < 0 {
				t.Errorf("%d: got %+v, %v, want %q among them", i, found, err, text)
			} else if m := found[at]; m.Agent != "Alice" || m.Workspace != "/w" || m.Session != "s" {
				t.Errorf("%d: got %+v, want that of Alice, in /w and s", i, m)
			}
		}
		end()
	}
}
