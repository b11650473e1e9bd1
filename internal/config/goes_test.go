package config

import (
	"slices"
	"testing"
)

// Every server that memory may be sent to is named.
func TestMemoryDestinations(t *testing.T) {
	ollama, openai := &Embedder{Provider: "ollama"}, &Embedder{Provider: "openai"}
	store := &VectorStore{URL: "http://q:6333"}
	for name, c := range map[string]struct {
		memory Memory
		want   []string
	}{
		"a file":                {Memory{Backend: MemoryBuiltin}, nil},
		"a file and a model":    {Memory{Backend: MemoryBuiltin, Embedder: ollama}, []string{"embedder: http://127.0.0.1:11434"}},
		"a named model":         {Memory{Backend: MemoryBuiltin, Embedder: &Embedder{Provider: "openai", URL: "http://m"}}, []string{"embedder: http://m"}},
		"Qdrant":                {Memory{Backend: MemoryQdrant}, []string{"Qdrant: http://localhost:6333"}},
		"a named Qdrant":        {Memory{Backend: MemoryQdrant, VectorStore: store, Embedder: openai}, []string{"Qdrant: http://q:6333", "embedder: https://api.openai.com/v1"}},
		"the platform":          {Memory{Backend: MemoryMem0}, []string{"mem0: https://api.mem0.ai"}},
		"a server of mem0":      {Memory{Backend: MemoryMem0, Mem0: &Mem0{URL: "http://m0"}, Embedder: ollama}, []string{"mem0: http://m0"}},
		"the library of mem0":   {Memory{Backend: MemoryMem0, VectorStore: store}, []string{"Qdrant: http://q:6333", "embedder, if $OPENAI_API_KEY is set: https://api.openai.com/v1"}},
		"mem0, as the keys are": {Memory{Backend: MemoryMem0, Embedder: ollama}, []string{"mem0, if $MEM0_API_KEY is set: https://api.mem0.ai", "Qdrant, if it is not: http://localhost:6333", "embedder: http://127.0.0.1:11434"}},
		"a handler":             {Memory{Backend: MemoryCustom}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range c.memory.Destinations() {
				got = append(got, d.By+": "+d.To)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}
