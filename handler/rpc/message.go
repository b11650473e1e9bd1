package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// request is what a server is sent about an event.
func (h *Handler) request(ev hook.AnyEvent) (*hookwayv1.HandleRequest, error) {
	parts, err := wire.EncodeAs(ev, h.c.EventNames)
	if err != nil {
		return nil, err
	}
	data := slices.Concat(parts...)
	if len(data) > maxEvent-largeEvent {
		return nil, fmt.Errorf("the event has %d MiB; at most %d are sent", len(data)>>20, maxEvent>>20)
	}
	env := ev.Head()
	return &hookwayv1.HandleRequest{Hook: h.c.Hook, Event: &hookwayv1.Event{
		Name: ev.Info().Name, Id: ev.ID().String(), SessionId: clean(env.Session), Agent: clean(env.Agent), Source: clean(env.Source), Cwd: clean(env.CWD),
		Time: timestamppb.New(ev.Time()), Json: data,
	}}, nil
}

// clean makes text such as protobuf takes it. The JSON has the same.
func clean(text string) string { return string(bytes.ToValidUTF8([]byte(text), []byte("\ufffd"))) }

// Decision reads a decision about an event. What is JSON in it is read as that of
// all other handlers. A block is a block whatever else is wrong with it; warn, if it
// is not nil, gets what was.
func Decision(ev hook.AnyEvent, d *hookwayv1.Decision, profile hook.Profile, warn func(line string)) (hook.Decision, error) {
	if warn == nil {
		warn = func(string) {}
	}
	action := d.GetAction()
	if err := mistyped(d); err != nil && action != hookwayv1.Action_ACTION_BLOCK {
		return hook.Decision{}, err
	}
	if err := unknown(action); err != nil {
		return hook.Decision{}, err
	}
	out := hook.Decision{Action: hook.Action(action), Reason: d.GetReason(), UserMessage: d.GetUserMessage(), Inject: d.GetInject()}
	if len(d.GetModified()) == 0 && len(d.GetResult()) == 0 && len(d.GetMetadata()) == 0 && d.GetRetryDelay() == nil && out.Action != hook.ActionAnswer {
		return out, nil
	}
	text, err := answerText(d, out.Action)
	if err == nil {
		var read hook.Decision
		if read, err = wire.ExitDecision(ev, wire.Answer{Stdout: text, Profile: profile, Warn: warn}); err == nil {
			out.Modified, out.Result, out.Metadata, out.RetryDelay = read.Modified, read.Result, read.Metadata, read.RetryDelay
			if len(d.GetModified()) > 0 && out.Modified == nil { // the patch is {}: a change all the same
				out.Modified, err = wire.Patch(ev, d.GetModified())
			}
			if out.Reason == "" {
				out.Reason = read.Reason
			}
			return out, err
		}
	}
	if out.Action == hook.ActionBlock { // a no is a no, whatever else is wrong with it
		warn("the answer says no, and that holds; the rest could not be read: " + err.Error())
		return out, nil
	}
	return hook.Decision{}, err
}

// Check finds what is wrong with a decision whatever the event is.
func Check(d *hookwayv1.Decision) error {
	if err := mistyped(d); err != nil {
		return err
	}
	if err := unknown(d.GetAction()); err != nil {
		return err
	}
	_, err := answerText(d, hook.Action(d.GetAction()))
	return err
}

func unknown(action hookwayv1.Action) error {
	if action < 0 || int(action) > int(hook.ActionAnswer) {
		return fmt.Errorf("the answer is not a decision: there is no action %d; one of hooks.proto is expected", action)
	}
	return nil
}

// mistyped finds fields that are not of their type: protobuf takes them for
// fields of a later version, and so for nothing.
func mistyped(m proto.Message) error {
	if m == nil || !m.ProtoReflect().IsValid() {
		return nil
	}
	r := m.ProtoReflect()
	for rest := r.GetUnknown(); len(rest) > 0; {
		number, _, n := protowire.ConsumeField(rest)
		if n < 0 {
			return fmt.Errorf("the answer is not a decision: %w", protowire.ParseError(n))
		}
		if f := r.Descriptor().Fields().ByNumber(number); f != nil {
			return fmt.Errorf("the answer is not a decision: its %s is not of the type that hooks.proto gives it", f.Name())
		}
		rest = rest[n:]
	}
	return nil
}

// answerText is the part of a decision that is JSON.
func answerText(d *hookwayv1.Decision, action hook.Action) ([]byte, error) {
	text := append([]byte(`{"action":"`), action.String()...)
	text = append(text, '"')
	for _, part := range []struct {
		name string
		json []byte
	}{{"modified", d.GetModified()}, {"result", d.GetResult()}, {"metadata", d.GetMetadata()}} {
		if len(part.json) == 0 {
			continue
		}
		if !json.Valid(part.json) {
			return nil, fmt.Errorf("the answer is not a decision: %s must be JSON", part.name)
		}
		text = append(append(append(append(text, `,"`...), part.name...), `":`...), part.json...)
	}
	if wait := d.GetRetryDelay(); wait != nil {
		if err := wait.CheckValid(); err != nil {
			return nil, fmt.Errorf("the answer is not a decision: retry_delay: %w", err)
		}
		text = fmt.Appendf(text, `,"retry_delay_ms":%v`, float64(wait.AsDuration())/float64(time.Millisecond))
	}
	if len(d.GetResult()) == 0 && action == hook.ActionAnswer {
		return nil, errors.New("the answer is not a decision: the action answer needs a result")
	}
	return append(text, '}'), nil
}

// message is a decision for the caller.
func message(ev hook.AnyEvent, d hook.Decision) (*hookwayv1.Decision, error) {
	out := &hookwayv1.Decision{
		Action: hookwayv1.Action(d.Action), Reason: clean(d.Reason), UserMessage: clean(d.UserMessage), Inject: clean(d.Inject),
	}
	if d.RetryDelay != 0 {
		out.RetryDelay = durationpb.New(d.RetryDelay)
	}
	if d.Modified == nil && d.Metadata == nil && d.Action <= hook.ActionSkip {
		return out, nil
	}
	text, err := wire.EncodeDecision(ev, d)
	if err != nil {
		return nil, err
	}
	var parts struct {
		Modified json.RawMessage `json:"modified"`
		Result   json.RawMessage `json:"result"`
		Metadata json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		return nil, fmt.Errorf("the decision cannot be written as JSON: %w", err)
	}
	out.Modified, out.Result, out.Metadata = parts.Modified, parts.Result, parts.Metadata
	if d.Modified != nil && len(parts.Modified) == 0 {
		out.Modified = []byte("{}") // it is a change, if only to what was there
	}
	return out, nil
}
