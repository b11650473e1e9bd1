package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/golden"
)

// schemaFile is where editors find the schema.
var schemaFile = filepath.Join("..", "..", "docs", "schema", "config.schema.json")

func TestThePublishedSchemaIsFresh(t *testing.T) {
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, schemaFile, string(data))
}

// published reads the keys of a map from the published schema.
func published(t *testing.T, definition string) []string {
	t.Helper()
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties           map[string]json.RawMessage `json:"properties"`
		AdditionalProperties *bool                      `json:"additionalProperties"`
	}
	var root struct {
		object
		Definitions map[string]object `json:"definitions"`
	}
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	o := root.object
	if definition != "" {
		o = root.Definitions[definition]
	}
	if o.AdditionalProperties == nil || *o.AdditionalProperties {
		t.Errorf("%q takes unknown keys", definition)
	}
	var names []string
	for name := range o.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestEveryKeyIsInTheSchemaAndTheParser asks the parser itself: a key that it
// does not know is reported as unknown, whatever its value.
func TestEveryKeyIsInTheSchemaAndTheParser(t *testing.T) {
	for definition, frame := range map[string]string{
		"":      "KEY: []\n",
		"hook":  "hooks:\n  - KEY: []\n",
		"match": "hooks:\n  - match: {KEY: []}\n",
		"event": "events:\n  - KEY: []\n",
		"audit": "audit:\n  KEY: []\n",

		"memory":      "memory:\n  KEY: []\n",
		"embedder":    "memory:\n  embedder: {KEY: []}\n",
		"vectorStore": "memory:\n  config: {vectorStore: {KEY: []}}\n",
		"mem0":        "memory:\n  mem0: {KEY: []}\n",

		"relay":     "relay:\n  KEY: []\n",
		"relay_tls": "relay:\n  tls: {KEY: []}\n",
		"leaf":      "relay:\n  leaf: {KEY: []}\n",
		"remote":    "relay:\n  leaf: {remotes: [{KEY: []}]}\n",
		"limits":    "relay:\n  limits: {KEY: []}\n",

		"gateway": "gateway:\n  KEY: []\n",
		"mapping": "gateway:\n  hooks:\n    ci: {KEY: []}\n",
		"auth":    "gateway:\n  hooks:\n    ci: {auth: {KEY: []}}\n",
		"rate":    "gateway:\n  hooks:\n    ci: {rate: {KEY: []}}\n",
		"filter":  "gateway:\n  hooks:\n    ci: {match: {KEY: []}}\n",
		"message": "gateway:\n  hooks:\n    ci: {message: {KEY: []}}\n",
		"webhook": "gateway:\n  webhooks:\n    - {KEY: []}\n",
		"handler": "gateway:\n  handlers:\n    - {KEY: []}\n",

		"approvals":        "approvals:\n  KEY: []\n",
		"approval_channel": "approvals:\n  channels:\n    - {KEY: []}\n",
		"approval_ntfy":    "approvals:\n  channels:\n    - {ntfy: {KEY: []}}\n",
		"approval_webhook": "approvals:\n  channels:\n    - {webhook: {KEY: []}}\n",
	} {
		names := published(t, definition)
		if len(names) == 0 {
			t.Fatalf("the schema has no keys for %q", definition)
		}
		parsed := func(name string) Problems {
			_, problems := parse("f.yaml", []byte(strings.ReplaceAll(frame, "KEY", name)), new(hook.Engine))
			return problems
		}
		for _, name := range names {
			if text := parsed(name).String(); strings.Contains(text, "unknown key") {
				t.Errorf("%q: the schema has %q, the parser does not", definition, name)
			}
		}
		// The parser lists its keys when nothing is like the unknown one.
		_, listed, ok := strings.Cut(parsed("zzzzzzzzzzzzzzz").String(), "known keys: ")
		if !ok {
			t.Fatalf("%q: the parser did not list its keys", definition)
		}
		listed, _, _ = strings.Cut(listed, "\n")
		for _, name := range strings.Split(strings.ReplaceAll(listed, " or ", ", "), ", ") {
			if !slices.Contains(names, name) {
				t.Errorf("%q: the parser has %q, the schema does not", definition, name)
			}
		}
	}
}
