// Package daemon is the one process of a user that keeps hooks warm: a server on
// a Unix socket (a named pipe on Windows), its life from the first call to the
// last, and the client that speaks to it.
//
// The server knows frames, connections and requests, and nothing about hooks:
// what a call means is up to the handler in its Config. One lock per socket makes
// sure that one process listens; the kernel gives it back whatever that process
// dies of, and only its holder touches the socket file.
package daemon
