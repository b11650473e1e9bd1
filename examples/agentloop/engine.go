package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/mdlayher/vsock"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/durationpb"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// engine is the daemon, as the loop sees it.
type engine struct {
	conn      *grpc.ClientConn
	client    hookwayv1.EngineClient
	token     string
	session   string
	workspace string
}

// dial prepares the connection; it is made by the first call, and again whenever
// it broke.
func dial(target, token string) (*engine, error) {
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	if rest, ok := strings.CutPrefix(target, "vsock://"); ok { // grpc itself knows the others
		id, port, err := guestAddress(rest)
		if err != nil {
			return nil, err
		}
		target = "passthrough:///localhost"
		options = append(options, grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			return vsock.Dial(id, port, nil)
		}))
	}
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, err
	}
	return &engine{conn: conn, client: hookwayv1.NewEngineClient(conn), token: token}, nil
}

// guestAddress reads CID:PORT. The host of a guest machine is 2.
func guestAddress(text string) (id, port uint32, err error) {
	a, b, _ := strings.Cut(text, ":")
	cid, err := strconv.ParseUint(a, 10, 32)
	if err != nil {
		return 0, 0, fmt.Errorf("vsock://%s is not a valid address: want vsock://CID:PORT", text)
	}
	p, err := strconv.ParseUint(b, 10, 32)
	if err != nil {
		return 0, 0, fmt.Errorf("vsock://%s is not a valid address: want vsock://CID:PORT", text)
	}
	return uint32(cid), uint32(p), nil
}

func (e *engine) close() { _ = e.conn.Close() }

// calling adds the token, which the daemon's --listen ports ask for.
func (e *engine) calling(ctx context.Context) context.Context {
	if e.token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+e.token)
}

// fire fires an event. The deadline is for all of its hooks.
func (e *engine) fire(ctx context.Context, name string, payload map[string]any) (*hookwayv1.FireResponse, error) {
	text, err := json.Marshal(payload)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(e.calling(ctx), time.Minute)
	defer cancel()
	return e.client.Fire(ctx, &hookwayv1.FireRequest{Event: &hookwayv1.Event{
		Name: name, SessionId: e.session, Agent: "agentloop", Cwd: e.workspace, Json: text,
	}})
}

// forbid registers a hook that blocks commands.
func (e *engine) forbid(ctx context.Context, id, command, reason string) error {
	_, err := e.client.Register(e.calling(ctx), &hookwayv1.RegisterRequest{
		Hook: &hookwayv1.HookSpec{
			Id: id, On: []string{"PreToolUse"}, Lane: "guard",
			Match: &hookwayv1.Matcher{Session: []string{e.session}, Command: []string{command}},
		},
		Cwd:     e.workspace,
		Handler: &hookwayv1.RegisterRequest_Decision{Decision: &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: reason}},
		Lease:   durationpb.New(10 * time.Minute),
	})
	return err
}
