package mem0

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/remote"
)

// server is mem0's open-source server: paths without a version.
type server struct {
	*Config
	client *remote.Client
}

type results struct {
	Results []record `json:"results"`
}

func (s *server) add(ctx context.Context, m *memory.Memory) (string, error) {
	var got results
	err := s.client.Do(ctx, remote.Call{Method: http.MethodPost, Path: "/memories", Body: s.addition(m)}, &got)
	if err != nil || len(got.Results) == 0 {
		if err == nil && !s.Infer {
			err = fmt.Errorf("%s at %s took the memory and named no id of it", s.client.Name, s.client.URL)
		}
		return "", err
	}
	return got.Results[0].ID, nil
}

func (s *server) search(ctx context.Context, query string, k int, workspace string) ([]record, error) {
	filters := map[string]any{"user_id": s.User}
	if workspace != "" {
		filters["workspace"] = workspace
	}
	var got results
	body := map[string]any{"query": query, "filters": filters, "top_k": k, "threshold": 0.0}
	err := s.client.Do(ctx, remote.Call{Method: http.MethodPost, Path: "/search", Body: body, Again: true}, &got)
	return got.Results, err
}

// list can narrow to a user only; what is of the workspace is among that.
func (s *server) list(ctx context.Context, want int, workspace string) ([]record, error) {
	if workspace != "" {
		return nil, nil
	}
	var got results
	most := min(cmp.Or(want, mostFetched), mostFetched)
	query := url.Values{"user_id": {s.User}, "top_k": {strconv.Itoa(most)}}
	err := s.client.Do(ctx, remote.Call{Method: http.MethodGet, Path: "/memories", Query: query, Again: true}, &got)
	if err == nil && len(got.Results) >= most && want == 0 {
		err = errPart
	}
	return got.Results, err
}

func (s *server) get(ctx context.Context, id string) (*record, error) {
	got := new(record)
	err := s.client.Do(ctx, remote.Call{Method: http.MethodGet, Path: "/memories/" + url.PathEscape(id), Again: true}, got)
	return got, err
}

func (s *server) remove(ctx context.Context, id string) error {
	return s.client.Do(ctx, remote.Call{Method: http.MethodDelete, Path: "/memories/" + url.PathEscape(id), Again: true}, nil)
}
