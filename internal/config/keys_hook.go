package config

import (
	"encoding/json"
	"math"
	"time"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// hookSpec is one hook as it is written.
type hookSpec struct {
	node *yaml.Node            // its map
	keys map[string]*yaml.Node // the keys that it has, by canonical name

	id          string
	on          []strict.Entry
	events      []*hook.EventInfo // of on, found
	every       bool              // on has "*"
	told        map[string]string // canonical event name → Claude Code's own, if on says so
	match       hook.Match
	lane        hook.Lane
	async       bool
	priority    *int
	timeout     *time.Duration
	retries     int
	onFail      hook.Failure
	profile     *hook.Profile
	queue       int
	override    bool
	disabled    bool
	description string
	env         []string
	needs       []string
	cwd         string
	worker      bool
	byNode      bool            // its script is run by Node
	plugin      bool            // its script is called as OpenClaw calls a hook's handler
	grants      []script.Grant  // allow as a list; nil: it is none
	settings    json.RawMessage // config: of a script

	handler handlerSpec
	claude  *claudehooks.Hook // it is imported
	webhook *webhookAs        // of a webhook that is told
}

// makeHookKeys lists the keys of a hook.
func makeHookKeys() []key[hookSpec] {
	return append(append(whenKeys(), howKeys()...), handlerKeys()...)
}

// whenKeys say what the hook is and which events it wants.
func whenKeys() []key[hookSpec] {
	return []key[hookSpec]{
		{name: "id", doc: "Names the hook; unique in its file.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.id, _ = r.Name(n, "id") }},
		{name: "on", doc: "The events: one name or a list; aliases are welcome; \"*\" is every event.", shape: eventShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.on = r.Texts(n, "on") }},
		{name: "match", doc: "Which of these events; all given fields must hold.", shape: refShape("match"),
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.match, _ = r.readMatch(n, "match") }},
		{name: "description", doc: "What the hook is for; shown by `hookway list`.", shape: schema{"type": "string"},
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.description, _ = r.Text(n, "description") }},
		{name: "enabled", doc: "false switches the hook off. Default: true.", shape: boolShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				on, ok := r.Boolean(n, "enabled")
				h.disabled = ok && !on
			}},
	}
}

// howKeys say how the hook is run.
func howKeys() []key[hookSpec] {
	return []key[hookSpec]{
		{name: "lane", doc: "transform (default): may change; guard: judges the final payload; observe: only watches.", shape: choiceShape("transform", "guard", "observe"),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if word, ok := r.Choice(n, "lane", "transform", "guard", "observe"); ok {
					h.lane, _ = hook.ParseLane(word)
				}
			}},
		{name: "async", doc: "true puts the hook into the observe lane.", shape: boolShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.async, _ = r.Boolean(n, "async") }},
		{name: "priority", doc: "Order inside the lane: lower first. Default: 100, or the profile's.", shape: integerShape(math.MinInt32, math.MaxInt32),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				h.priority = number(r, n, "priority", math.MinInt32, math.MaxInt32)
			}},
		{name: "timeout", doc: "Time for one call with all its tries, as 500ms or 2m; 0 is none. Default: 30s.", shape: durationShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if d, ok := r.Duration(n, "timeout", hook.MaxTimeout); ok {
					h.timeout = &d
				}
			}},
		{name: "timeout_ms", doc: "The timeout in milliseconds; 0 is none.", shape: integerShape(0, hook.MaxTimeout.Milliseconds()),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if ms, ok := r.Integer(n, "timeout_ms", 0, hook.MaxTimeout.Milliseconds()); ok {
					d := time.Duration(ms) * time.Millisecond
					h.timeout = &d
				}
			}},
		{name: "max_retries", doc: "Further tries after a failure, inside the same timeout. Default: 0.", shape: integerShape(0, hook.MaxRetries),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				h.retries, _ = r.Integer(n, "max_retries", 0, hook.MaxRetries)
			}},
		{name: "on_failure", doc: "What a failure of the hook does. Default: block for guards, continue for all others.", shape: choiceShape("continue", "block"),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if word, ok := r.Choice(n, "on_failure", "continue", "block"); ok {
					h.onFail, _ = hook.ParseFailure(word)
				}
			}},
		{name: "profile", doc: "The habits of the system that the hook was written for.", shape: choiceShape(profileNames()...),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if word, ok := r.Choice(n, "profile", profileNames()...); ok {
					p, _ := hook.ParseProfile(word)
					h.profile = &p
				}
			}},
		{name: "override", doc: "Directive only: true switches hookway's own handling of the matched namespace off. Default: false.", shape: boolShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.override, _ = r.Boolean(n, "override") }},
		{name: "queue", doc: "Observe lane: how many events the hook may be behind. Default: 64.", shape: integerShape(1, maxQueue),
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.queue, _ = r.Integer(n, "queue", 1, maxQueue) }},
	}
}

// maxQueue bounds what an observe hook may be behind.
const maxQueue = 65_536
