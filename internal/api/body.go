package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// jsonOnly refuses what does not say that it is JSON: a page in a browser cannot
// say so without asking first.
func jsonOnly(r *http.Request) error {
	given := r.Header.Get("Content-Type")
	kind, params, err := mime.ParseMediaType(given)
	switch charset := strings.ToLower(params["charset"]); {
	case err != nil || kind != "application/json":
		return problem("wrong-type", "the body's Content-Type is %q; send application/json", given).with("Accept", "application/json")
	case charset != "" && charset != "utf-8":
		return problem("wrong-type", "the body's charset is %q; send UTF-8", charset)
	case r.Header.Get("Content-Encoding") != "":
		return problem("wrong-type", "the body has a Content-Encoding; send it as it is")
	}
	return nil
}

// onlyJSON reads the small JSON body of a request that has no parameters.
func (d *Server) onlyJSON(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if _, err := query(r); err != nil {
		return nil, err
	}
	if err := jsonOnly(r); err != nil {
		return nil, err
	}
	return d.smallBody(w, r)
}

// smallBody reads a body that may be left out.
func (d *Server) smallBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength == 0 {
		return nil, nil
	}
	if err := jsonOnly(r); err != nil {
		return nil, err
	}
	body, giveBack, err := d.readUpTo(w, r, mostAsked)
	giveBack()
	return body, err
}

// mostAsked bounds the body of a request that has no text.
const mostAsked = 256 << 10

// Bounds of a body.
const (
	bodyTime  = 30 * time.Second // for all of it, in either direction
	bodyRest  = 2 * time.Second  // of that, when the daemon ends
	largeSize = 1 << 20          // of those beyond it, few are read at a time
	mostEvent = 16 << 20         // as of an agent
	mostSaid  = 4 << 20          // of a message or an answer: more than their texts may have
)

// readBody reads the JSON body of a request. giveBack is called when it is needed no more.
func (d *Server) readBody(w http.ResponseWriter, r *http.Request, most int64) (body []byte, giveBack func(), err error) {
	if err := jsonOnly(r); err != nil {
		return nil, nil, err
	}
	return d.readUpTo(w, r, most)
}

// readUpTo reads a body of any kind.
func (d *Server) readUpTo(w http.ResponseWriter, r *http.Request, most int64) (body []byte, giveBack func(), err error) {
	giveBack = func() {}
	if r.ContentLength > most {
		return nil, giveBack, tooLarge(most)
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(d.BodyTime))
	ending := context.AfterFunc(d.stopped, func() { _ = rc.SetReadDeadline(time.Now().Add(min(d.BodyTime, bodyRest))) })
	defer ending()
	var buf bytes.Buffer
	if n := r.ContentLength; n > 0 && n <= largeSize {
		buf.Grow(int(n) + bytes.MinRead)
	}
	_, err = io.CopyN(&buf, r.Body, min(largeSize, most+1))
	if err == nil && most >= largeSize {
		if giveBack, err = d.host.Large(r.Context()); err != nil {
			return nil, func() {}, problem("busy", "%v; try again", err).with("Retry-After", "1")
		}
		if !d.stopping() {
			_ = rc.SetReadDeadline(time.Now().Add(d.BodyTime))
		}
		if left := int(r.ContentLength) - buf.Len(); left > 0 { // it is not copied again and again
			buf.Grow(left + bytes.MinRead)
		}
		_, err = io.CopyN(&buf, r.Body, most-largeSize+1)
	}
	switch {
	case int64(buf.Len()) > most:
		err = tooLarge(most)
	case errors.Is(err, io.EOF):
		err = nil
	case errors.Is(err, os.ErrDeadlineExceeded) && d.stopping():
		err = stopping()
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = problem("too-slow", "the body did not arrive within %v", d.BodyTime).with("Connection", "close")
	case err != nil:
		err = problem("bad-request", "the body cannot be read: %v", err)
	}
	if err != nil {
		giveBack()
		return nil, func() {}, err
	}
	_ = rc.SetReadDeadline(time.Time{}) // from now on, the end of the connection is the client's
	return buf.Bytes(), giveBack, nil
}

func tooLarge(most int64) *problemDetails {
	size := fmt.Sprintf("%d MiB", most>>20)
	if most < 1<<20 {
		size = fmt.Sprintf("%d KiB", most>>10)
	}
	return problem("too-large", "the body has more than %s", size).with("Connection", "close")
}

// decodeObject reads a JSON object of members that are all known, each once.
func decodeObject(body []byte, fields map[string]any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return notJSON(body, err, "the body must be a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		name, _ := t.(string)
		if err != nil {
			return notJSON(body, err, "")
		}
		to := fields[name]
		switch {
		case to == nil:
			return unknownField(name, fields)
		case seen[name]:
			return problem("bad-request", "%s is there twice", name).at(name)
		}
		seen[name] = true
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return notJSON(body, err, "")
		}
		if string(text) == "null" {
			continue
		}
		if raw, ok := to.(*json.RawMessage); ok { // the payload is most of it, and read later
			*raw = text
		} else if err := json.Unmarshal(text, to); err != nil {
			return wrongValue(name, to, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return notJSON(body, err, "")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return problem("bad-request", "the body goes on after its JSON object")
	}
	return nil
}

func unknownField(name string, fields map[string]any) *problemDetails {
	names := slices.Sorted(maps.Keys(fields))
	if near := hook.Nearest(name, names); near != "" {
		return problem("bad-request", "the body has no field %q; did you mean %s?", name, near).at(name)
	}
	return problem("bad-request", "the body has no field %q; it has %s", name, strings.Join(names, ", ")).at(name)
}

func wrongValue(name string, to any, err error) *problemDetails {
	var t *json.UnmarshalTypeError
	if !errors.As(err, &t) {
		return problem("bad-request", "%s: %v", name, err).at(name)
	}
	must := "a string"
	switch to.(type) {
	case *float64:
		must = "a number"
	case *bool:
		must = "true or false"
	case *map[string]string:
		must = "an object of strings"
	case *[]string:
		must = "a list of strings"
	}
	return problem("bad-request", "%s must be %s; a JSON %s is none", name, must, t.Value).at(name)
}

// notJSON says where a body is not JSON.
func notJSON(body []byte, err error, otherwise string) *problemDetails {
	var syntax *json.SyntaxError
	var whole json.RawMessage
	if again := json.Unmarshal(body, &whole); again != nil && err != nil { // it knows the place
		err = again
	}
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return problem("bad-request", `the body is empty; send {"event":"PreToolUse", ...}`)
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(body)) && strings.Contains(err.Error(), "unexpected end"):
		return problem("bad-request", "the body is not JSON: it ends too early, after %d bytes", len(body))
	case errors.As(err, &syntax):
		return problem("bad-request", "the body is not JSON: at byte %d: %v", syntax.Offset, err)
	case err != nil:
		return problem("bad-request", "the body is not JSON: %v", err)
	}
	return problem("bad-request", "%s", otherwise)
}
