// Package web runs hooks that are web servers: each event is sent to a URL with
// POST, and the decision is what the server answers.
//
//	policy, err := web.New(web.Config{URL: "https://policy.example.com/hooks", Secret: "${POLICY_SECRET}"})
//	...
//	err = engine.Add(hook.New("policy", policy, hook.For("PreToolUse"), hook.As(hook.Guard)))
//
// [Verify] checks the signature on the server's side.
//
// # What is sent and answered
//
// The body is the JSON of package wire, as a command reads it on stdin. A status
// from 200 to 299 means that the body is the answer, in any of the dialects of
// package wire; an empty one is no opinion. Any other status is a failure, unless
// the body is an answer that blocks: its author meant it. Redirects are
// never followed, because the event, its signature and the headers are for the
// one server that was named.
//
// # Signatures
//
// Every request has a webhook-id and a webhook-timestamp. With a secret it has a
// webhook-signature besides, as Standard Webhooks define it: v1 and the HMAC-SHA256
// of id, timestamp and body. The id is made of the event's and of the body, so
// that a second try has the id of the first, and a changed event has another.
//
// The server may sign its answer in the same way, with the id of the request, a
// timestamp of its own and the same secret. A signature that is wrong, of another
// request or older than five minutes is a failure. With Config.Verify a missing one is, too.
//
// # What is tried again
//
// A connection that could not be made is tried twice more, because nothing was
// sent. A request on a kept connection of which the server had read nothing is
// sent again on a new one. Once bytes were sent, only a signed request is sent
// again, and only if the kept connection ended without a byte of an answer: its
// id tells the server that it is the same one. All else is the hook's max_retries.
//
// # Where it connects to
//
// Loopback, link-local, private and other addresses that are not public, and the
// machine's own, are refused when a connection is made, after the name was
// resolved: a name that points there does not help. Config.AllowPrivate permits
// them. Through a proxy it is the proxy that resolves names; an address that is
// written in the URL is looked at all the same.
package web
