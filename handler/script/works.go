package script

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/fetch"
)

// work is what a script may wait for. It runs on a goroutine of its own and obeys
// its context, whose values are those of the event that is handled.
type work func(ctx context.Context, p *Program, args json.RawMessage) (any, error)

// works are all of them, by what the script starts.
var works = map[string]work{
	"fetch": fetched,
	"stdin": readStdin,
	"exec":  execute,
	"send":  send,
	"remember": withMemory(func(ctx context.Context, mem hook.Memory, text string) (any, error) {
		return mem.Save(ctx, text)
	}),
	"search": withMemory(func(ctx context.Context, mem hook.Memory, text string) (any, error) {
		return listed(mem.Search(ctx, text))
	}),
	"recall": withMemory(func(ctx context.Context, mem hook.Memory, _ string) (any, error) {
		return listed(mem.List(ctx))
	}),
	"forget": withMemory(func(ctx context.Context, mem hook.Memory, id string) (any, error) {
		return nil, mem.Forget(ctx, id)
	}),
}

var errNoSession = errors.New("nothing can be sent for the agent of this event: messages go out where hookway run or hookway's daemon runs the hooks")

func send(ctx context.Context, p *Program, args json.RawMessage) (any, error) {
	list := texts(args)
	if w, ok := hook.SessionOf(ctx); ok {
		return nil, w.Send(ctx, str(list, 0), str(list, 1))
	}
	if p.c.Relay != nil {
		if r := p.c.Relay(ctx); r != nil {
			return nil, r.Send(ctx, str(list, 0), str(list, 1))
		}
	}
	return nil, errNoSession
}

func memoryOf(ctx context.Context, p *Program) (hook.Memory, error) {
	if w, ok := hook.SessionOf(ctx); ok {
		if mem := w.Memory(); mem != nil {
			return mem, nil
		}
	} else if p.c.Memory != nil {
		head := headOf(ctx)
		if mem := p.c.Memory(p.workDir(ctx), head.Agent, head.Session); mem != nil {
			return mem, nil
		}
	}
	return nil, errors.New("there is no memory for this event")
}

// withMemory does something with the memory of the event, and the script's one text.
func withMemory(do func(ctx context.Context, mem hook.Memory, text string) (any, error)) work {
	return func(ctx context.Context, p *Program, args json.RawMessage) (any, error) {
		mem, err := memoryOf(ctx, p)
		if err != nil {
			return nil, err
		}
		return do(ctx, mem, str(texts(args), 0))
	}
}

// listed is a list that is written as one even if it is empty.
func listed(list []hook.Remembered, err error) (any, error) {
	if list == nil {
		list = []hook.Remembered{}
	}
	return list, err
}

// maxFetched bounds a response.
const maxFetched = 16 << 20

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

func fetched(ctx context.Context, p *Program, args json.RawMessage) (any, error) {
	if err := p.need(Net, "fetch"); err != nil {
		return nil, err
	}
	var list []request
	if err := json.Unmarshal(args, &list); err != nil || len(list) != 1 {
		return nil, fmt.Errorf("fetch: the request cannot be read: %w", err)
	}
	r := list[0]
	asked := fetch.Request{
		URL: r.URL, Method: r.Method, Headers: r.Headers, Redirect: r.Redirect,
		Timeout: time.Duration(r.Timeout * float64(time.Millisecond)),
	}
	switch {
	case r.Base64 != nil:
		data, err := base64.StdEncoding.DecodeString(*r.Base64)
		if err != nil {
			return nil, err
		}
		asked.Body = data
	case r.Text != nil:
		asked.Body = []byte(*r.Text)
	}
	got, err := p.client.Do(ctx, asked)
	if err != nil {
		return nil, failedFetch(r.URL, err)
	}
	return received(r.URL, got), nil
}

// received is a response as the script gets it.
func received(url string, got *fetch.Response) any {
	var headers [][2]string
	for name, values := range got.Headers {
		for _, v := range values {
			headers = append(headers, [2]string{name, v})
		}
	}
	text, encoded := got.Text()
	kind := "text"
	if encoded {
		kind = "base64"
	}
	return map[string]any{
		"status": got.Status, "statusText": got.StatusText, "headers": headers, "url": got.URL,
		"redirected": got.URL != url, "body": map[string]string{kind: text},
	}
}

// failedFetch is a TypeError, as the web platform has it, unless it was cancelled.
func failedFetch(url string, err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &scriptError{Name: "TimeoutError", Message: "fetch " + url + ": the server did not answer in time"}
	case errors.Is(err, context.Canceled):
		return &scriptError{Name: "AbortError", Message: "fetch " + url + ": it was cancelled"}
	}
	return &scriptError{Name: "TypeError", Message: "fetch failed: " + err.Error()}
}
