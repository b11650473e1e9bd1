package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
)

// Bounds of a gRPC connection.
const (
	maxStreams   = 2048             // calls under way on one connection
	maxHeaders   = 64 << 10         // bytes
	beginTime    = 10 * time.Second // for a connection to say what HTTP/2 begins with
	pingAfter    = 30 * time.Second // of silence, a connection is asked whether it lives
	pingPatience = 10 * time.Second // for its answer
	pingMin      = 5 * time.Second  // between the pings of a client
)

// Server makes a gRPC server of the service; options come after its own. Close
// ends the servers of a service.
func (s *Service) Server(options ...grpc.ServerOption) *grpc.Server {
	g := &guard{s}
	own := []grpc.ServerOption{
		grpc.Creds(asAccepted{}),
		grpc.MaxRecvMsgSize(wire.MaxSize + 1<<20), // an event of the largest size, with what is around it
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(maxHeaders),
		grpc.ConnectionTimeout(beginTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: quietTime, Time: pingAfter, Timeout: pingPatience}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingMin, PermitWithoutStream: true}),
		grpc.InTapHandle(g.tap),
		grpc.ChainUnaryInterceptor(g.unary),
		grpc.ChainStreamInterceptor(g.stream),
	}
	server := grpc.NewServer(append(own, options...)...)
	hookwayv1.RegisterEngineServer(server, s)
	healthv1.RegisterHealthServer(server, s.health)
	s.health.SetServingStatus(hookwayv1.Engine_ServiceDesc.ServiceName, healthv1.HealthCheckResponse_SERVING)
	s.mu.Lock()
	s.servers = append(s.servers, server)
	s.mu.Unlock()
	return server
}

// Stop has streams end that would not end by themselves, and no call begin. It
// does not wait.
func (s *Service) Stop() {
	s.stopOnce.Do(func() {
		s.health.Shutdown()
		close(s.stopping)
	})
}

// Close ends the servers, lets calls under way end until the context ends, and
// takes out everything that was registered.
func (s *Service) Close(ctx context.Context) {
	s.Stop()
	s.mu.Lock()
	servers := s.servers
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, server := range servers {
			server.GracefulStop()
		}
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	for _, server := range servers {
		server.Stop()
	}
	<-ended
	s.hooks.close()
	s.closing.Wait()
}

// guard stands before every call: it lets in who may, and keeps a panic from being
// more than the end of one call.
type guard struct{ s *Service }

// tap looks at a call when its headers are there: a message of somebody who may not
// call is not even read.
func (g *guard) tap(ctx context.Context, info *tap.Info) (out context.Context, err error) {
	defer g.recover(info.FullMethodName, &err)
	return ctx, g.admit(ctx)
}

func (g *guard) unary(ctx context.Context, r any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (out any, err error) {
	defer g.recover(info.FullMethod, &err)
	return next(ctx, r)
}

func (g *guard) stream(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	defer g.recover(info.FullMethod, &err)
	return next(service, stream)
}

func (g *guard) recover(method string, err *error) {
	if p := recover(); p != nil {
		g.s.options.Log.Warn(fmt.Sprintf("panic in %s: %v\n%s", method, p, debug.Stack()))
		*err = status.Error(codes.Internal, "hookway panicked; its log says more")
	}
}

// admit lets a call in, or says why not.
func (g *guard) admit(ctx context.Context) error {
	select {
	case <-g.s.stopping:
		return errEnding
	default:
	}
	if g.s.options.Admit == nil {
		return nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	err := g.s.options.Admit(connOf(ctx), md)
	if err == nil {
		return nil
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	return status.Error(codes.Unauthenticated, err.Error())
}

// asAccepted hands connections over as they are: the daemon, which accepted them, has checked who
// calls, and has taken TLS away.
type asAccepted struct{}

// connInfo is the connection that a call came in on.
type connInfo struct {
	credentials.CommonAuthInfo
	conn net.Conn
}

// AuthType names the kind.
func (connInfo) AuthType() string { return "hookway" }

// ServerHandshake takes the connection as it is.
func (asAccepted) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return c, connInfo{credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}, c}, nil
}

// ClientHandshake is not for servers.
func (asAccepted) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("these credentials are the server's")
}

// Info names no protocol.
func (asAccepted) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "hookway"}
}

// Clone gives the same.
func (d asAccepted) Clone() credentials.TransportCredentials { return d }

// OverrideServerName does nothing: there is no name.
func (asAccepted) OverrideServerName(string) error { return nil }
