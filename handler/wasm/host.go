package wasm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/fetch"
)

const i32 = api.ValueTypeI32

// offer returns guests the module "hookway".
func (h *Handler) offer(ctx context.Context, r wazero.Runtime) error {
	_, err := r.NewHostModuleBuilder(hostModule).
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(logged), []api.ValueType{i32, i32}, nil).Export("log").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(fetched), []api.ValueType{i32, i32}, []api.ValueType{i32}).Export("fetch").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(read), []api.ValueType{i32}, nil).Export("read").
		Instantiate(ctx)
	return err
}

// caller is the instance that calls, which traps if its time is over.
func caller(ctx context.Context) *instance {
	i := ctx.Value(instanceKey{}).(*instance)
	if err := i.over(); err != nil {
		panic(err)
	}
	return i
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
	i := caller(ctx)
	_, _ = i.out.Write(text(m, stack[0], stack[1]))
	_, _ = i.out.Write([]byte("\n"))
}

// fetched is fetch(ptr, len) length: a request in JSON; of the response, which read
// then writes into the guest's memory, it gives the length.
func fetched(ctx context.Context, m api.Module, stack []uint64) {
	i := caller(ctx)
	got, err := i.h.request(ctx, text(m, stack[0], stack[1]))
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
	i := caller(ctx)
	if !m.Memory().Write(api.DecodeU32(stack[0]), i.fetched) {
		panic(fmt.Errorf("it wants a response of %d bytes at %#x, which is outside its memory", len(i.fetched), api.DecodeU32(stack[0])))
	}
	i.fetched = nil
}

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
	Base64  string            `json:"body_base64,omitempty"` // of a body that is not text
	Error   string            `json:"error,omitempty"`
}

var errNet = errors.New("fetch needs the grant net, which the hook does not have; write allow: [net] beside wasm")

func (h *Handler) request(ctx context.Context, data []byte) (response, error) {
	if !h.c.Net {
		return response{}, errNet
	}
	if len(data) > maxFetched {
		return response{}, fmt.Errorf("the request has more than %d MiB", maxFetched>>20)
	}
	var r request
	if err := json.Unmarshal(data, &r); err != nil {
		return response{}, fmt.Errorf("the request cannot be read: %w", err)
	}
	asked := fetch.Request{URL: r.URL, Method: r.Method, Body: []byte(r.Body)}
	if r.TimeoutMS > 0 && r.TimeoutMS < hook.MaxTimeout.Milliseconds() {
		asked.Timeout = time.Duration(r.TimeoutMS) * time.Millisecond
	}
	for name, value := range r.Headers {
		asked.Headers = append(asked.Headers, [2]string{name, value})
	}
	got, err := h.client.Do(ctx, asked)
	if err != nil {
		return response{}, err
	}
	out := response{Status: got.Status, Headers: map[string]string{}}
	for name := range got.Headers {
		out.Headers[strings.ToLower(name)] = got.Headers.Get(name)
	}
	text, encoded := got.Text()
	if encoded {
		out.Base64 = text
	} else {
		out.Body = text
	}
	return out, nil
}
