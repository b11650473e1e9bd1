package api

import (
	"bytes"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
)

// fired is an outcome as a response.
func fired(out hook.Outcome[any]) (*hookwayv1.FireResponse, error) {
	text, err := wire.EncodeOutcome(out)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	r := &hookwayv1.FireResponse{
		Action: hookwayv1.Action(out.Action), Reason: clean(out.Reason), By: clean(out.By), Inject: clean(out.Inject), UserMessage: clean(out.UserMessage),
		Changed: out.Changed, Payload: member(text, "payload"), Json: text,
	}
	if out.Action == hook.ActionRetry {
		r.RetryDelay = durationpb.New(out.RetryDelay)
	}
	if out.Action == hook.ActionAnswer {
		r.Result = member(text, "result")
	}
	return r, nil
}

// member gives the value of a member of a JSON object that we wrote ourselves: on
// one line, without a blank between its tokens, and with plain names. To read it
// as JSON would take longer than the hooks do.
func member(object []byte, name string) []byte {
	for at := 1; at < len(object) && object[at] == '"'; {
		end := at + 1 + bytes.IndexByte(object[at+1:], '"')
		value := end + len(`":`)
		after := value + valueLen(object[value:])
		if string(object[at+1:end]) == name {
			return object[value:after:after]
		}
		at = after + len(",")
	}
	return nil
}

// valueLen is how long the value is with which a text begins.
func valueLen(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth == 0 && (c == ',' || c == '}'):
			return i
		}
	}
	return len(text)
}
