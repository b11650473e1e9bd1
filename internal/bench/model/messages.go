package model

import "encoding/json"

// messages is Anthropic's protocol, POST /v1/messages.
type messages struct{}

func (messages) parse(text []byte) (question, error) {
	return body(text, func(q *question, o object) {
		if o["type"] == "tool_result" {
			q.Results = append(q.Results, texts(o["content"]))
		}
	})
}

// content is the answer's blocks, and why the model stopped.
func (messages) content(s *Server, t Turn) (blocks []object, stop string) {
	blocks, stop = []object{{"type": "text", "text": t.Text}}, "end_turn"
	for _, call := range t.calls("Bash", "command") {
		blocks = append(blocks, object{"type": "tool_use", "id": s.id("toolu"), "name": call.Tool, "input": call.Input})
		stop = "tool_use"
	}
	return blocks, stop
}

func (messages) message(s *Server, q question, blocks []object, stop any) object {
	return object{
		"id": s.id("msg"), "type": "message", "role": "assistant", "model": q.model,
		"content": blocks, "stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": 1000, "output_tokens": 20},
	}
}

func (m messages) whole(s *Server, q question, t Turn) object {
	blocks, stop := m.content(s, t)
	return m.message(s, q, blocks, stop)
}

func (m messages) events(s *Server, q question, t Turn) []event {
	blocks, stop := m.content(s, t)
	all := []event{{"type": "message_start", "message": m.message(s, q, []object{}, nil)}}
	for i, block := range blocks {
		start, deltas := m.begin(t, block)
		all = append(all, event{"type": "content_block_start", "index": i, "content_block": start})
		for _, delta := range deltas {
			all = append(all, event{"type": "content_block_delta", "index": i, "delta": delta})
		}
		all = append(all, event{"type": "content_block_stop", "index": i})
	}
	return append(all,
		event{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 20}},
		event{"type": "message_stop"})
}

// begin is a block as it begins, empty, and all that is still to come.
func (messages) begin(t Turn, block object) (start object, deltas []object) {
	if block["type"] == "text" {
		for _, text := range t.pieces() {
			deltas = append(deltas, object{"type": "text_delta", "text": text})
		}
		return object{"type": "text", "text": ""}, deltas
	}
	input, err := json.Marshal(block["input"])
	if err != nil { // it is made of texts
		panic(err)
	}
	start = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
	return start, []object{{"type": "input_json_delta", "partial_json": string(input)}}
}
