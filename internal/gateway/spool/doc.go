// Package spool is the durable queue of messages for webhooks.
//
// # How a message goes
//
// It is put into a file of the user's state folder, which all processes of the user
// share. Then the process where it happened sends it at once, in the background. The
// daemon sends what such a process cannot send, or has left when it died: it is the one
// that calls [Spool.Carry]. A message leaves the file when the webhook has answered with
// a status from 200 to 299, and not before: it may be delivered twice, with the same
// webhook-id, and is not lost.
//
// # Leases
//
// A process that takes messages out of the file writes a lease into them. It ends by
// itself, so that another process sends what a killed one had taken. In each process one
// goroutine works for a webhook, while there is something to send, with a few requests
// at the same time.
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
