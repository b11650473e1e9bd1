package config

import (
	"slices"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// Settings are what a configuration says beside its hooks. A trusted
// workspace's go before the user's.
type Settings struct {
	AskFallback   hook.Action // ActionBlock or ActionAllow
	MaxContinues  int
	MaxHooks      int
	IdleThreshold time.Duration
	Memory        *Memory // nil: nothing is said of it
	Guards        *Guards // nil: hookway's own rules are off

	// Redact names what the audit log never holds. Every file adds to it, also
	// one with mistakes and one that nobody trusts: it can only hide more.
	Redact []string
}

// take lays a file's settings over what was there.
func (s *Settings) take(f *fileSpec) {
	if f.askFallback != nil {
		s.AskFallback = *f.askFallback
	}
	if f.maxContinues != nil {
		s.MaxContinues = *f.maxContinues
	}
	if f.maxHooks != nil {
		s.MaxHooks = *f.maxHooks
	}
	if f.idle != nil {
		s.IdleThreshold = *f.idle
	}
}

// maxRedact bounds how many names are hidden: each is looked for in every text
// of a record, and a workspace that nobody trusts may name some.
const maxRedact = 200

// hide adds to what is never recorded.
func (s *Settings) hide(names []string) {
	for _, name := range names {
		if !slices.Contains(s.Redact, name) && len(s.Redact) < maxRedact {
			s.Redact = append(slices.Clip(s.Redact), name)
		}
	}
}

var rootTable table[fileSpec]

func rootKeys() []key[fileSpec] { return rootTable.get(makeRootKeys) }

var eventTable table[eventSpec]

func eventKeys() []key[eventSpec] { return eventTable.get(makeEventKeys) }

// Defaults of the settings.
const (
	DefaultMaxHooks      = 100
	DefaultIdleThreshold = 30 * time.Second
)

// fileSpec is one hookway.yaml as it is written.
type fileSpec struct {
	unread       bool // it is not YAML
	hooks        []*hookSpec
	events       []*eventSpec
	imports      []string
	tools        []strict.Word // that matchers name
	sources      []strict.Word
	agents       []strict.Word
	tokens       []strict.Word // where budgets count them, and of which agent
	askFallback  *hook.Action
	maxContinues *int
	maxHooks     *int
	idle         *time.Duration
	redact       []string
	trial        *bool // mode: of all hooks that say none themselves
	audit        *auditSpec
	memory       *memorySpec
	gateway      *gatewaySpec
	guards       *guardsSpec
	relay        *relaySpec
	approvals    *approvalsSpec
}

// makeRootKeys lists the keys of a file.
func makeRootKeys() []key[fileSpec] {
	return []key[fileSpec]{
		{name: "version", doc: "Version of the format: 1.", shape: schema{"const": 1},
			read: func(r *reader, n *yaml.Node, _ *fileSpec) {
				if v, ok := r.Integer(n, "version", 0, 1<<31); ok && v != 1 {
					r.Fail(n, "write version: 1, or use a newer hookway", "version %d of the format is unknown", v)
				}
			}},
		{name: "hooks", doc: "The hooks, in the order in which they run among equal priorities.", shape: listShape(refShape("hook")),
			read: readHooks},
		choiceKey("mode", "monitor: no hook of this configuration that says no mode itself counts; the record says what it would have done. Default: enforce.", []string{"monitor", "enforce"}, func(f *fileSpec, word string) {
			trial := word == "monitor"
			f.trial = &trial
		}),
		{name: "import", doc: "Hooks of another system that are used here: claude reads Claude Code's own settings.json.",
			shape: schema{"anyOf": []schema{choiceShape(importClaude), {"type": "array", "items": choiceShape(importClaude)}}},
			read:  readImports},
		{name: "events", doc: "Events of your own, to be fired with `hookway fire`.", shape: listShape(refShape("event")),
			read: func(r *reader, n *yaml.Node, f *fileSpec) {
				list(r, n, "events", func(_ int, item *yaml.Node) { r.readEvent(item, f) })
			}},
		choiceKey("ask_fallback", "What an ask becomes where nobody can be asked. A project's allow is about its own hooks only. Default: block.", []string{"block", "allow"}, func(f *fileSpec, word string) {
			action, _ := hook.ParseAction(word)
			f.askFallback = &action
		}),
		numberKey("max_continues", "How often in a row hooks may make an agent go on when it wants to stop. Default: 10.", 1, 1000, func(f *fileSpec) **int { return &f.maxContinues }),
		numberKey("max_hooks", "How many executables of one hooks folder are used. Default: 100.", 1, 10_000, func(f *fileSpec) **int { return &f.maxHooks }),
		durationKey("idle_threshold", "How long a wrapped program must be silent for an Idle event. Default: 30s.", func(f *fileSpec) **time.Duration { return &f.idle }),
		{name: "redact", doc: "What the audit log never holds, of the user's file and the workspace's: ssn at any depth and in texts, tool_input as a whole, tool_input.content at that place.",
			shape: textsShape(),
			read:  func(r *reader, n *yaml.Node, f *fileSpec) { f.redact = append(f.redact, readRedact(r, n)...) }},
		{name: "memory", doc: "Where memories are kept, and what of it happens by itself. A trusted workspace's stands in for the user's as a whole.", shape: refShape("memory"),
			read: func(r *reader, n *yaml.Node, f *fileSpec) { f.takeMemory(readMemory(r, n)) }},
		{name: "guards", doc: "Hookway's own rules over what a call would do. A trusted workspace's make the user's stricter, never milder.", shape: schema{"anyOf": []schema{refShape("guards"), {"type": "null"}}},
			read: func(r *reader, n *yaml.Node, f *fileSpec) { f.guards = readGuards(r, n) }},
		{name: "audit", doc: "How much of the audit log is kept. Only the user's configuration may say it.", shape: refShape("audit"),
			read: func(r *reader, n *yaml.Node, f *fileSpec) {
				f.audit = &auditSpec{node: n}
				object(r, n, "audit", auditKeys(), f.audit)
			}},
		{name: "gateway", doc: "What comes in from services outside and what is told to them. Only the user's configuration may say it.", shape: refShape("gateway"),
			read: func(r *reader, n *yaml.Node, f *fileSpec) {
				g, hooks := readGateway(r, n)
				f.gateway, f.hooks = g, append(f.hooks, hooks...)
			}},
		{name: "relay", doc: "How messages between agents travel. Only the user's configuration may say it.", shape: refShape("relay"),
			read: func(r *reader, n *yaml.Node, f *fileSpec) { f.relay = readRelay(r, n) }},
		{name: "approvals", doc: "How an ask reaches a person. Only the user's configuration, and an administrator's, may say it.", shape: refShape("approvals"),
			read: func(r *reader, n *yaml.Node, f *fileSpec) {
				f.approvals = &approvalsSpec{node: n}
				object(r, n, "approvals", approvalsKeys(), f.approvals)
			}},
	}
}

func readHooks(r *reader, n *yaml.Node, f *fileSpec) {
	list(r, n, "hooks", func(_ int, item *yaml.Node) {
		if h := r.readHook(item); h != nil {
			f.hooks = append(f.hooks, h)
		}
	})
}

func readImports(r *reader, n *yaml.Node, f *fileSpec) {
	for _, e := range r.Texts(n, "import") {
		if word, ok := r.Choice(e.Node, "import", importClaude); ok {
			f.imports = append(f.imports, word)
		}
	}
}

// takeMemory takes what the file says of memory, with its event and its handler.
func (f *fileSpec) takeMemory(m *memorySpec) {
	if f.memory = m; m == nil {
		return
	}
	if m.Backend == MemoryCustom {
		f.events = append(f.events, &eventSpec{node: m.node, name: MemoryRequest, may: &hook.May{Answer: true, Block: true}})
	}
	if m.hook != nil {
		f.hooks = append(f.hooks, m.hook)
	}
}

// eventSpec is an event that a file defines.
type eventSpec struct {
	node    *yaml.Node
	name    string
	aliases []string
	may     *hook.May // nil: not said
}

var mayWords = []string{"change", "allow", "ask", "block", "retry", "answer", "inject"}

// makeEventKeys lists the keys of an event of one's own.
func makeEventKeys() []key[eventSpec] {
	return []key[eventSpec]{
		{name: "name", doc: "The event's name.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, e *eventSpec) { e.name, _ = r.Name(n, "the name of an event") }},
		{name: "aliases", doc: "Other names for it.", shape: textsShape(),
			read: func(r *reader, n *yaml.Node, e *eventSpec) {
				for _, a := range r.Texts(n, "aliases") {
					if s, ok := r.Name(a.Node, "an alias"); ok {
						e.aliases = append(e.aliases, s)
					}
				}
			}},
		{name: "may", doc: "What hooks of the event may decide; an empty list is nothing. Default: everything.",
			shape: schema{"anyOf": []schema{choiceShape(mayWords...), {"type": "array", "items": choiceShape(mayWords...)}}},
			read: func(r *reader, n *yaml.Node, e *eventSpec) {
				e.may = new(hook.May)
				if node, ok := r.Enter(n); ok && node.Kind == yaml.SequenceNode && len(node.Content) == 0 {
					return
				}
				for _, w := range r.Texts(n, "may") {
					if word, ok := r.Choice(w.Node, "may", mayWords...); ok {
						e.allow(word)
					}
				}
			}},
	}
}

func (e *eventSpec) allow(word string) {
	switch word {
	case "change":
		e.may.Change = []string{"*"}
	case "allow":
		e.may.Allow = true
	case "ask":
		e.may.Ask = true
	case "block":
		e.may.Block = true
	case "retry":
		e.may.Retry = true
	case "answer":
		e.may.Answer = true
	case "inject":
		e.may.Inject = true
	}
}

func (e *eventSpec) info() *hook.EventInfo { return hook.Custom(e.name, *e.may, e.aliases...) }

func (r *reader) readEvent(n *yaml.Node, f *fileSpec) {
	e := &eventSpec{node: n}
	found := object(r, n, "an event", eventKeys(), e)
	if e.may == nil { // as hook.Define has it
		e.may = &hook.May{Change: []string{"*"}, Allow: true, Ask: true, Block: true, Retry: true, Answer: true, Inject: true}
	}
	if found != nil && found["name"] == nil {
		r.Fail(n, "give it a name:", "an event has no name")
	}
	if e.name != "" {
		f.events = append(f.events, e)
	}
}

// Claude Code keeps hooks of its own in settings.json. With `import: claude` they
// run here, under every agent but itself, where they would run twice.

// importClaude is the word for Claude Code's hooks.
const importClaude = "claude"
