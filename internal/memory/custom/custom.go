// Package custom keeps memories wherever a handler of the user's own puts them:
// it asks with a [Request], and reads what is answered leniently.
package custom

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/memory"
)

// Request is the payload of the event MemoryRequest.
type Request struct {
	Action string `json:"action"` // save, search, forget or list

	// Of save: what is kept.
	Text    string `json:"text,omitempty"`
	Scope   string `json:"scope,omitempty"` // workspace, agent or user; of a question: only of this one
	File    string `json:"file,omitempty"`
	Context string `json:"context,omitempty"`
	Time    string `json:"time,omitempty"`

	// Of a question.
	Query   string `json:"query,omitempty"` // of search
	K       int    `json:"k,omitempty"`     // how many at most; 0 of list is all
	By      string `json:"by,omitempty"`    // only what this agent said
	Session string `json:"in_session,omitempty"`
	All     bool   `json:"all,omitempty"` // of every workspace and agent

	ID        string   `json:"id,omitempty"` // of forget; of save, if it has one already
	Workspace string   `json:"workspace,omitempty"`
	Agent     string   `json:"agent_name,omitempty"` // who saves or asks
	Tags      []string `json:"tags,omitempty"`
}

// Ask fires MemoryRequest with a payload and gives the outcome.
type Ask func(ctx context.Context, payload map[string]any) (hook.Outcome[any], error)

// Store is the memories behind a handler.
type Store struct{ ask Ask }

// New gives the store.
func New(ask Ask) *Store { return &Store{ask} }

var _ memory.Backend = (*Store)(nil)

// Close has nothing to do: the handler is another's.
func (s *Store) Close() error { return nil }

// mostAnswer bounds how many memories are read of an answer.
const mostAnswer = 10_000

// request asks, and gives the answer as JSON.
func (s *Store) request(ctx context.Context, r Request) (json.RawMessage, error) {
	payload, err := asMap(r)
	if err != nil {
		return nil, err
	}
	out, err := s.ask(ctx, payload)
	if err != nil {
		return nil, fmt.Errorf("%w: MemoryRequest was not answered: %w", memory.ErrUnavailable, err)
	}
	switch out.Action {
	case hook.ActionAnswer:
		answer, err := json.Marshal(out.Result)
		if err != nil {
			return nil, fmt.Errorf("the answer to MemoryRequest cannot be read: %w", err)
		}
		var failed struct{ Error string }
		if json.Unmarshal(answer, &failed) == nil && failed.Error != "" {
			return nil, errors.New(hook.LogLine(failed.Error))
		}
		return answer, nil
	case hook.ActionBlock:
		return nil, fmt.Errorf("%s refuses: %s", out.By, hook.LogLine(cmp.Or(out.Reason, "it says no reason")))
	}
	for _, step := range out.Steps {
		if step.Err != nil {
			return nil, fmt.Errorf("%w: hook %s: %w", memory.ErrUnavailable, step.Hook, step.Err)
		}
	}
	if len(out.Steps) == 0 {
		return nil, fmt.Errorf("%w: memory says backend: custom, and no hook answers MemoryRequest; write memory: {backend: custom, handler: {command: ./memory.py}}", memory.ErrUnavailable)
	}
	return nil, fmt.Errorf("%w: %s has no answer to MemoryRequest; it must answer {\"action\": \"answer\", \"result\": …}", memory.ErrUnavailable, out.Steps[len(out.Steps)-1].Hook)
}

func asMap(r Request) (map[string]any, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	return m, json.Unmarshal(data, &m)
}

func of(action string, v memory.View) Request {
	return Request{Action: action, Workspace: v.Workspace, Agent: v.Agent, All: v.All, Session: v.Session, By: v.By, Tags: v.Tags, Scope: string(v.Scope)}
}

// Save has a memory kept. The answer is its id, or an object with one.
func (s *Store) Save(ctx context.Context, m memory.Memory) (memory.Memory, error) {
	if err := m.Check(); err != nil {
		return memory.Memory{}, err
	}
	answer, err := s.request(ctx, Request{
		Action: "save", Text: m.Text, Scope: string(m.Scope), File: m.File, Context: m.Context, Time: m.Time.Format(time.RFC3339Nano),
		ID: m.ID, Workspace: m.Workspace, Agent: m.Agent, Session: m.Session, Tags: m.Tags,
	})
	if err != nil {
		return memory.Memory{}, err
	}
	id, err := idOf(answer)
	if m.ID = cmp.Or(id, m.ID); m.ID == "" {
		return memory.Memory{}, fmt.Errorf("the answer to save names no id (%v); answer {\"id\": …}", err)
	}
	return m, nil
}

// idOf reads an id by itself, or in an object.
func idOf(answer json.RawMessage) (string, error) {
	read := func(into any) error {
		d := json.NewDecoder(bytes.NewReader(answer))
		d.UseNumber() // 12345678 is not 1.2345678e+07
		return d.Decode(into)
	}
	var all struct{ ID any }
	if read(&all) != nil {
		if err := read(&all.ID); err != nil {
			return "", err
		}
	}
	switch id := all.ID.(type) {
	case string:
		return id, nil
	case json.Number:
		return id.String(), nil
	}
	return "", nil
}

// Search has memories found, the best first.
func (s *Store) Search(ctx context.Context, query string, k int, v memory.View) ([]memory.Memory, error) {
	if k <= 0 {
		return nil, fmt.Errorf("-k %d: ask for one memory or more", k)
	}
	r := of("search", v)
	r.Query, r.K = query, k
	return s.memories(ctx, r)
}

// List has the newest listed.
func (s *Store) List(ctx context.Context, n int, v memory.View) ([]memory.Memory, error) {
	r := of("list", v)
	r.K = n
	return s.memories(ctx, r)
}

// memories reads a list of memories, or an object with one.
func (s *Store) memories(ctx context.Context, r Request) ([]memory.Memory, error) {
	answer, err := s.request(ctx, r)
	if err != nil {
		return nil, err
	}
	list := answer
	var within struct{ Memories, Results json.RawMessage }
	if json.Unmarshal(answer, &within) == nil {
		if list = within.Memories; list == nil {
			list = within.Results
		}
	}
	most := mostAnswer
	if r.K > 0 {
		most = r.K
	}
	found, err := memory.Read(list, most)
	if err != nil {
		return nil, fmt.Errorf("the answer to %s cannot be read: %w; answer {\"memories\": [{\"id\": …, \"text\": …}]}", r.Action, err)
	}
	return found, nil
}

// Forget has a memory deleted. An answer of false says that there is none.
func (s *Store) Forget(ctx context.Context, id string, v memory.View) error {
	r := of("forget", v)
	r.ID = id
	answer, err := s.request(ctx, r)
	if err != nil {
		return err
	}
	var plain bool
	var within struct{ Forgotten *bool }
	if json.Unmarshal(answer, &plain) == nil && !plain || json.Unmarshal(answer, &within) == nil && within.Forgotten != nil && !*within.Forgotten {
		return fmt.Errorf("%w: %.80q", memory.ErrUnknown, id)
	}
	return nil
}
