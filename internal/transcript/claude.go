package transcript

import (
	"fmt"
	"path/filepath"
	"strings"
)

// claude: Claude Code adds a line for each block of a message to
// ~/.claude/projects/FOLDER/SESSION.jsonl. Which session a process has is in
// ~/.claude/sessions/PID.json.
var claude = format{names: []string{"claude", "claude-code"}, decode: decodeClaude, locate: locateClaude, list: listClaude, root: rootClaude}

type claudeLine struct {
	Type      string `json:"type"`
	UUID      string `json:"uuid"`
	SessionID string `json:"sessionId"`
	CWD       string `json:"cwd"`
	Timestamp string `json:"timestamp"`
	Version   string `json:"version"`
	Sidechain bool   `json:"isSidechain"`
	Meta      bool   `json:"isMeta"`
	Summary   bool   `json:"isCompactSummary"`
	Message   struct {
		ID      string  `json:"id"`
		Model   string  `json:"model"`
		Content content `json:"content"`
		Usage   struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
			Cached int64 `json:"cache_read_input_tokens"`
			Stored int64 `json:"cache_creation_input_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

func decodeClaude(s *state, line []byte) (entries []Entry, err error) {
	var l claudeLine
	if !s.parse(line, &l) {
		return nil, nil
	}
	if l.Type != "user" && l.Type != "assistant" { // what others say in other ways is nothing odd
		s.odd = nil
		return nil, nil
	}
	if v := major(l.Version); l.Version != "" && v != 1 && v != 2 {
		return nil, fmt.Errorf("%w: Claude Code %s", ErrVersion, l.Version)
	}
	of := Entry{Time: moment(l.Timestamp), Session: l.SessionID, Dir: l.CWD, Message: l.Message.ID, Sub: l.Sidechain, Hidden: l.Meta || l.Summary}
	if of.Message == "" {
		of.Message = l.UUID
	}
	if l.Type == "assistant" {
		of.Model = l.Message.Model
	}
	for i, p := range l.Message.Content {
		s.oddPart(&p)
		e := of
		switch {
		case p.Type == "text" && p.Text != "":
			e.Kind, e.Text = User, p.Text
			if l.Type == "assistant" {
				e.Kind = Agent
			}
			e.Block = s.block(e.Message, blockID(l.UUID, i))
		case p.Type == "tool_use":
			e.Kind, e.ID, e.Tool, e.Input = Call, p.ID, p.Name, p.Input
			if p.ID == "" { // without a name of its own it would be the one before
				e.Message = blockID(l.UUID, i)
			}
		case p.Type == "tool_result":
			e.Kind, e.ID, e.Text, e.Failed = Result, p.ToolUseID, p.Content.all(), p.IsError
		default:
			continue
		}
		entries = append(entries, e)
	}
	if u := l.Message.Usage; l.Type == "assistant" && u.Input+u.Output+u.Cached+u.Stored > 0 {
		of.Kind, of.Tokens = Usage, Tokens{Input: u.Input + u.Stored, Output: u.Output, Cached: u.Cached}
		entries = append(entries, of)
	}
	return entries, nil
}

// blockID names a block of a line; empty if the line has no name.
func blockID(line string, i int) string {
	if line == "" {
		return ""
	}
	return fmt.Sprint(line, "/", i)
}

func rootClaude(p *place) string { return p.root("CLAUDE_CONFIG_DIR", ".claude") }

func locateClaude(p *place) (sure, possible []Source) {
	root := rootClaude(p)
	ids := p.pidFiles(filepath.Join(root, "sessions"))
	sure, possible = p.project("claude", root, "", ids)
	if len(ids) > 0 && len(sure) == 0 { // the agent works in another folder by now
		for _, name := range p.names(filepath.Join(root, "projects")) {
			for _, id := range ids {
				sure = append(sure, p.existing("claude", filepath.Join(root, "projects", name, id.what+".jsonl"))...)
			}
		}
	}
	return sure, possible
}

// dashed is a path as Claude Code and Qwen Code name a folder after it.
func dashed(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}
