// Package qdrant keeps memories in a collection of Qdrant, over its REST API.
//
// A memory is a point. Its payload is laid out as mem0 does it, so that mem0 can
// read what hookway writes into a collection, and hookway what mem0 has written:
// data, hash, user_id, agent_id, run_id and created_at, with everything else beside
// them. The vector has two parts: a dense one without a name, of the embedder, and
// a sparse one called bm25, of the words. A search asks for both and fuses them;
// without an embedder the words alone are asked for.
package qdrant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/remote"
)

// DefaultCollection is where memories are unless another name is given.
const DefaultCollection = "hookway"

// Config says where the memories are.
type Config struct {
	Client     remote.Client
	Collection string          // "" is DefaultCollection
	User       string          // user_id of all memories
	Embedder   memory.Embedder // nil: words alone
	Log        *slog.Logger
}

// Store is a collection.
type Store struct {
	c Config

	mu    sync.Mutex
	known *shape // nil until the collection was looked at
}

// New gives the store in a collection, which is made when the first memory is
// saved. Nothing is asked yet.
func New(c Config) *Store {
	c.Collection = cmp.Or(c.Collection, DefaultCollection)
	if c.Client.Name == "" {
		c.Client.Name = "Qdrant"
	}
	return &Store{c: c}
}

var _ memory.Backend = (*Store)(nil)

// Close has nothing to do: nothing is held.
func (s *Store) Close() error { return nil }

func (s *Store) path(rest string) string {
	return "/collections/" + url.PathEscape(s.c.Collection) + rest
}

// ask makes a call that may be made again.
func (s *Store) ask(ctx context.Context, method, rest string, query url.Values, body, into any) error {
	return s.c.Client.Do(ctx, remote.Call{Method: method, Path: s.path(rest), Query: query, Body: body, Again: true}, into)
}

// waited has a change answered when it is done.
var waited = url.Values{"wait": {"true"}}

// Save keeps a memory. The same text for the same readers is one point, so that a
// call that is made again changes nothing.
func (s *Store) Save(ctx context.Context, m memory.Memory) (memory.Memory, error) {
	if err := m.Check(); err != nil {
		return memory.Memory{}, err
	}
	id := pointOf(&m)
	dense, err := s.embed(ctx, m.Text, false)
	if err != nil {
		return memory.Memory{}, err
	}
	c, err := s.collection(ctx, len(dense))
	if err != nil {
		return memory.Memory{}, err
	}
	if m.ID == "" {
		if m, err = s.merged(ctx, id, m); err != nil {
			return memory.Memory{}, err
		}
	}
	vector := map[string]any{}
	if c.sparse {
		vector[sparseName] = sparseOf(m.Text, false)
	}
	if len(dense) > 0 && c.dense > 0 {
		vector[""] = dense
	}
	points := map[string]any{"points": []any{map[string]any{"id": id, "vector": vector, "payload": s.payload(&m)}}}
	if err := s.ask(ctx, http.MethodPut, "/points", waited, points, nil); err != nil {
		return memory.Memory{}, s.told("saved", err)
	}
	m.ID = cmp.Or(m.ID, id)
	return m, nil
}

// merged is a memory as it is there already, with the tags of both.
func (s *Store) merged(ctx context.Context, id string, m memory.Memory) (memory.Memory, error) {
	old, err := s.point(ctx, id)
	if err != nil || old == nil {
		return m, err
	}
	tags := append(slices.Clone(old.Tags), m.Tags...)
	m = *old
	m.ID, m.Tags = "", tags
	return m, m.Check()
}

// embed gives the vector of a text, or nil if there is no embedder.
func (s *Store) embed(ctx context.Context, text string, query bool) ([]float32, error) {
	if s.c.Embedder == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.c.Client.Timeout, remote.DefaultTimeout)) // it may have more for texts without a caller that waits
	defer cancel()
	all, err := s.c.Embedder.Embed(ctx, []string{text}, query)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", memory.ErrUnavailable, err)
	}
	return all[0], nil
}

// point reads a point, or gives nil.
func (s *Store) point(ctx context.Context, id string) (*memory.Memory, error) {
	var got struct{ Result []point }
	if err := s.ask(ctx, http.MethodPost, "/points", nil, map[string]any{"ids": []string{id}, "with_payload": true}, &got); err != nil {
		return nil, s.told("read", err)
	}
	if len(got.Result) == 0 {
		return nil, nil
	}
	m := got.Result[0].memory()
	return &m, nil
}

