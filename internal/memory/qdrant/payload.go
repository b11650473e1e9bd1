package qdrant

import (
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/memory"
)

// point is one that was found.
type point struct {
	ID      any     `json:"id"`
	Score   float64 `json:"score"`
	Payload struct {
		Data      string   `json:"data"`
		Memory    string   `json:"memory"` // as some older versions of mem0 have it
		Key       string   `json:"hookway_id"`
		User      string   `json:"user_id"`
		Agent     string   `json:"agent_id"`
		Run       string   `json:"run_id"`
		Scope     string   `json:"scope"`
		Workspace string   `json:"workspace"`
		Tags      []string `json:"tags"`
		File      string   `json:"file"`
		Context   string   `json:"context"`
		Created   string   `json:"created_at"`
	} `json:"payload"`
}

// memory reads a point. One that hookway has not written is the user's.
func (p *point) memory() memory.Memory {
	m := memory.Memory{
		ID: cmp.Or(p.Payload.Key, fmt.Sprint(p.ID)), Text: cmp.Or(p.Payload.Data, p.Payload.Memory), Scope: memory.Scope(p.Payload.Scope),
		Workspace: p.Payload.Workspace, Agent: p.Payload.Agent, Session: p.Payload.Run, Tags: p.Payload.Tags, File: p.Payload.File,
		Context: p.Payload.Context, Score: p.Score,
	}
	if m.Scope == "" {
		m.Scope = memory.ScopeUser
	}
	if at, err := time.Parse(time.RFC3339Nano, p.Payload.Created); err == nil {
		m.Time = at.UTC()
	}
	return m
}

// memories are the points that have a text.
func memories(points []point) []memory.Memory {
	all := []memory.Memory{}
	for i := range points {
		if m := points[i].memory(); m.Text != "" {
			all = append(all, m)
		}
	}
	return all
}

// payload is a memory as a point has it.
func (s *Store) payload(m *memory.Memory) map[string]any {
	sum := md5.Sum([]byte(m.Text)) // as mem0 marks equal texts
	at := m.Time.UTC().Format(time.RFC3339Nano)
	p := map[string]any{
		"data": m.Text, "hash": hex.EncodeToString(sum[:]), "text_lemmatized": strings.Join(memory.Terms(m.Text), " "),
		"created_at": at, "updated_at": at, "scope": string(m.Scope), "source": "hookway",
	}
	for name, value := range map[string]string{
		"user_id": s.c.User, "agent_id": m.Agent, "run_id": m.Session, "workspace": m.Workspace, "file": m.File, "context": m.Context, "hookway_id": m.ID,
	} {
		if value != "" {
			p[name] = value
		}
	}
	if len(m.Tags) > 0 {
		p["tags"] = m.Tags
	}
	return p
}

// pointOf is the id of a memory's point: its own id if that is a UUID, else one
// that is made of the id, or of what makes two memories the same.
func pointOf(m *memory.Memory) string {
	if isUUID(m.ID) {
		return m.ID
	}
	parts := []string{"id", m.ID}
	if m.ID == "" {
		reader := ""
		if m.Scope == memory.ScopeAgent {
			reader = m.Agent
		}
		parts = []string{"text", m.Text, string(m.Scope), m.Workspace, reader}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of version 8
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// isUUID reports whether an id is written as 8-4-4-4-12 hexadecimal digits.
func isUUID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i, r := range id {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if r != '-' {
				return false
			}
		} else if !strings.ContainsRune("0123456789abcdefABCDEF", r) {
			return false
		}
	}
	return true
}

// filter is a view in the words of Qdrant.
func (s *Store) filter(v memory.View) map[string]any {
	must := []any{}
	is := func(key, value string) map[string]any {
		return map[string]any{"key": key, "match": map[string]any{"value": value}}
	}
	all := func(conditions ...any) map[string]any { return map[string]any{"must": conditions} }
	some := func(conditions ...any) map[string]any { return map[string]any{"should": conditions} }
	foreign := map[string]any{"is_empty": map[string]any{"key": "scope"}}
	for key, value := range map[string]string{"user_id": s.c.User, "run_id": v.Session, "agent_id": v.By} {
		if value != "" {
			must = append(must, is(key, value))
		}
	}
	if !v.All {
		sees := []any{is("scope", string(memory.ScopeUser)), foreign, all(is("workspace", v.Workspace), is("scope", string(memory.ScopeWorkspace)))}
		if v.Agent != "" {
			sees = append(sees, all(is("workspace", v.Workspace), is("scope", string(memory.ScopeAgent)), is("agent_id", v.Agent)))
		}
		must = append(must, some(sees...))
	}
	switch v.Scope {
	case "":
	case memory.ScopeUser:
		must = append(must, some(is("scope", string(v.Scope)), foreign))
	default:
		must = append(must, is("scope", string(v.Scope)))
	}
	for _, tag := range v.Tags {
		must = append(must, is("tags", strings.TrimLeft(tag, "#")))
	}
	return map[string]any{"must": must}
}
