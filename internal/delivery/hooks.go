package delivery

import (
	"context"
	"maps"
	"strconv"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/environ"
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
	if _, marked := m.Metadata["urgent"]; !marked && m.Priority == relay.PriorityUrgent { // hooks may look at either
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

const hopsVariable = "HOOKWAY_HOPS"

// mostHops bounds what an environment may tell; a store refuses long before that.
const mostHops = 1 << 20

// Passing is a context for the hooks that are asked about a message: what their
// programs send is that message, passed on once more.
func Passing(ctx context.Context, m relay.Message) context.Context {
	return WithHops(ctx, m.Hops+1)
}

// WithHops is a context for hooks that send what was passed on so often.
func WithHops(ctx context.Context, hops int) context.Context {
	return environ.Add(context.WithValue(ctx, hopsKey{}, hops), hopsVariable+"="+strconv.Itoa(hops))
}

// hopsKey finds in a context what WithHops says.
type hopsKey struct{}

// HopsIn is how often what hooks send under a context was passed on.
func HopsIn(ctx context.Context) int {
	hops, _ := ctx.Value(hopsKey{}).(int)
	return hops
}

// ByHook reports whether what is sent in an environment is sent by a hook: no
// person stands behind each message.
func ByHook(getenv func(string) string) bool {
	return environ.Depth(getenv(environ.DepthVariable)) > 0 || HopsOf(getenv) > 0
}

// HopsOf is how often what is sent in an environment was passed on; it is 0 outside
// of hooks. Anything but a number counts as none.
func HopsOf(getenv func(string) string) int {
	n, err := strconv.Atoi(getenv(hopsVariable))
	if err != nil {
		return 0
	}
	return min(max(0, n), mostHops)
}
