package config

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// MemoryHooks are the hooks of memory itself.
type MemoryHooks struct {
	Inject hook.Handler // of SessionStart and AgentStart: tells what is remembered
	Save   hook.Handler // of AgentStop and PostCompact: keeps what was said
}

// MemoryRequest is the event by which a memory of one's own is asked. There is
// one where memory says backend: custom.
const MemoryRequest = "MemoryRequest"

// Destinations are where what is remembered goes beside the file of this machine.
// Whether a key is there is the matter of each call, so that both ways are told.
func (m *Memory) Destinations() (out []trust.Destination) {
	if m == nil {
		return nil
	}
	add := func(by, to string) { out = append(out, trust.Destination{What: "memory", To: to, By: by}) }
	embedder := m.Embedder
	switch m.Backend {
	case MemoryQdrant:
		add("Qdrant", m.qdrant())
	case MemoryMem0:
		server := m.Mem0
		if server == nil {
			server = &Mem0{}
		}
		switch key := cmp.Or(server.KeyEnv, "MEM0_API_KEY"); {
		case server.URL != "":
			add("mem0", server.URL)
			embedder = nil // it has its own
		case m.VectorStore != nil:
			add("Qdrant", m.qdrant())
			if embedder == nil {
				add("embedder, if $OPENAI_API_KEY is set", openAI)
			}
		case embedder != nil:
			add("mem0, if $"+key+" is set", mem0Platform)
			add("Qdrant, if it is not", m.qdrant())
		default:
			add("mem0", mem0Platform)
		}
	}
	if embedder != nil {
		to := openAI
		if embedder.Provider == "ollama" {
			to = "http://127.0.0.1:11434"
		}
		add("embedder", cmp.Or(embedder.URL, to))
	}
	return out
}

// Servers that are meant where none is named.
const (
	openAI       = "https://api.openai.com/v1"
	mem0Platform = "https://api.mem0.ai"
)

func (m *Memory) qdrant() string {
	if m.VectorStore != nil && m.VectorStore.URL != "" {
		return m.VectorStore.URL
	}
	return "http://localhost:6333"
}

// The backends of memory.
const (
	MemoryBuiltin = "builtin"
	MemoryMem0    = "mem0"
	MemoryQdrant  = "qdrant"
	MemoryCustom  = "custom"
)

// DefaultMemoryBudget is how many bytes of memories are told to an agent at once.
const DefaultMemoryBudget = 2000

// Memory is what a configuration says of memory: where it is kept, and what of it
// happens by itself. A workspace's stands in for the user's as a whole.
type Memory struct {
	Backend     string
	AutoSave    bool
	PromptOnEnd bool
	Inject      bool
	Budget      int // bytes of what is injected at once
	User        string
	Timeout     time.Duration // of a call; 0 is the backend's own
	Embedder    *Embedder
	VectorStore *VectorStore
	Mem0        *Mem0

	Place  string // where it is written
	Own    bool   // a workspace says it, for itself
	Broken string // why nobody knows where memories are: there is a mistake in it
}

// Embedder is a model that makes vectors of texts. No field holds a secret.
type Embedder struct {
	Provider, Model, URL string
	Dims                 int
	Prefix               *bool
	KeyEnv               string // the variable that has the key
}

// VectorStore is where vectors are kept.
type VectorStore struct{ Provider, URL, Collection, KeyEnv string }

// Mem0 is a server of mem0.
type Mem0 struct {
	URL, KeyEnv string
	Infer       bool
}

// memorySpec is "memory" as it is written.
type memorySpec struct {
	Memory
	node *yaml.Node
	keys map[string]*yaml.Node
	hook *hookSpec // its handler
}

var (
	memoryTable   table[memorySpec]
	embedderTable table[Embedder]
	vectorTable   table[VectorStore]
	mem0Table     table[Mem0]
	injectTable   table[memorySpec]
	nestedTable   table[memorySpec]
)

func memoryKeys() []key[memorySpec] { return memoryTable.get(makeMemoryKeys) }

func embedderKeys() []key[Embedder] { return embedderTable.get(makeEmbedderKeys) }

func vectorKeys() []key[VectorStore] { return vectorTable.get(makeVectorKeys) }

func mem0Keys() []key[Mem0] { return mem0Table.get(makeMem0Keys) }

func injectKeys() []key[memorySpec] { return injectTable.get(makeInjectKeys) }

func partOfMemory() []key[memorySpec] { return nestedTable.get(makePartsOfMemory) }

