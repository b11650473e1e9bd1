package config

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// TestMemoryOfTheSeedsMeansWhatItSays: the block of seed 000, as it is written.
func TestMemoryOfTheSeedsMeansWhatItSays(t *testing.T) {
	p := plant(t, "relay.config.ts", seed(t, "relay-full-memory.ts"))
	m := p.set.Settings.Memory
	if m == nil {
		t.Fatal("nothing is said of memory")
	}
	if m.Backend != MemoryMem0 || !reflect.DeepEqual(m.VectorStore, &VectorStore{Provider: "qdrant", URL: "http://localhost:6333"}) || !reflect.DeepEqual(m.Embedder, &Embedder{Provider: "ollama", Model: "nomic-embed-text"}) {
		t.Errorf("%+v", m)
	} else if m.Inject || m.AutoSave {
		t.Errorf("got %+v, want !m.Inject and !m.AutoSave", m)
	}
}

// TestMemoryInYAML: all keys arrive, also nested and under their other names.
func TestMemoryInYAML(t *testing.T) {
	no := false
	for text, want := range map[string]Memory{
		"memory: {}": {Backend: MemoryBuiltin, Budget: DefaultMemoryBudget},
		"memory: {autoSave: true, prompt_on_end: true, inject: true, embedder: {provider: openai, url: 'https://x/v1/', dims: 64, prefix: false, api_key_env: K_1}}": {
			Backend: MemoryBuiltin, Budget: DefaultMemoryBudget, AutoSave: true, PromptOnEnd: true, Inject: true,
			Embedder: &Embedder{Provider: "openai", URL: "https://x/v1", Dims: 64, Prefix: &no, KeyEnv: "K_1"}},
		"memory: {backend: qdrant, user: ann, timeout: 3s, inject: {budget: 500}, config: {vector_store: {url: 'http://q:6333', collectionName: c, apiKeyEnv: Q}}}": {
			Backend: MemoryQdrant, Budget: 500, Inject: true, User: "ann", Timeout: 3 * time.Second,
			VectorStore: &VectorStore{Provider: "qdrant", URL: "http://q:6333", Collection: "c", KeyEnv: "Q"}},
		"memory: {backend: mem0, mem0: {url: 'http://m:8888', infer: true}}": {Backend: MemoryMem0, Budget: DefaultMemoryBudget, Mem0: &Mem0{URL: "http://m:8888", Infer: true}},
	} {
		spec, problems := parse("f.yaml", []byte(text), new(hook.Engine))
		if len(problems) > 0 || spec.memory == nil || !reflect.DeepEqual(spec.memory.Memory, want) {
			t.Errorf("%s\n%+v %s", text, spec.memory, problems)
		}
	}
}

// TestMistakesInMemory: each is told at its place, and no secret is shown.
func TestMistakesInMemory(t *testing.T) {
	for text, says := range map[string]string{
		"memory: []":                                                            "memory must be a map",
		"memory: {backend: qdrnt}":                                              "did you mean qdrant?",
		"memory: {vectorstor: {}}":                                              "did you mean vectorStore?",
		"memory: {vectorStore: {}}":                                             "vectorStore does not belong to the backend builtin",
		"memory: {backend: custom, mem0: {}}":                                   "mem0 does not belong to the backend custom",
		"memory: {handler: {command: ./x}}":                                     "handler does not belong to the backend builtin",
		"memory: {embedder: {model: x}}":                                        "the embedder has no provider",
		"memory: {embedder: {provider: olama}}":                                 "did you mean ollama?",
		"memory: {embedder: {provider: ollama, url: 'localhost:11434'}}":        "is not an http or https URL",
		"memory: {backend: qdrant, vectorStore: {url: 'http://u:sk-secret@q'}}": "holds a name or a password",
		"memory: {backend: qdrant, vectorStore: {api_key_env: 'sk-secret'}}":    "is not the name of a variable",
		"memory: {backend: mem0, mem0: {}, vectorStore: {}}":                    "two places for the same memories",
		"memory: {inject: {budget: 1}}":                                         "between 100 and 9000",
		"memory: {inject: often}":                                               "inject must be true or false",
		"memory: {timeout: 10}":                                                 "without a unit",
		"memory: {backend: custom, handler: {}}":                                "no handler",
		"memory: {backend: custom, handler: {id: x, command: ./x}}":             "id is given already",
		"memory: {backend: custom, handler: {command: ./x, block: no}}":         "second handler",
		"hooks: [{id: m, on: MemoryRequest, command: ./x}]":                     "MemoryRequest",
		"memory: {backend: custom, handler: {command: ./x}}\nhooks: [{id: memory, on: Idle, inject: x}]": "the id is taken",
	} {
		_, problems := parse("f.yaml", []byte(text), new(hook.Engine))
		if got := problems.String(); !strings.Contains(got, says) || strings.Contains(got, "sk-secret") || !strings.Contains(got, "f.yaml:") {
			t.Errorf("%s\n%s", text, got)
		}
	}
}

