// Package api is what the daemon's doors for other programs open to: HTTP and
// gRPC over one engine. It reads requests strictly, says what is wrong with them,
// and holds what they register; events are judged elsewhere.
package api
