// Package typescript_test holds the SDK for TypeScript in step with hookway.
package typescript_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/golden"
	"github.com/hookway/hookway/sdk/internal/outline"
)

// TestTheTypesAreThoseOfTheSchemas makes what the package says of events,
// decisions and outcomes from docs/schema.
func TestTheTypesAreThoseOfTheSchemas(t *testing.T) {
	event, decision, outcome := outline.Read(t, "event"), outline.Read(t, "decision"), outline.Read(t, "outcome")
	golden.Compare(t, "types.d.ts", types(event, decision, outcome))
	golden.Compare(t, "lib/events.js", names(event))
}

const made = "Made from docs/schema by `make schema`; do not edit."

func types(event, decision, outcome outline.Object) string {
	var out strings.Builder
	fmt.Fprintf(&out, "// The types of events, decisions and outcomes. %s\n", made)
	var all []string
	for _, c := range event.AllOf {
		all = append(all, c.If.Properties["hook_event_name"].Enum[0])
	}
	fmt.Fprintf(&out, "\n/** The events that hookway knows. */\nexport type KnownEvent =\n  | %s;\n", outline.Quoted(all, "\n  | "))
	out.WriteString("\n/** The names of events; aliases and events of your own are welcome. */\nexport type EventName = KnownEvent | (string & {});\n")
	step := *outcome.Properties["steps"].Items
	fmt.Fprintf(&out, "\nexport type Action = %s;\n", outline.Quoted(outcome.Properties["action"].Enum, " | "))
	fmt.Fprintf(&out, "\nexport type Lane = %s;\n", outline.Quoted(step.Properties["lane"].Enum, " | "))
	step.Properties["action"], step.Properties["lane"] = outline.Object{Type: "Action"}, outline.Object{Type: "Lane"}
	outcome.Properties["action"], outcome.Properties["steps"] = outline.Object{Type: "Action"}, outline.Object{Type: "Step[]"}

	outcome.Properties["facts"] = outline.Object{Type: "Fact[]"}
	facts := event.Properties["facts"]
	event.Properties["facts"] = outline.Object{Type: "Fact[]", Description: facts.Description}
	shape(&out, "Fact", "", outline.FactText, event.Defs["Fact"])
	shape(&out, "Decision", "", "What a hook answers. An empty one has no opinion.", ownFields(decision))
	shape(&out, "Step", "", "One hook's part in an outcome.", step)
	shape(&out, "Outcome", "", outcome.Description, outcome)
	for _, def := range slices.Sorted(maps.Keys(event.Defs)) {
		if def == "Fact" {
			continue
		}
		shape(&out, def, "", "The payload of "+strings.Join(outline.EventsOf(event, def), ", ")+".", outline.Payload(event, event.Defs[def]))
	}
	envelope := outline.Object{Properties: maps.Clone(event.Properties), Required: event.Required}
	for name, o := range envelope.Properties {
		if o.Type == nil {
			o.Type = "string"
			envelope.Properties[name] = o
		}
	}
	envelope.Properties["source"] = outline.Object{Type: "string", Description: "Who reported it, unless the payload has a source of its own."}
	envelope.Properties["metadata"] = outline.Object{Type: "object", Description: "What hooks before this one, or the source, say about the event."}
	shape(&out, "Envelope", "", event.Description, envelope)
	eventMaps(&out, event)
	return out.String()
}

// eventMaps writes which event a name stands for.
func eventMaps(out *strings.Builder, event outline.Object) {
	out.WriteString("\n/** The payloads by event. */\nexport interface Payloads {\n")
	for _, c := range event.AllOf {
		fmt.Fprintf(out, "  %s: %s;\n", c.If.Properties["hook_event_name"].Enum[0], strings.TrimPrefix(c.Then.Ref, "#/$defs/"))
	}
	out.WriteString("}\n\n/** What hooks are given, by every name of an event. */\nexport interface Events {\n")
	for _, c := range event.AllOf {
		for i, name := range c.If.Properties["hook_event_name"].Enum {
			if i == 0 {
				fmt.Fprintf(out, "  /** A hook may %s */\n", strings.TrimPrefix(c.Then.Description, "May: "))
			}
			fmt.Fprintf(out, "  %s: Envelope & %s;\n", key(name), strings.TrimPrefix(c.Then.Ref, "#/$defs/"))
		}
	}
	out.WriteString("}\n")
}

// ownFields are those of hookway's own form of a decision; those of other systems
// are read too, but need not be written.
func ownFields(decision outline.Object) outline.Object {
	own := outline.Object{Properties: map[string]outline.Object{}}
	for _, name := range []string{"action", "reason", "user_message", "modified", "result", "retry_delay_ms", "inject", "metadata"} {
		o := decision.Properties[name]
		if t, _ := o.Type.([]any); len(t) > 0 {
			o.Type = t[0] // null is as good as nothing
		}
		if name == "action" {
			o = outline.Object{Type: "Action", Description: o.Description}
		}
		own.Properties[name] = o
	}
	return own
}

// shape writes an interface.
func shape(out *strings.Builder, name, base, text string, o outline.Object) {
	fmt.Fprintf(out, "\n/** %s */\nexport interface %s%s {\n%s}\n", text, name, base, members(o, "  "))
}

func members(o outline.Object, indent string) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(o.Properties)) {
		field := o.Properties[name]
		if field.Description != "" {
			fmt.Fprintf(&out, "%s/** %s */\n", indent, field.Description)
		}
		optional := "?"
		if slices.Contains(o.Required, name) {
			optional = ""
		}
		fmt.Fprintf(&out, "%s%s%s: %s;\n", indent, key(name), optional, typeOf(field, indent))
	}
	if o.Additional == true {
		fmt.Fprintf(&out, "%s[field: string]: any;\n", indent)
	}
	return out.String()
}

var plain = regexp.MustCompile(`^[A-Za-z_]\w*$`)

func key(name string) string {
	if plain.MatchString(name) {
		return name
	}
	return fmt.Sprintf("%q", name)
}

// typeOf is a field's type in TypeScript.
func typeOf(o outline.Object, indent string) string {
	kind, null := "", ""
	switch t := o.Type.(type) {
	case string:
		kind = t
	case []any:
		for _, one := range t {
			if one == "null" {
				null = " | null"
			} else {
				kind = one.(string)
			}
		}
	}
	switch kind {
	case "":
		return "any"
	case "string", "boolean", "number":
		return kind + null
	case "integer":
		return "number" + null
	case "array":
		if o.Items == nil {
			return "any[]" + null
		}
		inner := typeOf(*o.Items, indent)
		if strings.Contains(inner, "|") {
			inner = "(" + inner + ")"
		}
		return inner + "[]" + null
	case "object":
		if len(o.Properties) == 0 {
			return "Record<string, any>" + null
		}
		return "{\n" + members(o, indent+"  ") + indent + "}" + null
	}
	return kind // a type of ours
}

// names writes the table by which an event is found by any of its names.
func names(event outline.Object) string {
	var out strings.Builder
	out.WriteString("// The events by all their names. " + made + "\n\nexport const NAMES = new Map([\n")
	for _, c := range event.AllOf {
		for _, alias := range c.If.Properties["hook_event_name"].Enum {
			plain := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(alias))
			fmt.Fprintf(&out, "  [%q, %q],\n", plain, c.If.Properties["hook_event_name"].Enum[0])
		}
	}
	out.WriteString("]);\n")
	return out.String()
}
