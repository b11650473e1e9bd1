package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// codex: Codex adds lines to ~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl
// and has the file open. It says each text twice, as an item of the answer and as an
// event; the items are what counts.
var codex = format{names: []string{"codex"}, decode: decodeCodex, locate: locateCodex, list: listCodex, root: rootCodex}

type codexLine struct {
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	Payload   json.RawMessage `json:"payload"`
}

type codexPayload struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	Role       string          `json:"role"`
	Content    content         `json:"content"`
	Name       string          `json:"name"`
	CallID     string          `json:"call_id"`
	CWD        string          `json:"cwd"`
	Arguments  text            `json:"arguments"`
	Input      text            `json:"input"`
	Output     content         `json:"output"`
	Action     json.RawMessage `json:"action"` // of the tools that the model has built in
	Model      string          `json:"model"`
	CLIVersion string          `json:"cli_version"`
	SessionID  string          `json:"session_id"`
	StartedAt  int64           `json:"started_at"`
	ResponseID string          `json:"response_id"`
	Usage      struct {
		Input     int64 `json:"input_tokens"`
		Cached    int64 `json:"cached_input_tokens"`
		Output    int64 `json:"output_tokens"`
		Reasoning int64 `json:"reasoning_output_tokens"`
	} `json:"usage"`
	Passthrough struct {
		Kinds []string `json:"content_item_kinds"`
	} `json:"internal_chat_message_metadata_passthrough"`
}

func decodeCodex(s *state, line []byte) ([]Entry, error) {
	var l codexLine
	if !s.parse(line, &l) {
		return nil, nil
	}
	if l.Type == "" || len(l.Payload) == 0 {
		if s.began {
			return nil, nil
		}
		return nil, fmt.Errorf("%w: Codex before 0.40", ErrVersion) // its lines were the items themselves
	}
	var p codexPayload
	s.parse(l.Payload, &p) // it is JSON: the line is
	if !readsCodex(l.Type, p.Type) {
		s.odd = nil
	}
	switch l.Type {
	case "session_meta":
		if s.began { // of the session that this one was made from
			return nil, nil
		}
		if v := major(p.CLIVersion); p.CLIVersion != "" && v != 0 {
			return nil, fmt.Errorf("%w: Codex %s", ErrVersion, p.CLIVersion)
		}
		s.began, s.session, s.dir = true, p.SessionID, p.CWD
		if s.session == "" {
			s.session = p.ID
		}
	case "turn_context":
		s.model, s.dir = p.Model, cmp.Or(p.CWD, s.dir)
	case "event_msg":
		if p.Type == "task_started" && p.StartedAt > 0 {
			s.turn = time.Unix(p.StartedAt+1, 0)
		}
	case "response_item":
		return s.codexItem(Entry{Time: moment(l.Timestamp), Turn: s.turn, Session: s.session, Dir: s.dir, Message: p.ID, Model: s.model}, p), nil
	case "token_usage_record":
		e := Entry{Kind: Usage, Time: moment(l.Timestamp), Turn: s.turn, Session: s.session, Message: p.ResponseID, Model: s.model}
		e.Tokens = Tokens{Input: p.Usage.Input - p.Usage.Cached, Output: p.Usage.Output, Cached: p.Usage.Cached, Reasoning: p.Usage.Reasoning}
		return []Entry{e}, nil
	}
	return nil, nil
}

// readsCodex reports whether something is read of such a line.
func readsCodex(line, payload string) bool {
	switch line {
	case "session_meta", "turn_context", "token_usage_record":
		return true
	case "event_msg":
		return payload == "task_started"
	case "response_item":
		return payload == "message" || strings.HasSuffix(payload, "_call") || strings.HasSuffix(payload, "_output") || payload == ""
	}
	return false
}

// codexItem is an item of the conversation. A message without an id gets one: its
// number among them.
func (s *state) codexItem(e Entry, p codexPayload) (entries []Entry) {
	switch p.Type {
	case "message":
		if e.Message == "" {
			e.Message = fmt.Sprint("item-", s.block("", ""))
		}
		for i, part := range p.Content {
			s.oddPart(&part)
			if part.Text == "" {
				continue
			}
			one := e
			one.Kind, one.Block, one.Text = User, i, part.Text
			switch p.Role {
			case "assistant":
				one.Kind = Agent
			case "user":
				one.Hidden = i < len(p.Passthrough.Kinds) && p.Passthrough.Kinds[i] != "user.text" ||
					len(p.Passthrough.Kinds) == 0 && strings.HasPrefix(part.Text, "<")
			default:
				one.Hidden = true
			}
			entries = append(entries, one)
		}
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call":
		e.Kind, e.ID, e.Tool = Call, p.CallID, cmp.Or(p.Name, strings.TrimSuffix(p.Type, "_call"))
		switch {
		case json.Valid([]byte(p.Arguments)):
			e.Input = json.RawMessage(p.Arguments)
		case p.Input != "":
			e.Input, _ = json.Marshal(string(p.Input)) // a text can be encoded
		case p.Arguments != "":
			s.odd = errors.New("the arguments of the call are no JSON")
		default:
			e.Input = p.Action
		}
		entries = append(entries, e)
	case "function_call_output", "custom_tool_call_output":
		e.Kind, e.ID, e.Text = Result, p.CallID, p.Output.all()
		e.Failed = codexFailed(e.Text)
		entries = append(entries, e)
	}
	return entries
}

// codexExit is how Codex tells the model how a command has ended.
var codexExit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:Process exited with code|Exit code:) (-?\d+)\s*$|"exit_code":\s*(-?\d+)`)
})

// codexFailed reports whether the output of a call says that its command has failed: the
// record has no other sign of it.
func codexFailed(output string) bool {
	found := codexExit().FindStringSubmatch(output[:min(len(output), 1024)])
	return found != nil && found[1]+found[2] != "0"
}

func rootCodex(p *place) string { return p.root("CODEX_HOME", ".codex") }

// locateCodex looks at the folders of the days since the program began, and of the
// day before: they are named in local time.
func locateCodex(p *place) (sure, possible []Source) {
	sessions := filepath.Join(rootCodex(p), "sessions")
	for _, one := range p.opened(func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "rollout-") && filepath.Ext(path) == ".jsonl"
	}) {
		sure = append(sure, Source{Agent: "codex", Path: one.what})
	}
	for day := p.began.AddDate(0, 0, -1); day.Before(p.now().AddDate(0, 0, 2)); day = day.AddDate(0, 0, 1) {
		for _, s := range p.recent("codex", filepath.Join(sessions, day.Format("2006"), day.Format("01"), day.Format("02")), "rollout-", ".jsonl") {
			if p.begunHere(s.Path) {
				possible = append(possible, s)
			}
		}
	}
	return sure, possible
}
