// Package remote asks services that keep memories: JSON over HTTP, with bounds on
// time and size, and errors that say what to do.
package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/memory"
)

// Bounds of a call.
const (
	DefaultTimeout = 10 * time.Second
	mostAnswer     = 16 << 20
	mostReason     = 300 // bytes of a reason that the service gives
	tries          = 3
)

// firstPause is between the first two tries of a call.
const firstPause = 100 * time.Millisecond

// Client asks one service.
type Client struct {
	Name    string        // of the service, for errors
	URL     string        // without a / at the end
	Header  http.Header   // of each call; it holds the key
	Key     string        // the variable that holds the key, for errors; "" takes none
	Timeout time.Duration // of a call with all its tries; zero is [DefaultTimeout]
	HTTP    *http.Client  // nil is one that follows no redirects
}

// Call is one question.
type Call struct {
	Method, Path string
	Query        url.Values
	Body         any  // as JSON; nil is none
	Again        bool // asking twice does no harm: it is tried again
}

// direct follows no redirects: a key is for the server that was named.
var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Error is an answer that is not a success.
type Error struct {
	Status int
	Text   string // what to tell people
	Reason string // as the service gave it
}

func (e *Error) Error() string { return e.Text }

// Is reports a service that takes nothing now as [memory.ErrUnavailable], also for
// want of a key: what it refuses for its own sake is another thing.
func (e *Error) Is(target error) bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return false
	}
	return target == memory.ErrUnavailable
}

// passing reports an error that another try may not meet.
func passing(err error) bool {
	switch status := Status(err); status {
	case 0:
		return errors.Is(err, memory.ErrUnavailable)
	default:
		return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
	}
}

// Status is the status of an error of a service, or 0.
func Status(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// Do asks, and reads the answer into a value; nil drops it.
func (c *Client) Do(ctx context.Context, call Call, into any) error {
	var body []byte
	if call.Body != nil {
		var err error
		if body, err = json.Marshal(call.Body); err != nil {
			return fmt.Errorf("%s cannot be asked: %w", c.Name, err)
		}
	}
	limit := cmp.Or(c.Timeout, DefaultTimeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var err error
	pause := backoff.Backoff{First: firstPause, Most: limit}
	for n := range tries {
		if err = c.try(ctx, limit, call, body, into); err == nil || !call.Again || !passing(err) || ctx.Err() != nil {
			return err
		}
		if n+1 < tries && pause.Wait(ctx, nil) != nil {
			return err
		}
	}
	return err
}

func (c *Client) try(ctx context.Context, limit time.Duration, call Call, body []byte, into any) error {
	target := strings.TrimRight(c.URL, "/") + call.Path
	if len(call.Query) > 0 {
		target += "?" + call.Query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, call.Method, target, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s cannot be asked: %w", c.Name, err)
	}
	r.Header = c.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Accept", "application/json")
	if call.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	client := c.HTTP
	if client == nil {
		client = direct
	}
	resp, err := client.Do(r)
	if err != nil {
		return c.unreachable(err, limit)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer+1))
	switch {
	case err != nil:
		return c.unreachable(err, limit)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return c.refused(resp.StatusCode, data)
	case len(data) > mostAnswer:
		return fmt.Errorf("%s at %s answered with more than %d MiB; ask for less", c.Name, c.URL, mostAnswer>>20)
	case into == nil || len(data) == 0:
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s at %s answered something that is not its format (%w); is it the right url, and a version that is supported?", c.Name, c.URL, err)
	}
	return nil
}

// unreachable is the error of a service that did not answer.
func (c *Client) unreachable(err error, limit time.Duration) error {
	var broken *url.Error
	if errors.As(err, &broken) { // it repeats the url
		err = broken.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s at %s did not answer within %s; look whether it is well, or set a longer timeout", memory.ErrUnavailable, c.Name, c.URL, limit)
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s at %s was not waited for: %w", c.Name, c.URL, err)
	}
	return fmt.Errorf("%w: %s at %s: %w; start it, or correct its url in the configuration", memory.ErrUnavailable, c.Name, c.URL, err)
}

// refused is the error of an answer that says no.
func (c *Client) refused(status int, data []byte) error {
	e := &Error{Status: status, Reason: reason(c.withoutKey(data))}
	what := fmt.Sprintf("%s at %s", c.Name, c.URL)
	said := ""
	if e.Reason != "" {
		said = ": " + e.Reason
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		do := "it takes a key: put it into a variable, and name that with api_key_env"
		if c.Key != "" {
			do = "look at the key in $" + c.Key
			if c.Header.Get("Authorization") == "" && c.Header.Get("Api-Key") == "" && c.Header.Get("X-Api-Key") == "" {
				do = "set its key in $" + c.Key
			}
		}
		e.Text = fmt.Sprintf("%s does not let us in (%d)%s; %s", what, status, said, do)
	case http.StatusNotFound:
		e.Text = fmt.Sprintf("%s has no such thing (404)%s", what, said)
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		e.Text = fmt.Sprintf("%s sends us elsewhere (%d); write the url that it is at", what, status)
	default:
		e.Text = fmt.Sprintf("%s failed (%d)%s", what, status, said)
	}
	return e
}

// withoutKey is an answer without the key, which some services say again. It has
// the form that it has in a header, and there "Token" before it.
func (c *Client) withoutKey(data []byte) []byte {
	for _, values := range c.Header {
		for _, value := range values {
			if _, key, ok := strings.Cut(value, " "); ok {
				value = key
			}
			if value != "" {
				data = bytes.ReplaceAll(data, []byte(value), []byte("…"))
			}
		}
	}
	return data
}

// reason finds what an answer says about itself.
func reason(data []byte) string {
	var said any
	text := string(data)
	if json.Unmarshal(data, &said) == nil {
		if found := find(said, 0); found != "" {
			text = found
		}
	}
	if text = hook.LogLine(strings.TrimSpace(text)); len(text) > mostReason {
		text = strings.ToValidUTF8(text[:mostReason], "") + "…"
	}
	return text
}

// find looks for a text under the names that services use.
func find(said any, depth int) string {
	switch v := said.(type) {
	case string:
		return v
	case []any:
		if len(v) > 0 && depth < 4 {
			return find(v[0], depth+1)
		}
	case map[string]any:
		for _, name := range []string{"message", "msg", "detail", "details", "error", "status"} {
			if found := find(v[name], depth+1); found != "" && depth < 4 {
				return found
			}
		}
	}
	return ""
}