// told completes the error of a call.
func (s *Store) told(done string, err error) error {
	return fmt.Errorf("memories cannot be %s in the collection %s: %w", done, s.c.Collection, err)
}

// Search fuses what is near to the query by its meaning with what has its words.
// If the embedder is down, the words alone are asked for, which is logged.
func (s *Store) Search(ctx context.Context, query string, k int, v memory.View) ([]memory.Memory, error) {
	if k <= 0 {
		return nil, fmt.Errorf("-k %d: ask for one memory or more", k)
	}
	c, err := s.look(ctx)
	if err != nil || c == nil {
		return []memory.Memory{}, err
	}
	dense, err := s.embed(ctx, query, true)
	if err != nil {
		if !c.sparse {
			return nil, err
		}
		logline.Or(s.c.Log).Warn("memories are searched for by their words only", logline.Err, err)
	}
	if err := c.fits(s.c.Collection, len(dense)); err != nil {
		return nil, err
	}
	body := s.question(c, dense, query, k, v)
	if body == nil {
		return []memory.Memory{}, nil
	}
	var got struct{ Result struct{ Points []point } }
	if err := s.ask(ctx, http.MethodPost, "/points/query", nil, body, &got); err != nil {
		return nil, s.told("searched", err)
	}
	return memories(got.Result.Points), nil
}

// fetched is how many candidates each part of a search gives at least.
const fetched = 60

// question is the body of a search; nil if there is nothing to ask for.
func (s *Store) question(c *shape, dense []float32, query string, k int, v memory.View) map[string]any {
	filter := s.filter(v)
	var parts []map[string]any
	if len(dense) > 0 && c.dense > 0 {
		parts = append(parts, map[string]any{"query": dense})
	}
	if words := sparseOf(query, true); c.sparse && len(words.Indices) > 0 {
		parts = append(parts, map[string]any{"query": words, "using": sparseName})
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		parts[0]["limit"], parts[0]["filter"], parts[0]["with_payload"] = k, filter, true
		return parts[0]
	}
	for _, part := range parts {
		part["limit"], part["filter"] = max(4*k, fetched), filter
	}
	return map[string]any{"prefetch": parts, "query": map[string]any{"fusion": "rrf"}, "limit": k, "filter": filter, "with_payload": true}
}

// Forget deletes a memory, by its id or that of its point.
func (s *Store) Forget(ctx context.Context, id string, v memory.View) error {
	c, err := s.look(ctx)
	if err != nil {
		return err
	}
	unknown := fmt.Errorf("%w: %.80q", memory.ErrUnknown, id)
	if c == nil {
		return unknown
	}
	point := id
	if !isUUID(id) {
		point = pointOf(&memory.Memory{ID: id})
	}
	m, err := s.point(ctx, point)
	switch {
	case err != nil:
		return err
	case m == nil || !v.Sees(m):
		return unknown
	}
	if err := s.ask(ctx, http.MethodPost, "/points/delete", waited, map[string]any{"points": []string{point}}, nil); err != nil {
		return s.told("forgotten", err)
	}
	return nil
}

// page is how many memories are listed by one call.
const page = 256

// List gives the newest. All of them are read page by page and put in order here:
// Qdrant has no pages in an order.
func (s *Store) List(ctx context.Context, n int, v memory.View) ([]memory.Memory, error) {
	c, err := s.look(ctx)
	if err != nil || c == nil {
		return []memory.Memory{}, err
	}
	body := map[string]any{"filter": s.filter(v), "with_payload": true, "limit": page}
	if n > 0 && n <= page {
		body["limit"], body["order_by"] = n, map[string]any{"key": "created_at", "direction": "desc"}
	}
	all := []memory.Memory{}
	for {
		var got struct {
			Result struct {
				Points []point
				Next   any `json:"next_page_offset"`
			}
		}
		if err := s.ask(ctx, http.MethodPost, "/points/scroll", nil, body, &got); err != nil {
			return nil, s.told("listed", err)
		}
		all = append(all, memories(got.Result.Points)...)
		if body["order_by"] != nil || got.Result.Next == nil || len(got.Result.Points) == 0 {
			break
		}
		body["offset"] = got.Result.Next
	}
	slices.SortStableFunc(all, func(a, b memory.Memory) int { return b.Time.Compare(a.Time) })
	if n > 0 && len(all) > n {
		all = all[:n]
	}
	return all, nil
}

// errNoDense is the error of a collection that others made otherwise.
var errNoDense = errors.New("its vectors have names, which neither hookway nor mem0 gives them; name another collection")
