package rpc

import (
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// failed is the error of a server that could not decide.
type failed struct{ message string }

// Error gives what the server said.
func (f *failed) Error() string {
	if f.message == "" {
		return "it failed and said nothing more"
	}
	return "it failed: " + f.message
}

// explain says what to do about an error of a call.
func explain(err error) error {
	s, ok := status.FromError(err)
	if !ok {
		return err
	}
	said := s.Message()
	switch s.Code() {
	case codes.Unimplemented:
		if strings.Contains(said, "unknown service") {
			return fmt.Errorf("it is a gRPC server, but has no service hookway.v1.Hooks; look at the target: %w", err)
		}
		return fmt.Errorf("it does not implement Handle of hookway.v1.Hooks: %w", err)
	case codes.Unauthenticated, codes.PermissionDenied:
		return fmt.Errorf("it refuses us; look at the headers and the certificate: %w", err)
	case codes.ResourceExhausted:
		if strings.Contains(said, "received message larger than max") {
			return fmt.Errorf("the answer has more than %d MiB; an answer is one small object: %w", maxAnswer>>20, err)
		}
	case codes.Unavailable:
		return unavailable(said, err)
	case codes.Internal, codes.Unknown:
		if strings.Contains(said, "failed to unmarshal") || strings.Contains(said, "unexpected HTTP status") {
			return fmt.Errorf("what it answers is no message of hookway.v1.Hooks: %w", err)
		}
	}
	return fmt.Errorf("it failed: %w", err)
}

// unavailable tells apart what grpc calls by one name.
func unavailable(said string, err error) error {
	switch {
	case strings.Contains(said, "certificate required") || strings.Contains(said, "bad certificate") || strings.Contains(said, "unknown certificate"):
		return fmt.Errorf("it wants another certificate from us; name it with tls: {cert: …, key: …}: %w", err)
	case strings.Contains(said, "server preface") || strings.Contains(said, "ALPN"):
		return fmt.Errorf("it does not speak gRPC; look at the target, and whether it wants tls: %w", err)
	case strings.Contains(said, "error reading from server") || strings.Contains(said, "transport is closing") || strings.Contains(said, "connection reset"):
		return fmt.Errorf("the connection ended before there was an answer, and the event was not sent again: %w", err)
	}
	return fmt.Errorf("it cannot answer now: %w", err)
}
