package relay

import (
	"errors"
	"fmt"
	"strings"
)

// ErrTaken means that somebody else has a message, or has dealt with it.
var ErrTaken = errors.New("another process has this message already")

// ErrNobody means that a message to everyone or a channel has no receiver.
var ErrNobody = errors.New("no other agent is there to receive it: wrap an agent with hookway run -n NAME, or let one join the channel")

// UnknownError means that there is no such receiver. Nothing was stored.
type UnknownError struct {
	Kind string   // agent, channel, machine or message
	Name string   // as it was asked for
	Near []string // up to three that it may have meant, the nearest first
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("there is no %s %q", e.Kind, e.Name)
	if len(e.Near) > 0 {
		return text + "; did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	switch e.Kind {
	case "message":
		return text + "; see hookway inbox for those that are kept"
	case "channel":
		return text + "; see hookway channels for those there are"
	}
	return text + "; see hookway agents for those there are"
}

// AmbiguousError means that a name stands for several; say Name@machine.
type AmbiguousError struct {
	Name string
	All  []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q can be %s; say which", e.Name, strings.Join(e.All, " or "))
}

// FullError means that too much waits for an agent already. Nothing was stored.
type FullError struct {
	Agent string
	N     int // messages that wait
}

func (e *FullError) Error() string {
	return fmt.Sprintf("the inbox of %s is full: %d messages wait for it; send it again when it has read some", e.Agent, e.N)
}

// LimitError means that a limit of [Limits] does not let an agent send more now.
// Nothing was stored.
type LimitError struct {
	Limit string // per_minute, ping_pong or hops
	Max   int
	Text  string // what happened and what to do
}

func (e *LimitError) Error() string { return e.Text }

// LongError means that a message is longer than it may be. Nothing was stored.
type LongError struct {
	What string // the text, or the message with its metadata and attachments
	Size int
	Max  int
}

func (e *LongError) Error() string {
	has, may := size(e.Size), size(e.Max)
	if has == may {
		has, may = fmt.Sprintf("%d bytes", e.Size), fmt.Sprintf("%d", e.Max)
	}
	return fmt.Sprintf("%s has %s, and may have %s: put it into a file and attach that (hookway send --attach FILE, or [file:PATH] before the text)", e.What, has, may)
}

// size is a number of bytes for people.
func size(n int) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// IDError means that another message was sent under the id of this one, which was
// not stored.
type IDError struct{ ID string }

func (e *IDError) Error() string {
	return fmt.Sprintf("the id %s is that of another message, of another sender, receiver or text: give this one an id of its own, or none", e.ID)
}

// refusal is what cannot be done, in words for the user.
type refusal struct{ text string }

func (e *refusal) Error() string { return e.text }

// Refused reports whether an error is a refusal, which trying again does not change,
// unless it is a [FullError] or a [LimitError]; any other is a failure of ours.
func Refused(err error) bool { return isRefusal(err) }

// isRefusal tells what was refused from what has failed.
func isRefusal(err error) bool {
	return errors.Is(err, ErrTaken) || errors.Is(err, ErrNobody) || is[*UnknownError](err) || is[*AmbiguousError](err) ||
		is[*FullError](err) || is[*LimitError](err) || is[*LongError](err) || is[*IDError](err) || is[*refusal](err)
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
