package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/golden"
)

// schemaDir is where the schemas are published; -update writes them there.
const schemaDir = "../docs/schema"

func TestThePublishedSchemasAreThoseOfTheGoTypes(t *testing.T) {
	for name, make := range schemas() {
		schema, err := make()
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, plain, "", "  "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		golden.Compare(t, filepath.Join(schemaDir, name+".schema.json"), pretty.String())
	}
}

func schemas() map[string]func() (*jsonschema.Schema, error) {
	return map[string]func() (*jsonschema.Schema, error){"event": eventSchema, "decision": decisionSchema, "outcome": outcomeSchema}
}

func document(name, title, description string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		ID:     "https://raw.githubusercontent.com/hookway/hookway/main/docs/schema/" + name + ".schema.json",
		Title:  title, Description: description, Type: "object",
	}
}

// typeSchema is the schema of a Go type as this package writes it: objects may
// have more fields, and a nil slice or map is null.
func typeSchema(t reflect.Type) (*jsonschema.Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		return nil, fmt.Errorf("%v: %w", t, err)
	}
	loosen(s)
	return s, nil
}

func loosen(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		loosen(p)
	}
	loosen(s.Items)
	loosen(s.AdditionalProperties)
}

// eventSchema is what a hook is given. Each payload type is a definition of its
// own, chosen by hook_event_name.
func eventSchema() (*jsonschema.Schema, error) {
	doc := document("event", "hookway event", "What a hook is given: one flat object, a superset of what Claude Code gives its hooks.")
	doc.Required = append([]string{"hook_event_name"}, envelopeNames[:5]...)
	doc.Properties = map[string]*jsonschema.Schema{
		"hook_event_name": {Type: "string", Description: "The event's name, or the alias under which the hook was registered."},
		"session_id":      {Description: "The agent's session."},
		"transcript_path": {Description: "File with the agent's transcript, or empty."},
		"cwd":             {Description: "The agent's working directory."},
		"event_id":        {Description: "Names this event; the same for all hooks that are told of it."},
		"time":            {Description: "When it was fired."},
		"agent":           {Description: "The agent's name."},
		factsKey:          {Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/Fact"}, Description: "What the tool call would do, as hookway found it: written, never read."},
		shadowKey:         {Type: "object", Description: "What the event's envelope has under names that its payload has taken."},
	}
	doc.PropertyOrder = slices.Concat([]string{"hook_event_name"}, envelopeNames, []string{factsKey, shadowKey})
	fact, err := typeSchema(reflect.TypeFor[hook.Fact]())
	if err != nil {
		return nil, err
	}
	fact.Description = "One thing that the call would do."
	doc.Defs = map[string]*jsonschema.Schema{"Fact": fact}
	var all []any
	for _, info := range hook.Events() {
		t := reflect.TypeOf(info.NewPayload()).Elem()
		if t.PkgPath() != reflect.TypeFor[hook.ToolUse]().PkgPath() {
			continue // an event of the tests
		}
		def, err := payloadSchema(info, t)
		if err != nil {
			return nil, err
		}
		doc.Defs[t.Name()] = def
		names := []any{info.Name}
		for _, alias := range info.Aliases {
			names = append(names, alias)
		}
		all = append(all, names...)
		doc.AllOf = append(doc.AllOf, &jsonschema.Schema{
			If:   &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"hook_event_name": {Enum: names}}},
			Then: &jsonschema.Schema{Ref: "#/$defs/" + t.Name(), Description: "May: " + info.May.String() + "."},
		})
	}
	doc.Properties["hook_event_name"].AnyOf = []*jsonschema.Schema{{Enum: all}, {Description: "An event of your own, or an agent's own."}}
	return doc, nil
}

