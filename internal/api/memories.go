package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/relay"
)

// Remembering is what agents were told to remember.
type Remembering interface {
	Memories(ctx context.Context, q MemoryQuery) (MemoryPage, error)

	// Remember saves a memory for the folder that it is of; "" is for all. The error of one
	// that cannot be kept is a *UnchangedError.
	Remember(ctx context.Context, m memory.Memory) (memory.Memory, error)

	// Forget deletes one, for the owner alone: otherwise a *NotMintedError says why not. The
	// error of one that is not there is memory.ErrUnknown.
	Forget(ctx context.Context, id string, who Asker) error
}

// MemoryQuery says which memories are wanted: of every workspace and agent, the newest
// first, or those that fit Text best.
type MemoryQuery struct {
	Text   string
	Scope  memory.Scope
	CWD    string // only what is seen in this folder
	Offset int
	Limit  int
}

// MemoryPage is a page of them.
type MemoryPage struct {
	Memories []memory.Memory `json:"memories"`
	Next     string          `json:"next"`
}

// pageOf reads the limit and the place of a page.
func pageOf(q url.Values) (limit int, err error) {
	if limit, err = limitOf(q, mostPage); limit == 0 {
		limit = usualPage
	}
	return limit, err
}

// memories answers GET /v1/memories.
func (d *Server) memories(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	q, err := query(r, "q", "scope", "cwd", "limit", "after")
	if err != nil {
		return 0, err
	}
	ask := MemoryQuery{Text: strings.TrimSpace(q.Get("q")), CWD: q.Get("cwd")}
	if ask.Limit, err = pageOf(q); err == nil {
		ask.Offset, err = offsetOf(q)
	}
	if err == nil {
		err = isFolder(ask.CWD)
	}
	if err != nil {
		return 0, err
	}
	if scope := q.Get("scope"); scope != "" {
		if ask.Scope, err = memory.ParseScope(scope); err != nil {
			return 0, problem("bad-request", "%v", err).at("scope")
		}
	}
	page, err := d.Views.Memories(r.Context(), ask)
	if err != nil {
		return 0, err
	}
	if page.Memories == nil {
		page.Memories = []memory.Memory{}
	}
	writeJSON(w, "application/json", http.StatusOK, page)
	return 0, nil
}

// memoryRequest is the body of POST /v1/memories.
type memoryRequest struct {
	Text  string   `json:"text"`
	Scope string   `json:"scope"`
	Agent string   `json:"agent"`
	Tags  []string `json:"tags"`
	File  string   `json:"file"`
	CWD   string   `json:"cwd"`
}

func (r *memoryRequest) fields() map[string]any {
	return map[string]any{"text": &r.Text, "scope": &r.Scope, "agent": &r.Agent, "tags": &r.Tags, "file": &r.File, "cwd": &r.CWD}
}

// decodeMemory reads a body strictly. The error is a *problemDetails.
func decodeMemory(body []byte) (m memory.Memory, err error) {
	var r memoryRequest
	if err := decodeObject(body, r.fields()); err != nil {
		return m, err
	}
	scope, err := memory.ParseScope(r.Scope)
	switch {
	case err != nil:
		return m, problem("bad-request", "%v", err).at("scope")
	case strings.TrimSpace(r.Text) == "":
		return m, problem("bad-request", `the text is empty; send {"text":"we use Postgres 17","scope":"user"}`).at("text")
	case r.CWD == "" && scope != memory.ScopeUser:
		return m, problem("bad-request", "a memory of the scope %s needs cwd, the folder that it is of; scope user is of none", scope).at("cwd")
	case scope == memory.ScopeAgent && r.Agent == "":
		return m, problem("bad-request", "a memory of the scope agent needs the agent's name").at("agent")
	}
	return memory.Memory{Text: r.Text, Scope: scope, Agent: r.Agent, Tags: r.Tags, File: r.File, Workspace: r.CWD}, isFolder(r.CWD)
}

// remember answers POST /v1/memories.
func (d *Server) remember(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	body, err := d.onlyJSON(w, r)
	if err != nil {
		return 0, err
	}
	m, err := decodeMemory(body)
	if err != nil {
		return len(body), err
	}
	saved, err := d.Views.Remember(r.Context(), m)
	if err != nil {
		return len(body), unset(err)
	}
	writeJSON(w, "application/json", http.StatusOK, saved)
	return len(body), nil
}

// forget answers DELETE /v1/memories/{id}.
func (d *Server) forget(w http.ResponseWriter, r *http.Request, o origin) (int, error) {
	if _, err := query(r); err != nil {
		return 0, err
	}
	id := r.PathValue("name")
	err := d.Views.Forget(r.Context(), id, askerOf(r, o))
	switch {
	case errors.Is(err, memory.ErrUnknown):
		return 0, problem("unknown-name", "%v; GET /v1/memories lists them", err)
	case err != nil:
		return 0, unset(err)
	}
	writeJSON(w, "application/json", http.StatusOK, map[string]string{"forgotten": id})
	return 0, nil
}

// listMessages answers GET /v1/messages.
func (d *Server) listMessages(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	q, err := query(r, "agent", "channel", "q", "limit", "after")
	if err != nil {
		return 0, err
	}
	ask := relay.PageQuery{Agent: q.Get("agent"), Channel: q.Get("channel"), Text: q.Get("q"), After: q.Get("after")}
	if ask.Limit, err = pageOf(q); err != nil {
		return 0, err
	}
	page, err := d.Relay.Page(r.Context(), ask)
	if err != nil {
		return 0, unsent(err)
	}
	list := []trackedMessage{}
	for _, one := range page.Messages {
		list = append(list, track(one.Message, one.Receipts))
	}
	writeJSON(w, "application/json", http.StatusOK, map[string]any{"messages": list, "next": page.Next})
	return 0, nil
}
