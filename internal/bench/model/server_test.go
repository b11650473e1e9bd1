package model

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// protocol is one of the four, as an agent speaks it.
type protocol struct {
	name, path string
	first      string // a request with the prompt
	second     string // the same with the result of a tool
	side       string // a request without tools
	command    func(t *testing.T, events []map[string]any) string
	last       any    // type of the last event, if it has one
	whole      string // the path for an answer in one piece, if it is another
}

var protocols = []protocol{{
	name: "messages", path: "/v1/messages?beta=true",
	first: `{"model": "m", "stream": true, "system": [{"type": "text", "text": "You are an agent."}],
		"messages": [{"role": "user", "content": "the prompt"}], "tools": [{"name": "Bash", "description": "runs a command"}]}`,
	second: `{"model": "m", "stream": true, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": "the prompt"},
		{"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}]},
		{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": [{"type": "text", "text": "not today"}]}]}]}`,
	side:    `{"model": "m", "stream": true, "messages": [{"role": "user", "content": "find a title"}]}`,
	command: messagesCommand,
	last:    "message_stop",
}, {
	name: "responses", path: "/v1/responses",
	first: `{"model": "m", "stream": true, "instructions": "You are an agent.",
		"input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "the prompt"}]}],
		"tools": [{"type": "function", "name": "exec_command", "description": "runs a command"}, {"type": "web_search"}]}`,
	second: `{"model": "m", "stream": true, "tools": [{"type": "function", "name": "exec_command"}], "input": [
		{"type": "message", "role": "user", "content": "the prompt"},
		{"type": "function_call", "call_id": "call_1", "name": "exec_command", "arguments": "{}"},
		{"type": "function_call_output", "call_id": "call_1", "output": "not today"}]}`,
	side:    `{"model": "m", "stream": true, "input": "find a title"}`,
	command: responsesCommand,
	last:    "response.completed",
}, {
	name: "chat", path: "/v1/chat/completions",
	first: `{"model": "m", "stream": true, "messages": [{"role": "system", "content": "You are an agent."}, {"role": "user", "content": "the prompt"}],
		"tools": [{"type": "function", "function": {"name": "bash", "description": "runs a command"}}]}`,
	second: `{"model": "m", "stream": true, "tools": [{"type": "function", "function": {"name": "bash"}}], "messages": [
		{"role": "user", "content": "the prompt"},
		{"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]},
		{"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "not today"}]}]}`,
	side:    `{"model": "m", "stream": true, "messages": [{"role": "user", "content": "find a title"}]}`,
	command: chatCommand,
}, {
	name: "gemini", path: "/v1beta/models/m:streamGenerateContent?alt=sse", whole: "/v1beta/models/m:generateContent",
	first: `{"systemInstruction": {"parts": [{"text": "You are an agent."}]}, "contents": [{"role": "user", "parts": [{"text": "the prompt"}]}],
		"tools": [{"functionDeclarations": [{"name": "run_shell_command", "description": "runs a command"}]}]}`,
	second: `{"tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}], "contents": [{"role": "user", "parts": [{"text": "the prompt"}]},
		{"role": "model", "parts": [{"functionCall": {"name": "run_shell_command", "args": {"command": "ls"}}}]},
		{"role": "user", "parts": [{"functionResponse": {"name": "run_shell_command", "response": {"error": "not today"}}}]}]}`,
	side:    `{"contents": [{"role": "user", "parts": [{"text": "find a title"}]}]}`,
	command: geminiCommand,
}}

// messagesCommand is the command of the tool that the stream calls, put together
// as an agent does it.
func messagesCommand(t *testing.T, events []map[string]any) string {
	var input strings.Builder
	named := ""
	for _, e := range events {
		switch e["type"] {
		case "content_block_start":
			if block := e["content_block"].(map[string]any); block["type"] == "tool_use" {
				named = block["name"].(string)
			}
		case "content_block_delta":
			if part, ok := e["delta"].(map[string]any)["partial_json"].(string); ok {
				input.WriteString(part)
			}
		}
	}
	return argument(t, named, "Bash", input.String(), "command")
}

func responsesCommand(t *testing.T, events []map[string]any) string {
	for _, e := range events {
		if item, _ := e["item"].(map[string]any); e["type"] == "response.output_item.done" && item["type"] == "function_call" {
			return argument(t, item["name"].(string), "exec_command", item["arguments"].(string), "cmd")
		}
	}
	return ""
}

