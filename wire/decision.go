package wire

import (
	"fmt"
	"reflect"
	"time"

	"github.com/hookway/hookway/hook"
)

// EncodeDecision gives a decision in our own form, as a handler outside the
// process answers it. Modified becomes a merge patch on the event's payload.
// A merge patch cannot set anything to null; a change that needs it is an error.
func EncodeDecision(ev hook.AnyEvent, d hook.Decision) ([]byte, error) {
	if int(d.Action) > int(hook.ActionAnswer) {
		return nil, fmt.Errorf("the decision has an unknown action, number %d", d.Action)
	}
	w := newWriter()
	w.open()
	if err := w.decision(ev, d); err != nil {
		return nil, fmt.Errorf("the decision cannot be written as JSON: %w", err)
	}
	w.close(false)
	return w.buf.Bytes(), nil
}

func (w *writer) decision(ev hook.AnyEvent, d hook.Decision) error {
	var patch any
	if d.Modified != nil {
		changes, err := diffPayload(ev, d.Modified)
		if err != nil {
			return fmt.Errorf("modified: %w", err)
		}
		if len(changes) > 0 {
			patch = changes
		}
	}
	var metadata any
	if len(d.Metadata) > 0 {
		metadata = d.Metadata
	}
	return w.members([]pair{
		{"action", d.Action.String(), true},
		{"reason", d.Reason, d.Reason != ""},
		{"user_message", d.UserMessage, d.UserMessage != ""},
		{"modified", patch, patch != nil},
		{"result", d.Result, d.Action == hook.ActionAnswer},
		{"retry_delay_ms", inMilliseconds(d.RetryDelay), d.RetryDelay != 0},
		{"inject", d.Inject, d.Inject != ""},
		{"metadata", metadata, metadata != nil},
	})
}

// pair is a member to be written if it is there.
type pair struct {
	name  string
	value any
	there bool
}

func (w *writer) members(list []pair) error {
	for _, p := range list {
		if !p.there {
			continue
		}
		if err := w.member(p.name, p.value); err != nil {
			return err
		}
	}
	return nil
}

// inMilliseconds gives a duration with its fraction.
func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// diffPayload gives the merge patch that makes one payload of another.
func diffPayload(ev hook.AnyEvent, modified any) (map[string]any, error) {
	to, err := ev.Info().New(*ev.Head(), modified)
	if err != nil {
		return nil, err
	}
	before, err := genericPayload(ev)
	if err != nil {
		return nil, err
	}
	after, err := genericPayload(to)
	if err != nil {
		return nil, err
	}
	return diff("", before, after)
}

// genericPayload gives a payload as JSON objects.
func genericPayload(ev hook.AnyEvent) (map[string]any, error) {
	v := payloadOf(ev)
	if v.Kind() != reflect.Struct && !isTextMap(v) {
		return nil, fmt.Errorf("the payload of %s has no fields", ev.Info().Name)
	}
	w := newWriter()
	if err := w.value(v, 0); err != nil {
		return nil, err
	}
	value := exact(w.buf.Bytes())
	object, _ := value.(map[string]any)
	return object, nil
}

// diff is the inverse of mergeValues.
func diff(path string, before, after map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for name := range before {
		if _, ok := after[name]; !ok {
			out[name] = nil
		}
	}
	for name, value := range after {
		old, had := before[name]
		if had && reflect.DeepEqual(old, value) {
			continue
		}
		here := path + name
		newObject, isObject := value.(map[string]any)
		oldObject, wasObject := old.(map[string]any)
		if !isObject {
			if value == nil {
				return nil, fmt.Errorf("%s: a merge patch cannot set it to null", here)
			}
			out[name] = value
			continue
		}
		if !wasObject {
			oldObject = nil
		}
		inner, err := diff(here+".", oldObject, newObject)
		if err != nil {
			return nil, err
		}
		out[name] = inner
	}
	return out, nil
}
