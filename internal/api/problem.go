package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/judge"
)

// problemDetails is why a request has no other answer: RFC 9457.
type problemDetails struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`          // what is wrong with this request, and what to do
	Field  string `json:"field,omitempty"` // of the request, where one is wrong

	header http.Header
}

// problemType is what a problem's type begins with.
const problemType = "urn:hookway:problem:"

// kinds are the problems that there are, by the end of their type.
var kinds = map[string]struct {
	status int
	title  string
}{
	"bad-request":       {http.StatusBadRequest, "The request is not as it must be"},
	"unknown-event":     {http.StatusBadRequest, "There is no such event"},
	"bad-payload":       {http.StatusBadRequest, "The payload does not fit the event"},
	"no-token":          {http.StatusUnauthorized, "The request has no valid token"},
	"bad-signature":     {http.StatusUnauthorized, "The request is not signed as it must be"},
	"not-here":          {http.StatusForbidden, "The request was not meant for hookway"},
	"not-allowed":       {http.StatusForbidden, "The request asks for more than is given to it"},
	"pin-needed":        {http.StatusForbidden, "The request needs the owner's PIN"},
	"suppressed":        {http.StatusForbidden, "A hook has suppressed the message"},
	"unknown-name":      {http.StatusNotFound, "No agent and no message has this name"},
	"no-such-approval":  {http.StatusNotFound, "Nothing is asked under this code"},
	"no-such-record":    {http.StatusNotFound, "The log has no record of this number"},
	"no-such-session":   {http.StatusNotFound, "There is no such session"},
	"other-log":         {http.StatusGone, "The page before was of something else"},
	"no-record":         {http.StatusServiceUnavailable, "There is no record"},
	"ambiguous-name":    {http.StatusConflict, "There are several of this name"},
	"id-in-use":         {http.StatusConflict, "The id belongs to another message"},
	"inbox-in-use":      {http.StatusConflict, "Another session has the inbox"},
	"inbox-full":        {http.StatusTooManyRequests, "Too many messages wait for the receiver"},
	"limit":             {http.StatusTooManyRequests, "The sender has sent too much"},
	"no-such-path":      {http.StatusNotFound, "There is nothing at this path"},
	"wrong-method":      {http.StatusMethodNotAllowed, "This path has no such method"},
	"not-acceptable":    {http.StatusNotAcceptable, "The answer is in no form that the request accepts"},
	"too-slow":          {http.StatusRequestTimeout, "The request took too long to arrive"},
	"key-in-use":        {http.StatusConflict, "The idempotency key belongs to another request"},
	"too-large":         {http.StatusRequestEntityTooLarge, "The request is too large"},
	"wrong-type":        {http.StatusUnsupportedMediaType, "The request's body is in no form that is read"},
	"missing-field":     {http.StatusUnprocessableEntity, "The request lacks what is to be made of it"},
	"not-answered":      {http.StatusConflict, "The answer does not count"},
	"not-changed":       {http.StatusConflict, "Nothing was changed"},
	"no-case":           {http.StatusUnprocessableEntity, "The record is not a test case"},
	"not-sent":          {http.StatusUnprocessableEntity, "The message cannot be sent"},
	"too-many":          {http.StatusTooManyRequests, "There are too many requests"},
	"failed":            {http.StatusInternalServerError, "hookway could not decide"},
	"busy":              {http.StatusServiceUnavailable, "hookway has too much to do"},
	"stopping":          {http.StatusServiceUnavailable, "hookway is ending"},
	"hooks-took-long":   {http.StatusGatewayTimeout, "The hooks took too long"},
	"took-long":         {http.StatusGatewayTimeout, "It took too long"},
	"nothing-to-stream": {http.StatusServiceUnavailable, "There is nothing to watch"},
}

// problem makes one of a kind.
func problem(kind, format string, args ...any) *problemDetails {
	k := kinds[kind]
	return &problemDetails{Type: problemType + kind, Title: k.title, Status: k.status, Detail: hook.LogLine(fmt.Sprintf(format, args...)), header: http.Header{}}
}

// with adds a header to the answer.
func (p *problemDetails) with(name, value string) *problemDetails {
	p.header.Set(name, value)
	return p
}

// at names the field that is wrong.
func (p *problemDetails) at(field string) *problemDetails {
	p.Field = field
	return p
}

func (p *problemDetails) Error() string { return p.Detail }

// write answers a request.
func (p *problemDetails) write(w http.ResponseWriter) {
	for name, values := range p.header {
		w.Header()[name] = values
	}
	writeJSON(w, "application/problem+json", p.Status, p)
}

// asProblem is the problem that an error is.
func asProblem(err error) *problemDetails {
	var p *problemDetails
	if errors.As(err, &p) {
		return p
	}
	var wrong *judge.RequestError
	if errors.As(err, &wrong) {
		return mistaken(wrong)
	}
	return problem("failed", "%v; hookway doctor may find out why", err)
}

// mistaken is the problem of a mistake, which may know its field.
func mistaken(wrong *judge.RequestError) *problemDetails {
	field := wrong.Field
	if field == "" {
		return problem("bad-request", "%v", wrong)
	}
	kind := map[string]string{"event": "unknown-event", "payload": "bad-payload"}[field]
	if kind == "" {
		kind = "bad-request"
	}
	return problem(kind, "%v", wrong).at(field)
}

// writeJSON answers with a value as JSON, on one line.
func writeJSON(w http.ResponseWriter, contentType string, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil { // our own types are all JSON
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	writeText(w, contentType, status, append(text, '\n'))
}

func writeText(w http.ResponseWriter, contentType string, status int, text []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(text) // who has gone reads nothing
}

// isFolder says why a folder cannot be the one whose hooks are asked; "" is none.
func isFolder(cwd string) error {
	if cwd == "" {
		return nil
	}
	if !filepath.IsAbs(cwd) {
		return problem("bad-request", "cwd: %q is not an absolute path", cwd).at("cwd")
	}
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		return problem("bad-request", "cwd: %q is not a folder", cwd).at("cwd")
	}
	return nil
}