func chatCommand(t *testing.T, events []map[string]any) string {
	for _, e := range events {
		for _, choice := range e["choices"].([]any) {
			calls, _ := choice.(map[string]any)["delta"].(map[string]any)["tool_calls"].([]any)
			for _, c := range calls {
				f := c.(map[string]any)["function"].(map[string]any)
				return argument(t, f["name"].(string), "bash", f["arguments"].(string), "command")
			}
		}
	}
	return ""
}

func geminiCommand(t *testing.T, events []map[string]any) (command string) {
	for _, e := range events {
		walk(e, func(v any) {
			if o, ok := v.(map[string]any); ok && o["name"] == "run_shell_command" {
				command, _ = o["args"].(map[string]any)["command"].(string)
			}
		})
	}
	return command
}

func argument(t *testing.T, name, want, input, key string) string {
	t.Helper()
	if name == "" {
		return ""
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(input), &all); err != nil || name != want {
		t.Fatalf("called %q with %q (%v), want %s", name, input, err, want)
	}
	command, _ := all[key].(string)
	return command
}

func eachProtocol(t *testing.T, test func(*testing.T, protocol)) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) { test(t, p) })
	}
}

func start(t *testing.T, script ...Turn) *Server {
	t.Helper()
	s, err := Start(script...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func post(t *testing.T, s *Server, path, body string) (status int, answer string) {
	t.Helper()
	r, err := http.Post(s.URL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// stream posts a request and reads the events of the answer.
func stream(t *testing.T, s *Server, path, body string) (events []map[string]any) {
	t.Helper()
	status, answer := post(t, s, path, body)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, answer)
	}
	name := ""
	for lines := bufio.NewScanner(strings.NewReader(answer)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = rest
		} else if rest, ok := strings.CutPrefix(lines.Text(), "data: "); ok && rest != "[DONE]" {
			var e map[string]any
			if err := json.Unmarshal([]byte(rest), &e); err != nil {
				t.Fatal(err)
			}
			if kind, _ := e["type"].(string); kind != name {
				t.Errorf("event %q holds data of %q", name, e["type"])
			}
			events = append(events, e)
		}
	}
	return events
}

func TestTheScriptIsPlayedByResults(t *testing.T) {
	eachProtocol(t, func(t *testing.T, p protocol) {
		s := start(t, Turn{Text: "I run it.", Shell: "rm -rf ./victim"}, Turn{Text: "It is over."})
		for range 2 { // an agent that asks again gets the same answer
			events := stream(t, s, p.path, p.first)
			if got := p.command(t, events); got != "rm -rf ./victim" {
				t.Errorf("the model calls its shell with %q", got)
			}
			if last := events[len(events)-1]["type"]; last != p.last {
				t.Errorf("the last event is %v, want %v", last, p.last)
			}
		}
		events := stream(t, s, p.path, p.second)
		if got := p.command(t, events); got != "" {
			t.Errorf("after the result the model calls its shell with %q", got)
		}
		if said := fmt.Sprint(events); !strings.Contains(said, "It is over.") {
			t.Errorf("the second turn is %s", said)
		}
	})
}

func TestAnAnswerInOnePieceSaysTheSame(t *testing.T) {
	eachProtocol(t, func(t *testing.T, p protocol) {
		s := start(t, Turn{Text: "I run it.", Shell: "rm -r x"})
		status, answer := post(t, s, cmp.Or(p.whole, p.path), strings.Replace(p.first, `"stream": true`, `"stream": false`, 1))
		var whole map[string]any
		if err := json.Unmarshal([]byte(answer), &whole); err != nil || status != http.StatusOK {
			t.Fatalf("status %d, %v: %s", status, err, answer)
		}
		said := ""
		walk(whole, func(v any) { said += fmt.Sprintln(v) })
		if !strings.Contains(said, "I run it.") || !strings.Contains(said, "rm -r x") {
			t.Errorf("the answer is %s", answer)
		}
	})
}

func TestRequestsAreKept(t *testing.T) {
	eachProtocol(t, func(t *testing.T, p protocol) {
		s := start(t)
		stream(t, s, p.path, p.first)
		stream(t, s, p.path, p.side)
		stream(t, s, p.path, p.second)
		asked := s.Requests()
		if len(asked) != 2 {
			t.Fatalf("%d requests are kept, want 2 without the one for the title", len(asked))
		}
		if len(asked[0].Results) != 0 || !slices.Equal(asked[1].Results, []string{"not today"}) {
			t.Errorf("results are %q and %q", asked[0].Results, asked[1].Results)
		}
		for text, want := range map[string]bool{"the prompt": true, "an agent": true, "not today": false, "runs a command": false} {
			if asked[0].Says(text) != want {
				t.Errorf("the first request says %q: %v, want %v", text, !want, want)
			}
		}
	})
}

// TestATurnMayCallAnyTool, or depend on what is asked.
func TestATurnMayCallAnyTool(t *testing.T) {
	for _, p := range protocols {
		s := start(t, Turn{Make: func(q Request) Turn {
			return Turn{Call: Call{Tool: "edit", Input: map[string]any{"of": fmt.Sprint(q.Says("the prompt"))}}}
		}})
		_, answer := post(t, s, p.path, p.first)
		if answer = strings.ReplaceAll(answer, `\`, ""); !strings.Contains(answer, `"name":"edit"`) || !strings.Contains(answer, `"of":"true"`) {
			t.Errorf("%s: got %s, want strings.Contains(answer, `\"name\":\"edit\"`) and strings.Contains(answer, `\"of\":\"true\"`)", p.name, answer)
		}
	}
}

