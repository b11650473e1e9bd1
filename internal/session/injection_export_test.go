package session

import "time"

// Pending is an injection for tests outside the package.
type Pending struct{ i *injection }

// Put injects a text without waiting.
func (c *Control) Put(text string) Pending { return Pending{c.s.inject(text)} }

// Done is closed in the last state.
func (p Pending) Done() <-chan struct{} { return p.i.done }

// State is that of the injection, and why it waits or has failed.
func (p Pending) State() (state, reason string) { return p.i.state() }

// Steps is called at each step of a message: claimed, shown, noted.
func (c *Control) Steps(step func(step, id string)) { c.s.mail.Step = step }

// WaitMost bounds how long texts wait, from the next one on.
func (c *Control) WaitMost(d time.Duration) { c.s.typist.most = d }

// WatchMost bounds how long is waited to see what becomes of a text, from the next
// one on.
func (c *Control) WatchMost(d time.Duration) { c.s.typist.watches = d }

// LastKey is when the user's last key was taken from the keyboard.
func (c *Control) LastKey() time.Time {
	_, last := c.s.program.User()
	return last
}
