package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// copilot: Copilot CLI adds events to ~/.copilot/session-state/SESSION/events.jsonl. A
// process that has a session leaves inuse.PID.lock beside it.
var copilot = format{names: []string{"copilot", "copilot-cli"}, decode: decodeCopilot, locate: locateCopilot, list: listCopilot, root: rootCopilot}

type copilotLine struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	AgentID   string `json:"agentId"`
	Data      struct {
		SessionID string `json:"sessionId"`
		Version   int    `json:"version"`
		MessageID string `json:"messageId"`
		Model     string `json:"model"`
		Content   text   `json:"content"`
		Parent    string `json:"parentToolCallId"`
		Source    string `json:"source"`
		Context   struct {
			CWD string `json:"cwd"`
		} `json:"context"`
		CWD string `json:"cwd"` // of session.context_changed

		CallID    string          `json:"toolCallId"`
		ToolName  string          `json:"toolName"`
		Arguments json.RawMessage `json:"arguments"`
		Success   *bool           `json:"success"`
		Result    struct {
			Content text `json:"content"`
		} `json:"result"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Usage struct {
			Model     string `json:"model"`
			Input     int64  `json:"inputTokens"`
			Output    int64  `json:"outputTokens"`
			Cached    int64  `json:"cacheReadTokens"`
			Reasoning int64  `json:"reasoningTokens"`
		} `json:"usage"`
	} `json:"data"`
}

func decodeCopilot(s *state, line []byte) ([]Entry, error) {
	var l copilotLine
	if !s.parse(line, &l) {
		return nil, nil
	}
	d := l.Data
	e := Entry{Time: moment(l.Timestamp), Session: s.session, Dir: s.dir, Message: d.MessageID, Sub: d.Parent != "" || l.AgentID != ""}
	switch l.Type {
	case "session.start":
		if d.Version != 1 {
			return nil, fmt.Errorf("%w: version %d of Copilot CLI's events", ErrVersion, d.Version)
		}
		s.session, s.dir = d.SessionID, d.Context.CWD
		return nil, nil
	case "session.resume", "session.context_changed":
		s.dir = cmp.Or(d.Context.CWD, d.CWD, s.dir)
		return nil, nil
	case "user.message":
		e.Kind, e.Text = User, string(d.Content)
		e.Hidden = d.Source != "" && d.Source != "user"
	case "assistant.message":
		e.Kind, e.Text, e.Model = Agent, string(d.Content), d.Model
	case "tool.execution_start":
		e.Kind, e.ID, e.Tool, e.Input = Call, d.CallID, d.ToolName, d.Arguments
	case "tool.execution_complete":
		e.Kind, e.ID, e.Text = Result, d.CallID, string(d.Result.Content)+d.Error.Message
		e.Failed = d.Success != nil && !*d.Success
	case "session.usage_record":
		u := d.Usage
		e.Kind, e.Message, e.Model = Usage, l.ID, u.Model
		e.Tokens = Tokens{Input: u.Input - u.Cached, Output: u.Output, Cached: u.Cached, Reasoning: u.Reasoning}
	default:
		s.odd = nil
		return nil, nil
	}
	if (e.Kind == Call || e.Kind == Result) && e.ID == "" { // without a name of its own it would be the one before
		e.Message = l.ID
	}
	if (e.Kind == User || e.Kind == Agent) && e.Text == "" {
		return nil, nil
	}
	return []Entry{e}, nil
}

func rootCopilot(p *place) string { return p.root("COPILOT_HOME", ".copilot") }

func locateCopilot(p *place) (sure, possible []Source) {
	state := filepath.Join(rootCopilot(p), "session-state")
	var held []owned
	for _, id := range p.names(state) {
		folder := filepath.Join(state, id)
		if !p.isRecent(folder) && !p.isRecent(filepath.Join(folder, "events.jsonl")) {
			continue
		}
		found := p.existing("copilot", filepath.Join(folder, "events.jsonl"))
		for _, name := range p.names(folder) {
			pid, is := strings.CutPrefix(name, "inuse.")
			n, err := strconv.Atoi(strings.TrimSuffix(pid, ".lock"))
			if depth, ours := p.tree[n]; is && err == nil && ours && len(found) > 0 {
				held = append(held, owned{found[0].Path, depth})
			}
		}
		for _, s := range found {
			if p.isRecent(s.Path) && p.begunHere(s.Path) {
				possible = append(possible, s)
			}
		}
	}
	for _, one := range nearest(held) {
		sure = append(sure, Source{Agent: "copilot", Path: one.what})
	}
	return sure, possible
}
