package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookway/hookway/hook"
)

// Serve answers the agent until it closes its end, or until ctx ends, which
// breaks off what is still worked on. Neither is an error. It closes in.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	server := sdk.NewServer(&sdk.Implementation{Name: "hookway", Title: "hookway", Version: s.Version}, &sdk.ServerOptions{
		Instructions: s.instructions(),
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		Logger:       slog.New(slog.DiscardHandler), // what it says is in the errors, too
	})
	for _, add := range []func(*sdk.Server, context.Context){
		s.addSave, s.addSearch, s.addList, s.addForget, s.addAgents, s.addSend, s.addInbox, s.addStatus, s.addChannels,
	} {
		add(server, ctx)
	}
	s.appear(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, &patient{in: in, out: out, answers: &s.answers}) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(lastWords): // the agent does not read what it has asked for
		}
	}
	if ctx.Err() != nil {
		err = nil
	} else if err != nil {
		err = fmt.Errorf("the conversation with the agent broke off: %s", hook.LogLine(err.Error()))
	}
	return errors.Join(err, s.close())
}