// makeMemoryKeys lists the keys of memory.
func makeMemoryKeys() []key[memorySpec] {
	flag := func(name, alias, doc string, into func(*memorySpec) *bool) key[memorySpec] {
		return key[memorySpec]{name: name, aliases: []string{alias}, doc: doc, shape: boolShape(),
			read: func(r *reader, n *yaml.Node, m *memorySpec) { *into(m), _ = r.Boolean(n, name) }}
	}
	own := []key[memorySpec]{
		choiceKey("backend", "Where memories are kept: builtin (a file on this machine; the default), mem0, qdrant, or custom, which is a hook of MemoryRequest.", []string{MemoryBuiltin, MemoryMem0, MemoryQdrant, MemoryCustom}, func(m *memorySpec, word string) { m.Backend = word }),
		flag("autoSave", "auto_save", "true keeps what agents say at the end of their turns and what is summed up when a conversation is compacted. Default: false.",
			func(m *memorySpec) *bool { return &m.AutoSave }),
		flag("promptOnEnd", "prompt_on_end", "true asks a wrapped agent at the end of its session to save what is worth keeping. Default: false.",
			func(m *memorySpec) *bool { return &m.PromptOnEnd }),
		{name: "inject", doc: "Tells agents what is remembered about their folder when they begin, and about each prompt: true, or a map with its budget. Default: false.",
			shape: schema{"anyOf": []schema{boolShape(), objectSchema(injectKeys())}}, read: readInject},
		nameKey("user", "Whose memories they are in mem0 and Qdrant: user_id. Default: the name of the user.", func(m *memorySpec) *string { return &m.User }),
		{name: "timeout", doc: "How long mem0, Qdrant or an embedder is waited for. Default: 10s.", shape: durationShape(),
			read: func(r *reader, n *yaml.Node, m *memorySpec) { m.Timeout, _ = r.Duration(n, "timeout", 10*time.Minute) }},
		{name: "handler", doc: "With custom: the handler that is asked, as a hook without id and on: {command: ./memory.py}.",
			shape: schema{"type": "object"}, read: readMemoryHandler},
		{name: "config", doc: "The parts vectorStore, embedder and mem0, as agent-relay nests them.", shape: objectSchema(partOfMemory()),
			read: func(r *reader, n *yaml.Node, m *memorySpec) { object(r, n, "memory.config", partOfMemory(), m) }},
	}
	return append(own, partOfMemory()...)
}

// makePartsOfMemory lists what may stand in memory and in memory.config.
func makePartsOfMemory() []key[memorySpec] {
	return []key[memorySpec]{
		{name: "embedder", doc: "The model that makes vectors of texts, for searching by meaning.", shape: refShape("embedder"),
			read: func(r *reader, n *yaml.Node, m *memorySpec) {
				m.Embedder = &Embedder{}
				if keys := object(r, n, "embedder", embedderKeys(), m.Embedder); keys != nil && keys["provider"] == nil {
					r.Fail(n, "write embedder: {provider: ollama, model: nomic-embed-text}", "the embedder has no provider")
				}
			}},
		{name: "vectorStore", aliases: []string{"vector_store"}, doc: "The Qdrant that keeps the memories.", shape: refShape("vectorStore"),
			read: func(r *reader, n *yaml.Node, m *memorySpec) {
				m.VectorStore = &VectorStore{Provider: "qdrant"}
				object(r, n, "vectorStore", vectorKeys(), m.VectorStore)
			}},
		{name: "mem0", doc: "The server of mem0. Without a url it is the platform.", shape: refShape("mem0"),
			read: func(r *reader, n *yaml.Node, m *memorySpec) {
				m.Mem0 = &Mem0{}
				object(r, n, "mem0", mem0Keys(), m.Mem0)
			}},
	}
}

