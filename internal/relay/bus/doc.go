// Package bus carries messages between machines that are linked: out of the outbox
// of the relay's store into a stream for each other machine, and out of the streams
// that are meant for this machine into its ledger. Messages within one machine do not
// pass it: the store delivers them itself. It is NATS with JetStream in both cases,
// and only where the streams are differs:
//
//   - external: a NATS server or cluster of the user's, which all machines share;
//   - leaf: a server in this process, joined to those of other machines. A message for
//     another machine waits in the sender's server until that machine fetches it.
//
// # What holds
//
// Nothing is lost: a row leaves the outbox when the receiver's machine has said
// that it has the message, so whatever happens to a stream, it can be filled
// again. A store that cannot be read is set aside, and that is done.
//
// Nothing is doubled: a stream refuses an id that it has, and the ledger takes
// each id once, in the transaction that also says how far the stream was read.
//
// Order: what one machine sends to another arrives in the order of its outbox.
// Several messages go out as one batch, which the server takes whole or not at
// all; after any failure the next ones go singly, each when the one before it is
// stored. Nothing is sent ahead of something that failed.
//
// A [Bus] runs until it is closed, also while the network, the disk or the server
// is out of order: it tries again with growing pauses, and [Bus.Status] says why.
package bus
