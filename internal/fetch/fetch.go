// Package fetch makes the HTTP requests of hooks that run inside this process: of
// scripts and of WebAssembly modules. Each has a time, each response a size, and a
// request that is cancelled leaves no connection behind.
package fetch

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Time is what a request may take that names no time of its own.
const Time = 30 * time.Second

const maxRedirects = 10

// Client makes requests, from many goroutines. Make it with [New].
type Client struct {
	transport http.RoundTripper
	most      int64
}

// New makes a client of responses with at most so many bytes. A transport of nil
// is the network, with the proxies of the environment.
func New(t http.RoundTripper, most int64) *Client {
	if t == nil {
		t = transport()
	}
	return &Client{transport: t, most: most}
}

// Close closes the connections that wait for a later request.
func (c *Client) Close() {
	(&http.Client{Transport: c.transport}).CloseIdleConnections()
}

// Request is what a hook asks for.
type Request struct {
	URL     string
	Method  string      // GET, if it is empty
	Headers [][2]string // a later one replaces an earlier one of the same name
	Body    []byte

	// Redirect is what becomes of a redirection: "follow" or empty, "manual",
	// which gives the redirection itself, or "error".
	Redirect string

	// Timeout is for all of it; 0 is [Time].
	Timeout time.Duration
}

// Response is what a hook gets. The whole body was read.
type Response struct {
	Status     int
	StatusText string // without the number
	Headers    http.Header
	URL        string // at the end of all redirections
	Body       []byte
}

// Text gives the body as JSON can hold it: as text, or as base64 if it is none.
func (r *Response) Text() (text string, encoded bool) {
	if utf8.Valid(r.Body) {
		return string(r.Body), false
	}
	return base64.StdEncoding.EncodeToString(r.Body), true
}

// Do makes a request.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	limit := Time
	if r.Timeout > 0 {
		limit = r.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var body io.Reader
	if len(r.Body) > 0 {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(watch(ctx), r.Method, r.URL, body)
	if err != nil {
		return nil, err
	}
	for _, h := range r.Headers {
		req.Header.Set(h[0], h[1])
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "hookway")
	}
	client := http.Client{Transport: c.transport, CheckRedirect: redirects(r.Redirect)}
	got, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	data, err := io.ReadAll(io.LimitReader(got.Body, c.most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > c.most {
		return nil, fmt.Errorf("the response of %s has more than %d MiB", r.URL, c.most>>20)
	}
	_, status, _ := strings.Cut(got.Status, " ")
	return &Response{Status: got.StatusCode, StatusText: status, Headers: got.Header, URL: got.Request.URL.String(), Body: data}, nil
}

// redirects does what a request says about them.
func redirects(how string) func(*http.Request, []*http.Request) error {
	return func(_ *http.Request, via []*http.Request) error {
		switch {
		case how == "manual":
			return http.ErrUseLastResponse
		case how == "error":
			return errors.New("it was redirected, which the hook does not want")
		case len(via) >= maxRedirects:
			return fmt.Errorf("it was redirected %d times", maxRedirects)
		}
		return nil
	}
}
