package session

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
)

// view is the session as the hooks of its events see it.
type view struct {
	s       *session
	environ []string // of the program
}

var _ hook.Wrapped = (*view)(nil)

func newView(s *session, cfg Config) *view {
	env := cfg.Env
	if env == nil {
		env = os.Environ()
	}
	own := []string{"HOOKWAY_SESSION=" + s.env.Session, "HOOKWAY_AGENT=" + s.env.Agent}
	return &view{s, slices.Concat(env, own)}
}

func (v *view) ID() string          { return v.s.env.Session }
func (v *view) Name() string        { return v.s.env.Agent }
func (v *view) Dir() string         { return v.s.env.CWD }
func (v *view) Env() []string       { return slices.Clone(v.environ) }
func (v *view) Memory() hook.Memory { return v.s.memory }
func (v *view) Relay() hook.Relay   { return messenger{v.s} }

func (v *view) Messages() []hook.Message { return v.s.messages.list() }

func (v *view) Inject(text string) error {
	item := v.s.inject(text)
	switch state, reason := item.state(); {
	case state != stateFailed:
		return nil
	case reason == hook.ErrSessionOver.Error():
		return fmt.Errorf("the text is not typed: %w", hook.ErrSessionOver)
	default:
		return fmt.Errorf("the text is not typed: %s", reason)
	}
}

func (v *view) Send(ctx context.Context, to, text string) error {
	return messenger{v.s}.Send(ctx, to, text)
}

func (v *view) Output(lines int) ([]string, error) {
	text, size, err := v.s.history.read(lines)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	var all []string
	in := bufio.NewScanner(text)
	in.Buffer(make([]byte, 0, min(size+1, 64<<10)), historyHalf)
	for in.Scan() {
		all = append(all, in.Text())
	}
	return all, in.Err()
}

// messenger sends for hooks.
type messenger struct{ s *session }

func (r messenger) Send(ctx context.Context, to, text string) error {
	note, err := r.s.send(ctx, relay.Message{To: to, Content: text})
	if note != "" { // what the hooks of MessageSending have to say to the agent
		r.s.inject(note)
	}
	return err
}

func (r messenger) Broadcast(ctx context.Context, text string) error {
	return r.Send(ctx, everybody, text)
}

const (
	memorableMessages = 256
	memorableBytes    = 1 << 20
)

// messages are the last ones that were sent and received.
type messages struct {
	mu   sync.Mutex
	last []hook.Message
	size int
}

func (m *messages) add(one hook.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = append(m.last, one)
	m.size += len(one.Content)
	for len(m.last) > memorableMessages || m.size > memorableBytes && len(m.last) > 1 {
		m.size -= len(m.last[0].Content)
		m.last = slices.Delete(m.last, 0, 1)
	}
}

func (m *messages) list() []hook.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.last)
}
