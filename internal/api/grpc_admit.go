package api

import (
	"context"
	"net"
	"net/http"

	"github.com/hookway/hookway/internal/judge"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// admitCall lets a call of gRPC in, by the rules of HTTP's.
func (d *Server) admitCall(nc net.Conn, md metadata.MD) error {
	host, header := "", http.Header{}
	if names := md.Get(":authority"); len(names) == 1 {
		host = names[0]
	}
	for _, name := range []string{"Authorization", "Origin"} {
		header[name] = md.Get(name)
	}
	err := d.let(originOf(nc), host, header)
	if err == nil {
		return nil
	}
	p := asProblem(err)
	if p.Status == http.StatusUnauthorized {
		return status.Error(codes.Unauthenticated, p.Detail)
	}
	return status.Error(codes.PermissionDenied, p.Detail)
}

// from says who fires.
func from(nc net.Conn, f *judge.Firing) {
	o := originOf(nc)
	f.Foreign = o.foreign
}

// work has the daemon stay while a call runs hooks, but not for longer than it waits
// for anybody.
func (d *Server) work(ctx context.Context) (working context.Context, done func(size int), err error) {
	select {
	case d.firing <- struct{}{}:
	default:
		return nil, nil, status.Errorf(codes.ResourceExhausted, "%d requests are under way already; try again", maxFiring)
	}
	if !d.host.Work() {
		<-d.firing
		return nil, nil, errEnding
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(d.host.Context(), func() { cancel(errEnding) })
	return ctx, func(size int) {
		stop()
		cancel(nil)
		d.host.Done(size)
		<-d.firing
	}, nil
}

// large waits for the turn of a large event.
func (d *Server) large(ctx context.Context) (giveBack func(), err error) { return d.host.Large(ctx) }

// maxFiring bounds how many events are under way.
const maxFiring = 1024
