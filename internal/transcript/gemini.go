package transcript

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// gemini: Gemini CLI adds lines to ~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl.
// A message is written again when it changes. A line without a type changes what is
// there as a whole. The file .project_root says which folder the project is.
var gemini = format{names: []string{"gemini", "gemini-cli"}, decode: decodeGemini, locate: locateGemini, list: listGemini, root: rootGemini}

type geminiLine struct {
	SessionID string  `json:"sessionId"`
	ID        string  `json:"id"`
	Timestamp string  `json:"timestamp"`
	Type      string  `json:"type"`
	Content   content `json:"content"`
	Model     string  `json:"model"`
	Tokens    *struct {
		Input    int64 `json:"input"`
		Output   int64 `json:"output"`
		Cached   int64 `json:"cached"`
		Thoughts int64 `json:"thoughts"`
	} `json:"tokens"`
	ToolCalls []struct {
		ID     string          `json:"id"`
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args"`
		Result content         `json:"result"`
		Status string          `json:"status"`
	} `json:"toolCalls"`
	Set struct {
		Messages []geminiLine `json:"messages"`
	} `json:"$set"`
}

func decodeGemini(s *state, line []byte) (entries []Entry, err error) {
	var l geminiLine
	if !s.parse(line, &l) {
		return nil, nil
	}
	if l.Type != "user" && l.Type != "gemini" && len(l.Set.Messages) == 0 && s.began {
		s.odd = nil
	}
	if !s.began {
		s.began, s.session = true, l.SessionID
		switch {
		case l.SessionID != "":
			return nil, nil
		case (l.ID == "" || l.Type == "") && len(l.Set.Messages) == 0: // else another Gemini CLI has removed the file, which has begun anew
			return nil, fmt.Errorf("%w: it begins with no line of those that Gemini CLI writes since 0.40", ErrVersion)
		}
	}
	for _, m := range append(l.Set.Messages, l) {
		entries = append(entries, s.gemini(m)...)
	}
	return entries, nil
}

func (s *state) gemini(l geminiLine) (entries []Entry) {
	of := Entry{Time: moment(l.Timestamp), Session: s.session, Message: l.ID}
	switch l.Type {
	case "user":
		for i, p := range l.Content {
			s.oddPart(&p)
			if p.Text == "" {
				continue
			}
			e := of
			e.Kind, e.Block, e.Text = User, i, p.Text
			e.Hidden = strings.HasPrefix(p.Text, "<session_context>") || strings.HasPrefix(p.Text, "<hook_context>")
			entries = append(entries, e)
		}
	case "gemini":
		of.Model = l.Model
		for i, p := range l.Content {
			s.oddPart(&p)
			if p.Text == "" || p.Thought {
				continue
			}
			e := of
			e.Kind, e.Block, e.Text = Agent, i, p.Text
			entries = append(entries, e)
		}
		if l.Tokens != nil {
			e := of
			e.Kind, e.Tokens = Usage, Tokens{Input: l.Tokens.Input - l.Tokens.Cached, Output: l.Tokens.Output, Cached: l.Tokens.Cached, Reasoning: l.Tokens.Thoughts}
			entries = append(entries, e)
		}
		for i, c := range l.ToolCalls {
			of := of
			if c.ID == "" { // without a name of its own it would be the one before
				of.Block = i
			}
			e := of
			e.Kind, e.ID, e.Tool, e.Input = Call, c.ID, c.Name, c.Args
			entries = append(entries, e)
			if len(c.Result) == 0 {
				continue
			}
			e = of
			e.Kind, e.ID, e.Failed = Result, c.ID, c.Status != "success"
			for _, p := range c.Result {
				s.oddPart(&p)
				if r := p.FunctionResponse; r != nil {
					e.Text += string(r.Response.Output) + string(r.Response.Error)
				}
			}
			entries = append(entries, e)
		}
	}
	return entries
}

func rootGemini(p *place) string {
	home := p.getenv("GEMINI_CLI_HOME")
	if home == "" {
		home = p.home()
	}
	return filepath.Join(home, ".gemini")
}

func locateGemini(p *place) (sure, possible []Source) {
	tmp := filepath.Join(rootGemini(p), "tmp")
	for _, name := range p.names(tmp) {
		folder := filepath.Join(tmp, name)
		if !p.isDir(p.small(filepath.Join(folder, ".project_root"))) {
			continue
		}
		possible = append(possible, p.recent("gemini", filepath.Join(folder, "chats"), "session-", ".jsonl")...)
	}
	return nil, possible
}