func payloadSchema(info *hook.EventInfo, t reflect.Type) (*jsonschema.Schema, error) {
	s, err := typeSchema(t)
	if err != nil {
		return nil, err
	}
	for _, name := range envelopeNames[:5] {
		s.Properties[name] = &jsonschema.Schema{Type: "string"}
	}
	if s.Properties["source"] == nil {
		s.Properties["source"] = &jsonschema.Schema{Type: "string", Description: "Where the event comes from: claude, run, go, …"}
	}
	if s.Properties["metadata"] == nil {
		s.Properties["metadata"] = &jsonschema.Schema{Type: "object", Description: "What hooks before this one, or the source, say about the event."}
	}
	for _, a := range claudeNames(info) {
		if from, ok := s.Properties[a.ours]; ok {
			copied := *from
			copied.Description = "The same as " + a.ours + ", under Claude Code's name."
			s.Properties[a.theirs] = &copied
		}
	}
	if input := s.Properties["tool_input"]; input != nil {
		input.Types, input.Type = nil, "object"
	}
	s.PropertyOrder = nil
	return s, nil
}

// decisionSchema is what a hook may answer: the names that the decoder knows.
func decisionSchema() (*jsonschema.Schema, error) {
	doc := document("decision", "hookway decision", "What a hook answers. An empty object has no opinion. Beside hookway's own names there are those of other hook systems; the strongest action wins.")
	keys := maps.Clone(alwaysKnown)
	var byEvent []string
	for _, more := range knownByField {
		for name, want := range more {
			if keys[name] == "" {
				byEvent = append(byEvent, name)
			}
			keys[name] = want
		}
	}
	doc.Properties = keySchemas(keys)
	for _, name := range byEvent { // they may have any type where they mean nothing
		doc.Properties[name] = &jsonschema.Schema{Description: "Read where the event has such a field; then it must be " + keys[name] + "."}
	}
	for name, text := range map[string]string{
		"action":         "What to do. continue has no opinion and is never an approval.",
		"reason":         "Told to the agent.",
		"user_message":   "Shown to the user, never to the agent.",
		"modified":       "Changes to the payload: an RFC 7386 merge patch.",
		"result":         "With answer: stands in for the operation's own.",
		"retry_delay_ms": "With retry: how long to wait; 1000 if it is left out.",
		"inject":         "Text for the agent; it may come with any action.",
		"metadata":       "Merged into the event's metadata for the hooks that follow.",
		"modifications":  "The same as modified, with the action modify.",
		"continue":       "False blocks; true says nothing.",
		"decision":       "block or approve.",
	} {
		doc.Properties[name].Description = text
	}
	doc.Properties["action"].Enum = actions()
	doc.Properties["decision"].Enum = []any{"block", "approve", "deny", "allow", "ask", "defer"}
	permission := []any{"allow", "deny", "ask", "defer"}
	doc.Properties["permissionDecision"].Enum = permission
	least, most := 0.0, float64(maxRetryDelay.Milliseconds())
	doc.Properties["retry_delay_ms"].Minimum, doc.Properties["retry_delay_ms"].Maximum = &least, &most

	specific := doc.Properties["hookSpecificOutput"]
	specific.Properties = keySchemas(elicitationKeys)
	specific.Properties["permissionDecision"].Enum = permission
	specific.Properties["decision"].Properties = keySchemas(behaviorKeys)
	specific.Properties["decision"].Required = []string{"behavior"}
	specific.Properties["decision"].Properties["behavior"].Enum = []any{"allow", "deny"}
	doc.PropertyOrder = []string{"action", "reason", "user_message", "modified", "result", "retry_delay_ms", "inject", "metadata"}
	return doc, nil
}

// actions are the spellings that the schema suggests: ours, and A3S's.
func actions() []any {
	var out []any
	for a := hook.ActionContinue; a <= hook.ActionAnswer; a++ {
		out = append(out, a.String())
	}
	out = append(out, "deny", "modify")
	for _, a := range []hook.Action{hook.ActionContinue, hook.ActionBlock, hook.ActionRetry, hook.ActionSkip} {
		out = append(out, strings.ToUpper(a.String()[:1])+a.String()[1:])
	}
	return out
}

