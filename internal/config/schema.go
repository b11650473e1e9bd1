package config

import (
	"encoding/json"
)

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

		"guards":         objectSchema(guardsKeys()),
		"guards_project": objectSchema(projectKeys()),

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

		"approvals":        objectSchema(approvalsKeys()),
		"approval_channel": objectSchema(channelKeys()),
		"approval_ntfy":    objectSchema(ntfyKeys(), "url", "topic"),
		"approval_webhook": objectSchema(approvalWebhookKeys(), "url"),
	}
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

// hookSchema also says that a hook has exactly one handler.
func hookSchema() schema {
	out := objectSchema(hookKeys(), "id")
	out["anyOf"] = []schema{{"required": []string{"on"}}, {"required": []string{"script"}}}
	var handlers []schema
	for _, kind := range handlerKinds {
		one := schema{"required": []string{kind}}
		if kind == "allow" { // beside script and wasm it is not a handler
			one["not"] = schema{"anyOf": []schema{{"required": []string{"script"}}, {"required": []string{"wasm"}}}}
		}
		handlers = append(handlers, one)
	}
	out["oneOf"] = handlers
	return out
}
