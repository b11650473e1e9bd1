package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/memory"
)

// schemaOf describes a type to agents. Nothing is null: some agents refuse a type
// that is one of two.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // a type of this package
	}
	definite(schema)
	if scope := schema.Properties["scope"]; scope != nil {
		scope.Enum = []any{string(memory.ScopeWorkspace), string(memory.ScopeAgent), string(memory.ScopeUser)}
	}
	return schema
}

func definite(schema *jsonschema.Schema) {
	if len(schema.Types) == 2 && schema.Types[0] == "null" {
		schema.Type, schema.Types = schema.Types[1], nil
	}
	for _, p := range schema.Properties {
		definite(p)
	}
	if schema.Items != nil {
		definite(schema.Items)
	}
}

// limited adds the bounds of the argument limit.
func limited(schema *jsonschema.Schema, usual, most int) *jsonschema.Schema {
	least, high := 1.0, float64(most)
	limit := schema.Properties["limit"]
	limit.Minimum, limit.Maximum = &least, &high
	limit.Default = json.RawMessage(fmt.Sprint(usual))
	return schema
}

// within is a limit that an agent named, or the usual one.
func within(limit *int, usual, most int) (int, error) {
	switch {
	case limit == nil:
		return usual, nil
	case *limit < 1 || *limit > most:
		return 0, fmt.Errorf("limit is %d; it must be from 1 to %d", *limit, most)
	}
	return *limit, nil
}

// arguments reads what an agent gives a tool, and refuses what it cannot have
// meant, with one sentence.
func arguments[T any](text json.RawMessage, schema *jsonschema.Schema) (given T, err error) {
	if len(text) == 0 {
		text = json.RawMessage("{}")
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return given, errors.New("the arguments must be a JSON object")
	}
	known := slices.Sorted(maps.Keys(schema.Properties))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(known, name) {
			return given, unknownArgument(name, known)
		}
		if string(all[name]) == "null" {
			delete(all, name)
		}
	}
	for _, name := range schema.Required {
		if _, ok := all[name]; !ok {
			return given, fmt.Errorf("the argument %q is missing", name)
		}
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(text, &given); errors.As(err, &wrong) {
		name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:] // without the struct that it is embedded in
		return given, fmt.Errorf("%s must be %s, not %s", name, kind(schema, name), hook.LogLine(wrong.Value))
	} else if err != nil {
		return given, fmt.Errorf("the arguments cannot be read: %s", hook.LogLine(err.Error()))
	}
	return given, nil
}

func unknownArgument(name string, known []string) error {
	switch near := hook.Nearest(name, known); {
	case near != "":
		return fmt.Errorf("there is no argument %q; did you mean %q?", hook.LogLine(name), near)
	case len(known) == 0:
		return fmt.Errorf("there is no argument %q; this tool takes none", hook.LogLine(name))
	}
	return fmt.Errorf("there is no argument %q; there is %s", hook.LogLine(name), strings.Join(known, ", "))
}

// kind says what the argument of a name must be.
func kind(schema *jsonschema.Schema, name string) string {
	p := schema.Properties[name]
	if p == nil {
		return "of another type"
	}
	switch p.Type {
	case "integer":
		return "a whole number"
	case "boolean":
		return "true or false"
	case "array":
		return "a list of texts"
	}
	return "a text"
}