func TestTheAgentWaitsForWhatComesBefore(t *testing.T) {
	ran := 0
	s := start(t, Turn{Before: func() { ran++ }})
	stream(t, s, protocols[0].path, protocols[0].first)
	if ran != 1 {
		t.Errorf("Before ran %d times before the answer, want once", ran)
	}
}

func TestNothingLeavesTheMachine(t *testing.T) {
	s := start(t)
	proxy, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	if r, err := client.Get("https://example.com/secret"); err == nil {
		r.Body.Close()
		t.Error("the proxy has let https through")
	}
	r, err := client.Post("http://example.com/v1/messages", "", strings.NewReader(protocols[0].first))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusForbidden {
		t.Errorf("the proxy answers http with %d", r.StatusCode)
	}
	want := []string{"CONNECT example.com:443", "POST example.com/v1/messages"}
	if got := s.Strays(); !slices.Equal(got, want) {
		t.Errorf("strays are %q, want %q", got, want)
	}
	if len(s.Requests()) != 0 {
		t.Error("a request to elsewhere counts as one to the model")
	}
}

func TestRequestsThatMeanNothing(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"/v1/messages", `{"messages": `, http.StatusBadRequest},
		{"/v1/responses", `[]`, http.StatusBadRequest},
		{"/v1/unheard", `{}`, http.StatusNotFound},
		{"/v1/messages/count_tokens", `{}`, http.StatusOK},
	} {
		status, answer := post(t, s, c.path, c.body)
		if status != c.status || !json.Valid([]byte(answer)) {
			t.Errorf("%s %s: status %d %s, want %d", c.path, c.body, status, answer, c.status)
		}
	}
}

func TestAClosedServerListensNoMore(t *testing.T) {
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var refused *url.Error
	if _, err := http.Get(s.URL()); !errors.As(err, &refused) {
		t.Errorf("a closed server answers: %v", err)
	}
}

// FuzzRequest holds that whatever an agent sends is understood or refused.
func FuzzRequest(f *testing.F) {
	for _, p := range protocols {
		for _, body := range []string{p.first, p.second, p.side} {
			f.Add(body)
		}
	}
	f.Add(`{"tools": [null, {"name": 1}], "input": [{"type": 1, "output": {"a": [null]}}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, speak := range []dialect{messages{}, responses{}, chat{}, gemini{stream: true}} {
			q, err := speak.parse([]byte(body))
			if err != nil {
				continue
			}
			if len(q.Results) > len(body) || len(q.Tools) > len(body) {
				t.Errorf("%d results and %d tools in %d bytes", len(q.Results), len(q.Tools), len(body))
			}
			for _, e := range speak.events(&Server{}, q, Turn{Text: "x", Shell: "y"}) {
				if _, data, _ := bytes.Cut(e.encode(), []byte("data: ")); e != nil && !json.Valid(data) {
					t.Errorf("event is not JSON: %s", e.encode())
				}
			}
		}
	})
}
