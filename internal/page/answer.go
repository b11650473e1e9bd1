package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/visible"
)

// problem is why a request has no other answer: RFC 9457, as in the API.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`

	header map[string]string
}

func (p *problem) Error() string { return p.Detail }

func refuse(status int, kind, format string, args ...any) *problem {
	detail := visible.Line(visible.Clip(fmt.Sprintf(format, args...), 500))
	return &problem{Type: "urn:hookway:problem:" + kind, Title: http.StatusText(status), Status: status, Detail: detail, header: map[string]string{}}
}

func (p *problem) with(name, value string) *problem {
	p.header[name] = value
	return p
}

func wrongMethod(r *http.Request, allowed string) error {
	return refuse(http.StatusMethodNotAllowed, "wrong-method", "this path takes %s, not %s", allowed, r.Method).with("Allow", allowed)
}

// fail answers a request with what is wrong.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem
	if !errors.As(err, &p) {
		logline.Or(h.Log).Warn("a request of the page failed", "path", visible.Line(visible.Clip(r.URL.Path, 200)), logline.Err, err)
		p = refuse(http.StatusInternalServerError, "failed", "%v", err)
	}
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	answer(w, "application/problem+json", p.Status, p)
}

// answer answers with a value as JSON, on one line.
func answer(w http.ResponseWriter, contentType string, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil { // our own types are all JSON
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // who has gone reads nothing
}

// moment is a time as the page reads it.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }
