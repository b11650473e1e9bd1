package config

import (
	"encoding/json"
	"maps"

	"github.com/hookway/hookway/hook"
)

// schema is a piece of JSON Schema.
type schema map[string]any

// SchemaID is where the published schema is found.
const SchemaID = "https://raw.githubusercontent.com/hookway/hookway/main/docs/schema/config.schema.json"

// Schema is the JSON Schema of hookway.yaml, made of the tables that the parser
// reads by. docs/schema/config.schema.json is a copy of it for editors.
func Schema() ([]byte, error) {
	root := objectSchema(rootKeys())
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["$id"] = SchemaID
	root["title"] = "hookway.yaml"
	root["description"] = "Hooks for AI agents: what runs, when, and how its failures are treated."
	root["definitions"] = schema{
		"hook":  hookSchema(),
		"match": objectSchema(matchKeys()),
		"event": objectSchema(eventKeys(), "name"),
		"audit": objectSchema(auditKeys()),

		"memory":      objectSchema(memoryKeys()),
		"embedder":    objectSchema(embedderKeys(), "provider"),
		"vectorStore": objectSchema(vectorKeys()),
		"mem0":        objectSchema(mem0Keys()),

		"relay":     objectSchema(relayKeys()),
		"relay_tls": objectSchema(relayTLSKeys()),
		"leaf":      objectSchema(leafKeys()),
		"remote":    objectSchema(remoteKeys(), "url"),
		"limits":    objectSchema(relayLimitKeys()),

		"gateway": objectSchema(gatewayKeys()),
		"mapping": objectSchema(mappingKeys(), "auth"),
		"auth":    objectSchema(authKeys(), "type"),
		"rate":    objectSchema(rateKeys()),
		"filter":  objectSchema(filterKeys()),
		"message": objectSchema(messageKeys(), "to", "text"),
		"webhook": objectSchema(webhookKeys(), "url", "on"),
		"handler": objectSchema(gatewayHandlerKeys(), "handler"),
	}
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

// objectSchema describes a map by its table of keys.
func objectSchema[T any](keys []key[T], required ...string) schema {
	properties := schema{}
	for _, k := range keys {
		for _, name := range append([]string{k.name}, k.aliases...) {
			entry := maps.Clone(k.shape)
			entry["description"] = k.doc
			if name != k.name {
				entry["description"] = "The same as " + k.name + "."
			}
			properties[name] = entry
		}
	}
	out := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// hookSchema also says that a hook has exactly one handler.
func hookSchema() schema {
	out := objectSchema(hookKeys(), "id")
	out["anyOf"] = []schema{{"required": []string{"on"}}, {"required": []string{"script"}}}
	var handlers []schema
	for _, kind := range handlerKinds {
		one := schema{"required": []string{kind}}
		if kind == "allow" { // beside script and wasm it is no handler
			one["not"] = schema{"anyOf": []schema{{"required": []string{"script"}}, {"required": []string{"wasm"}}}}
		}
		handlers = append(handlers, one)
	}
	out["oneOf"] = handlers
	return out
}

func textShape() schema           { return schema{"type": "string", "minLength": 1} }
func boolShape() schema           { return schema{"type": "boolean"} }
func trueShape() schema           { return schema{"const": true} }
func refShape(name string) schema { return schema{"$ref": "#/definitions/" + name} }

func textOrTrueShape() schema { return schema{"anyOf": []schema{textShape(), trueShape()}} }

// allowShape is a reason or true; beside script and wasm, what those may do.
func allowShape() schema {
	return schema{"anyOf": []schema{textShape(), trueShape(), {"type": "array", "items": choiceShape("exec", "read", "write", "net")}}}
}

func textsShape() schema {
	return schema{"anyOf": []schema{textShape(), {"type": "array", "minItems": 1, "items": textShape()}}}
}

func listShape(item schema) schema {
	return schema{"anyOf": []schema{{"type": "array", "items": item}, {"type": "null"}}}
}

func integerShape(low, high int64) schema {
	return schema{"type": "integer", "minimum": low, "maximum": high}
}

func choiceShape(words ...string) schema { return schema{"enum": words} }

// durationShape takes what time.ParseDuration takes, and 0.
func durationShape() schema {
	return schema{"anyOf": []schema{
		{"type": "string", "pattern": `^\+?((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$|^0$`},
		{"const": 0},
	}}
}

// scalarsShape is a text, number or boolean, or a list of them.
func scalarsShape() schema {
	one := schema{"type": []string{"string", "number", "boolean"}}
	return schema{"anyOf": []schema{one, {"type": "array", "minItems": 1, "items": one}}}
}

// commandShape is a line, or a program with arguments.
func commandShape() schema {
	return schema{"anyOf": []schema{textShape(), {"type": "array", "minItems": 1, "items": schema{"type": []string{"string", "number", "boolean"}}}}}
}

func profileNames() []string {
	var names []string
	for _, p := range hook.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// eventShape offers the known names and takes any other: aliases, other ways to
// write them, and events that the file defines.
func eventShape() schema {
	names := []string{"*"}
	for _, info := range hook.Events() {
		names = append(append(names, info.Name), info.Aliases...)
	}
	one := schema{"anyOf": []schema{{"enum": names}, textShape()}}
	return schema{"anyOf": []schema{one, {"type": "array", "minItems": 1, "items": one}}}
}
