package model

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// responses is OpenAI's protocol, POST /v1/responses.
type responses struct{}

func (responses) parse(text []byte) (question, error) {
	return body(text, func(q *question, o object) {
		if kind, _ := o["type"].(string); strings.HasSuffix(kind, "call_output") {
			q.Results = append(q.Results, texts(o["output"]))
		}
	})
}

// items are what the model puts out.
func (responses) items(s *Server, q question, t Turn) []object {
	items := []object{{
		"type": "message", "id": s.id("msg"), "role": "assistant", "status": "completed",
		"content": []object{{"type": "output_text", "text": t.Text, "annotations": []any{}}},
	}}
	// Codex names its shell by the model that it knows; an unknown one gets exec_command.
	name, key := "exec_command", "cmd"
	if !slices.Contains(q.Tools, name) && slices.Contains(q.Tools, "shell_command") {
		name, key = "shell_command", "command"
	}
	for _, call := range t.calls(name, key) {
		items = append(items, callItem(s, call, name))
	}
	return items
}

// callItem is one call; shell is what the agent's shell is called.
func callItem(s *Server, call Call, shell string) object {
	if call.Tool == shell {
		delete(call.Input, "description") // Codex's shell takes none
	}
	if patch, ok := call.Input["patch"].(string); ok && call.Tool == "apply_patch" { // its input is not JSON
		return object{
			"type": "custom_tool_call", "id": s.id("ctc"), "call_id": s.id("call"), "status": "completed", "name": call.Tool, "input": patch,
		}
	}
	arguments, err := json.Marshal(call.Input)
	if err != nil { // it is made of texts
		panic(err)
	}
	item := object{
		"type": "function_call", "id": s.id("fc"), "call_id": s.id("call"), "status": "completed",
		"name": call.Tool, "arguments": string(arguments),
	}
	if space, tool, ok := strings.Cut(call.Tool, "/"); ok { // a tool of an MCP server
		item["namespace"], item["name"] = space, tool
	}
	return item
}

func (responses) response(id string, q question, status string, items []object) object {
	r := object{"id": id, "object": "response", "status": status, "model": q.model, "output": items, "error": nil}
	if status == "completed" {
		r["usage"] = object{
			"input_tokens": 1000, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 20, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 1020,
		}
	}
	return r
}

func (r responses) whole(s *Server, q question, t Turn) object {
	return r.response(s.id("resp"), q, "completed", r.items(s, q, t))
}

func (r responses) events(s *Server, q question, t Turn) []event {
	id, items := s.id("resp"), r.items(s, q, t)
	all := []event{{"type": "response.created", "response": r.response(id, q, "in_progress", []object{})}}
	for i, item := range items {
		begun := maps.Clone(item)
		begun["status"] = "in_progress"
		if item["type"] == "message" {
			begun["content"] = []any{}
			all = append(all, event{"type": "response.output_item.added", "output_index": i, "item": begun})
			for _, text := range t.pieces() {
				all = append(all, event{"type": "response.output_text.delta", "output_index": i, "item_id": item["id"], "content_index": 0, "delta": text})
			}
		} else if item["type"] == "custom_tool_call" {
			begun["input"] = ""
			all = append(all,
				event{"type": "response.output_item.added", "output_index": i, "item": begun},
				event{"type": "response.custom_tool_call_input.delta", "output_index": i, "item_id": item["id"], "delta": item["input"]})
		} else {
			begun["arguments"] = ""
			all = append(all,
				event{"type": "response.output_item.added", "output_index": i, "item": begun},
				event{"type": "response.function_call_arguments.delta", "output_index": i, "item_id": item["id"], "delta": item["arguments"]})
		}
		all = append(all, event{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	all = append(all, event{"type": "response.completed", "response": r.response(id, q, "completed", items)})
	for n, e := range all {
		e["sequence_number"] = n
	}
	return all
}
