package qdrant

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/remote"
)

// shape is what a collection holds.
type shape struct {
	dense  int // numbers of a vector; 0: there are none
	sparse bool
}

// indexes are the fields that filters name. A Qdrant in strict mode refuses to
// filter by others.
var indexes = map[string]string{
	"user_id": "keyword", "agent_id": "keyword", "run_id": "keyword", "actor_id": "keyword",
	"scope": "keyword", "workspace": "keyword", "tags": "keyword", "created_at": "datetime",
}

// collection makes the collection if it is not there, and checks that vectors of
// this length can be put into it.
func (s *Store) collection(ctx context.Context, dims int) (*shape, error) {
	c, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	if c == nil {
		if c, err = s.create(ctx, dims); err != nil {
			return nil, err
		}
	}
	return c, c.fits(s.c.Collection, dims)
}

// fits checks that vectors of this length are those that the collection holds.
func (c *shape) fits(name string, dims int) error {
	if dims == 0 || c.dense == dims {
		return nil
	}
	if c.dense == 0 {
		return fmt.Errorf("the collection %s was made without an embedder and holds no vectors; name another one, and import into it what export writes of this one", name)
	}
	return fmt.Errorf("the collection %s holds vectors of %d numbers, and the embedder gives %d; set its model and dims to what filled the collection, or name another one", name, c.dense, dims)
}

func (s *Store) create(ctx context.Context, dims int) (*shape, error) {
	body := map[string]any{
		"sparse_vectors": map[string]any{sparseName: map[string]any{"modifier": "idf"}}, "on_disk_payload": true,
		"vectors": map[string]any{},
	}
	if dims > 0 {
		body["vectors"] = map[string]any{"size": dims, "distance": "Cosine"}
	}
	err := s.ask(ctx, http.MethodPut, "", nil, body, nil)
	if err != nil && remote.Status(err) != http.StatusConflict { // another process made it just now
		return nil, fmt.Errorf("the collection %s cannot be made: %w", s.c.Collection, err)
	}
	c, err := s.look(ctx)
	if err == nil && c == nil {
		err = fmt.Errorf("%w: the collection %s was made and is not there", memory.ErrUnavailable, s.c.Collection)
	}
	return c, err
}

// look finds out what the collection holds, once; nil if there is none.
func (s *Store) look(ctx context.Context) (*shape, error) {
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	// Each waits for its own question only: another's may have more time.
	var got struct {
		Result struct {
			Config struct {
				Params struct {
					Vectors json.RawMessage
					Sparse  map[string]any `json:"sparse_vectors"`
				}
			}
			Payload map[string]any `json:"payload_schema"`
		}
	}
	err := s.ask(ctx, http.MethodGet, "", nil, nil, &got)
	if remote.Status(err) == http.StatusNotFound {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	c := new(shape)
	_, c.sparse = got.Result.Config.Params.Sparse[sparseName]
	if c.dense, err = denseOf(got.Result.Config.Params.Vectors); err != nil {
		return nil, fmt.Errorf("the collection %s: %w", s.c.Collection, err)
	}
	if err := s.index(ctx, got.Result.Payload); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = c
	return c, nil
}

// denseOf reads how long the vectors without a name are.
func denseOf(vectors json.RawMessage) (int, error) {
	if len(vectors) == 0 || string(vectors) == "null" {
		return 0, nil
	}
	var one struct{ Size int }
	if json.Unmarshal(vectors, &one) == nil && one.Size > 0 {
		return one.Size, nil
	}
	var named map[string]struct{ Size int }
	if err := json.Unmarshal(vectors, &named); err != nil {
		return 0, fmt.Errorf("what it says of its vectors cannot be read: %w", err)
	}
	if size := named[""].Size; size > 0 || len(named) == 0 {
		return size, nil
	}
	return 0, errNoDense
}

// index makes the indexes that are missing. A key that may only read can do
// without those that are not needed yet.
func (s *Store) index(ctx context.Context, there map[string]any) error {
	for field, kind := range indexes {
		if _, ok := there[field]; ok {
			continue
		}
		var as any = kind
		if field == "user_id" {
			as = map[string]any{"type": kind, "is_tenant": true}
		}
		err := s.ask(ctx, http.MethodPut, "/index", waited, map[string]any{"field_name": field, "field_schema": as}, nil)
		if remote.Status(err) == http.StatusForbidden {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the index of %s cannot be made in the collection %s: %w", field, s.c.Collection, err)
		}
	}
	return nil
}
