package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire"
)

// fireRequest is the body of POST /v1/events.
type fireRequest struct {
	Event     string            `json:"event"`
	Payload   json.RawMessage   `json:"payload"`
	Session   string            `json:"session_id"`
	Agent     string            `json:"agent"`
	Source    string            `json:"source"`
	CWD       string            `json:"cwd"`
	Metadata  json.RawMessage   `json:"metadata"`
	Env       map[string]string `json:"env"`
	metadata  map[string]any    // Metadata, read
	variables []string          // Env as NAME=value
	TimeoutMS float64           `json:"timeout_ms"`
	DryRun    bool              `json:"dry_run"`
}

// fields are the members of the body, each with where it goes.
func (r *fireRequest) fields() map[string]any {
	return map[string]any{
		"event": &r.Event, "payload": &r.Payload, "session_id": &r.Session, "agent": &r.Agent, "source": &r.Source,
		"cwd": &r.CWD, "metadata": &r.Metadata, "env": &r.Env, "timeout_ms": &r.TimeoutMS, "dry_run": &r.DryRun,
	}
}

// decodeFire reads a body strictly. The error is a *problemDetails.
func decodeFire(body []byte) (*fireRequest, error) {
	r := &fireRequest{}
	if err := decodeObject(body, r.fields()); err != nil {
		return nil, err
	}
	most := float64(hook.MaxTimeout / time.Millisecond)
	switch {
	case r.Event == "":
		return nil, problem("bad-request", `the event has no name; send {"event":"PreToolUse", ...}`).at("event")
	case r.TimeoutMS < 0 || r.TimeoutMS > most:
		return nil, problem("bad-request", "timeout_ms must be from 0 (none) to %.0f", most).at("timeout_ms")
	}
	for name, text := range map[string]json.RawMessage{"payload": r.Payload, "metadata": r.Metadata} {
		if len(text) > 0 && text[0] != '{' {
			return nil, problem("bad-request", "%s must be a JSON object", name).at(name)
		}
	}
	if err := r.readMetadata(); err != nil {
		return nil, problem("bad-request", "metadata: %v", err).at("metadata")
	}
	var err error
	if r.variables, err = variables(r.Env); err != nil {
		return nil, problem("bad-request", "%v", err).at("env")
	}
	return r, nil
}

func (r *fireRequest) readMetadata() error {
	if len(r.Metadata) == 0 {
		return nil
	}
	if err := wire.Bounded(r.Metadata); err != nil {
		return err
	}
	return json.Unmarshal(r.Metadata, &r.metadata)
}

// firing is what is asked for, as the engine has it.
func (r *fireRequest) firing(o origin) judge.Firing {
	f := judge.Firing{
		Event: r.Event, Payload: r.Payload, Session: r.Session, Agent: r.Agent, Source: r.Source, CWD: r.CWD,
		Metadata: r.metadata, Env: r.variables, DryRun: r.DryRun, Foreign: o.foreign,
	}
	if f.Source == "" {
		f.Source = "http"
	}
	return f
}

// events answers POST /v1/events.
func (d *Server) events(w http.ResponseWriter, r *http.Request, o origin) (size int, err error) {
	body, giveBack, err := d.readBody(w, r, mostEvent)
	if err != nil {
		return 0, err
	}
	defer giveBack()
	answer, err := d.once(r, body, func() ([]byte, error) { return d.fire(r.Context(), body, o) })
	if err != nil {
		return len(body), err
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(bodyTime))
	writeText(w, "application/json", http.StatusOK, answer)
	return len(body), nil
}

// fire gives the outcome as JSON.
func (d *Server) fire(ctx context.Context, body []byte, o origin) ([]byte, error) {
	request, err := decodeFire(body)
	if err != nil {
		return nil, err
	}
	if request.TimeoutMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(request.TimeoutMS*float64(time.Millisecond)))
		defer cancel()
	}
	out, err := d.Engine.Fire(ctx, request.firing(o))
	switch {
	case err == nil:
	case errors.Is(err, context.DeadlineExceeded):
		return nil, problem("hooks-took-long", "there is no outcome after %v ms: %v; ask with a longer timeout_ms, or give the hooks shorter timeouts", request.TimeoutMS, err)
	case errors.Is(err, context.Canceled) && d.stopping():
		return nil, stopping()
	default:
		return nil, err
	}
	text, err := wire.EncodeOutcome(out)
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}
