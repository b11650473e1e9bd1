package wasm

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

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/hookway/hookway/hook"
)

const i32 = api.ValueTypeI32

// offer gives guests the module "hookway".
func (h *Handler) offer(ctx context.Context, r wazero.Runtime) error {
	_, err := r.NewHostModuleBuilder(hostModule).
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(logged), []api.ValueType{i32, i32}, nil).Export("log").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(fetch), []api.ValueType{i32, i32}, []api.ValueType{i32}).Export("fetch").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(read), []api.ValueType{i32}, nil).Export("read").
		Instantiate(ctx)
	return err
}

// text is one of the guest. One outside its memory is a trap.
func text(m api.Module, at, size uint64) []byte {
	view, ok := m.Memory().Read(api.DecodeU32(at), api.DecodeU32(size))
	if !ok {
		panic(fmt.Errorf("it handed a text of %d bytes at %#x, which is outside its memory", api.DecodeU32(size), api.DecodeU32(at)))
	}
	return view
}

// logged is log(ptr, len): lines for the hook's log.
func logged(ctx context.Context, m api.Module, stack []uint64) {
	i := ctx.Value(instanceKey{}).(*instance)
	_, _ = i.out.Write(text(m, stack[0], stack[1]))
	_, _ = i.out.Write([]byte("\n"))
}

// fetch is fetch(ptr, len) length: a request in JSON; of the response, which read
// then writes into the guest's memory, it gives the length.
func fetch(ctx context.Context, m api.Module, stack []uint64) {
	i := ctx.Value(instanceKey{}).(*instance)
	got, err := i.h.request(ctx, bytes.Clone(text(m, stack[0], stack[1])))
	if err != nil {
		got = response{Error: err.Error()}
	}
	data, err := json.Marshal(got)
	if err != nil { // it is texts and numbers
		panic(err)
	}
	i.fetched = data
	stack[0] = api.EncodeU32(uint32(len(data)))
}

// read is read(ptr): the response that was fetched last.
func read(ctx context.Context, m api.Module, stack []uint64) {
	i := ctx.Value(instanceKey{}).(*instance)
	if !m.Memory().Write(api.DecodeU32(stack[0]), i.fetched) {
		panic(fmt.Errorf("it wants a response of %d bytes at %#x, which is outside its memory", len(i.fetched), api.DecodeU32(stack[0])))
	}
	i.fetched = nil
}

// Bounds of a request.
const (
	fetchTime  = 30 * time.Second
	maxFetched = 4 << 20
)

type request struct {
	URL       string            `json:"url"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"`
	Body      string            `json:"body"`
	TimeoutMS int64             `json:"timeout_ms"`
}

type response struct {
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Base64  string            `json:"body_base64,omitempty"` // of a body that is no text
	Error   string            `json:"error,omitempty"`
}

var errNet = errors.New("fetch needs the grant net, which the hook does not have; write allow: [net] beside wasm")

func (h *Handler) request(ctx context.Context, data []byte) (response, error) {
	if !h.c.Net {
		return response{}, errNet
	}
	var r request
	if err := json.Unmarshal(data, &r); err != nil {
		return response{}, fmt.Errorf("the request cannot be read: %w", err)
	}
	limit := fetchTime
	if r.TimeoutMS > 0 && r.TimeoutMS < hook.MaxTimeout.Milliseconds() {
		limit = time.Duration(r.TimeoutMS) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return response{}, err
	}
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	got, err := h.client.Do(req)
	if err != nil {
		return response{}, err
	}
	defer got.Body.Close()
	body, err := io.ReadAll(io.LimitReader(got.Body, maxFetched+1))
	if err != nil {
		return response{}, err
	}
	if len(body) > maxFetched {
		return response{}, fmt.Errorf("the response has more than %d MiB", maxFetched>>20)
	}
	out := response{Status: got.StatusCode, Headers: map[string]string{}}
	for name := range got.Header {
		out.Headers[strings.ToLower(name)] = got.Header.Get(name)
	}
	if utf8.Valid(body) {
		out.Body = string(body)
	} else {
		out.Base64 = base64.StdEncoding.EncodeToString(body)
	}
	return out, nil
}

// newClient makes a client that keeps no connection: one that is made for a
// request which is cancelled meanwhile would be kept for later, and the far side
// would see us come and stay.
func newClient(t http.RoundTripper) *http.Client {
	if t == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.DisableKeepAlives = true
		t = own
	}
	return &http.Client{Transport: t}
}
