package mem0

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/remote"
)

// platform is the third version of the API of mem0's platform.
type platform struct {
	*Config
	client *remote.Client
}

// added is the answer to an addition.
type added struct {
	Event   string            `json:"event_id"`
	Status  string            `json:"status"`
	Results []json.RawMessage `json:"results"`
}

// first is the id of the first memory that was made, or "".
func (a *added) first() string {
	var one struct {
		ID string `json:"id"`
	}
	if len(a.Results) > 0 && json.Unmarshal(a.Results[0], &one) != nil {
		return ""
	}
	return one.ID
}

func (p *platform) add(ctx context.Context, m *memory.Memory) (string, error) {
	body := p.addition(m)
	body["timestamp"] = m.Time.Unix()
	var got added
	if err := p.client.Do(ctx, remote.Call{Method: http.MethodPost, Path: "/v3/memories/add/", Body: body}, &got); err != nil {
		return "", err
	}
	// It has the memory now. What goes wrong from here is not a reason to send it again.
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(p.client.Timeout, remote.DefaultTimeout))
	defer cancel()
	pause := backoff.Backoff{First: 200 * time.Millisecond, Most: 2 * time.Second}
	for got.Status == "PENDING" || got.Status == "RUNNING" {
		if pause.Wait(ctx, nil) != nil {
			return "", nil
		}
		event := got.Event
		got = added{}
		if p.client.Do(ctx, remote.Call{Method: http.MethodGet, Path: "/v1/event/" + url.PathEscape(event) + "/", Again: true}, &got) != nil {
			return "", nil
		}
		got.Event = event
	}
	if got.Status == "FAILED" {
		return "", fmt.Errorf("mem0 could not work on it (event %s)", got.Event)
	}
	return got.first(), nil // none: it found nothing worth to keep
}

// filters narrow to the user, and to a workspace.
func (p *platform) filters(workspace string) map[string]any {
	user := map[string]any{"user_id": p.User}
	if workspace == "" {
		return user
	}
	return map[string]any{"AND": []any{user, map[string]any{"metadata": map[string]any{"workspace": workspace}}}}
}

func (p *platform) search(ctx context.Context, query string, k int, workspace string) ([]record, error) {
	var got results
	body := map[string]any{"query": query, "filters": p.filters(workspace), "top_k": k, "threshold": 0.0}
	err := p.client.Do(ctx, remote.Call{Method: http.MethodPost, Path: "/v3/memories/search/", Body: body, Again: true}, &got)
	return got.Results, err
}

// pageSize is the most that the platform lists at once.
const pageSize = 200

// list reads page after page. A page that has nothing new would be followed by others
// without an end.
func (p *platform) list(ctx context.Context, want int, workspace string) ([]record, error) {
	var all []record
	size, there := min(cmp.Or(want, pageSize), pageSize), map[string]bool{}
	for page := 1; want == 0 || len(all) < want; page++ {
		var got struct {
			Next    *string  `json:"next"`
			Results []record `json:"results"`
		}
		query := url.Values{"page": {strconv.Itoa(page)}, "page_size": {strconv.Itoa(size)}}
		call := remote.Call{Method: http.MethodPost, Path: "/v3/memories/", Query: query, Body: map[string]any{"filters": p.filters(workspace)}, Again: true}
		if err := p.client.Do(ctx, call, &got); err != nil {
			return nil, err
		}
		before := len(there)
		for _, one := range got.Results {
			there[one.ID] = true
		}
		if all = append(all, got.Results...); got.Next == nil || len(got.Results) == 0 {
			break
		}
		if len(there) == before {
			return all, fmt.Errorf("%s at %s gives nothing new on page %d, and says that there are more", p.client.Name, p.client.URL, page)
		}
	}
	return all, nil
}

func (p *platform) get(ctx context.Context, id string) (*record, error) {
	got := new(record)
	err := p.client.Do(ctx, remote.Call{Method: http.MethodGet, Path: "/v1/memories/" + url.PathEscape(id) + "/", Again: true}, got)
	return got, err
}

func (p *platform) remove(ctx context.Context, id string) error {
	return p.client.Do(ctx, remote.Call{Method: http.MethodDelete, Path: "/v1/memories/" + url.PathEscape(id) + "/", Again: true}, nil)
}
