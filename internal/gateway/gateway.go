package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
)

// Gateway answers requests to mappings. Its fields must not be changed once it is
// used; its methods may be called from many goroutines.
type Gateway struct {
	// Load gives the mappings, as they are now.
	Load func(ctx context.Context) (*Config, error)

	// Send sends a message. A message with the id of one that was sent is that one. A
	// *SendError says why nothing was sent.
	Send func(ctx context.Context, m Message) (Sent, error)

	// Fire fires an event.
	Fire func(ctx context.Context, ev Event) (hook.Outcome[any], error)

	// Approve takes a person's answer to what was asked, which came by a channel, and gives
	// what became of it. An error is a *Refusal, or that of the context.
	Approve func(ctx context.Context, channel string, body []byte) (map[string]any, error)

	// Getenv reads the variables that have secrets.
	Getenv func(name string) string

	// NewID makes the id of a message.
	NewID func() string

	// Dir is where answers are remembered; "" is in memory alone.
	Dir string

	// Log gets what goes wrong. Nil drops it.
	Log *slog.Logger

	once    sync.Once
	answers answers

	mu    sync.Mutex
	rates map[string]*rates
	told  map[string]time.Time // when logOnce logged last
}

// rates are the buckets of a mapping.
type rates struct{ requests, failures bucket }

// Sent is what became of a message.
type Sent struct {
	ID       string
	Blocked  bool // a hook has suppressed it
	Reason   string
	Receipts []Receipt
}

// Receipt is how far a message is with one of those it is for.
type Receipt struct {
	To    string `json:"to"`
	State string `json:"state"`
}

// maxReceipts bounds how many of them an answer has.
const maxReceipts = 100

// SendError says why a message was not sent.
type SendError struct {
	Full  bool // there is no room, or too much was sent: it may be tried again later
	Hooks bool // a hook that has to say yes failed: it may be tried again, too
	Err   error
}

func (e *SendError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *SendError) Unwrap() error { return e.Err }

// Refusal is why a request has no answer. Kind is the end of its problem's type.
type Refusal struct {
	Kind   string
	Detail string
	After  time.Duration // when to try again; 0 is not said
}

func (r *Refusal) Error() string { return r.Detail }

