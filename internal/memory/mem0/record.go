package mem0

import (
	"cmp"
	"time"

	"github.com/hookway/hookway/internal/memory"
)

// metadata is what mem0 keeps beside a text for us.
func metadata(m *memory.Memory) map[string]any {
	all := map[string]any{"scope": string(m.Scope), "source": "hookway", "said_at": m.Time.UTC().Format(time.RFC3339Nano)}
	for name, value := range map[string]string{"workspace": m.Workspace, "file": m.File, "context": m.Context, "hookway_id": m.ID, "agent": m.Agent, "session": m.Session} {
		if value != "" {
			all[name] = value
		}
	}
	if len(m.Tags) > 0 {
		all["tags"] = m.Tags
	}
	return all
}

func (r *record) text(name string) string {
	text, _ := r.Metadata[name].(string)
	return text
}

// memory reads a record. One that hookway has not written is the user's.
func (r *record) memory() memory.Memory {
	m := memory.Memory{
		ID: cmp.Or(r.text("hookway_id"), r.ID), Text: r.Memory, Score: r.Score, Scope: memory.Scope(r.text("scope")), Workspace: r.text("workspace"),
		Agent: cmp.Or(r.text("agent"), r.Agent), Session: cmp.Or(r.text("session"), r.Run, r.Session), File: r.text("file"), Context: r.text("context"),
	}
	if m.Scope == "" {
		m.Scope = memory.ScopeUser
	}
	tags, _ := r.Metadata["tags"].([]any)
	for _, tag := range tags {
		if text, ok := tag.(string); ok {
			m.Tags = append(m.Tags, text)
		}
	}
	for _, at := range []string{r.text("said_at"), r.Created, r.CreatedJ} {
		if t, err := time.Parse(time.RFC3339Nano, at); err == nil {
			m.Time = t.UTC()
			break
		}
	}
	return m
}

// addition is the body by which both kinds of servers are given a memory.
func (c *Config) addition(m *memory.Memory) map[string]any {
	body := map[string]any{
		"messages": []any{map[string]any{"role": "user", "content": m.Text}},
		"user_id":  c.User, "metadata": metadata(m), "infer": c.Infer,
	}
	if m.Agent != "" {
		body["agent_id"] = m.Agent
	}
	if m.Session != "" {
		body["run_id"] = m.Session
	}
	return body
}
