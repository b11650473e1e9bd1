// Package post is the way on which every message leaves and is handed out, so
// that hooks see each of them, whoever sends it: a terminal's agent, a command,
// an MCP tool, a program over HTTP.
//
// Send asks the hooks of MessageSending first, gives what they made of the
// message to the store, and tells those of MessageSent what became of it for each
// receiver. Collect is the other end: what waits for an agent goes through the
// hooks of MessageReceived, and is claimed, so that it is handed out once.
package post

import (
	"context"
	"maps"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
)

// Hooks are those of the one who sends or gets a message.
type Hooks interface {
	// Sending fires MessageSending. The error means that the hooks did not finish.
	Sending(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error)

	// Sent fires MessageSent, which may only be observed.
	Sent(ctx context.Context, d hook.Delivery)

	// Received fires MessageReceived. The error means that the hooks did not finish.
	Received(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error)
}

// ForHooks is a message as hooks see it. The direction is sending, sent or
// received.
func ForHooks(m relay.Message, direction string) hook.Message {
	seen := hook.Message{
		ID: m.ID, From: m.From, To: m.To, Thread: m.Thread, ReplyTo: m.ReplyTo, Content: m.Content, Direction: direction, Metadata: m.Metadata,
	}
	if m.Priority != relay.PriorityNormal {
		seen.Priority = string(m.Priority)
	}
	if _, told := m.Metadata["urgent"]; !told && m.Priority == relay.PriorityUrgent { // hooks may look at either
		seen.Metadata = maps.Clone(m.Metadata)
		if seen.Metadata == nil {
			seen.Metadata = map[string]any{}
		}
		seen.Metadata["urgent"] = true
	}
	for _, a := range m.Attachments {
		seen.Attachments = append(seen.Attachments, hook.Attachment(a))
	}
	if len(m.To) > 1 && m.To[0] == '#' {
		seen.Channel = m.To[1:]
	}
	return seen
}
