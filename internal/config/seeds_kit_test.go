package config

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
)

// seed gives a program that was written for another hook system, as it stands in
// that system's documentation.
func seed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "seeds", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// planted is a workspace with one program in it, and what it did.
type planted struct {
	*world
	engine  *hook.Engine
	set     *Set
	session *wrappedSession
	ctx     context.Context

	mu   sync.Mutex
	logs []string
	sent []string // requests of fetch
}

// plant runs a program that lies in the workspace under a name. Its grants are
// given in hookway.yaml; without any, the program is found by its name.
func plant(t *testing.T, name, text string, grants ...string) *planted {
	t.Helper()
	p := &planted{world: newWorld(t)}
	p.env["HOOKWAY_TRUST"] = "1"
	p.write(p.work(name), text)
	if len(grants) > 0 {
		p.write(p.work("hookway.yaml"), fmt.Sprintf("hooks:\n  - {id: seed, script: %s, allow: [%s]}\n", name, strings.Join(grants, ", ")))
	}
	p.start(name)
	return p
}

// plantTrusted runs a program that the user has trusted as it is written.
func plantTrusted(t *testing.T, name, text string) *planted {
	t.Helper()
	p := &planted{world: newWorld(t)}
	p.write(p.work(name), text)
	p.trust()
	p.start(name)
	return p
}

// start loads what was planted.
func (p *planted) start(name string) {
	t := p.t
	t.Helper()
	o := p.options()
	o.Log = logline.New(func(line string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.logs = append(p.logs, strings.TrimPrefix(line, name+": "))
	})
	o.Transport = p
	set, err := Load(context.Background(), o)
	p.must(err)
	t.Cleanup(func() { p.must(set.Close()) })
	if len(set.Problems)+len(set.Warnings) > 0 {
		t.Fatalf("problems: %s\nwarnings: %s", set.Problems, set.Warnings)
	}
	p.set, p.engine = set, fill(t, set)
	t.Cleanup(func() { p.must(p.engine.Close(context.Background())) })
	p.session = &wrappedSession{dir: p.ws, env: os.Environ()}
	p.ctx = hook.WithSession(context.Background(), p.session)
}

// RoundTrip is the network: it notes a request and answers well.
func (p *planted) RoundTrip(r *http.Request) (*http.Response, error) {
	body := new(strings.Builder)
	if r.Body != nil {
		if err := r.Write(body); err != nil {
			return nil, err
		}
	}
	_, text, _ := strings.Cut(body.String(), "\r\n\r\n")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, r.Method+" "+r.URL.String()+" "+text)
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// logged waits for what observers still do, and gives what was printed.
func (p *planted) logged() string {
	p.t.Helper()
	p.must(p.engine.Close(context.Background()))
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.logs, "\n")
}

var seedEnvelope = hook.Envelope{Session: "session-123", Agent: "Alice", CWD: "/workspace"}

// fired fires an event of the wrapped session and wants every hook to work.
func fired[P any](p *planted, point hook.Point[P], payload P) hook.Outcome[P] {
	p.t.Helper()
	out, err := hook.Fire(p.ctx, p.engine, point, &seedEnvelope, payload)
	p.must(err)
	for _, s := range out.Steps {
		if s.Err != nil {
			p.t.Errorf("%s at %s: %v", s.Hook, point.Name(), s.Err)
		}
	}
	return out
}

func tool(name string, input map[string]any) hook.ToolUse {
	return hook.ToolUse{ToolName: name, ToolInput: input}
}

func shellCommand(line string) hook.ToolUse { return tool("Bash", map[string]any{"command": line}) }

// wrappedSession is a session as hooks see it, with a memory in memory.
type wrappedSession struct {
	dir string
	env []string

	over bool // the program has ended

	mu       sync.Mutex
	typed    []string
	messages []string
	memories []hook.Remembered
	searched []string
}

func (w *wrappedSession) ID() string          { return "session-123" }
func (w *wrappedSession) Name() string        { return "Alice" }
func (w *wrappedSession) Dir() string         { return w.dir }
func (w *wrappedSession) Env() []string       { return w.env }
func (w *wrappedSession) Relay() hook.Relay   { return w }
func (w *wrappedSession) Memory() hook.Memory { return w }
func (w *wrappedSession) Messages() []hook.Message {
	return []hook.Message{{From: "Bob", Content: "hi"}}
}

func (w *wrappedSession) Output(int) ([]string, error) { return []string{"one", "two"}, nil }

func (w *wrappedSession) Inject(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return fmt.Errorf("the text is not typed: %w", hook.ErrSessionOver)
	}
	w.typed = append(w.typed, text)
	return nil
}

func (w *wrappedSession) Send(_ context.Context, to, text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.messages = append(w.messages, to+": "+text)
	return nil
}

func (w *wrappedSession) Broadcast(ctx context.Context, text string) error {
	return w.Send(ctx, "*", text)
}

func (w *wrappedSession) Save(_ context.Context, content string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.memories = append(w.memories, hook.Remembered{ID: fmt.Sprint(len(w.memories) + 1), Content: content})
	return w.memories[len(w.memories)-1].ID, nil
}

func (w *wrappedSession) Search(_ context.Context, query string) ([]hook.Remembered, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.searched = append(w.searched, query)
	return append([]hook.Remembered(nil), w.memories...), nil
}

func (w *wrappedSession) Forget(_ context.Context, id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, m := range w.memories {
		if m.ID == id {
			w.memories = append(w.memories[:i], w.memories[i+1:]...)
			return nil
		}
	}
	return fmt.Errorf("there is no memory %s", id)
}

func (w *wrappedSession) List(ctx context.Context) ([]hook.Remembered, error) {
	return w.Search(ctx, "")
}

func jsonOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
