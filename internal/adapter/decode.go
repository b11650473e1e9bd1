package adapter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// What an event's metadata has about its origin.
const (
	metaNative = "native"       // the whole native event, as the agent wrote it
	metaEvent  = "native_event" // its native name
	metaTool   = "native_tool"  // the agent's own name of the tool
)

// extras are Claude Code's names for what no payload has a field for. A codec
// may give them; they are put into the metadata of the event.
var extras = []string{"agent_id", "agent_type", "notification_type", "custom_instructions"}

// readNative reads what an agent wrote to a hook's stdin.
func readNative(a *About, c Call) (object, error) {
	native, err := c.object()
	if err != nil {
		return nil, fmt.Errorf("this is not an event of %s: %w", a.Title, err)
	}
	return native, nil
}

// readNamed is readNative with the event's name, which the payload may have under key.
func readNamed(a *About, c Call, key string) (native object, name string, err error) {
	if native, err = readNative(a, c); err == nil {
		name, err = eventName(a, c, native, key)
	}
	return native, name, err
}

// object reads the event, once.
func (c *Call) object() (object, error) {
	if c.native != nil {
		return c.native, nil
	}
	if err := wire.Bounded(c.Stdin); err != nil {
		return nil, fmt.Errorf("the event is too large: %w", err)
	}
	native, ok := wire.Object(c.Stdin)
	if !ok {
		return nil, fmt.Errorf("stdin is not a JSON object: %w", notObject(c.Stdin))
	}
	c.native = native
	return native, nil
}

// notObject says why a text is not one JSON object.
func notObject(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	var whole object
	err := d.Decode(&whole)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) { // its own text names types of Go
		return fmt.Errorf("it is a JSON value of the kind %s", wrong.Value)
	}
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case err != nil:
		return err
	case whole == nil:
		return errors.New("it is null")
	}
	return errors.New("something follows the object")
}

// eventName is the native event's name: as the command line has it, else as the
// payload has it under key.
func eventName(a *About, c Call, native object, key string) (string, error) {
	if c.Event != "" {
		return c.Event, nil
	}
	if name, ok := native[key].(string); ok && name != "" {
		return name, nil
	}
	return "", fmt.Errorf("this is not an event of %s: %s is missing; the command line may name it: --event NAME", a.Title, key)
}

// build makes our event of a native one. flat has the native event's fields
// under our names, as package wire reads them, and its tool under the native name.
func build(a *About, name string, native, flat object, find Find) (hook.AnyEvent, error) {
	if find == nil {
		find = hook.Lookup
	}
	info := a.Event(name).Kind
	if info == nil {
		var err error
		if info, err = find(name); err != nil {
			info = hook.Native(name)
		}
	}
	meta := object{metaNative: native, metaEvent: name}
	flat = maps.Clone(flat)
	if tool, ok := flat["tool_name"].(string); ok {
		flat["tool_name"], flat["tool_input"] = a.toolIn(tool, flat["tool_input"])
		if flat["tool_name"] != tool {
			meta[metaTool] = tool
		}
		if flat["tool_input"] == nil {
			delete(flat, "tool_input")
		}
	}
	if tool, _ := flat["tool_name"].(string); tool == "" && (info == hook.PreToolUse.Info() || info == hook.PermissionRequest.Info()) {
		// No matcher could see what it is about: an agent that renames the field must not get past all guards.
		return nil, fmt.Errorf("this is no %s of %s: it names no tool", name, a.Title)
	}
	flat["hook_event_name"] = info.Name
	ev, err := wire.EventOf(info, flat)
	if err != nil {
		return nil, fmt.Errorf("this is not an event of %s: %w", a.Title, err)
	}
	env := *ev.Head()
	env.Source = a.Agent
	if env.Agent == "" {
		env.Agent = a.Agent
	}
	env.Metadata = maps.Clone(env.Metadata)
	if env.Metadata == nil {
		env.Metadata = object{}
	}
	unknown, _ := env.Metadata[metaNative].(object)
	for _, name := range extras {
		if value, ok := unknown[name]; ok && native[name] == nil {
			env.Metadata[name] = value
		}
	}
	maps.Copy(env.Metadata, meta)
	return info.New(env, ev.Body())
}

// flatten gives the native event's fields under our names, as fill has them. An
// event that hooks see under its native name keeps all its own as well.
func flatten(a *About, name string, native object, fill func(flat object)) object {
	flat := object{}
	if a.Event(name).Kind == nil {
		maps.Copy(flat, native)
		for _, own := range []string{"event_id", "hookway_envelope"} { // these would be taken for ours
			delete(flat, own)
		}
		for _, base := range []string{"session_id", "transcript_path", "cwd", "tool_name"} {
			if !is[string](flat[base]) {
				delete(flat, base)
			}
		}
	}
	fill(flat)
	return flat
}

// take copies the first of their fields that is there as ours.
func take(flat object, ours string, native object, theirs ...string) {
	for _, name := range theirs {
		if value := native[name]; value != nil {
			flat[ours] = value
			return
		}
	}
}

// takeText is take for fields that are texts; others are passed over.
func takeText(flat object, ours string, native object, theirs ...string) {
	for _, name := range theirs {
		if value, ok := native[name].(string); ok {
			flat[ours] = value
			return
		}
	}
}

// parsed is a value that some agents write as JSON inside a text.
func parsed(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var inner object
	if err := d.Decode(&inner); err != nil || inner == nil {
		return value
	}
	if _, more := d.Token(); !errors.Is(more, io.EOF) {
		return value
	}
	return inner
}

// whole is a number without a fraction.
func whole(value any) (int64, bool) {
	n, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}

// nativeInput is a tool call's input as the agent wrote it.
func nativeInput(ev hook.AnyEvent) object {
	native, _ := ev.Head().Metadata[metaNative].(object)
	for _, in := range []object{native, inner(native, "toolCall"), inner(native, "output"), inner(native, "input")} {
		for _, name := range []string{"tool_input", "toolArgs", "toolInput", "args"} {
			if input, ok := parsed(in[name]).(object); ok {
				return input
			}
		}
	}
	return nil
}

// inner is an object inside another; nil if there is none.
func inner(of object, name string) object {
	in, _ := of[name].(object)
	return in
}

// NativeName is the name under which the agent fired the event.
func NativeName(ev hook.AnyEvent) string {
	if name, ok := ev.Head().Metadata[metaEvent].(string); ok {
		return name
	}
	return ev.Info().Name
}

// nativeTool is the agent's own name of the tool that the event is about.
func nativeTool(ev hook.AnyEvent) string {
	if native := ev.Head().NativeTool(); native != "" {
		return native
	}
	call, _ := hook.CallOf(ev)
	return call.Name
}
