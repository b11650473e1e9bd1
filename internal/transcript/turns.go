package transcript

import (
	"encoding/json"
	"time"
)

// Turn is what the user said, and all that the agent did until the user spoke again.
type Turn struct {
	Began  time.Time
	User   string // empty: the agent began by itself
	Texts  []Text
	Calls  []ToolCall
	Model  string
	Tokens Tokens
}

// Text is a text of the agent.
type Text struct {
	Message string
	Block   int
	Text    string
	Sub     bool
}

// ToolCall is a call of a tool, with what came of it.
type ToolCall struct {
	ID     string
	Tool   string
	Input  json.RawMessage
	Output string
	Failed bool
	Done   bool // the record has its result
	Sub    bool
}

// Turns puts entries together. Entries that came later take the place of those with
// the same message and block.
func Turns(entries []Entry) []Turn {
	var b builder
	for _, e := range entries {
		b.add(e)
	}
	return b.turns
}

type builder struct {
	turns []Turn
	texts map[string]spot
	calls map[string]spot
	costs map[string]Tokens // of messages of the last turn
}

// spot is which turn, and which of its texts or calls.
type spot struct{ turn, at int }

func (b *builder) last() *Turn { return &b.turns[len(b.turns)-1] }

func (b *builder) begin(e Entry) {
	b.turns = append(b.turns, Turn{Began: e.Time})
	b.costs = map[string]Tokens{}
	if b.texts == nil {
		b.texts, b.calls = map[string]spot{}, map[string]spot{}
	}
}

func (b *builder) add(e Entry) {
	if e.Hidden {
		return
	}
	if e.Kind == User && !e.Sub || len(b.turns) == 0 {
		b.begin(e)
	}
	turn := b.last()
	if e.Model != "" && !e.Sub {
		turn.Model = e.Model
	}
	switch e.Kind {
	case User:
		if !e.Sub {
			turn.User = e.Text
		}
	case Agent:
		b.text(turn, e)
	case Call:
		if _, known := b.calls[e.ID]; !known {
			b.calls[e.ID] = spot{len(b.turns) - 1, len(turn.Calls)}
			turn.Calls = append(turn.Calls, ToolCall{ID: e.ID, Tool: e.Tool, Input: e.Input, Sub: e.Sub})
		}
	case Result:
		if at, known := b.calls[e.ID]; known {
			c := &b.turns[at.turn].Calls[at.at]
			c.Output, c.Failed, c.Done = e.Text, e.Failed, true
		}
	case Usage:
		b.costs[e.Message] = e.Tokens
		turn.Tokens = Tokens{}
		for _, t := range b.costs {
			turn.Tokens = turn.Tokens.plus(t)
		}
	}
}

func (b *builder) text(turn *Turn, e Entry) {
	key := e.key()
	if at, known := b.texts[key]; known {
		b.turns[at.turn].Texts[at.at].Text = e.Text
		return
	}
	b.texts[key] = spot{len(b.turns) - 1, len(turn.Texts)}
	turn.Texts = append(turn.Texts, Text{Message: e.Message, Block: e.Block, Text: e.Text, Sub: e.Sub})
}
