package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is one of the server's tools.
type tool[In, Out any] struct {
	name, title, description string
	hints                    sdk.ToolAnnotations
	input                    *jsonschema.Schema // nil: that of In
	time                     time.Duration      // for a call; 0 is callTime

	// do does it for the caller. The answer's text says the same as Out does, for
	// agents that look at the text alone. If failed is set, the answer tells of a
	// failure.
	do func(ctx context.Context, who string, in In) (answer[Out], error)
}

type answer[Out any] struct {
	out     Out
	text    string
	failed  bool
	written func(context.Context) error // called when the agent has the answer; may be nil
}

// reads are the hints of a tool that changes nothing.
func reads() sdk.ToolAnnotations {
	return sdk.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: new(false), IdempotentHint: true, OpenWorldHint: new(false)}
}

// add adds a tool to a server. What it does ends with the server's context.
func add[In, Out any](server *sdk.Server, running context.Context, all *answers, t tool[In, Out]) {
	if t.input == nil {
		t.input = schemaOf[In]()
	}
	if t.time == 0 {
		t.time = callTime
	}
	described := &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description, Annotations: &t.hints,
		InputSchema: t.input, OutputSchema: schemaOf[Out](),
	}
	server.AddTool(described, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		in, err := arguments[In](r.Params.Arguments, t.input)
		if err != nil {
			return refused(fmt.Errorf("%s: %w", t.name, err)), nil
		}
		ctx, cancel := context.WithTimeout(ctx, t.time)
		defer cancel()
		defer context.AfterFunc(running, cancel)()
		a, err := t.do(ctx, clientName(r), in)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return refused(fmt.Errorf("%s was not done in %s; try again later", t.name, t.time)), nil
		case err != nil:
			return refused(byTools(err)), nil
		}
		result := &sdk.CallToolResult{
			Content: []sdk.Content{&sdk.TextContent{Text: a.text}}, StructuredContent: a.out, IsError: a.failed,
		}
		if a.written != nil {
			result.Meta = all.await(a.written)
		}
		return result, nil
	})
}

// refused is the answer that says why there is none.
func refused(err error) *sdk.CallToolResult {
	var r sdk.CallToolResult
	r.SetError(err)
	return &r
}

// clientName is what the agent's program calls itself.
func clientName(r *sdk.CallToolRequest) string {
	if p := r.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
		return oneLine(p.ClientInfo.Name)
	}
	return ""
}
