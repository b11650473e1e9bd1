package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire/call"
)

// engineClient is the stories' command engine: a program that speaks gRPC with the
// daemon, and knows nothing else of hookway.
//
//	engine fire EVENT FILE                 fires, and prints action, by and reason
//	engine register ID EVENT REASON [TIME] adds a hook that blocks, with a lease
//	engine target ID EVENT TARGET          adds one that a server answers
//	engine unregister ID
//	engine attach ID EVENT REASON N READY  answers N events with a block
//	engine watch N READY                   prints N records
//
// READY is a file that is opened when the program is there.
func engineClient() {
	if err := speak(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, grpcstatus.Convert(err).Code(), grpcstatus.Convert(err).Message())
		os.Exit(1)
	}
}

func speak(args []string) error {
	at, err := call.Find(os.Getenv)
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient("unix://"+at.Socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	e := storyEngine{hookwayv1.NewEngineClient(conn)}
	if len(args) == 0 {
		return errors.New("no command is given")
	}
	args = append(args, "", "", "", "", "")
	switch args[0] {
	case "fire":
		return e.fire(ctx, args[1], args[2])
	case "register", "target":
		return e.register(ctx, args)
	case "unregister":
		r, err := e.Unregister(ctx, &hookwayv1.UnregisterRequest{Id: args[1], Cwd: here()})
		fmt.Println("found", r.GetFound())
		return err
	case "attach":
		return e.attach(ctx, spec(args), args[3], args[4], args[5])
	case "watch":
		return e.watch(ctx, args[1], args[2])
	}
	return fmt.Errorf("there is no engine %s", args[0])
}

type storyEngine struct{ hookwayv1.EngineClient }

func here() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}

func spec(args []string) *hookwayv1.HookSpec {
	return &hookwayv1.HookSpec{Id: args[1], On: []string{args[2]}, Lane: "guard"}
}

func (e storyEngine) fire(ctx context.Context, event, file string) error {
	payload, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r, err := e.Fire(ctx, &hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: event, Json: payload, Cwd: here(), SessionId: "loop"}})
	if err == nil {
		fmt.Println(r.GetAction(), r.GetBy(), r.GetReason())
		fmt.Printf("%s\n", r.GetJson())
	}
	return err
}

func (e storyEngine) register(ctx context.Context, args []string) error {
	r := &hookwayv1.RegisterRequest{Hook: spec(args), Cwd: here(), Handler: &hookwayv1.RegisterRequest_Target{Target: args[3]}}
	if args[0] == "register" {
		r.Handler = &hookwayv1.RegisterRequest_Decision{Decision: &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: args[3]}}
	}
	if args[4] != "" {
		lease, err := time.ParseDuration(args[4])
		if err != nil {
			return err
		}
		r.Lease = durationpb.New(lease)
	}
	done, err := e.Register(ctx, r)
	if err == nil {
		fmt.Println("registered", done.GetId(), "replaced", done.GetReplaced())
	}
	return err
}

func (e storyEngine) attach(ctx context.Context, hook *hookwayv1.HookSpec, reason, times, ready string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	stream, err := e.Attach(ctx)
	if err != nil {
		return err
	}
	err = stream.Send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Attach{Attach: &hookwayv1.Attachment{Hook: hook, Cwd: here()}}})
	for answered := 0; err == nil && answered < n; {
		var m *hookwayv1.AttachResponse
		if m, err = stream.Recv(); err != nil {
			return err
		}
		switch k := m.GetKind().(type) {
		case *hookwayv1.AttachResponse_Refused:
			return fmt.Errorf("%s is refused: %s", k.Refused.GetId(), k.Refused.GetReason())
		case *hookwayv1.AttachResponse_Attached:
			err = os.WriteFile(ready, nil, 0o600)
		case *hookwayv1.AttachResponse_Ask:
			fmt.Printf("asked %s\n", k.Ask.GetHandle().GetEvent().GetJson())
			answered++
			err = stream.Send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Answer{Answer: &hookwayv1.StreamResponse{
				Id:   k.Ask.GetId(),
				Kind: &hookwayv1.StreamResponse_Decision{Decision: &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: reason}},
			}}})
		}
	}
	if err == nil {
		err = stream.CloseSend()
	}
	for err == nil { // until the daemon has seen that
		_, err = stream.Recv()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (e storyEngine) watch(ctx context.Context, times, ready string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	stream, err := e.Watch(ctx, &hookwayv1.WatchRequest{Cwd: here()})
	if err != nil {
		return err
	}
	if _, err := stream.Header(); err != nil {
		return err
	}
	if err := os.WriteFile(ready, nil, 0o600); err != nil {
		return err
	}
	for range n {
		m, err := stream.Recv()
		if err != nil {
			return err
		}
		fmt.Printf("%s\n", m.GetJson())
	}
	return nil
}
