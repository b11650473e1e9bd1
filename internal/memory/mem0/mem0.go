// Package mem0 keeps memories in mem0: on its platform, or in a server of one's
// own. Texts are kept as they are said (infer: false) unless it is asked to infer,
// which has a model of mem0's make facts of them.
package mem0

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/remote"
)

// PlatformURL is where mem0's platform is.
const PlatformURL = "https://api.mem0.ai"

// Config says where the memories are.
type Config struct {
	Client remote.Client // its URL; the key is in Key
	Key    string        // "" is none
	User   string        // user_id of all memories
	Infer  bool          // have mem0 make facts of what is saved
	Flavor string        // platform or oss; "" finds out
}

// Store is the memories of one user at mem0.
type Store struct {
	c Config

	mu  sync.Mutex
	api api // nil until it is known which one it is
}

// api is how a kind of server is asked.
type api interface {
	add(ctx context.Context, m *memory.Memory) (id string, err error)
	search(ctx context.Context, query string, k int, workspace string) ([]record, error)

	// list gives about as many as are wanted, 0 being all; the error is errPart if
	// there may be more that it cannot ask for.
	list(ctx context.Context, want int, workspace string) ([]record, error)
	get(ctx context.Context, id string) (*record, error)
	remove(ctx context.Context, id string) error
}

// New gives the store. Nothing is asked yet.
func New(c Config) *Store {
	c.Client.URL = cmp.Or(c.Client.URL, PlatformURL)
	c.Client.Name = cmp.Or(c.Client.Name, "mem0")
	c.User = cmp.Or(c.User, "hookway")
	return &Store{c: c}
}

var _ memory.Backend = (*Store)(nil)

// Close has nothing to do: nothing is held.
func (s *Store) Close() error { return nil }

// server gives the kind of server, which is found out by the first call: only the
// platform answers to a ping.
func (s *Store) server(ctx context.Context) (api, error) {
	s.mu.Lock()
	known := s.api
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	flavor := s.c.Flavor
	if flavor == "" && s.c.Client.URL == PlatformURL {
		flavor = Platform
	}
	if flavor == "" {
		var err error
		if flavor, err = s.probe(ctx); err != nil {
			return nil, err
		}
	}
	c := s.c.Client
	c.Header = http.Header{}
	s.mu.Lock()
	defer s.mu.Unlock()
	if flavor == Platform {
		if s.c.Key != "" {
			c.Header.Set("Authorization", "Token "+s.c.Key)
		}
		s.api = &platform{&s.c, &c}
	} else {
		if s.c.Key != "" {
			c.Header.Set("X-API-Key", s.c.Key)
		}
		s.api = &server{&s.c, &c}
	}
	return s.api, nil
}

// The kinds of servers.
const (
	Platform = "platform"
	OSS      = "oss"
)

// probe finds out the kind of a server, without giving it the key.
func (s *Store) probe(ctx context.Context) (string, error) {
	c := s.c.Client
	err := c.Do(ctx, remote.Call{Method: http.MethodGet, Path: "/v1/ping/", Again: true}, nil)
	switch status := remote.Status(err); {
	case err == nil, status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Platform, nil
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusTemporaryRedirect, status == http.StatusPermanentRedirect:
		return OSS, nil
	}
	return "", err
}

// record is a memory as mem0 has it.
type record struct {
	ID       string         `json:"id"`
	Memory   string         `json:"memory"`
	Score    float64        `json:"score"`
	Agent    string         `json:"agent_id"`
	Run      string         `json:"run_id"`
	Session  string         `json:"session_id"` // as lists of the platform call it
	Created  string         `json:"created_at"`
	CreatedJ string         `json:"createdAt"` // as the library for TypeScript calls it
	Metadata map[string]any `json:"metadata"`
}

// Save keeps a memory. mem0 itself makes facts of what was saved with infer:
// then the id is that of the first fact that it made, or of nothing: also if it has
// made none by the end of the time that it is waited for.
func (s *Store) Save(ctx context.Context, m memory.Memory) (memory.Memory, error) {
	if err := m.Check(); err != nil {
		return memory.Memory{}, err
	}
	a, err := s.server(ctx)
	if err != nil {
		return memory.Memory{}, err
	}
	if old, err := s.same(ctx, a, &m); err != nil || old != nil {
		if err != nil {
			return memory.Memory{}, err
		}
		return *old, nil
	}
	id, err := a.add(ctx, &m)
	if err != nil {
		return memory.Memory{}, fmt.Errorf("the memory cannot be saved: %w", err)
	}
	m.ID = cmp.Or(m.ID, id)
	return m, nil
}

