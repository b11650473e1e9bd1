// Package spool keeps what webhooks are to be told until they have heard it.
//
// # How a message goes
//
// It is put into a file of the user's state folder, which all processes of the user
// share. Then the process where it happened sends it at once, and nobody waits for
// that. What it cannot send, and what a process that died has left, the daemon
// carries, which is the one that calls [Spool.Carry]. A message leaves the file when
// the webhook has answered with a status from 200 to 299, and not before: it may be
// heard twice, with the same webhook-id, and is not lost.
//
// # Who sends
//
// Who takes messages out of the file writes into them until when nobody else may:
// a lease. It ends by itself, so that what a killed process had taken is sent by
// another. In each process one goroutine works for a webhook, while there is
// something to send, with a few requests at the same time.
//
// # A webhook that does not answer
//
// When all that was sent together has failed, the webhook is left alone for a time that
// grows from seconds to hours, and then gets one message as a probe, whatever waits.
// A message that it refused, while it took others, waits by itself. After three days a
// message is dropped.
//
// # What is bounded
//
// The number of messages for a webhook, and their bytes: the newest is refused then,
// and counted. If the file cannot be written, a message is sent from memory, for a minute.
package spool
