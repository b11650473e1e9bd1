package approve

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
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

// key is the same for the very same call, and for no other.
func (c *Call) key() (string, error) {
	facts := []byte{}
	if len(c.Facts) > 0 {
		var err error
		if facts, err = json.Marshal(c.Facts); err != nil {
			return "", err
		}
	}
	input := sha256.Sum256(canonical(c.Input))
	return sum(c.running([]byte(c.Agent), []byte(c.Session), []byte(c.folder()), []byte(c.Tool), input[:], facts)...), nil
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
