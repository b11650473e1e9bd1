// Package outline reads docs/schema for the tests that write the types of the SDKs.
package outline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/docs/schema"
)

// Object is what the tests read of a JSON schema.
type Object struct {
	Type        any               `json:"type"`
	Enum        []string          `json:"enum"`
	Description string            `json:"description"`
	Properties  map[string]Object `json:"properties"`
	Required    []string          `json:"required"`
	Items       *Object           `json:"items"`
	Defs        map[string]Object `json:"$defs"`
	Additional  any               `json:"additionalProperties"`
	AllOf       []struct {
		If   Object `json:"if"`
		Then struct {
			Ref         string `json:"$ref"`
			Description string `json:"description"`
		} `json:"then"`
	} `json:"allOf"`
}

// UnmarshalJSON takes true, a schema that allows anything, too.
func (o *Object) UnmarshalJSON(data []byte) error {
	type plain Object
	if string(data) == "true" {
		return nil
	}
	return json.Unmarshal(data, (*plain)(o))
}

// Read reads a schema by its name.
func Read(t *testing.T, name string) (o Object) {
	t.Helper()
	data, err := schema.Get(name)
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Payload is a definition without what the envelope has.
func Payload(event, def Object) Object {
	out := Object{Properties: map[string]Object{}, Required: def.Required}
	for name, o := range def.Properties {
		_, enveloped := event.Properties[name]
		if !enveloped && (name != "source" && name != "metadata" || !strings.HasPrefix(o.Description, "Wh")) {
			out.Properties[name] = o
		}
	}
	return out
}

// FactText says what the type Fact is.
const FactText = "One thing that a tool call would do; docs/guards.md has the members."

// EventsOf returns the events whose payload a definition is.
func EventsOf(event Object, def string) (out []string) {
	for _, c := range event.AllOf {
		if strings.HasSuffix(c.Then.Ref, "/"+def) {
			out = append(out, c.If.Properties["hook_event_name"].Enum[0])
		}
	}
	return out
}

// Quoted writes texts in quotes.
func Quoted(list []string, between string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, between)
}
