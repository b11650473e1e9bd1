package backends_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// fakeQdrant answers as Qdrant does, as far as the adapter asks: where its own
// engine is not at hand, the published API is what holds it to the truth. It is
// strict: a filter by a field without an index is refused.
type fakeQdrant struct {
	key string

	mu          sync.Mutex
	collections map[string]*fakeCollection
}

type fakeCollection struct {
	Params  map[string]any
	Indexes map[string]any
	Points  map[string]*fakePoint
}

type fakePoint struct {
	ID      string         `json:"id"`
	Vector  map[string]any `json:"vector,omitempty"`
	Payload map[string]any `json:"payload"`
}

func (f *fakeQdrant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.key != "" && r.Header.Get("api-key") != f.key {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "Must provide an API key or an Authorization bearer token")
		return
	}
	var body map[string]any
	if r.Body != nil {
		_ = json.NewDecoder(r.Body).Decode(&body) // none is nil
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	result, status, problem := f.answer(r.Method, parts[1], strings.Join(parts[2:], "/"), body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if problem != "" {
		json.NewEncoder(w).Encode(map[string]any{"status": map[string]any{"error": problem}, "time": 0.001})
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"result": result, "status": "ok", "time": 0.001})
}

func (f *fakeQdrant) answer(method, name, what string, body map[string]any) (result any, status int, problem string) {
	c := f.collections[name]
	if method == http.MethodPut && what == "" {
		if c != nil {
			return nil, http.StatusConflict, "Wrong input: Collection `" + name + "` already exists!"
		}
		if f.collections == nil {
			f.collections = map[string]*fakeCollection{}
		}
		f.collections[name] = &fakeCollection{Params: body, Indexes: map[string]any{}, Points: map[string]*fakePoint{}}
		return true, http.StatusOK, ""
	}
	if c == nil {
		return nil, http.StatusNotFound, "Not found: Collection `" + name + "` doesn't exist!"
	}
	if field := c.unindexed(body["filter"]); field != "" {
		return nil, http.StatusBadRequest, "Bad request: Index required but not found for \"" + field + "\""
	}
	switch method + " " + what {
	case "GET ":
		return c.info(), http.StatusOK, ""
	case "PUT index":
		kind := body["field_schema"]
		if m, ok := kind.(map[string]any); ok {
			kind = m["type"]
		}
		c.Indexes[body["field_name"].(string)] = map[string]any{"data_type": kind, "points": 0}
	case "PUT points":
		for _, p := range body["points"].([]any) {
			m := p.(map[string]any)
			c.Points[m["id"].(string)] = &fakePoint{m["id"].(string), m["vector"].(map[string]any), m["payload"].(map[string]any)}
		}
	case "POST points":
		found := []any{}
		for _, id := range body["ids"].([]any) {
			if p := c.Points[id.(string)]; p != nil {
				found = append(found, map[string]any{"id": p.ID, "payload": p.Payload})
			}
		}
		return found, http.StatusOK, ""
	case "POST points/query":
		return map[string]any{"points": c.query(body)}, http.StatusOK, ""
	case "POST points/scroll":
		return c.scroll(body), http.StatusOK, ""
	case "POST points/delete":
		for _, id := range body["points"].([]any) {
			delete(c.Points, id.(string))
		}
	default:
		return nil, http.StatusNotFound, "no such path"
	}
	return map[string]any{"operation_id": 1, "status": "completed"}, http.StatusOK, ""
}

