// Package relay keeps the messages that agents send each other: who there is, what
// waits for whom, and what has become of it.
//
// A [Store] is one SQLite file that all processes of a user have open. [Store.Send]
// puts a message into the outbox. Package bus takes it from there
// with [Store.Outgoing] to the stream of the receiver's machine, and out of that with
// [Store.Ingest] into the ledger there, which has a row for each message and receiver.
// A session gets what is for it by its [Consumer].
//
//	sender:   Send ─► outbox ─► (stream) ─► Ingest ─► ledger
//	receiver: Consumer.Take ─► Begin ─► the agent is given the text ─► Done ─► Seen
//
// # What is durable when
//
// Each method that changes something is one transaction, synced to the disk before it
// returns. When Send has returned, the message is accepted: nothing short of the loss
// of the disk undoes it. When it has returned an error, nothing was stored, and the
// error says why: [UnknownError], [AmbiguousError], [FullError], [LimitError],
// [LongError], [ErrNobody], or a failure of the file, such as sqlite.ErrFull.
// Nothing that waits is ever dropped or expires. An inbox that is full refuses: Send
// with an error if the message is for one agent of this machine, and otherwise with a
// receipt. Messages that are settled with all receivers go after 30 days.
//
// # Exactly once
//
// A message is its id: to send, publish or take in the same id again changes nothing.
// How far a stream was taken in is kept in the transaction of what was taken in; a
// stream that was made anew begins at 1. A row of the outbox goes when the receiver's
// machine has confirmed the message, so that a lost stream is filled again from there
// ([Store.Republish]).
//
// Into the agent it goes between Begin and Done. Begin lets only one through. If the
// process ends in between, Take gives the message out again with what is known of
// that [Attempt]. The consumer that takes it looks whether the agent has it: then it calls
// Done at once. So each message is injected once wherever that can be looked up, and
// where it cannot, the message says that it may be a repeat. None is lost.
//
// # Order
//
// Of two messages from one agent to another, of the same priority, the one that was
// sent first is taken first; also between machines, and also if one of them is for a
// channel or for everyone. More urgent ones overtake. While a consumer injects a message
// of a sender, no other consumer is given a later one of that sender.
//
// # Who gets it
//
// An agent is its name: without regard to case, in any script. It is known from its
// first [Store.Join] for good, whether it runs or not. Of several sessions with one
// name only one has the inbox, and that by a file lock, which the system gives back
// however the process ends; then the next one gets it. Locks, not clocks, tell who is
// alive, so that an agent that is busy for hours keeps its place.
//
// # Waiting
//
// [Consumer.Wait] and [Store.Targets] end at once with what this process does, or
// with a signal, and within a second with what another one does.
package relay
