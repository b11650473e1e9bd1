package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/webhook"
)

// Webhook is a service that is told with signed requests. It answers at the gateway, see
// [Heard]. Its fields must not be changed once it is used.
type Webhook struct {
	Called string // its name
	Path   string // where it answers, as /hooks/asks; "": it does not
	Secret Secret

	handler *web.Handler
	getenv  func(string) string
}

// NewWebhook makes a channel. environ are the variables that its secret and its headers
// may be in.
func NewWebhook(w Webhook, c web.Config, environ func(context.Context) []string, getenv func(string) string) (*Webhook, error) {
	c.SecretFile, c.Environ = w.Secret.File, environ
	if w.Secret.Env != "" {
		c.Secret = "${" + w.Secret.Env + "}"
	}
	var err error
	w.getenv = getenv
	w.handler, err = web.New(c)
	return &w, err
}

// Name gives the name.
func (w *Webhook) Name() string { return w.Called }

// told is the body of a request, as Standard Webhooks recommend it.
type told struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      toldData  `json:"data"`
}

type toldData struct {
	*approve.Request
	Also   []approve.Request `json:"also,omitempty"` // that are answered with it
	Answer *toldAnswer       `json:"answer,omitempty"`
}

// toldAnswer is what a service answers with.
type toldAnswer struct {
	Path  string `json:"path,omitempty"`  // at the gateway
	Allow string `json:"allow,omitempty"` // tokens
	Deny  string `json:"deny"`
}

// Send posts a card.
func (w *Webhook) Send(ctx context.Context, c Card) error {
	m := told{Type: "approval.asked", Timestamp: time.Now().UTC().Truncate(time.Second), Data: toldData{Request: &c.Request, Also: c.Also}}
	switch {
	case c.Test:
		m.Type, m.Data.Request = "approval.test", nil
	case c.Asks() && w.Path != "":
		m.Data.Answer = &toldAnswer{Path: w.Path, Allow: c.Allow, Deny: c.Deny}
	case !c.Asks():
		m.Type = "approval.over"
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	err = w.handler.Send(ctx, webhook.Message{ID: fmt.Sprintf("%s-%s-%d", m.Type, c.Code, c.First.UnixMicro()), Event: m.Type, Body: body})
	var status *webhook.StatusError
	switch {
	case errors.Is(err, webhook.ErrUnset), errors.As(err, &status) && (status.Status == 401 || status.Status == 403 || status.Status == 404 || status.Status == 410):
		return &RefusedError{err.Error()}
	case errors.As(err, &status) && (status.Status == 400 || status.Status == 413 || status.Status == 422):
		return &CardError{err.Error()}
	}
	return err
}

// Listen waits: answers come at the gateway.
func (w *Webhook) Listen(ctx context.Context, _ Answer, ready func(), _ func(error)) error {
	if w.Path != "" {
		ready()
	}
	<-ctx.Done()
	return ctx.Err()
}

// Check says whether there is a secret that can sign, and a server that answers.
func (w *Webhook) Check(ctx context.Context) error {
	text, err := w.Secret.read(w.getenv)
	if err == nil {
		_, err = webhook.ParseKey(text)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	return w.handler.Reach(ctx)
}

// said is the body of an answer.
type said struct {
	Token  string `json:"token"`
	Answer string `json:"answer"` // allow or deny
	Note   string `json:"note"`
}

// Heard reads an answer that came to the gateway, signed as it must be.
func Heard(body []byte) (Said, error) {
	var a said
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return Said{}, errors.New(`an answer is {"token": "…", "answer": "allow", "note": "…"}; answer is allow or deny, and note may be left out`)
	}
	s, ok := parseAnswer(a.Answer + " " + a.Token + " " + a.Note)
	if !ok {
		return Said{}, errors.New(`answer must be "allow" or "deny", and token the one that was sent for it`)
	}
	return s, nil
}
