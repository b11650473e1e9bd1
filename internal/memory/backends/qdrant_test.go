package backends_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/qdrant"
	"github.com/hookway/hookway/internal/memory/remote"
)

func qdrantAt(url string, e memory.Embedder) *qdrant.Store {
	return qdrant.New(qdrant.Config{Client: remote.Client{URL: url}, User: "u", Embedder: e})
}

// TestQdrant runs the suite on a stand-in, against two versions of the API.
func TestQdrant(t *testing.T) {
	for _, version := range []string{"qdrant-1.15.json", "qdrant-1.19.json"} {
		api := readSpec(t, version)
		for name, e := range map[string]memory.Embedder{"words": nil, "meaning": &counting{dims: 64}} {
			t.Run(version+"/"+name, func(t *testing.T) {
				url, w := serve(t, api, &fakeQdrant{})
				suite(t, qdrantAt(url, e))
				if len(w.seen) < 8 {
					t.Errorf("only %v were asked", w.seen)
				}
			})
		}
	}
}

// TestQdrantPages: a list may be longer than a page.
func TestQdrantPages(t *testing.T) {
	url, _ := serve(t, readSpec(t, "qdrant-1.19.json"), &fakeQdrant{})
	s := qdrantAt(url, nil)
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, "{\"id\": \"n%d\", \"text\": \"note number %d\", \"workspace\": \"/w\", \"time\": %d}\n", i, i, 1_700_000_000+i)
	}
	if _, err := memory.Import(context.Background(), s, strings.NewReader(lines.String()), memory.Memory{}); err != nil {
		t.Fatal(err)
	}
	all, err := s.List(context.Background(), 0, memory.View{Workspace: "/w"})
	if err != nil || len(all) != 300 {
		t.Fatalf("got %d, %v, want 300", len(all), err)
	}
	if newest := all[0]; newest.Text != "note number 299" || newest.ID != "n299" {
		t.Errorf("got %+v first, want note number 299", newest)
	}
	if some, err := s.List(context.Background(), 280, memory.View{Workspace: "/w"}); err != nil || len(some) != 280 || some[279].ID != "n20" {
		t.Errorf("there are %d, %v", len(some), err)
	}
	if err := s.Forget(context.Background(), "n5", memory.View{Workspace: "/w"}); err != nil {
		t.Error(err)
	}
}

// TestQdrantThatSaysNo: each refusal says what to do.
func TestQdrantThatSaysNo(t *testing.T) {
	ctx := context.Background()
	api := readSpec(t, "qdrant-1.19.json")
	server := &fakeQdrant{key: "right"}
	url, _ := serve(t, api, server)
	at := func(key string, e memory.Embedder) *qdrant.Store {
		return qdrant.New(qdrant.Config{Client: remote.Client{URL: url, Key: "QDRANT_API_KEY", Header: http.Header{"Api-Key": {key}}}, User: "u", Embedder: e})
	}
	m := memory.Memory{Text: "something to keep", Workspace: "/w"}
	_, err := at("wrong", nil).Save(ctx, m)
	if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "look at the key in $QDRANT_API_KEY") || strings.Contains(err.Error(), "wrong") {
		t.Errorf("a wrong key: %v", err)
	}
	if _, err := at("right", &counting{dims: 64}).Save(ctx, m); err != nil {
		t.Fatal(err)
	}
	_, err = at("right", &counting{dims: 32}).Save(ctx, m)
	if err == nil || errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "holds vectors of 64 numbers, and the embedder gives 32") {
		t.Errorf("other dims: %v", err)
	}
	if _, err = at("right", &counting{dims: 32}).Search(ctx, "keep", 3, memory.View{All: true}); err == nil || !strings.Contains(err.Error(), "64 numbers") {
		t.Errorf("other dims: %v", err)
	}
	down := &counting{dims: 64, err: errors.New("the embedder is down")}
	if _, err = at("right", down).Save(ctx, m); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("without the embedder it is saved: %v", err)
	}
	logged := ""
	s := qdrant.New(qdrant.Config{Client: remote.Client{URL: url, Header: http.Header{"Api-Key": {"right"}}}, User: "u", Embedder: down, Log: logline.New(func(line string) { logged += line })})
	found, err := s.Search(ctx, "keep", 3, memory.View{All: true})
	if err != nil || len(found) != 1 || !strings.Contains(logged, "by their words only") {
		t.Errorf("without the embedder it finds %v, %v; logged %q", found, err, logged)
	}
}
