// Package api answers other programs than agents in the daemon: HTTP and
// gRPC over one engine. It reads requests strictly, says what is wrong with them,
// and holds what they register; events are judged elsewhere.
package api
