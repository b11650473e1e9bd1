package command

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hookway/hookway/hook"
)

// frame is one line to a worker: its parts in order, without a copy of the event.
type frame [][]byte

// requestFrame asks for a decision about an event.
func requestFrame(id int64, event [][]byte) frame {
	head := make([]byte, 0, 64)
	head = append(head, `{"jsonrpc":"2.0","id":`...)
	head = strconv.AppendInt(head, id, 10)
	head = append(head, `,"method":"hook","params":`...)
	f := make(frame, 0, len(event)+2)
	f = append(f, head)
	f = append(f, event...)
	return append(f, []byte("}\n"))
}

// cancelFrame says that no call waits for an answer any more.
func cancelFrame(id int64) frame {
	return frame{fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"cancel","params":{"id":%d}}`+"\n", id)}
}

// reply is one line from a worker.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *replyError     `json:"error"`
	Method  string          `json:"method"`
}

// replyError is an error as JSON-RPC writes it.
type replyError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *replyError) Error() string {
	message := hook.LogLine(e.Message)
	if message == "" {
		message = "no reason given"
	}
	return fmt.Sprintf("the worker reported error %d: %s", e.Code, message)
}

// parseReply reads a line. Whatever is not a JSON-RPC object is an error that quotes it.
func parseReply(line []byte) (reply, error) {
	var r reply
	if err := json.Unmarshal(line, &r); err != nil || r.Version != "2.0" {
		return r, fmt.Errorf("the worker printed a line that is not a JSON-RPC answer: %q; stdout is for answers, logs belong on stderr", quoted(line))
	}
	return r, nil
}

// number reads the id; ours are whole numbers from 1.
func (r *reply) number() (int64, bool) {
	id, err := strconv.ParseInt(string(r.ID), 10, 64)
	return id, err == nil && id > 0
}

// quoted is the beginning of a program's line, fit for an error.
func quoted(line []byte) string {
	text := []rune(hook.LogLine(string(line[:min(len(line), 1024)])))
	if len(text) > 160 {
		return string(text[:160]) + "…"
	}
	return string(text)
}