// same finds what was saved before: mem0 itself keeps the same text twice, and a
// save whose answer was lost is sent again.
func (s *Store) same(ctx context.Context, a api, m *memory.Memory) (*memory.Memory, error) {
	near, err := a.search(ctx, m.Text, 10, m.Workspace)
	if err != nil {
		return nil, fmt.Errorf("the memory cannot be saved: %w", err)
	}
	for i := range near {
		old := near[i].memory()
		if old.Text == m.Text && old.Scope == m.Scope && old.Workspace == m.Workspace && (m.Scope != memory.ScopeAgent || old.Agent == m.Agent) {
			return &old, nil
		}
	}
	return nil, nil
}

// Bounds of what is asked for at once.
const (
	leastFetched = 50
	mostFetched  = 1000
)

// errPart is the error of a list that may have an end that cannot be asked for.
var errPart = errors.New("there may be more")

// Search asks for what the user has anywhere, and for what belongs to the
// workspace, and gives the best of both that the view can see.
func (s *Store) Search(ctx context.Context, query string, k int, v memory.View) ([]memory.Memory, error) {
	if k <= 0 {
		return nil, fmt.Errorf("-k %d: ask for one memory or more", k)
	}
	a, err := s.server(ctx)
	if err != nil {
		return nil, err
	}
	want := min(max(4*k, leastFetched), mostFetched)
	found, err := both(v, func(workspace string) ([]record, error) { return a.search(ctx, query, want, workspace) })
	if err != nil {
		return nil, fmt.Errorf("memories cannot be searched: %w", err)
	}
	all := seen(found, v)
	slices.SortStableFunc(all, func(x, y memory.Memory) int { return cmp.Compare(y.Score, x.Score) })
	return all[:min(k, len(all))], nil
}

// both asks for all of the user and, unless that is meant, for the workspace's.
func both(v memory.View, ask func(workspace string) ([]record, error)) ([]record, error) {
	found, err := ask("")
	if err != nil || v.All || v.Workspace == "" || v.Scope == memory.ScopeUser {
		return found, err
	}
	own, err := ask(v.Workspace)
	return append(own, found...), err
}

// seen are the memories that a view can see, each once.
func seen(found []record, v memory.View) []memory.Memory {
	all, there := []memory.Memory{}, map[string]bool{}
	for i := range found {
		m := found[i].memory()
		if m.Text == "" || there[m.ID] || !v.Sees(&m) {
			continue
		}
		there[m.ID] = true
		all = append(all, m)
	}
	return all
}

// List gives the newest. If all are wanted and cannot be had, it gives those that can
// with [memory.ErrPart].
func (s *Store) List(ctx context.Context, n int, v memory.View) ([]memory.Memory, error) {
	a, err := s.server(ctx)
	if err != nil {
		return nil, err
	}
	want := 0
	if n > 0 {
		want = max(4*n, 100)
	}
	var part error
	found, err := both(v, func(workspace string) ([]record, error) {
		some, err := a.list(ctx, want, workspace)
		if errors.Is(err, errPart) {
			part, err = fmt.Errorf("%w: %s at %s gives the first %d and has no pages", memory.ErrPart, s.c.Client.Name, s.c.Client.URL, len(some)), nil
		}
		return some, err
	})
	if err != nil {
		return nil, fmt.Errorf("memories cannot be listed: %w", err)
	}
	all := seen(found, v)
	slices.SortStableFunc(all, func(x, y memory.Memory) int { return y.Time.Compare(x.Time) })
	if n > 0 {
		return all[:min(n, len(all))], nil
	}
	return all, part
}

// Forget deletes a memory by mem0's id of it, or by the one that it was given
// while mem0 could not be reached.
func (s *Store) Forget(ctx context.Context, id string, v memory.View) error {
	unknown := fmt.Errorf("%w: %.80q", memory.ErrUnknown, id)
	a, err := s.server(ctx)
	if err != nil {
		return err
	}
	found, err := s.find(ctx, a, id)
	if err != nil {
		return fmt.Errorf("the memory cannot be forgotten: %w", err)
	}
	if found == nil {
		return unknown
	}
	if m := found.memory(); !v.Sees(&m) {
		return unknown
	}
	if err := a.remove(ctx, found.ID); err != nil && remote.Status(err) != http.StatusNotFound {
		return fmt.Errorf("the memory cannot be forgotten: %w", err)
	}
	return nil
}

// find reads a memory by either of its ids.
func (s *Store) find(ctx context.Context, a api, id string) (*record, error) {
	if strings.Count(id, "-") == 4 { // a UUID: mem0's own
		found, err := a.get(ctx, id)
		switch remote.Status(err) {
		case http.StatusNotFound, http.StatusBadRequest, http.StatusUnprocessableEntity:
			return nil, nil
		}
		if err != nil || found != nil && found.ID != "" {
			return found, err
		}
		return nil, nil
	}
	all, err := a.list(ctx, 0, "")
	for i := range all {
		if all[i].text("hookway_id") == id && id != "" {
			return &all[i], nil
		}
	}
	if errors.Is(err, errPart) {
		err = fmt.Errorf("none of the %d memories that %s lists has the id %.80q, and %w; name mem0's own id", len(all), s.c.Client.Name, id, err)
	}
	return nil, err
}
