// Package hookwayv1 is hooks.proto as Go: the messages and the services of hooks
// that are gRPC servers, and of the engine that hookway's daemon serves. make
// proto generates it. handler/rpc has what makes a server of a handler in Go.
package hookwayv1
