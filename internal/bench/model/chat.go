package model

import (
	"encoding/json"
	"slices"
)

// chat is OpenAI's older protocol, POST /v1/chat/completions.
type chat struct{}

func (chat) parse(text []byte) (question, error) {
	return body(text, func(q *question, o object) {
		if o["role"] == "tool" {
			q.Results = append(q.Results, texts(o["content"]))
		}
	})
}

// message is what the model says, with the calls that it makes.
func (chat) message(s *Server, q question, t Turn) (said object, finish string) {
	said, finish = object{"role": "assistant", "content": t.Text}, "stop"
	// A call that is of the shell is made to whichever of the agents' shells is there.
	shell := "run_shell_command"
	if !slices.Contains(q.Tools, shell) {
		shell = "bash"
	}
	calls := t.calls(shell, "command")
	if len(calls) == 0 {
		return said, finish
	}
	var made []object
	for i, call := range calls {
		arguments, err := json.Marshal(call.Input)
		if err != nil { // it is made of texts
			panic(err)
		}
		made = append(made, object{
			"index": i, "id": s.id("call"), "type": "function",
			"function": object{"name": call.Tool, "arguments": string(arguments)},
		})
	}
	said["tool_calls"] = made
	return said, "tool_calls"
}

func (chat) usage() object {
	return object{"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
}

func (c chat) whole(s *Server, q question, t Turn) object {
	said, finish := c.message(s, q, t)
	return object{
		"id": s.id("chatcmpl"), "object": "chat.completion", "created": 1, "model": q.model, "usage": c.usage(),
		"choices": []object{{"index": 0, "message": said, "finish_reason": finish}},
	}
}

func (c chat) events(s *Server, q question, t Turn) []event {
	id := s.id("chatcmpl")
	chunk := func(choices ...object) event {
		return event{"id": id, "object": "chat.completion.chunk", "created": 1, "model": q.model, "choices": choices}
	}
	said, finish := c.message(s, q, t)
	end := chunk()
	end["choices"], end["usage"] = []object{}, c.usage()
	pieces := t.pieces()
	said["content"] = pieces[0]
	calls, calling := said["tool_calls"]
	delete(said, "tool_calls")
	all := []event{chunk(object{"index": 0, "delta": said, "finish_reason": nil})}
	for _, text := range pieces[1:] {
		all = append(all, chunk(object{"index": 0, "delta": object{"content": text}, "finish_reason": nil}))
	}
	if calling {
		all = append(all, chunk(object{"index": 0, "delta": object{"tool_calls": calls}, "finish_reason": nil}))
	}
	return append(all, chunk(object{"index": 0, "delta": object{}, "finish_reason": finish}), end, nil)
}