func refuse(kind, format string, args ...any) *Refusal {
	return &Refusal{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// Answer is what a request is answered with.
type Answer struct {
	Status int
	Body   []byte // JSON
	Again  bool   // it was given before
}

// Call is one request whose head was let in.
type Call struct {
	g      *Gateway
	m      *Mapping
	header http.Header
	secret string
}

// Hosts are the names by which the gateway may be called, besides those of the listeners.
func (g *Gateway) Hosts(ctx context.Context) []string {
	if c, err := g.Load(ctx); err == nil && c != nil {
		return c.Hosts
	}
	return nil
}

// Admit finds the mapping of a request, and checks what its head says. An error is
// a *Refusal. Who has no secret learns nothing but whether there is such a name.
func (g *Gateway) Admit(ctx context.Context, name string, h http.Header) (*Call, error) {
	c, err := g.Load(ctx)
	if err != nil {
		g.logOnce("", "gateway: the configuration cannot be read: "+err.Error())
		return nil, refuse("failed", "the configuration cannot be read; its owner finds out why in the daemon's log")
	}
	var m *Mapping
	if c != nil {
		m = c.Hooks[name]
	}
	if m == nil {
		return nil, refuse("no-such-path", "there is nothing here")
	}
	secret, err := m.Auth.secret(g.Getenv)
	if err != nil {
		g.logOnce(name, fmt.Sprintf("gateway: %s cannot be called: %v", name, err))
		return nil, refuse("failed", "the secret of this hook is not set up; its owner finds out why in the daemon's log")
	}
	call := &Call{g: g, m: m, header: h, secret: secret}
	if err := m.Auth.checkHead(secret, h); err != nil {
		return nil, call.stranger(err)
	}
	return call, nil
}

// stranger refuses who has no secret. Those are counted by themselves, so that
// they use up no caller's share, and cannot try many.
func (c *Call) stranger(err error) error {
	if ok, wait := c.rates().failures.take(DefaultPerMinute, DefaultBurst); !ok {
		return &Refusal{"too-many", "too many requests were refused here; try again later", wait}
	}
	if c.m.Auth.Scheme == Bearer {
		return refuse("no-token", "%v", err)
	}
	return refuse("bad-signature", "%v", err)
}

func (c *Call) rates() *rates {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	if c.g.rates == nil {
		c.g.rates = map[string]*rates{}
	}
	r := c.g.rates[c.m.Name] // as many as there are mappings: only those get here
	if r == nil {
		r = &rates{}
		c.g.rates[c.m.Name] = r
	}
	return r
}

// MaxBody is how many bytes the body may have.
func (c *Call) MaxBody() int { return c.m.MaxBody }

// Bearer reports that the caller is known already; else the body has to show it.
func (c *Call) Bearer() bool { return c.m.Auth.Scheme == Bearer }

// Do answers the request. An error is a *Refusal, or that of the context.
func (c *Call) Do(ctx context.Context, body []byte) (*Answer, error) {
	if err := c.m.Auth.checkBody(c.secret, c.header, body); err != nil {
		return nil, c.stranger(err)
	}
	if ok, wait := c.rates().requests.take(c.m.PerMinute, c.m.Burst); !ok {
		return nil, &Refusal{"too-many", fmt.Sprintf("too many requests came: %d at once and %d a minute are taken", c.m.Burst, c.m.PerMinute), wait}
	}
	if c.header.Get("Content-Encoding") != "" {
		return nil, refuse("wrong-type", "%v", errType)
	}
	parsed, err := Parse(c.header.Get("Content-Type"), body)
	switch {
	case errors.Is(err, errType):
		return nil, refuse("wrong-type", "%v", err)
	case err != nil:
		return nil, refuse("bad-request", "%v", err)
	}
	in := Input{Body: parsed, Header: c.header.Clone()}
	in.Header.Del(c.m.Auth.header()) // what says who calls goes into no message
	if !c.m.Match.Holds(in) {
		return answer(http.StatusOK, map[string]any{"status": "ignored"})
	}
	ctx, cancel := context.WithTimeout(ctx, c.m.Timeout)
	defer cancel()
	key := c.m.Auth.key(c.m.KeyHeader, c.header, body)
	if key == "" {
		return c.run(ctx, in, c.g.newID())
	}
	return c.keyed(ctx, key, in, body)
}

// keyed answers a request that may have come before.
func (c *Call) keyed(ctx context.Context, key string, in Input, body []byte) (*Answer, error) {
	if len(key) > maxKey {
		return nil, refuse("bad-request", "the idempotency key has more than %d bytes", maxKey)
	}
	store := c.g.store()
	k, mine, err := store.claim(ctx, c.m.Name, key, body, c.g.newID)
	switch {
	case errors.Is(err, errOtherBody):
		return nil, refuse("key-in-use", "%v", err)
	case ctx.Err() != nil && err != nil:
		return nil, err
	case err != nil: // a full disk, most likely: better nothing than twice
		c.g.log().Warn("gateway", logline.Err, err)
		return nil, &Refusal{"busy", "the request cannot be remembered now; try again", time.Minute}
	case !mine:
		body := slices.Clip([]byte(k.Answer)) // others have it, too: who adds to it gets a copy
		if body == nil {
			body = []byte(`{"status":"done"}`)
		}
		return &Answer{Status: k.Status, Body: body, Again: true}, nil
	}
	status, text := 0, []byte(nil)
	defer func() {
		if err := store.settle(k, status, text); err != nil {
			c.g.log().Warn("gateway", logline.Err, err)
		}
	}()
	a, err := c.run(ctx, in, k.ID)
	if err == nil {
		status, text = a.Status, a.Body
	}
	return a, err
}

func (g *Gateway) store() *answers {
	g.once.Do(func() {
		if g.Dir != "" {
			g.answers.path = filepath.Join(g.Dir, "answers.jsonl")
		}
	})
	return &g.answers
}

// Close lets go what is open. Call it when no request is under way any more.
func (g *Gateway) Close() error { return g.store().close() }

func (g *Gateway) newID() string { return g.NewID() }

func (g *Gateway) log() *slog.Logger { return logline.Or(g.Log) }

// logOnce logs what strangers can bring about at will: of one mapping, or of all
// for "", once a minute.
func (g *Gateway) logOnce(mapping, line string) {
	g.mu.Lock()
	last, told := g.told[mapping]
	again := told && time.Since(last) < time.Minute
	if !again {
		if g.told == nil {
			g.told = map[string]time.Time{}
		}
		g.told[mapping] = time.Now()
	}
	g.mu.Unlock()
	if !again {
		g.log().Warn(line)
	}
}

// run sends the message or fires the event.
func (c *Call) run(ctx context.Context, in Input, id string) (*Answer, error) {
	switch {
	case c.m.Channel != "":
		return c.approve(ctx, in)
	case c.m.Message != nil:
		return c.send(ctx, in, id)
	}
	return c.fire(ctx, in, id)
}

// approve hands on a person's answer.
func (c *Call) approve(ctx context.Context, in Input) (*Answer, error) {
	body, err := json.Marshal(in.Body)
	if err != nil || c.g.Approve == nil {
		return nil, refuse("failed", "no answers are taken here")
	}
	became, err := c.g.Approve(ctx, c.m.Channel, body)
	var no *Refusal
	switch {
	case errors.As(err, &no):
		return nil, no
	case err != nil:
		return nil, c.failed(err)
	}
	return answer(http.StatusOK, became)
}

func (c *Call) send(ctx context.Context, in Input, id string) (*Answer, error) {
	m, err := c.m.Message.fill(c.m.Name, in)
	if err != nil {
		return nil, refuse("missing-field", "the message cannot be made: %v", err)
	}
	m.ID = id
	sent, err := c.g.Send(ctx, m)
	var failed *SendError
	switch {
	case errors.As(err, &failed):
		c.g.log().Warn(fmt.Sprintf("gateway: %s: the message to %q was not sent", c.m.Name, m.To), logline.Err, err)
		if failed.Hooks { // what they said has addresses of this machine in it
			return nil, &Refusal{"busy", "the hooks that look at messages do not answer now; try again", time.Minute}
		}
		if failed.Full {
			return nil, &Refusal{"busy", "there is no room for the message now; try again", time.Minute}
		}
		return nil, refuse("not-sent", "the message cannot be sent; who set up this hook finds out why in the daemon's log") // names of agents are not the service's to know
	case err != nil:
		return nil, c.failed(err)
	case sent.Blocked:
		c.g.log().Warn(fmt.Sprintf("gateway: %s: a hook does not want the message to %q: %s", c.m.Name, m.To, sent.Reason))
		return answer(http.StatusOK, map[string]any{"status": "suppressed", "id": sent.ID, "reason": "a hook does not want it"})
	}
	return answer(http.StatusAccepted, map[string]any{"status": "accepted", "id": sent.ID, "receipts": sent.Receipts[:min(len(sent.Receipts), maxReceipts)]})
}

func (c *Call) fire(ctx context.Context, in Input, id string) (*Answer, error) {
	ev, err := c.m.Event.fill(c.m.Name, in)
	if err != nil {
		return nil, refuse("missing-field", "the event cannot be made: %v", err)
	}
	ev.ID = id
	out, err := c.g.Fire(ctx, ev)
	if err != nil {
		return nil, c.failed(err)
	}
	if err := out.Failure(); err != nil {
		c.g.log().Warn(fmt.Sprintf("gateway: %s: a hook of %s failed", c.m.Name, out.Event), logline.Err, err)
		out.Reason = "a hook failed, and its failures block"
	}
	said := map[string]any{"status": "fired", "event": out.Event, "action": out.Action.String()}
	if out.Reason != "" {
		said["reason"] = out.Reason
	}
	if out.Inject != "" {
		said["inject"] = out.Inject
	}
	if out.Result != nil {
		said["result"] = out.Result
	}
	return answer(http.StatusOK, said)
}

// failed is the refusal for an error on our side.
func (c *Call) failed(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return refuse("hooks-took-long", "there is no answer after %v", c.m.Timeout)
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	c.g.log().Warn(fmt.Sprintf("gateway: %s", c.m.Name), logline.Err, err)
	return refuse("failed", "hookway could not answer; who set up this hook finds out why in the daemon's log")
}

func answer(status int, value map[string]any) (*Answer, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, refuse("failed", "the answer cannot be written as JSON")
	}
	return &Answer{Status: status, Body: text}, nil
}

// Seconds writes a time for the header Retry-After.
func Seconds(d time.Duration) string { return strconv.Itoa(max(1, int(math.Ceil(d.Seconds())))) }
