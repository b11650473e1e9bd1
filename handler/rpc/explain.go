package rpc

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// failed is the error of a server that could not decide.
type failed struct{ message string }

// Error returns what the server said.
func (f *failed) Error() string {
	if f.message == "" {
		return "it failed and said nothing more"
	}
	return "it failed: " + f.message
}

// said is an error of gRPC as the server put it.
type said struct{ error }

// Error returns the message without gRPC's words around it.
func (s said) Error() string {
	st, ok := status.FromError(s.error)
	if !ok || st.Code() == codes.OK {
		return s.error.Error()
	}
	if st.Message() == "" {
		return "status " + st.Code().String()
	}
	return st.Message()
}

// Unwrap returns the error.
func (s said) Unwrap() error { return s.error }

// explain says what to do about an error of a call.
func explain(err error) error {
	st, ok := status.FromError(err)
	if _, before := errors.AsType[*notConnected](err); !ok || before || st.Code() == codes.OK {
		return err
	}
	text := st.Message()
	switch st.Code() {
	case codes.Unimplemented:
		if strings.Contains(text, "unknown service") {
			return fmt.Errorf("it is a gRPC server, but has no service hookway.v1.Hooks; look at the target: %w", said{err})
		}
		return fmt.Errorf("it does not implement Handle of hookway.v1.Hooks: %w", said{err})
	case codes.Unauthenticated, codes.PermissionDenied:
		return fmt.Errorf("it refuses us; look at the headers and the certificate: %w", said{err})
	case codes.ResourceExhausted:
		if strings.Contains(text, "received message larger than max") {
			return fmt.Errorf("the answer has more than %d MiB; an answer is one small object: %w", maxAnswer>>20, said{err})
		}
	case codes.Unavailable:
		if strings.Contains(text, "error reading from server") || strings.Contains(text, "transport is closing") || strings.Contains(text, "connection reset") {
			return fmt.Errorf("the connection ended before there was an answer, and the event was not sent again: %w", said{err})
		}
		return fmt.Errorf("it cannot answer now: %w", said{err})
	case codes.Internal, codes.Unknown:
		if strings.Contains(text, "failed to unmarshal") || strings.Contains(text, "unexpected HTTP status") {
			return fmt.Errorf("what it answers is not a message of hookway.v1.Hooks: %w", said{err})
		}
	}
	return fmt.Errorf("it failed: %w", said{err})
}
