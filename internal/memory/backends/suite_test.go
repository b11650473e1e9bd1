package backends_test

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/memory"
)

// counting is an embedder that needs no model: texts with the same words get
// vectors that point the same way.
type counting struct {
	dims int
	err  error
}

func (c *counting) Embed(_ context.Context, texts []string, _ bool) ([][]float32, error) {
	if c.err != nil {
		return nil, c.err
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = vectorOf(text, c.dims)
	}
	return out, nil
}

func vectorOf(text string, dims int) []float32 {
	v := make([]float32, dims)
	v[0] = 0.1
	for _, word := range memory.Terms(text) {
		h := fnv.New32a()
		h.Write([]byte(word))
		v[h.Sum32()%uint32(dims)]++
	}
	length := 0.0
	for _, x := range v {
		length += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(length))
	}
	return v
}

// texts of memories, without their order.
func texts(all []memory.Memory) []string {
	var out []string
	for _, m := range all {
		out = append(out, m.Text)
	}
	slices.Sort(out)
	return out
}

// suite is what every backend must do.
func suite(t *testing.T, b memory.Backend) {
	ctx := context.Background()
	alice := memory.View{Workspace: "/src/shop", Agent: "Alice"}
	save := func(m memory.Memory) memory.Memory {
		t.Helper()
		saved, err := b.Save(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		if saved.ID == "" || saved.Text != m.Text {
			t.Errorf("saved %+v", saved)
		}
		return saved
	}
	if found, err := b.Search(ctx, "anything", 3, alice); err != nil || len(found) != 0 {
		t.Errorf("before anything is saved, a search finds %v, %v", found, err)
	}
	redis := save(memory.Memory{Text: "The tests need a running Redis on port 6380", Workspace: "/src/shop", Agent: "Alice", Session: "s1", Tags: []string{"test"}, File: "Makefile"})
	save(memory.Memory{Text: "Deploys go out on Tuesdays after lunch", Workspace: "/src/shop", Agent: "Bob", Session: "s2"})
	dark := save(memory.Memory{Text: "The user prefers dark mode in every editor", Scope: memory.ScopeUser})
	secret := save(memory.Memory{Text: "Alice keeps her notes in the attic folder", Scope: memory.ScopeAgent, Workspace: "/src/shop", Agent: "Alice"})
	save(memory.Memory{Text: "The parser of the other project is written by hand", Workspace: "/src/other", Agent: "Alice"})
	again := save(memory.Memory{Text: redis.Text, Workspace: "/src/shop", Agent: "Bob"})
	if again.ID != redis.ID {
		t.Errorf("the same text is kept twice: %s, %s", redis.ID, again.ID)
	}

	found, err := b.Search(ctx, "which port has redis in the tests", 3, alice)
	if err != nil || len(found) == 0 || found[0].Text != redis.Text {
		t.Fatalf("a search finds %+v, %v", found, err)
	}
	if m := found[0]; m.Time.IsZero() || m.Score == 0 {
		t.Errorf("got %+v, want it with time and score", m)
	}
	want := redis
	want.Scope, want.Time, want.Score = memory.ScopeWorkspace, found[0].Time, found[0].Score
	if !reflect.DeepEqual(found[0], want) {
		t.Errorf("got %+v, want %+v", found[0], want)
	}
	if found, err = b.Search(ctx, "dark mode", 3, memory.View{Workspace: "/elsewhere"}); err != nil || len(found) == 0 || found[0].ID != dark.ID {
		t.Errorf("elsewhere a search finds %+v, %v", found, err)
	}
	lists(t, b, alice, secret.Text)
	views(t, b, redis, secret)
	forgets(t, b, redis, alice)
}

// lists is what a list must be.
func lists(t *testing.T, b memory.Backend, alice memory.View, secret string) {
	ctx := context.Background()
	all, err := b.List(ctx, 0, alice)
	want := []string{secret, "Deploys go out on Tuesdays after lunch", "The tests need a running Redis on port 6380", "The user prefers dark mode in every editor"}
	if err != nil || !slices.Equal(texts(all), want) {
		t.Errorf("Alice sees %q, %v", texts(all), err)
	}
	if !slices.IsSortedFunc(all, func(a, b memory.Memory) int { return b.Time.Compare(a.Time) }) {
		t.Errorf("the list is not in order: %+v", all)
	}
	if two, err := b.List(ctx, 2, alice); err != nil || len(two) != 2 {
		t.Errorf("two of them are %v, %v", texts(two), err)
	}
	var out bytes.Buffer
	if n, err := memory.Export(ctx, b, &out, alice); err != nil || n != 4 || strings.Count(out.String(), "\n") != 4 {
		t.Errorf("%d were exported, %v:\n%s", n, err, out.String())
	}
	if done, err := memory.Import(ctx, b, strings.NewReader(out.String()+`{"text": "Imported from a file: the cache is warm", "workspace": "/src/shop"}`), memory.Memory{}); err != nil || done.Added == 0 {
		t.Errorf("imported %+v, %v", done, err)
	}
	if all, err := b.List(ctx, 0, alice); err != nil || len(all) != 5 {
		t.Errorf("after the import there are %q, %v", texts(all), err)
	}
}

// views is who sees what.
func views(t *testing.T, b memory.Backend, redis, secret memory.Memory) {
	ctx := context.Background()
	for _, one := range []struct {
		name string
		view memory.View
		want int
	}{
		{"Bob does not see what Alice keeps for herself", memory.View{Workspace: "/src/shop", Agent: "Bob"}, 4},
		{"nobody sees the workspace from elsewhere", memory.View{Workspace: "/src"}, 1},
		{"all", memory.View{All: true}, 6},
		{"of a session", memory.View{Workspace: "/src/shop", Session: "s1"}, 1},
		{"by Bob", memory.View{Workspace: "/src/shop", By: "Bob"}, 1},
		{"with a tag", memory.View{Workspace: "/src/shop", Tags: []string{"test"}}, 1},
		{"of the user", memory.View{Workspace: "/src/shop", Scope: memory.ScopeUser}, 1},
	} {
		if all, err := b.List(ctx, 0, one.view); err != nil || len(all) != one.want {
			t.Errorf("%s: got %q, %v, want err == nil and len(all) == one.want", one.name, texts(all), err)
		}
	}
	if found, err := b.Search(ctx, secret.Text, 10, memory.View{Workspace: "/src/shop", Agent: "Bob"}); err != nil || slices.Contains(texts(found), secret.Text) {
		t.Errorf("Bob finds %q, %v", texts(found), err)
	}
	if err := b.Forget(ctx, redis.ID, memory.View{Workspace: "/src/other"}); !errors.Is(err, memory.ErrUnknown) {
		t.Errorf("from elsewhere it is forgotten: %v", err)
	}
}

// forgets is what is gone.
func forgets(t *testing.T, b memory.Backend, redis memory.Memory, alice memory.View) {
	ctx := context.Background()
	if err := b.Forget(ctx, redis.ID, alice); err != nil {
		t.Errorf("it is not forgotten: %v", err)
	}
	if err := b.Forget(ctx, redis.ID, alice); !errors.Is(err, memory.ErrUnknown) {
		t.Errorf("it is forgotten twice: %v", err)
	}
	if found, err := b.Search(ctx, "redis", 5, alice); err != nil || slices.Contains(texts(found), redis.Text) {
		t.Errorf("it is still found: %q, %v", texts(found), err)
	}
	if err := b.Forget(ctx, "0c9c3b9e-0000-4000-8000-000000000000", alice); !errors.Is(err, memory.ErrUnknown) {
		t.Errorf("what never was is forgotten: %v", err)
	}
	for _, bad := range []memory.Memory{{}, {Text: strings.Repeat("x", memory.MaxText+1)}, {Text: "x", Scope: memory.ScopeAgent}} {
		if _, err := b.Save(ctx, bad); err == nil {
			t.Errorf("%.40q is saved", bad.Text)
		}
	}
	if _, err := b.Search(ctx, "x", 0, alice); err == nil {
		t.Error("none are found")
	}
	if _, err := b.Search(ctx, "the of and", 3, alice); err != nil {
		t.Errorf("words that say nothing: %v", err)
	}
}
