// Package rpc runs hooks that are gRPC servers: each event is sent to a Hooks
// service (proto/hookway/v1/hooks.proto), and the decision is what it answers.
//
//	guard, err := rpc.New(rpc.Config{Target: "unix:///run/guard.sock"})
//	...
//	err = engine.Add(hook.New("guard", guard, hook.For("PreToolUse"), hook.As(hook.Guard)))
//
// The other end is [Serve] with a handler of your own, or a [Server] with several:
//
//	listener, err := rpc.Listen("unix:///run/guard.sock")
//	...
//	err = rpc.Serve(ctx, listener, rpc.Typed(guard))
//
// # Streams
//
// Events go over one stream, which costs less than a call for each. A server
// that has no Stream is asked with Handle, and that is remembered for as long
// as the connection holds. Handle is also for events of 64 KiB and more, which would
// hold up others on the stream, and for those whose headers differ from the
// stream's. A stream on which nothing happens for a minute is closed.
//
// # Time
//
// A call of Handle has the deadline of the event; on a stream it is sent along.
// When the event is cancelled, so is the call, and the server learns of it.
//
// # What is tried again
//
// A connection that could not be made is tried twice more, because nothing was
// sent. What grpc itself knows not to have reached the server it sends
// again. All else is the hook's max_retries.
//
// # Who is talked to
//
// A unix socket, a vsock and an address of the loopback are spoken to as they are. Everything
// else is TLS, unless Config.Insecure says that it may be read on the way.
// Proxies of the environment are not used.
package rpc
