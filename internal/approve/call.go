package approve

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// Kind says why a call waits for a person.
type Kind string

// The kinds. A yes to what was only to be asked about lets no call past a block.
const (
	KindAsk   Kind = "ask"   // a hook wants it confirmed
	KindBlock Kind = "block" // a rule stops it, and may be passed by
)

// Route is how a person is asked, and how the call goes on.
type Route string

// The routes.
const (
	RouteDialog Route = "dialog" // the agent asks as well; the first answer wins
	RouteHold   Route = "hold"   // the call waits in its hook
	RouteRetry  Route = "retry"  // the call is refused, and passes when it comes again
)

// Call is a tool call that a hook asks about, or that a rule stops.
type Call struct {
	Agent, Session, Workspace, Tool string

	Native   string // the agent's own name of the tool, if it is another one
	Subagent string // of the session, which makes the call; "" is the agent itself. It is for who is told

	Input map[string]any
	Facts []hook.Fact // what it would do, as is known without running it

	// Why it waits. A grant does not depend on them, but for Kind.
	Hook, Rule, Reason string
	Kind               Kind     // "" is KindBlock
	Does               []string // what it would do, for people

	Route  Route         // "" is RouteRetry
	Wait   time.Duration // how long somebody can answer; 0 is AnswerTime
	ID     string        // the call in its agent's words, which may say later that it was made
	Report string        // names this report of the call, also when another process takes it over; "" is unknown

	bound *bound // nil until the files that it runs are looked at
}

func (c *Call) kind() Kind {
	if c.Kind == "" {
		return KindBlock
	}
	return c.Kind
}

func (c *Call) route() Route {
	if c.Route == "" {
		return RouteRetry
	}
	return c.Route
}

func (c *Call) wait() time.Duration {
	if c.Wait <= 0 {
		return AnswerTime
	}
	return c.Wait
}

// UnboundError is a call that no answer can be bound to, so that nobody is asked about it
// from elsewhere.
type UnboundError struct{ Why string }

func (e *UnboundError) Error() string { return "no answer can be bound to this very call: " + e.Why }

// lost is what stands for what was no text: two calls that differ in it are the same here.
const lost = "\ufffd"

// bindable is an error if another call may look like this one.
func (c *Call) bindable() error {
	for _, name := range []string{c.Agent, c.Session, c.Workspace, c.Tool, c.Native} {
		if strings.Contains(name, lost) {
			return &UnboundError{Why: fmt.Sprintf("%q is no valid UTF-8, or has U+FFFD", name)}
		}
	}
	if bytes.Contains(canonical(c.Input), []byte(lost)) {
		return &UnboundError{Why: "its input is no valid UTF-8, or has U+FFFD, which stands for what is not; write such characters as escapes of the program that reads them"}
	}
	return nil
}

// key is the same for the very same call, and for no other.
func (c *Call) key() (string, error) {
	if err := c.bindable(); err != nil {
		return "", err
	}
	facts := []byte{}
	if len(c.Facts) > 0 {
		var err error
		if facts, err = json.Marshal(c.Facts); err != nil {
			return "", err
		}
	}
	input := sha256.Sum256(canonical(c.Input))
	runs := c.running()
	parts := [][]byte{[]byte(c.Agent), []byte(c.Session), []byte(c.folder()), c.tool(), input[:], facts}
	return sum(append(parts, runs.parts...)...), runs.err
}

// tool is the tool and its own name: an agent may have several shells, one of which is
// elsewhere.
func (c *Call) tool() []byte {
	if c.Native == "" {
		return []byte(c.Tool)
	}
	return []byte(c.Tool + "\x00" + c.Native)
}

// folder is the workspace itself: a link to it may lead elsewhere the next time.
func (c *Call) folder() string {
	if real, err := filepath.EvalSymlinks(c.Workspace); err == nil {
		return real
	}
	return c.Workspace
}

// sum is one hash of parts, none of which can be taken for a piece of another.
func sum(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}
