package transcript

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// qwen: Qwen Code adds lines to ~/.qwen/projects/FOLDER/chats/SESSION.jsonl. Which
// session a process has is in ~/.qwen/sessions/PID.json, and in SESSION.runtime.json
// beside the record.
var qwen = format{names: []string{"qwen", "qwen-code"}, decode: decodeQwen, locate: locateQwen, list: listQwen, root: rootQwen}

type qwenLine struct {
	UUID       string `json:"uuid"`
	SessionID  string `json:"sessionId"`
	CWD        string `json:"cwd"`
	Timestamp  string `json:"timestamp"`
	Type       string `json:"type"`
	Provenance string `json:"provenance"`
	Version    string `json:"version"`
	Model      string `json:"model"`
	Message    struct {
		Parts content `json:"parts"`
	} `json:"message"`
	Usage *struct {
		Input    int64 `json:"promptTokenCount"`
		Output   int64 `json:"candidatesTokenCount"`
		Cached   int64 `json:"cachedContentTokenCount"`
		Thoughts int64 `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
	Result struct {
		Status string `json:"status"`
	} `json:"toolCallResult"`
}

func decodeQwen(s *state, line []byte) (entries []Entry, err error) {
	var l qwenLine
	if !s.parse(line, &l) {
		return nil, nil
	}
	if l.UUID == "" || l.SessionID == "" {
		return nil, fmt.Errorf("%w: a line has no id, unlike those of Qwen Code since 0.6", ErrVersion)
	}
	if v := major(l.Version); l.Version != "" && v != 0 {
		return nil, fmt.Errorf("%w: Qwen Code %s", ErrVersion, l.Version)
	}
	of := Entry{Time: moment(l.Timestamp), Session: l.SessionID, Dir: l.CWD, Message: l.UUID}
	if l.Type == "system" {
		s.odd = nil
	}
	if l.Type == "assistant" {
		of.Model = l.Model
	}
	for i, p := range l.Message.Parts {
		s.oddPart(&p)
		e := of
		e.Block = i
		switch {
		case p.FunctionCall != nil:
			e.Kind, e.ID, e.Tool, e.Input = Call, p.FunctionCall.ID, p.FunctionCall.Name, p.FunctionCall.Args
		case p.FunctionResponse != nil:
			r := p.FunctionResponse
			e.Kind, e.ID, e.Text = Result, r.ID, string(r.Response.Output)+string(r.Response.Error)
			e.Failed = r.Response.Error != "" || l.Result.Status != "" && l.Result.Status != "success"
		case p.Text == "" || p.Thought:
			continue
		case l.Type == "assistant":
			e.Kind, e.Text = Agent, p.Text
		case l.Type == "user":
			e.Kind, e.Text, e.Hidden = User, p.Text, l.Provenance != "" && l.Provenance != "real_user"
		default:
			continue
		}
		entries = append(entries, e)
	}
	if u := l.Usage; u != nil && l.Type == "assistant" {
		of.Kind, of.Tokens = Usage, Tokens{Input: u.Input - u.Cached, Output: u.Output, Cached: u.Cached, Reasoning: u.Thoughts}
		entries = append(entries, of)
	}
	return entries, nil
}

func rootQwen(p *place) string { return p.root("QWEN_HOME", ".qwen") }

func locateQwen(p *place) (sure, possible []Source) {
	root := rootQwen(p)
	ids := p.pidFiles(filepath.Join(root, "sessions"))
	sure, possible = p.project("qwen", root, "chats", ids)
	var held []owned
	for _, s := range possible {
		var runtime struct {
			PID int `json:"pid"`
		}
		beside := s.Path[:len(s.Path)-len(".jsonl")] + ".runtime.json"
		if json.Unmarshal([]byte(p.small(beside)), &runtime) != nil {
			continue
		}
		if depth, ours := p.tree[runtime.PID]; ours {
			held = append(held, owned{s.Path, depth})
		}
	}
	if len(sure) == 0 {
		for _, one := range nearest(held) {
			sure = append(sure, Source{Agent: "qwen", Path: one.what})
		}
	}
	return sure, possible
}