func keySchemas(keys map[string]string) map[string]*jsonschema.Schema {
	out := map[string]*jsonschema.Schema{}
	for name, want := range keys {
		s := &jsonschema.Schema{}
		if _, kind, ok := strings.Cut(want, " "); ok && want != anyValue {
			s.Types = []string{kind, "null"}
			if slices.Contains(deciding, name) {
				s.Types, s.Type = nil, kind
			}
		}
		out[name] = s
	}
	return out
}

func outcomeSchema() (*jsonschema.Schema, error) {
	s, err := typeSchema(reflect.TypeFor[outcomeForm]())
	if err != nil {
		return nil, err
	}
	doc := document("outcome", "hookway outcome", "What all hooks of one event answered together, with a step for each call.")
	doc.Properties, doc.Required, doc.PropertyOrder = s.Properties, s.Required, s.PropertyOrder
	doc.Properties["action"].Enum = actions()[:hook.ActionAnswer+1]
	doc.Properties["steps"].Types, doc.Properties["steps"].Type = nil, "array"
	doc.Properties["steps"].Items.Properties["action"].Enum = doc.Properties["action"].Enum
	doc.Properties["steps"].Items.Properties["lane"].Enum = []any{hook.Transform.String(), hook.Guard.String(), hook.Observe.String()}
	return doc, nil
}

// resolved reads a schema for validation.
func resolved(t *testing.T, make func() (*jsonschema.Schema, error)) *jsonschema.Resolved {
	t.Helper()
	s, err := make()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// validate reads JSON as plain values, which the validator wants.
func validate(t *testing.T, r *jsonschema.Resolved, data []byte) error {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return r.Validate(v)
}

func TestWhatIsWrittenFollowsTheSchemas(t *testing.T) {
	event, decision, outcome := resolved(t, eventSchema), resolved(t, decisionSchema), resolved(t, outcomeSchema)
	for _, ev := range samples() {
		if err := validate(t, event, mustEncode(t, ev)); err != nil {
			t.Errorf("%s: %v", ev.Info().Name, err)
		}
		empty, err := ev.Info().New(hook.Envelope{}, ev.Info().NewPayload())
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, event, mustEncode(t, empty)); err != nil {
			t.Errorf("empty %s: %v", ev.Info().Name, err)
		}
	}
	for name, out := range outcomes() {
		got, err := EncodeOutcome(out)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, outcome, got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, d := range []hook.Decision{{}, hook.Allow("r"), hook.Retry(5), hook.Answer(nil), hook.Change(input(map[string]any{}))} {
		got, err := EncodeDecision(pre(), d)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, decision, got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

func TestTheSchemasRefuseWhatTheDecoderRefuses(t *testing.T) {
	event, decision := resolved(t, eventSchema), resolved(t, decisionSchema)
	head := `"session_id":"","transcript_path":"","cwd":"","event_id":"","time":""`
	for _, in := range []string{`{}`, `{"hook_event_name":"PreToolUse",` + head + `,"tool_name":5,"tool_input":{}}`, `{"hook_event_name":"before-tool-call",` + head + `,"tool_name":"x","tool_input":[]}`} {
		if err := validate(t, event, []byte(in)); err == nil {
			t.Errorf("%s passes", in)
		}
	}
	for _, in := range []string{
		`[]`, `{"action":"blok"}`, `{"action":null}`, `{"block":"yes"}`, `{"decision":"maybe"}`, `{"retry_delay_ms":-1}`,
		`{"hookSpecificOutput":{"permissionDecision":"perhaps"}}`, `{"hookSpecificOutput":{"decision":{}}}`,
	} {
		if err := validate(t, decision, []byte(in)); err == nil {
			t.Errorf("%s passes", in)
		}
		if _, err := DecodeDecision(pre(), []byte(in), hook.Profile{}); err == nil {
			t.Errorf("%s is read", in)
		}
	}
}
