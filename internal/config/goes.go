package config

import (
	"cmp"
	"slices"

	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/internal/trust"
)

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

// destinations are those that the workspace's hookway.yaml names. What a script says
// when it runs is not among them.
func (l *loader) destinations() (out []trust.Destination) {
	add := func(d trust.Destination) {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	var handler *hookSpec
	if f := l.work.file; f != nil && f.memory != nil {
		for _, d := range f.memory.Destinations() {
			add(d)
		}
		handler = f.memory.hook
	}
	for _, f := range l.work.found {
		d := trust.Destination{What: "events", By: f.spec.id}
		switch h := f.spec.handler; {
		case f.spec.disabled:
			continue
		case h.web != nil:
			d.To = web.Label(h.web.URL)
		case h.rpc != nil:
			d.To = rpc.Label(h.rpc.Target)
		}
		if f.spec == handler {
			d.What, d.By = "memory", "handler"
			switch {
			case f.script != nil:
				d.To = f.source.shown(f.script.path)
			case f.module != nil:
				d.To = f.source.shown(f.module.File)
			case d.To == "":
				d.To = f.shown()
			}
		}
		if d.To != "" {
			add(d)
		}
	}
	return out
}
