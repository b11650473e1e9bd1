package rpc

import (
	"context"
	"testing"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// FuzzDecision reads whatever a server may answer: nothing panics, a block stays
// one, and what is understood is a decision that the server half can write again.
func FuzzDecision(f *testing.F) {
	for _, d := range []*hookwayv1.Decision{
		{}, {Action: 99}, {Action: -1}, {Action: hookwayv1.Action_ACTION_BLOCK, Modified: []byte("{")},
		{Modified: []byte(`{"tool_input":{"command":"ls -l"}}`)}, {Action: hookwayv1.Action_ACTION_ANSWER, Result: []byte("[1]"), Metadata: []byte(`{"a":1}`)},
		{Modified: []byte(`{},"action":"allow"`)}, {Action: hookwayv1.Action_ACTION_RETRY, RetryDelay: durationpb.New(-1)},
	} {
		data, err := proto.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	s := &Server{Handler: hook.Static(hook.Continue())}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d hookwayv1.Decision
		if proto.Unmarshal(data, &d) == nil {
			ev := bash("ls")
			got, err := Decision(ev, &d, hook.Profile{}, nil)
			if d.GetAction() == hookwayv1.Action_ACTION_BLOCK && (err != nil || got.Action != hook.ActionBlock) {
				t.Errorf("a block became %v, %v", got.Action, err)
			}
			if err == nil && int32(got.Action) != int32(d.GetAction()) {
				t.Errorf("%v became %v", d.GetAction(), got.Action)
			}
			if err == nil {
				_, _ = message(ev, got) // a null in a change cannot be written
			}
		}
		var r hookwayv1.HandleRequest
		if proto.Unmarshal(data, &r) == nil {
			_, _ = s.decide(context.Background(), &r)
		}
	})
}

// FuzzTarget: what is taken for a target can be named in an error, and dialled.
func FuzzTarget(f *testing.F) {
	for _, text := range []string{"unix:///run/x", "unix:x", "dns:///localhost:1", "dns:///[::1]:1", "vsock://2:5000", "localhost:1", "https://x", "dns:///a@b:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := parseTarget(text)
		if err != nil {
			isClear(t, err)
			return
		}
		if at.network != vm && at.address == "" || at.authority() == "" {
			t.Errorf("%q became %+v", text, at)
		}
		if h, err := New(Config{Target: text}); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}
