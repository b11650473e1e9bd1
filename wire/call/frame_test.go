package call_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/wire/call"
)

func sample() *call.Request {
	return &call.Request{
		Kind: call.KindHook, Version: "1.2.3", Agent: "claude", Event: "PreToolUse", Policy: "block", Dir: "/src",
		Env: []string{"A=1", "", "B=two words"}, Timeout: 90 * time.Second, Stdin: []byte(`{"hook_event_name":"PreToolUse"}`),
	}
}

func request(t testing.TB, r *call.Request) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := call.WriteRequest(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestManyCallsOnOneConnection(t *testing.T) {
	large := sample()
	large.Stdin = bytes.Repeat([]byte("x"), 5<<20)
	empty := &call.Request{Kind: call.KindPing}
	var stream bytes.Buffer
	for _, r := range []*call.Request{sample(), large, empty} {
		stream.Write(request(t, r))
	}
	for i, want := range []*call.Request{sample(), large, empty} {
		got, err := call.ReadRequest(&stream)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("request %d came back as something else: %v", i, err)
		}
	}
	if _, err := call.ReadRequest(&stream); err != io.EOF {
		t.Errorf("after the last request: %v, want io.EOF", err)
	}
}

func TestReplies(t *testing.T) {
	for _, want := range []*call.Reply{
		{}, {Stdout: []byte("{}\n")}, {Stdout: []byte("{}\n"), Ask: true}, {Stdout: []byte("a"), Stderr: []byte("b"), ExitCode: 2, Err: "c"}, {ExitCode: -1},
		{Stdout: bytes.Repeat([]byte("y"), 3<<20)},
	} {
		var b bytes.Buffer
		if err := call.WriteReply(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := call.ReadReply(&b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("a reply with exit code %d came back as something else: %v", want.ExitCode, err)
		}
	}
}

func TestBadFrames(t *testing.T) {
	good := request(t, sample())
	change := func(at int, to byte) []byte {
		b := bytes.Clone(good)
		b[at] = to
		return b
	}
	for name, c := range map[string]struct {
		bytes []byte
		want  error
	}{
		"nothing":              {nil, io.EOF},
		"half a header":        {good[:7], io.ErrUnexpectedEOF},
		"half a body":          {good[:40], io.ErrUnexpectedEOF},
		"only a header":        {good[:12], io.ErrUnexpectedEOF},
		"HTTP":                 {[]byte("GET / HTTP/1.1\r\n\r\n"), call.ErrNoFrame},
		"a reply's kind":       {change(6, 'A'), call.ErrMalformed},
		"a flag of the future": {change(7, 1), call.ErrMalformed},
		"four gigabytes":       {change(8, 0xff), call.ErrTooLarge},
		"a field too long":     {change(24, 0xff), call.ErrMalformed},
	} {
		if _, err := call.ReadRequest(bytes.NewReader(c.bytes)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := call.ReadReply(strings.NewReader("")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a connection that closed instead of a reply: %v", err)
	}
}

func TestAnotherVersionIsToldApart(t *testing.T) {
	b := request(t, sample())
	b[5] = 9
	_, err := call.ReadRequest(bytes.NewReader(b))
	var version *call.VersionError
	if !errors.As(err, &version) || version.Theirs != 9 || version.Ours != call.Protocol {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "hookway stop") {
		t.Errorf("the error says not what to do: %v", err)
	}
}

// countWriter counts what reaches it.
type countWriter int

func (c *countWriter) Write(b []byte) (int, error) {
	*c += countWriter(len(b))
	return len(b), nil
}

func TestWhatIsTooLargeIsNotSent(t *testing.T) {
	text := strings.Repeat("x", call.MaxText+1)
	for name, r := range map[string]*call.Request{
		"stdin":  {Stdin: make([]byte, call.MaxStdin+1)},
		"event":  {Event: text},
		"folder": {Dir: text},
		"environment": {Env: []string{
			strings.Repeat("x", call.MaxEnv/2), strings.Repeat("y", call.MaxEnv/2),
		}},
	} {
		var sent countWriter
		if err := call.WriteRequest(&sent, r); !errors.Is(err, call.ErrTooLarge) || sent > 0 {
			t.Errorf("%s: %v, after %d bytes", name, err, sent)
		}
	}
	var sent countWriter
	if err := call.WriteReply(&sent, &call.Reply{Err: text}); !errors.Is(err, call.ErrTooLarge) || sent > 0 {
		t.Errorf("reply: %v, after %d bytes", err, sent)
	}
}

// A header alone must not make the reader take much memory.
func TestMemoryGrowsWithWhatCame(t *testing.T) {
	b := request(t, sample())[:12]
	b[8] = 8 // 128 MiB
	allocated := testing.Benchmark(func(b2 *testing.B) {
		for b2.Loop() {
			if _, err := call.ReadRequest(bytes.NewReader(b)); err == nil {
				b2.Fatal("no error")
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 2<<20 {
		t.Errorf("%d bytes for a header that promises 128 MiB", allocated)
	}
}

func FuzzReadRequest(f *testing.F) {
	f.Add(request(f, sample()))
	f.Add(request(f, &call.Request{}))
	f.Add([]byte("HKWY\x00\x01Q\x00\x00\x00\x00\x05hello"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := call.ReadRequest(bytes.NewReader(b))
		if err != nil {
			return
		}
		again, err := call.ReadRequest(bytes.NewReader(request(t, r)))
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("read, written and read again: %+v instead of %+v (%v)", again, r, err)
		}
	})
}

func FuzzReadReply(f *testing.F) {
	var b bytes.Buffer
	_ = call.WriteReply(&b, &call.Reply{Stdout: []byte("{}"), Stderr: []byte("x"), ExitCode: 2})
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := call.ReadReply(bytes.NewReader(b))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := call.WriteReply(&again, r); err != nil {
			t.Fatal(err)
		}
		if r2, err := call.ReadReply(&again); err != nil || !reflect.DeepEqual(r2, r) {
			t.Fatalf("%+v instead of %+v (%v)", r2, r, err)
		}
	})
}
