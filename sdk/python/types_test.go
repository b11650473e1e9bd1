// Package python_test holds the SDK for Python in step with hookway.
package python_test

import (
	"encoding/json"
	"fmt"
	"maps"
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
	g := &generator{shapes: map[string]string{}, names: map[string]bool{}}
	golden.Compare(t, "hookway/types.py", g.types(event, decision, outcome))
	golden.Compare(t, "hookway/_events.py", names(event))
	golden.Compare(t, "hookway/_typed.pyi", overloads(event))
}

// generator writes TypedDicts; objects inside objects get classes of their own.
type generator struct {
	shapes map[string]string // the name of a shape that was written
	names  map[string]bool
	out    strings.Builder
}

const made = "Made from docs/schema by `make schema`; do not edit."

func (g *generator) types(event, decision, outcome outline.Object) string {
	var events []string
	for _, c := range event.AllOf {
		events = append(events, c.If.Properties["hook_event_name"].Enum[0])
	}
	g.out.WriteString("\"\"\"The types of events, decisions and outcomes. " + made + "\"\"\"\n\n" +
		"from __future__ import annotations\n\nfrom typing import Any, Literal, TypedDict\n\n")
	fmt.Fprintf(&g.out, "EventName = Literal[\n    %s,\n]\n", outline.Quoted(events, ",\n    "))
	fmt.Fprintf(&g.out, "Action = Literal[%s]\n", outline.Quoted(outcome.Properties["action"].Enum, ", "))
	fmt.Fprintf(&g.out, "Lane = Literal[%s]\n", outline.Quoted(outcome.Properties["steps"].Items.Properties["lane"].Enum, ", "))

	g.decision(decision)
	g.class("Fact", "TypedDict", outline.FactText, event.Defs["Fact"])
	g.class("StepJSON", "TypedDict", "One hook's part in an outcome.", *outcome.Properties["steps"].Items)
	outcome.Properties["steps"] = outline.Object{Type: "list[StepJSON]"}
	outcome.Properties["facts"], event.Properties["facts"] = outline.Object{Type: "list[Fact]"}, outline.Object{Type: "list[Fact]"}
	g.class("OutcomeJSON", "TypedDict", outcome.Description, outcome)
	for _, def := range slices.Sorted(maps.Keys(event.Defs)) {
		if def == "Fact" {
			continue
		}
		g.class(def, "TypedDict", "The payload of "+strings.Join(outline.EventsOf(event, def), ", ")+".", outline.Payload(event, event.Defs[def]))
	}
	g.envelope(event)
	for _, c := range event.AllOf {
		name, def := c.If.Properties["hook_event_name"].Enum[0], strings.TrimPrefix(c.Then.Ref, "#/$defs/")
		fields := outline.Payload(event, event.Defs[def])
		for field := range fields.Properties {
			if field == "source" || field == "metadata" { // has them already
				delete(fields.Properties, field)
			}
		}
		g.class(name+"Event", "Event", "A hook of "+name+" is given it, and may "+strings.TrimPrefix(c.Then.Description, "May: "), fields)
	}
	return g.out.String()
}

// decision writes the fields of hookway's own form; those of other systems are
// read too, but need not be written.
func (g *generator) decision(decision outline.Object) {
	own := outline.Object{Properties: map[string]outline.Object{}}
	for _, name := range []string{"action", "reason", "user_message", "modified", "result", "retry_delay_ms", "inject", "metadata"} {
		o := decision.Properties[name]
		switch t, _ := o.Type.([]any); {
		case name == "action":
			o = outline.Object{Type: "Action"}
		case len(t) > 0:
			o.Type = t[0] // null is as good as nothing
		}
		own.Properties[name] = o
	}
	g.class("Decision", "TypedDict", "What a hook answers. An empty one has no opinion.", own)
	maps.DeleteFunc(own.Properties, func(name string, _ outline.Object) bool {
		return !slices.Contains([]string{"reason", "user_message", "inject", "metadata", "modified"}, name)
	})
	g.class("More", "TypedDict", "What may come with any answer.", own)
}

// envelope writes what all events have.
func (g *generator) envelope(event outline.Object) {
	e := outline.Object{Properties: map[string]outline.Object{}, Required: event.Required}
	for name, o := range event.Properties {
		if o.Type == nil {
			o.Type = "string"
		}
		e.Properties[name] = o
	}
	e.Properties["source"], e.Properties["metadata"] = outline.Object{Type: "string"}, outline.Object{Type: "object"}
	g.class("Event", "TypedDict", event.Description, e)
}

// keywords are the names of fields that Python cannot spell.
var keywords = []string{"from", "class", "global"}

// class writes a TypedDict: what is required in a class that the other extends.
// A field that Python cannot spell is written as a call.
func (g *generator) class(name, base, text string, o outline.Object) {
	g.names[name] = true
	var required, optional, odd []string
	for _, field := range slices.Sorted(maps.Keys(o.Properties)) {
		line := fmt.Sprintf("    %s: %s\n", field, g.typeOf(name, field, o.Properties[field]))
		switch {
		case slices.Contains(keywords, field):
			odd = append(odd, fmt.Sprintf("%q: %q", field, strings.TrimSpace(line[strings.Index(line, ":")+1:])))
		case slices.Contains(o.Required, field):
			required = append(required, line)
		default:
			optional = append(optional, line)
		}
	}
	if len(odd) > 0 {
		fmt.Fprintf(&g.out, "\n\n_%sOdd = TypedDict(\"_%sOdd\", {%s}, total=False)\n", name, name, strings.Join(odd, ", "))
		if base == "TypedDict" {
			base = "_" + name + "Odd"
		} else {
			base += ", _" + name + "Odd"
		}
	}
	if len(required) > 0 && len(optional) > 0 {
		fmt.Fprintf(&g.out, "\n\nclass _%s(%s):\n%s", name, base, strings.Join(required, ""))
		base, required = "_"+name, nil
	}
	total := ", total=False"
	if len(optional) == 0 {
		total = ""
	}
	fmt.Fprintf(&g.out, "\n\nclass %s(%s%s):\n    \"\"\"%s\"\"\"\n", name, base, total, text)
	if fields := append(required, optional...); len(fields) > 0 {
		g.out.WriteString("\n" + strings.Join(fields, ""))
	}
}

