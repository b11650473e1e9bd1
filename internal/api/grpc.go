package api

import (
	"context"
	"fmt"
	"net"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

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

// Server makes a gRPC server of the service. authorized decides about the token
// that each call brings along in its metadata; nil needs none. Close ends the
// servers of a service.
func (s *Service) Server(authorized func(token string) bool) *grpc.Server {
	g := &guard{s, authorized}
	server := grpc.NewServer(
		grpc.Creds(door{}),
		grpc.MaxRecvMsgSize(wire.MaxSize+1<<20), // an event of the largest size, with what is around it
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(maxHeaders),
		grpc.ConnectionTimeout(beginTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: pingAfter, Timeout: pingPatience}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingMin, PermitWithoutStream: true}),
		grpc.UnaryInterceptor(g.unary),
		grpc.StreamInterceptor(g.stream),
	)
	hookwayv1.RegisterEngineServer(server, s)
	healthv1.RegisterHealthServer(server, s.health)
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

// guard stands before every call: it asks for the token, and keeps a panic from
// being more than the end of one call.
type guard struct {
	s          *Service
	authorized func(token string) bool
}

func (g *guard) unary(ctx context.Context, r any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (out any, err error) {
	defer g.recover(info.FullMethod, &err)
	if err := g.admit(ctx); err != nil {
		return nil, err
	}
	return next(ctx, r)
}

func (g *guard) stream(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	defer g.recover(info.FullMethod, &err)
	if err := g.admit(stream.Context()); err != nil {
		return err
	}
	return next(service, stream)
}

func (g *guard) recover(method string, err *error) {
	if p := recover(); p != nil {
		g.s.log(fmt.Sprintf("panic in %s: %v\n%s", method, p, debug.Stack()))
		*err = status.Error(codes.Internal, "hookway panicked; its log says more")
	}
}

// admit checks the token of a call.
func (g *guard) admit(ctx context.Context) error {
	select {
	case <-g.s.stopping:
		return errEnding
	default:
	}
	if g.authorized == nil {
		return nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	values := md.Get("authorization")
	if len(values) == 1 {
		scheme, token, _ := strings.Cut(values[0], " ")
		if strings.EqualFold(scheme, "bearer") && g.authorized(strings.TrimSpace(token)) {
			return nil
		}
	}
	if len(values) == 0 {
		return status.Error(codes.Unauthenticated, "the metadata has no authorization; send: authorization: Bearer TOKEN, with the token of hookway's state folder")
	}
	return status.Error(codes.Unauthenticated, "the token in the metadata authorization is not the daemon's; it is in hookway's state folder, in the file token")
}

// caller is what a connection says of the process at its other end.
type caller interface{ CallerPID() int }

// door hands connections over as they are: whoever accepted them has checked who
// calls, and has taken TLS away.
type door struct{}

// doorInfo is what is known of the caller of a connection.
type doorInfo struct {
	credentials.CommonAuthInfo
	pid int
}

// AuthType names the kind.
func (doorInfo) AuthType() string { return "hookway" }

// ServerHandshake takes the connection as it is.
func (door) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	info := doorInfo{CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}}
	if from, ok := c.(caller); ok {
		info.pid = from.CallerPID()
	}
	return c, info, nil
}

// ClientHandshake is not for servers.
func (door) ClientHandshake(_ context.Context, _ string, c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return c, doorInfo{}, nil
}

// Info names no protocol.
func (door) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "hookway"}
}

// Clone gives the same.
func (d door) Clone() credentials.TransportCredentials { return d }

// OverrideServerName does nothing: there is no name.
func (door) OverrideServerName(string) error { return nil }

// peerPID is the process that calls; 0 if it is not known.
func peerPID(ctx context.Context) int {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return 0
	}
	info, _ := p.AuthInfo.(doorInfo)
	return info.pid
}
