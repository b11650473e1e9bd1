package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/hookway/hookway/internal/explain"
	"github.com/hookway/hookway/internal/guards"
)

// Explainer tells what calls would do, and how decisions came about.
type Explainer interface {
	// Explain explains a call under the configuration of the folder it is made in; "" is
	// the user's own.
	Explain(ctx context.Context, c explain.Call) (guards.Explanation, error)

	// Decision explains a decision on record. The error of one that is not there is
	// audit.ErrNoSuch.
	Decision(ctx context.Context, seq int64) (explain.Decision, error)
}

// explainRequest is the body of POST /v1/explain.
type explainRequest struct {
	Command string          `json:"command"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	CWD     string          `json:"cwd"`
	Shell   string          `json:"shell"`
}

func (r *explainRequest) fields() map[string]any {
	return map[string]any{"command": &r.Command, "tool": &r.Tool, "input": &r.Input, "cwd": &r.CWD, "shell": &r.Shell}
}

// decodeExplain reads a body strictly. The error is a *problemDetails.
func decodeExplain(body []byte) (c explain.Call, err error) {
	var r explainRequest
	if err := decodeObject(body, r.fields()); err != nil {
		return c, err
	}
	switch {
	case r.Command != "" && r.Tool != "":
		return c, problem("bad-request", "command and tool both name the call: send one of them").at("tool")
	case r.Command == "" && r.Tool == "":
		return c, problem("bad-request", `there is no call; send {"command":"git push -f"} or {"tool":"Read","input":{"file_path":"/etc/hosts"}}`).at("command")
	case r.Tool == "" && len(r.Input) > 0:
		return c, problem("bad-request", "input is what a tool gets; name the tool").at("input")
	case r.Tool != "" && r.Shell != "":
		return c, problem("bad-request", "shell says who reads a command; leave it out beside tool").at("shell")
	}
	if err := isFolder(r.CWD); err != nil {
		return c, err
	}
	if r.Tool == "" {
		if c, err = explain.Line(r.Command, r.Shell, r.CWD); err != nil {
			err = problem("bad-request", "%v", err).at("shell")
		}
		return c, err
	}
	var input map[string]any
	if len(r.Input) > 0 {
		if err := json.Unmarshal(r.Input, &input); err != nil {
			return c, problem("bad-request", "input must be a JSON object: %v", err).at("input")
		}
	}
	return explain.Tool(r.Tool, input, r.CWD), nil
}

// explain answers POST /v1/explain.
func (d *Server) explain(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	body, err := d.onlyJSON(w, r)
	if err != nil {
		return 0, err
	}
	call, err := decodeExplain(body)
	if err != nil {
		return len(body), err
	}
	e, err := d.Views.Explain(r.Context(), call)
	if err != nil {
		return len(body), err
	}
	writeJSON(w, "application/json", http.StatusOK, e)
	return len(body), nil
}

// decision answers GET /v1/record/{seq}/explain.
func (d *Server) decision(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	seq, err := recordNumber(r)
	if err != nil {
		return 0, err
	}
	one, err := d.Views.Decision(r.Context(), seq)
	if err != nil {
		return 0, unfound(err)
	}
	writeJSON(w, "application/json", http.StatusOK, one)
	return 0, nil
}