func makeEmbedderKeys() []key[Embedder] {
	return []key[Embedder]{
		choiceKey("provider", "ollama, or openai for every server that speaks like it.", []string{"ollama", "openai"}, func(e *Embedder, word string) { e.Provider = word }),
		textKey("model", "The model. Default: nomic-embed-text, or text-embedding-3-small.", func(e *Embedder) *string { return &e.Model }),
		{name: "url", doc: "Where it is. Default: http://127.0.0.1:11434, or https://api.openai.com/v1.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, e *Embedder) { e.URL = r.server(n, "url") }},
		integerKey("dims", "How many numbers a vector has. Default: what the model gives.", 1, 8192, func(e *Embedder) *int { return &e.Dims }),
		{name: "prefix", doc: "Whether questions and texts are told apart for the model (search_query:, search_document:). Default: as the model wants it; false where mem0 shares the collection.", shape: boolShape(),
			read: func(r *reader, n *yaml.Node, e *Embedder) {
				if on, ok := r.Boolean(n, "prefix"); ok {
					e.Prefix = &on
				}
			}},
		variableKey("api_key_env", "The variable of the environment that has the key. Default: OPENAI_API_KEY with openai.", func(e *Embedder) *string { return &e.KeyEnv }).as("apiKeyEnv"),
	}
}

func makeVectorKeys() []key[VectorStore] {
	return []key[VectorStore]{
		choiceKey("provider", "qdrant.", []string{"qdrant"}, func(v *VectorStore, word string) { v.Provider = word }),
		{name: "url", doc: "Where it is. Default: http://localhost:6333.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, v *VectorStore) { v.URL = r.server(n, "url") }},
		nameKey("collection", "The collection. Default: hookway, or mem0 where the backend is that.", func(v *VectorStore) *string { return &v.Collection }).as("collectionName", "collection_name"),
		variableKey("api_key_env", "The variable of the environment that has the key. Default: QDRANT_API_KEY.", func(v *VectorStore) *string { return &v.KeyEnv }).as("apiKeyEnv"),
	}
}

func makeMem0Keys() []key[Mem0] {
	return []key[Mem0]{
		{name: "url", doc: "Where a server of one's own is. Default: the platform.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, m *Mem0) { m.URL = r.server(n, "url") }},
		variableKey("api_key_env", "The variable of the environment that has the key. Default: MEM0_API_KEY.", func(m *Mem0) *string { return &m.KeyEnv }).as("apiKeyEnv"),
		boolKey("infer", "true has a model of mem0 make facts of what is saved; false keeps it as it is said. Default: false.", func(m *Mem0) *bool { return &m.Infer }),
	}
}

func makeInjectKeys() []key[memorySpec] {
	return []key[memorySpec]{
		integerKey("budget", "How many bytes of memories are told at once. Default: 2000.", 100, 9000, func(m *memorySpec) *int { return &m.Budget }),
	}
}

// readInject reads true, false or a map.
func readInject(r *reader, n *yaml.Node, m *memorySpec) {
	node, ok := r.Enter(n)
	switch {
	case !ok:
	case node.Kind == yaml.ScalarNode:
		m.Inject, _ = r.Boolean(n, "inject")
	default:
		m.Inject = true
		object(r, n, "inject", injectKeys(), m)
	}
}

// readMemoryHandler reads a hook that says neither its name nor its event.
func readMemoryHandler(r *reader, n *yaml.Node, m *memorySpec) {
	h := &hookSpec{node: n, id: "memory", on: []strict.Entry{{Text: MemoryRequest, Node: n}}}
	r.Hook = h.id
	h.keys = object(r, n, "memory.handler", hookKeys(), h)
	r.Hook = ""
	if h.keys == nil {
		return
	}
	for _, name := range []string{"id", "on"} {
		if at := h.keys[name]; at != nil {
			r.Fail(at, "take it out, or write a hook of MemoryRequest under hooks:", "%s is given already for the handler of memory", name)
		}
		h.keys[name] = n
	}
	m.hook = h
}

// server reads the URL of a server. A password in it would be a secret in a file.
func (r *reader) server(n *yaml.Node, what string) string {
	text, ok := r.Text(n, what)
	if !ok {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		r.Fail(n, "write it as http://localhost:6333", "%s is not an http or https URL", what)
	case u.User != nil:
		r.Fail(n, "put the key into a variable of the environment, and name that with api_key_env", "%s holds a name or a password", what)
	case u.RawQuery != "" || u.Fragment != "":
		r.Fail(n, "take what begins with ? or # out", "%s is not a plain URL", what)
	default:
		return strings.TrimRight(text, "/")
	}
	return ""
}

// readMemory reads memory as a whole; nil if it is not a map.
func readMemory(r *reader, n *yaml.Node) *memorySpec {
	m := &memorySpec{node: n}
	m.Budget, m.Backend = DefaultMemoryBudget, MemoryBuiltin
	if m.keys = object(r, n, "memory", memoryKeys(), m); m.keys == nil {
		return nil
	}
	belongs := func(name string, here bool, backends ...string) {
		if here && !slices.Contains(backends, m.Backend) {
			at := m.keys[name]
			if at == nil {
				at = n // in config
			}
			r.Fail(at, "write backend: "+strict.OneOf(backends)+", or take it out", "%s does not belong to the backend %s", name, m.Backend)
		}
	}
	if m.Backend == "" { // a mistake that was told
		return m
	}
	belongs("vectorStore", m.VectorStore != nil, MemoryQdrant, MemoryMem0)
	belongs("mem0", m.Mem0 != nil, MemoryMem0)
	belongs("embedder", m.Embedder != nil, MemoryBuiltin, MemoryQdrant, MemoryMem0)
	belongs("handler", m.hook != nil, MemoryCustom)
	if m.Mem0 != nil && m.VectorStore != nil {
		r.Fail(n, "name the server of mem0, or the vector store that its library would use", "mem0 and vectorStore are two places for the same memories")
	}
	return m
}
