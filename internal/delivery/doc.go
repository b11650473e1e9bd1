// Package delivery brings text to an agent, whichever way it has to be reached.
//
// A text on its way is an [Item], and every item goes through the same states:
//
//	waiting ──Take──► claimed ──Shown──► shown ──Prove──► proven
//	   ▲                 │
//	   └─────Return──────┘
//
// Messages wait in the store of internal/relay, which every process of the machine
// shares. To claim one and to give it back are one step there each, and the claim of a
// process that has died returns by itself: it is held by a lock of the system. So a
// message is handed out once, however many channels ask for it.
//
// A [Channel] is one way to an agent. [Terminal] serves an agent that hookway run wraps:
// its items are typed over an [Edge], the terminal, which types and says what it saw.
// [Inbox] serves an agent that asks: by the command line or by MCP. [Leases] hands out
// over HTTP, where an agent keeps nothing open. An [Answer] is of [Native], the channel
// of an agent's own hooks: it claims items for the answer to one event, notes when that
// was sent that they are shown, and the next event proves it. What a wrapped agent's own
// hooks are to take is offered to them through a folder that both sides share, see
// [Shared]; there, too, a claim is held by a lock.
//
// What an agent is given is data, whatever it holds: it comes from outside, and an agent
// obeys what it reads. So it has no control characters, no directives and no invisible
// marks, and its sender stands in front. [Clean] and [Text] see to that for all channels,
// and [Look] finds out after a crash whether the agent has a message already.
//
// [Send] is the other end: every message leaves by it, so that hooks see each of them.
package delivery
