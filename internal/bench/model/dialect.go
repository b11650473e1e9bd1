package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// dialect is one protocol between agents and models.
type dialect interface {
	// parse reads a request.
	parse(body []byte) (question, error)
	// whole is the answer in one piece, events the answer as a stream.
	whole(s *Server, q question, t Turn) object
	events(s *Server, q question, t Turn) []event
}

// question is a request with what only the answer needs.
type question struct {
	Request
	model  string
	stream bool
}

// object is a JSON object.
type object map[string]any

// event is one server-sent event; its name is the data's type, if it has one. nil
// is the end of a stream in the protocol that marks it.
type event object

// encode writes the event as it goes over the wire.
func (e event) encode() []byte {
	if e == nil {
		return []byte("data: [DONE]\n\n")
	}
	data, err := json.Marshal(e)
	if err != nil { // it is made of texts and numbers
		panic(err)
	}
	if e["type"] == nil {
		return fmt.Appendf(nil, "data: %s\n\n", data)
	}
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", e["type"], data)
}

func dialectOf(path string) dialect {
	switch {
	case strings.HasSuffix(path, "/v1/messages"):
		return messages{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini{stream: strings.HasSuffix(path, ":streamGenerateContent")}
	}
	return nil
}

// body reads what the dialects have in common, and calls visit for each of the
// objects in it, in the order in which they are written.
func body(text []byte, visit func(q *question, o object)) (question, error) {
	var q question
	var head struct {
		Model  string
		Stream bool
		Tools  []struct {
			Type, Name string
			Function   struct{ Name string }
		}
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return q, fmt.Errorf("the request cannot be read: %w", err)
	}
	q.model, q.stream = head.Model, head.Stream
	for _, tool := range head.Tools {
		q.Tools = append(q.Tools, cmp.Or(tool.Name, tool.Function.Name))
	}
	var all object
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&all); err != nil {
		return q, fmt.Errorf("the request cannot be read: %w", err)
	}
	delete(all, "tools") // what tools say of themselves is not what is said
	walk(all, func(v any) {
		switch v := v.(type) {
		case string:
			q.Said = append(q.Said, v)
		case map[string]any:
			visit(&q, v)
		}
	})
	return q, nil
}

// walk calls visit for each value within v, and for v itself before. Lists keep
// their order; the keys of an object are sorted.
func walk(v any, visit func(any)) {
	switch v := v.(type) {
	case object:
		walk(map[string]any(v), visit)
		return
	case map[string]any:
		visit(v)
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			walk(v[key], visit)
		}
		return
	case []any:
		visit(v)
		for _, entry := range v {
			walk(entry, visit)
		}
		return
	}
	visit(v)
}

// texts joins the texts of a tool's result: a text, parts with a text each, or an
// object around them.
func texts(v any) string {
	var all []string
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, part := range v {
			all = append(all, texts(part))
		}
	case map[string]any:
		for _, key := range []string{"text", "content"} {
			if within, ok := v[key]; ok {
				all = append(all, texts(within))
			}
		}
	}
	return strings.Join(all, "\n")
}