func (c *fakeCollection) info() any {
	params := map[string]any{"shard_number": 1, "replication_factor": 1, "write_consistency_factor": 1, "on_disk_payload": true}
	for _, name := range []string{"vectors", "sparse_vectors"} {
		if v, ok := c.Params[name]; ok {
			params[name] = v
		}
	}
	return map[string]any{
		"status": "green", "optimizer_status": "ok", "indexed_vectors_count": 0, "points_count": len(c.Points), "segments_count": 1,
		"config": map[string]any{
			"params":           params,
			"hnsw_config":      map[string]any{"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
			"optimizer_config": map[string]any{"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000, "default_segment_number": 0, "flush_interval_sec": 5},
		},
		"payload_schema": c.Indexes,
	}
}

// unindexed finds a field that a filter names and that has no index.
func (c *fakeCollection) unindexed(filter any) string {
	switch v := filter.(type) {
	case map[string]any:
		if key, ok := v["key"].(string); ok && c.Indexes[key] == nil {
			return key
		}
		for _, part := range v {
			if field := c.unindexed(part); field != "" {
				return field
			}
		}
	case []any:
		for _, part := range v {
			if field := c.unindexed(part); field != "" {
				return field
			}
		}
	}
	return ""
}

func (p *fakePoint) fits(condition any) bool {
	m, ok := condition.(map[string]any)
	if !ok {
		return true
	}
	if empty, ok := m["is_empty"].(map[string]any); ok {
		return p.Payload[empty["key"].(string)] == nil
	}
	if match, ok := m["match"].(map[string]any); ok {
		value := p.Payload[m["key"].(string)]
		if list, ok := value.([]any); ok {
			return slices.Contains(list, match["value"])
		}
		return value == match["value"]
	}
	for _, part := range list(m["must"]) {
		if !p.fits(part) {
			return false
		}
	}
	should := list(m["should"])
	return len(should) == 0 || slices.ContainsFunc(should, p.fits)
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

type fakeHit struct {
	*fakePoint
	score float64
}

// hits are the points that fit a query, the best first.
func (c *fakeCollection) hits(q map[string]any) []fakeHit {
	var all []fakeHit
	for _, p := range c.Points {
		if !p.fits(q["filter"]) {
			continue
		}
		switch v := q["query"].(type) {
		case []any:
			if mine := list(p.Vector[""]); mine != nil {
				all = append(all, fakeHit{p, dot(v, mine)})
			}
		case map[string]any:
			if s := c.words(v, p.Vector["bm25"]); s > 0 {
				all = append(all, fakeHit{p, s})
			}
		}
	}
	slices.SortFunc(all, func(a, b fakeHit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.ID, b.ID))
	})
	return all[:min(len(all), int(q["limit"].(float64)))]
}

func dot(a, b []any) (sum float64) {
	for i := range a {
		sum += a[i].(float64) * b[i].(float64)
	}
	return sum
}

// words weighs the words that two texts have in common by how rare they are.
func (c *fakeCollection) words(query map[string]any, stored any) (sum float64) {
	mine, ok := stored.(map[string]any)
	if !ok {
		return 0
	}
	for i, index := range list(query["indices"]) {
		at := slices.Index(list(mine["indices"]), index)
		if at < 0 {
			continue
		}
		n := 0
		for _, p := range c.Points {
			if other, ok := p.Vector["bm25"].(map[string]any); ok && slices.Contains(list(other["indices"]), index) {
				n++
			}
		}
		rare := math.Log(1 + (float64(len(c.Points)-n)+0.5)/(float64(n)+0.5))
		sum += rare * list(query["values"])[i].(float64) * list(mine["values"])[at].(float64)
	}
	return sum
}

func (c *fakeCollection) query(body map[string]any) []any {
	var found []fakeHit
	if parts := list(body["prefetch"]); len(parts) > 0 {
		fused := map[string]*fakeHit{}
		for _, part := range parts {
			for rank, h := range c.hits(part.(map[string]any)) {
				if fused[h.ID] == nil {
					fused[h.ID] = &fakeHit{h.fakePoint, 0}
				}
				fused[h.ID].score += 1 / float64(2+rank)
			}
		}
		for _, h := range fused {
			found = append(found, *h)
		}
		slices.SortFunc(found, func(a, b fakeHit) int { return cmp.Compare(b.score, a.score) })
		found = found[:min(len(found), int(body["limit"].(float64)))]
	} else {
		found = c.hits(body)
	}
	out := []any{}
	for _, h := range found {
		out = append(out, map[string]any{"id": h.ID, "version": 1, "score": h.score, "payload": h.Payload})
	}
	return out
}

func (c *fakeCollection) scroll(body map[string]any) any {
	var all []*fakePoint
	for _, p := range c.Points {
		if p.fits(body["filter"]) {
			all = append(all, p)
		}
	}
	limit := int(body["limit"].(float64))
	if body["order_by"] != nil {
		slices.SortFunc(all, func(a, b *fakePoint) int {
			return cmp.Compare(b.Payload["created_at"].(string), a.Payload["created_at"].(string))
		})
	} else {
		slices.SortFunc(all, func(a, b *fakePoint) int { return cmp.Compare(a.ID, b.ID) })
		from, _ := body["offset"].(string)
		all = slices.DeleteFunc(all, func(p *fakePoint) bool { return p.ID < from })
	}
	var next any
	if len(all) > limit {
		if body["order_by"] == nil {
			next = all[limit].ID
		}
		all = all[:limit]
	}
	points := []any{}
	for _, p := range all {
		points = append(points, map[string]any{"id": p.ID, "payload": p.Payload})
	}
	return map[string]any{"points": points, "next_page_offset": next}
}
