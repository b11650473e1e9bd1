package session

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// Control is how a session is reached while it runs, by people and other
// sessions. Its methods may be called from many goroutines.
type Control struct{ s *session }

// ID is the session's.
func (c *Control) ID() string { return c.s.env.Session }

// Name is the agent's.
func (c *Control) Name() string { return c.s.env.Agent }

// Held reports whether nothing is typed to the program for now.
func (c *Control) Held() bool { return c.s.held() }

// Hold keeps texts from being typed until it is called with false.
func (c *Control) Hold(held bool) { c.s.hold(held) }

// Inject has a text typed to the program, and gives its state: the final one if
// it is to be waited for. A state of failed comes with the reason.
func (c *Control) Inject(ctx context.Context, text string, wait bool) (state, reason string, err error) {
	text = visible.Plain(text)
	if isBlank(text) {
		return "", "", errors.New("there is nothing to type: the text is empty")
	}
	item := c.s.inject(text)
	if wait {
		select {
		case <-item.done:
		case <-ctx.Done():
			return "", "", ctx.Err()
		}
	}
	state, reason = item.state()
	return state, reason, nil
}

// Notify says that there may be messages for the session.
func (c *Control) Notify() { c.s.mail.Notify() }

// Messages gives the last messages that were sent and received.
func (c *Control) Messages() []hook.Message { return c.s.messages.list() }

// Output gives the last lines that the program has printed, or with 0 all that
// are kept, and how long that is.
func (c *Control) Output(lines int) (io.ReadCloser, int64, error) {
	text, size, err := c.s.history.read(lines)
	if err != nil {
		return nil, 0, fmt.Errorf("read the output: %w", err)
	}
	return text, size, nil
}
