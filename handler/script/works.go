package script

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
)

// work is what a script may wait for. It runs on a goroutine of its own and obeys
// its context, whose values are those of the event that is handled.
type work func(ctx context.Context, p *Program, args json.RawMessage) (any, error)

// workOf finds work by its name, or nil.
func workOf(name string) work {
	switch name {
	case "fetch":
		return fetch
	case "exec":
		return execute
	case "send":
		return send
	case "remember":
		return remember
	case "search":
		return search
	case "recall":
		return recall
	case "forget":
		return forget
	}
	if op, ok := fileOps[name]; ok {
		return op.later(name)
	}
	return nil
}

func texts(args json.RawMessage) (list []json.RawMessage) {
	_ = json.Unmarshal(args, &list) // it is our own list
	return list
}

var errNoSession = errors.New("this event is of no session that hookway run has begun, so that nothing can be sent or remembered for its agent")

func send(ctx context.Context, _ *Program, args json.RawMessage) (any, error) {
	w, ok := hook.SessionOf(ctx)
	if !ok {
		return nil, errNoSession
	}
	list := texts(args)
	return nil, w.Send(ctx, str(list, 0), str(list, 1))
}

func memoryOf(ctx context.Context) (hook.Memory, error) {
	w, ok := hook.SessionOf(ctx)
	if !ok {
		return nil, errNoSession
	}
	if mem := w.Memory(); mem != nil {
		return mem, nil
	}
	return nil, errors.New("this session has no memory")
}

func remember(ctx context.Context, _ *Program, args json.RawMessage) (any, error) {
	mem, err := memoryOf(ctx)
	if err != nil {
		return nil, err
	}
	return mem.Save(ctx, str(texts(args), 0))
}

func search(ctx context.Context, _ *Program, args json.RawMessage) (any, error) {
	mem, err := memoryOf(ctx)
	if err != nil {
		return nil, err
	}
	found, err := mem.Search(ctx, str(texts(args), 0))
	return listed(found), err
}

func recall(ctx context.Context, _ *Program, _ json.RawMessage) (any, error) {
	mem, err := memoryOf(ctx)
	if err != nil {
		return nil, err
	}
	found, err := mem.List(ctx)
	return listed(found), err
}

func listed(list []hook.Remembered) []hook.Remembered {
	if list == nil {
		return []hook.Remembered{}
	}
	return list
}

func forget(ctx context.Context, _ *Program, args json.RawMessage) (any, error) {
	mem, err := memoryOf(ctx)
	if err != nil {
		return nil, err
	}
	return nil, mem.Forget(ctx, str(texts(args), 0))
}

// Bounds of a request.
const (
	fetchTime    = 30 * time.Second
	maxFetched   = 16 << 20
	maxRedirects = 10
)

// request is what fetch asks for.
type request struct {
	URL      string      `json:"url"`
	Method   string      `json:"method"`
	Headers  [][2]string `json:"headers"`
	Redirect string      `json:"redirect"`
	Timeout  float64     `json:"timeout"`
	Text     *string     `json:"text"`
	Base64   *string     `json:"base64"`
}

func fetch(ctx context.Context, p *Program, args json.RawMessage) (any, error) {
	if err := p.need(Net, "fetch"); err != nil {
		return nil, err
	}
	var list []request
	if err := json.Unmarshal(args, &list); err != nil || len(list) != 1 {
		return nil, fmt.Errorf("fetch: the request cannot be read: %w", err)
	}
	r := list[0]
	limit := fetchTime
	if r.Timeout > 0 {
		limit = time.Duration(r.Timeout * float64(time.Millisecond))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ctx = watch(ctx)
	var body io.Reader
	switch {
	case r.Base64 != nil:
		data, err := base64.StdEncoding.DecodeString(*r.Base64)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	case r.Text != nil:
		body = strings.NewReader(*r.Text)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err != nil {
		return nil, failedFetch(r.URL, err)
	}
	for _, h := range r.Headers {
		req.Header.Set(h[0], h[1])
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "hookway")
	}
	client := *p.client
	client.CheckRedirect = redirects(r.Redirect)
	got, err := client.Do(req)
	if err != nil {
		return nil, failedFetch(r.URL, err)
	}
	defer got.Body.Close()
	return received(r.URL, got)
}

// redirects does what a request says about them.
func redirects(how string) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		switch {
		case how == "manual":
			return http.ErrUseLastResponse
		case how == "error":
			return errors.New("it was redirected, which the script does not want")
		case len(via) >= maxRedirects:
			return fmt.Errorf("it was redirected %d times", maxRedirects)
		}
		return nil
	}
}

// received is a response as the script gets it.
func received(url string, got *http.Response) (any, error) {
	data, err := io.ReadAll(io.LimitReader(got.Body, maxFetched+1))
	if err != nil {
		return nil, failedFetch(url, err)
	}
	if len(data) > maxFetched {
		return nil, failedFetch(url, fmt.Errorf("the response has more than %d MiB", maxFetched>>20))
	}
	var headers [][2]string
	for name, values := range got.Header {
		for _, v := range values {
			headers = append(headers, [2]string{name, v})
		}
	}
	body := map[string]string{}
	if utf8.Valid(data) {
		body["text"] = string(data)
	} else {
		body["base64"] = base64.StdEncoding.EncodeToString(data)
	}
	_, status, _ := strings.Cut(got.Status, " ")
	return map[string]any{
		"status": got.StatusCode, "statusText": status, "headers": headers, "url": got.Request.URL.String(),
		"redirected": got.Request.URL.String() != url, "body": body,
	}, nil
}

// failedFetch is a TypeError, as the web platform has it, unless it was cancelled.
func failedFetch(url string, err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &told{Name: "TimeoutError", Message: "fetch " + url + ": the server did not answer in time"}
	case errors.Is(err, context.Canceled):
		return &told{Name: "AbortError", Message: "fetch " + url + ": it was cancelled"}
	}
	return &told{Name: "TypeError", Message: "fetch failed: " + err.Error()}
}
