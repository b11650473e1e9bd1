package timeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/visible"
)

// record adds a record: to the call that it is about, or as an item of its own.
func (b *builder) record(r *audit.Record) {
	if r.Action == audit.Repeat {
		return
	}
	at, known := b.calls[r.ToolUseID]
	known = known && r.ToolUseID != "" && at < len(b.items)
	switch r.Event {
	case "PreToolUse", "PermissionRequest":
		if !known {
			at = len(b.items)
			if !b.add(Item{ID: cmp.Or(r.ToolUseID, fmt.Sprint("record-", r.Seq)), At: r.Time, Lane: "main", Kind: Call, Tool: r.Tool, Title: r.What}) {
				return
			}
			if r.ToolUseID != "" {
				b.calls[r.ToolUseID] = at
			}
		}
		b.items[at].decided(r)
		return
	case "PostToolUse", "PostToolUseFailure":
		if known && r.Action != "block" {
			b.items[at].ended(r)
			return
		}
	}
	item := Item{ID: fmt.Sprint("record-", r.Seq), At: r.Time, Lane: "main", Kind: kindOf(r), Tool: r.Tool, Title: cmp.Or(r.What, r.Event)}
	if b.main && r.Would == "" && (r.Action == "continue" || r.Action == audit.Observed) && (item.Kind == Prompt || item.Kind == Answer) {
		return // the transcript tells it
	}
	if item.Kind == Prompt || item.Kind == Answer {
		item.Title, item.Text = "", r.What
	}
	item.decided(r)
	b.add(item)
}

// kindOf is the kind of a record that is about no call.
func kindOf(r *audit.Record) string {
	switch r.Event {
	case "AgentStart":
		return Prompt
	case "AgentStop":
		return Answer
	case "PreCompact", "PostCompact":
		return Compact
	case "MessageReceived", "MessageSending", "MessageSent":
		return Message
	case audit.Approval:
		return Approval
	}
	return Decision
}

// decided adds what hooks decided.
func (i *Item) decided(r *audit.Record) {
	if r.Action == audit.Untaken {
		i.Action, i.Text = audit.Untaken, cmp.Or(r.Reason, i.Text)
		return
	}
	i.Record, i.Action, i.By, i.Rule, i.Would = r.Seq, r.Action, r.By, r.Rule, r.Would
	if i.DurationMS == 0 && i.Kind != Call {
		i.DurationMS = r.DurationMS
	}
	if i.Title == "" && i.input == nil {
		i.Title = r.What
	}
	if i.Text == "" {
		i.Text = r.Reason
	}
}

// ended adds when a call ended.
func (i *Item) ended(r *audit.Record) {
	if i.End.IsZero() {
		i.End = r.Time
		if r.Time.After(i.At) {
			i.DurationMS = float64(r.Time.Sub(i.At).Microseconds()) / 1e3
		}
	}
	i.Failed = i.Failed || r.Event == "PostToolUseFailure"
}

// What is told of a text, in letters.
const (
	toldTitle = 300
	toldText  = 2000
	toldGiven = 500 // of what a call gave
	toldLane  = 80
)

// told is the item as it is told: without secrets.
func (i Item) told(hide *audit.Hider) Item {
	if i.secret {
		member := "tool_response"
		switch i.Kind {
		case Prompt, Note:
			member = "prompt"
		case Answer:
			member = "last_message"
		}
		i.Text = hide.Text(member, i.Text)
	}
	if i.input != nil {
		i.Title = titleOf(hide, i.input)
	}
	most := toldText
	if i.Kind == Call {
		most = toldGiven
	}
	i.Title, i.Text = visible.Clip(i.Title, toldTitle), visible.Clip(i.Text, most)
	i.At, i.End = i.At.UTC(), utc(i.End)
	return i
}

// told is the lane as it is told: a sub-agent is called by what it was told, without secrets.
func (l Lane) told(hide *audit.Hider) Lane {
	if task := strings.TrimSpace(hide.Text("prompt", l.task)); task != "" {
		first, _, _ := strings.Cut(task, "\n")
		l.Name = visible.Clip(first, toldLane)
	}
	return l
}

func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}

// titles are the members of an input that say what a call is about.
var titles = []string{"command", "cmd", "file_path", "filePath", "path", "notebook_path", "pattern", "query", "url", "description", "prompt"}

// titleOf is what a call is about.
func titleOf(hide *audit.Hider, input []byte) string {
	var members map[string]any
	if json.Unmarshal(input, &members) != nil {
		return hide.Text("tool_input", strings.Trim(string(input), `"`))
	}
	members = hide.Input(members)
	for _, name := range titles {
		switch v := members[name].(type) {
		case string:
			if v != "" {
				return v
			}
		case []any:
			if len(v) > 0 {
				return strings.Trim(fmt.Sprint(v), "[]")
			}
		}
	}
	if text, err := json.Marshal(members); err == nil && len(members) > 0 {
		return string(text)
	}
	return ""
}
