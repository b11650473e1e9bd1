package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// gemini is Google's protocol, POST /v1beta/models/MODEL:generateContent, and
// :streamGenerateContent for a stream.
type gemini struct{ stream bool }

func (g gemini) parse(text []byte) (question, error) {
	q, err := body(text, func(q *question, o object) {
		if answer, ok := o["functionResponse"].(map[string]any); ok {
			var all []string
			walk(answer["response"], func(v any) {
				if s, ok := v.(string); ok {
					all = append(all, s)
				}
			})
			q.Results = append(q.Results, strings.Join(all, "\n"))
		}
	})
	if err != nil {
		return q, err
	}
	var head struct {
		Tools []struct{ FunctionDeclarations []struct{ Name string } }
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return q, fmt.Errorf("the tools of the request cannot be read: %w", err)
	}
	q.Tools, q.stream = nil, g.stream
	for _, group := range head.Tools {
		for _, tool := range group.FunctionDeclarations {
			q.Tools = append(q.Tools, tool.Name)
		}
	}
	return q, nil
}

func (gemini) whole(s *Server, q question, t Turn) object {
	var parts []object
	if t.Text != "" {
		parts = append(parts, object{"text": t.Text})
	}
	for _, call := range t.calls("run_shell_command", "command") {
		parts = append(parts, object{"functionCall": object{"name": call.Tool, "args": call.Input}})
	}
	return object{
		"responseId": s.id("resp"), "modelVersion": "scripted",
		"candidates":    []object{{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020},
	}
}

func (g gemini) events(s *Server, q question, t Turn) []event {
	var all []event
	pieces := t.pieces()
	last := len(pieces) - 1
	for _, text := range pieces[:last] {
		part := event(g.whole(s, q, Turn{Text: text}))
		delete(part["candidates"].([]object)[0], "finishReason")
		all = append(all, part)
	}
	t.Text = pieces[last]
	return append(all, event(g.whole(s, q, t)))
}
