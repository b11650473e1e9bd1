package transcript

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// databaseHead begins every database of SQLite.
const databaseHead = "SQLite format 3\x00"

// Recognise gives the records that a file holds, if it is one that an agent keeps of its
// sessions: where it lies where the agent keeps it, those of its sub-agents too. What
// cannot be looked at beside it is a problem each. ok is false of any other file.
func Recognise(ctx context.Context, getenv func(string) string, path string) (records []Record, problems []error, ok bool) {
	agent, err := agentOf(path)
	if err != nil {
		return nil, []error{err}, false
	}
	if agent == "" {
		return nil, nil, false
	}
	there := getenv
	if agent == "opencode" {
		there = func(name string) string {
			if name == "OPENCODE_DB" {
				return path
			}
			return getenv(name)
		}
	}
	all, problems := List(ctx, there, []string{agent}, time.Time{})
	if agent == "opencode" {
		return all, problems, true
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, []error{err}, false
	}
	for _, r := range all {
		is, err := os.Stat(r.Path)
		if err != nil || !os.SameFile(is, info) {
			continue
		}
		if r.Sub { // it alone was named
			return []Record{r}, nil, true
		}
		for _, other := range all {
			if other.Group == r.Group {
				records = append(records, other)
			}
		}
		return records, nil, true
	}
	h, _ := readHead(path)
	group := cmp.Or(h.Payload.ID, h.SessionID, path)
	return []Record{{Source: Source{Agent: agent, Path: path}, Group: agent + "/" + group, Changed: info.ModTime(), Size: info.Size()}}, nil, true
}

// Bounds of what is read of a file to see whose it is.
const (
	mostTried      = 64 // lines
	mostTriedBytes = 4 << 20
)

// agentOf is the agent whose record a file is; "" if it is none's.
func agentOf(path string) (agent string, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return agentIn(f), nil
}

// Peek looks at what a stream begins with: the agent that keeps such records, "" if none
// does, and a reader of all that the stream has.
func Peek(from io.Reader) (agent string, whole io.Reader, err error) {
	head, err := io.ReadAll(io.LimitReader(from, mostTriedBytes))
	return agentIn(bytes.NewReader(head)), io.MultiReader(bytes.NewReader(head), from), err
}

// agentIn is the agent that keeps such records.
func agentIn(from io.Reader) string {
	r := bufio.NewReaderSize(from, mostHead)
	if head, err := r.Peek(len(databaseHead)); err == nil && string(head) == databaseHead {
		return "opencode"
	}
	for n, read := 0, 0; n < mostTried && read < mostTriedBytes; n++ {
		line, err := r.ReadSlice('\n')
		for err == bufio.ErrBufferFull && read < mostTriedBytes { // what a long line begins with is no whole object
			read += len(line)
			line, err = r.ReadSlice('\n')
		}
		read += len(line)
		if n == 0 {
			line = unmarked(line)
		}
		if agent, known := agentOfLine(line); known {
			return agent
		}
		if err != nil {
			break
		}
	}
	return ""
}

// agentOfLine is the agent that writes such lines; known with "" is nobody's.
func agentOfLine(line []byte) (agent string, known bool) {
	var l struct {
		HookEventName string `json:"hook_event_name"` // hookway's own
		EventType     string `json:"event_type"`
		Seq           int64  `json:"seq"`

		Type        string          `json:"type"`
		UUID        string          `json:"uuid"`
		SessionID   string          `json:"sessionId"`
		ProjectHash string          `json:"projectHash"`
		Payload     json.RawMessage `json:"payload"`
		Data        struct {
			SessionID string `json:"sessionId"`
		} `json:"data"`
		Message struct {
			Content json.RawMessage `json:"content"`
			Parts   json.RawMessage `json:"parts"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &l) != nil {
		return "", false
	}
	switch {
	case l.HookEventName != "" || l.EventType != "" || l.Seq > 0:
		return "", true
	case strings.HasPrefix(l.Type, "session.") && l.Data.SessionID != "":
		return "copilot", true
	case l.Type == "session_meta" && len(l.Payload) > 0:
		return "codex", true
	case l.ProjectHash != "" && l.SessionID != "":
		return "gemini", true
	case l.UUID != "" && len(l.Message.Parts) > 0:
		return "qwen", true
	case l.UUID != "" && len(l.Message.Content) > 0 && (l.Type == "user" || l.Type == "assistant"):
		return "claude", true
	}
	return "", false
}