// TestWhoseMemoryCounts: a trusted workspace's as a whole, and in each place
// hookway.yaml's before a script's.
func TestWhoseMemoryCounts(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "memory: {user: of-the-user, promptOnEnd: true}\n")
	w.write(w.work("hookway.yaml"), "memory: {user: of-the-workspace}\n")
	w.write(w.work("relay.config.ts"), "export default { memory: { user: 'of-the-script' } };\n")
	first := w.load()
	if m := first.Settings.Memory; m.User != "of-the-user" || !m.PromptOnEnd || !strings.Contains(first.Warnings.String(), "counts only when the workspace is trusted") {
		t.Errorf("untrusted: %+v, %s", m, first.Warnings)
	}
	w.want(first, "relay.config.ts untrusted, hookway:memory-prompt active")
	w.trust()
	if m := w.load().Settings.Memory; m.User != "of-the-workspace" || m.PromptOnEnd {
		t.Errorf("trusted: %+v", m)
	}
	w.write(w.work("hookway.yaml"), "version: 1\n")
	w.trust()
	if m := w.load().Settings.Memory; m.User != "of-the-script" {
		t.Errorf("of the script: %+v", m)
	}
	w.write(w.work("hookway.yaml"), "memory: {user: 5}\n")
	w.env["HOOKWAY_TRUST"] = "1"
	set, err := Load(context.Background(), w.options())
	w.must(err)
	defer set.Close()
	if m := set.Settings.Memory; m.Broken == "" {
		t.Errorf("with a mistake: %+v", m)
	}
}

// TestABrokenMemoryThatWasTrusted: nothing is kept elsewhere for a mistake in a file
// that was trusted; one that never was counts for nothing, which is told.
func TestABrokenMemoryThatWasTrusted(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "memory: {user: of-the-user}\n")
	w.write(w.work("hookway.yaml"), "memory: {user: 5}\n")
	set := w.load()
	if m := set.Settings.Memory; m.Broken != "" || m.User != "of-the-user" || !strings.Contains(set.Warnings.String(), "memory counts only when the workspace is trusted") {
		t.Errorf("never trusted: %+v, %s", m, set.Warnings)
	}
	w.write(w.work("hookway.yaml"), "memory: {user: of-the-workspace}\n")
	w.trust()
	w.write(w.work("hookway.yaml"), "memory: {user: 5}\n")
	set = w.load()
	if m := set.Settings.Memory; m.Broken == "" || !strings.Contains(m.Broken, "hookway.yaml") {
		t.Errorf("changed since: %+v, %s", m, set.Warnings)
	}
	w.write(w.work("hookway.yaml"), "tools: [\nmemory: {user: of-the-workspace}\n")
	if m := w.load().Settings.Memory; m.Broken == "" {
		t.Errorf("no YAML: %+v", m)
	}
}

// TestAMemoryOfOnesOwn: a handler in hookway.yaml, or a function of a script,
// answers MemoryRequest.
func TestAMemoryOfOnesOwn(t *testing.T) {
	request := func(e *hook.Engine) any {
		t.Helper()
		info, err := e.Lookup(MemoryRequest)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := info.New(hook.Envelope{}, map[string]any{"action": "search", "query": "tea"})
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Fire(context.Background(), ev)
		if err != nil || out.Action != hook.ActionAnswer {
			t.Fatalf("got %+v, %v, want err == nil and out.Action == hook.ActionAnswer", out, err)
		}
		return out.Result
	}
	p := plant(t, "relay.config.ts", "export default { memory: { backend: 'custom', handler: async (r) => [r.action + ' ' + r.query] } };\n")
	if got := jsonOf(request(p.engine)); got != `["search tea"]` {
		t.Errorf("a script answers %s", got)
	}
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "memory: {backend: custom, handler: {answer: [one]}}\n")
	set := w.load()
	w.want(set, "memory active")
	if got := jsonOf(request(fill(t, set))); got != `["one"]` {
		t.Errorf("a handler answers %s", got)
	}
}

// TestTheHooksOfMemory: they are there for what is wanted, and change with it.
func TestTheHooksOfMemory(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.MemoryHooks = func(s Settings) MemoryHooks {
		return MemoryHooks{Inject: hook.Static(hook.Inject(s.Memory.User)), Save: hook.Static{}}
	}
	w.write(w.user("hookway.yaml"), "memory: {inject: true, user: ann}\n")
	e := new(hook.Engine)
	live, err := Open(context.Background(), o, e)
	w.must(err)
	defer live.Close()
	told := func() string {
		out, err := hook.Fire(context.Background(), e, hook.SessionStart, &hook.Envelope{Session: "s"}, hook.SessionInfo{})
		w.must(err)
		return out.Inject
	}
	if got := told(); got != "ann" {
		t.Errorf("told %q", got)
	}
	w.write(w.user("hookway.yaml"), "memory: {inject: true, user: bob}\n")
	_, err = live.Reload(context.Background())
	w.must(err)
	if got := told(); got != "bob" {
		t.Errorf("told %q", got)
	}
	w.write(w.user("hookway.yaml"), "memory: {autoSave: true}\n")
	set, err := live.Reload(context.Background())
	w.must(err)
	got := told()
	if got, want := fmt.Sprint([]any{got, set.Hooks[0].ID, set.Hooks[0].Lane}), fmt.Sprint([]any{"", "hookway:memory-save", hook.Observe}); got != want {
		t.Errorf("got %s, want %s", got, want)
	} else if set.Hooks[0].Fixed() {
		t.Errorf("told %q, %+v", got, set.Hooks)
	}
}