// typeOf is a field's type in Python.
func (g *generator) typeOf(class, field string, o outline.Object) string {
	kind, null := "", ""
	switch t := o.Type.(type) {
	case string:
		kind = t
	case []any:
		for _, one := range t {
			if one == "null" {
				null = " | None"
			} else {
				kind = one.(string)
			}
		}
	}
	switch kind {
	case "":
		return "Any"
	case "string":
		if len(o.Enum) > 0 {
			return map[string]string{"action": "Action", "lane": "Lane"}[field] + null
		}
		return "str" + null
	case "integer":
		return "int" + null
	case "number":
		return "float" + null
	case "boolean":
		return "bool" + null
	case "array":
		if o.Items == nil {
			return "list[Any]" + null
		}
		return "list[" + g.typeOf(class, strings.TrimSuffix(field, "s"), *o.Items) + "]" + null
	case "object":
		if len(o.Properties) == 0 {
			return "dict[str, Any]" + null
		}
		return g.inner(class, field, o) + null
	}
	return kind // a class of ours
}

// inner writes the class of an object in a field, once for each shape.
func (g *generator) inner(class, field string, o outline.Object) string {
	o.Description = ""
	shape, _ := json.Marshal(o) // cannot fail: it was read from JSON
	if name := g.shapes[string(shape)]; name != "" {
		return name
	}
	if field == "result" {
		field = "tool_response"
	}
	var name string
	for word := range strings.SplitSeq(field, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	if g.names[name] {
		name = class + name
	}
	g.shapes[string(shape)] = name
	before := g.out
	g.out = strings.Builder{}
	g.class(name, "TypedDict", "Part of "+class+" and others.", o)
	written := g.out.String()
	g.out = before
	g.out.WriteString(written)
	return name
}

// names writes the table by which a hook finds the event by any of its names.
func names(event outline.Object) string {
	var out strings.Builder
	out.WriteString("\"\"\"The events by all their names. " + made + "\"\"\"\n\nNAMES = {\n")
	for _, c := range event.AllOf {
		for _, alias := range c.If.Properties["hook_event_name"].Enum {
			key := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(alias))
			fmt.Fprintf(&out, "    %q: %q,\n", key, c.If.Properties["hook_event_name"].Enum[0])
		}
	}
	out.WriteString("}\n")
	return out.String()
}

// overloads writes what type checkers know of the decorator: which event a
// function gets, by the name in it.
func overloads(event outline.Object) string {
	var out strings.Builder
	out.WriteString("\"\"\"What type checkers know of @hook. " + made + "\"\"\"\n\n" +
		"from collections.abc import Awaitable, Callable, Iterable, Mapping\nfrom typing import Any, Literal, TypedDict, TypeVar, overload\n\nfrom typing_extensions import Unpack\n\n" +
		"from . import types as t\nfrom ._hooks import Context\n\n" +
		"_Answer = Mapping[str, object] | None | Awaitable[Mapping[str, object] | None]\n")
	list := "str | Iterable[str] | None"
	asked := "str | Iterable[str] | Literal[True] | None"
	out.WriteString("\nclass _Options(TypedDict, total=False):\n")
	for _, field := range [][2]string{
		{"tool", list}, {"path", list}, {"command", list}, {"session", list}, {"agent", list}, {"source", list}, {"namespace", list}, {"target", list},
		{"deletes", asked}, {"writes", asked}, {"reads", asked}, {"moves", asked}, {"runs", asked}, {"connects", asked}, {"sends", asked},
		{"git", asked}, {"sql", asked}, {"infra", asked}, {"secret", asked}, {"unknown", "Literal[True] | None"}, {"where", "Callable[[Any], object] | None"},
		{"fields", "Mapping[str, str | Iterable[str]] | None"}, {"any", "Mapping[str, Any] | Iterable[Mapping[str, Any]] | None"}, {"all", "Mapping[str, Any] | Iterable[Mapping[str, Any]] | None"},
		{"not_", "Mapping[str, Any] | None"}, {"match", "Mapping[str, Any] | None"},
		{"lane", "t.Lane | None"}, {"priority", "int | None"}, {"timeout", "float | str | None"}, {"max_retries", "int | None"},
		{"on_failure", "Literal[\"continue\", \"block\"] | None"}, {"description", "str | None"},
	} {
		fmt.Fprintf(&out, "    %s: %s\n", field[0], field[1])
	}
	out.WriteByte('\n')
	var defs strings.Builder
	one := func(name, first, kind string) {
		fmt.Fprintf(&out, "_%s = TypeVar(\"_%s\", bound=Callable[[%s], _Answer] | Callable[[%s, Context], _Answer])\n", name, name, kind, kind)
		fmt.Fprintf(&defs, "@overload\ndef hook(%s, **options: Unpack[_Options]) -> Callable[[_%s], _%s]: ...\n", first, name, name)
	}
	for _, c := range event.AllOf {
		aliases := c.If.Properties["hook_event_name"].Enum
		one(aliases[0], "event: Literal["+outline.Quoted(aliases, ", ")+"], /", "t."+aliases[0]+"Event")
	}
	one("Any", "*events: str", "Any")
	out.WriteString("\n" + defs.String())
	return out.String()
}
