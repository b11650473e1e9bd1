package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// fails wants one clear error: on one line, with the target and these words.
func fails(t *testing.T, h *Handler, ev hook.AnyEvent, words ...string) {
	t.Helper()
	d, err := h.Handle(t.Context(), ev)
	if err == nil {
		t.Fatalf("it decided %v (%q)", d.Action, d.Reason)
	}
	isClear(t, err, append(words, h.label)...)
}

func isClear(t *testing.T, err error, words ...string) {
	t.Helper()
	text := err.Error()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("the error has no %q: %s", word, text)
		}
	}
	if strings.Contains(text, "hidden") || strings.Contains(text, "\n") || len(text) > 700 {
		t.Errorf("the error is too long, or shows a secret: %q", text)
	}
}

// refusing is a server whose Handle gives an error.
func refusing(t *testing.T, err error) *Handler {
	t.Helper()
	target := place(t)
	s := grpc.NewServer()
	hookwayv1.RegisterHooksServer(s, &handles{handle: func(context.Context, *hookwayv1.HandleRequest) (*hookwayv1.HandleResponse, error) {
		return nil, err
	}})
	run(t, listen(t, target), s)
	return newHandler(t, Config{Target: target})
}

func TestStatusesThatAreFailures(t *testing.T) {
	for code, words := range map[codes.Code][]string{
		codes.Unknown:          {"it failed: the rules are gone"},
		codes.Unauthenticated:  {"look at the headers", "the rules are gone"},
		codes.PermissionDenied: {"look at the headers"},
		codes.Unavailable:      {"it cannot answer now: the rules are gone"},
		codes.Unimplemented:    {"does not implement Handle"},
		codes.DeadlineExceeded: {"it failed: the rules are gone"},
		codes.Canceled:         {"it failed: the rules are gone"},
	} {
		h := refusing(t, status.Error(code, "the rules\nare gone"))
		fails(t, h, bash("ls"), words...)
	}
}

func TestAnotherGRPCServer(t *testing.T) {
	target := place(t)
	run(t, listen(t, target), grpc.NewServer())
	fails(t, newHandler(t, Config{Target: target}), bash("ls"), "no service hookway.v1.Hooks; look at the target")
}

// TestServersThatDoNotSpeakGRPC: one of the web, one that closes, one that says
// something else. None of them may take long.
func TestServersThatDoNotSpeakGRPC(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	fails(t, newHandler(t, Config{Target: "dns:///" + web.Listener.Addr().String()}), bash("ls"), "does not speak gRPC; look at the target")

	for name, say := range map[string]string{"closes": "", "talks": strings.Repeat("220 mail.example.com ready\r\n", 10)} {
		target := place(t)
		l := listen(t, target)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, say) // the client may have gone
				_ = conn.Close()
			}
		}()
		t.Run(name, func(t *testing.T) {
			fails(t, newHandler(t, Config{Target: target}), bash("ls"), "does not speak gRPC")
		})
		_ = l.Close()
		<-done
	}
}

// TestServerThatNeverSpeaks: the event's time ends it.
func TestServerThatNeverSpeaks(t *testing.T) {
	target := place(t)
	l := listen(t, target) // connections wait in its backlog for ever
	defer l.Close()
	h := newHandler(t, Config{Target: target})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := h.Handle(ctx, bash("ls"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	isClear(t, err, "it could not be connected to in time", target)
}

func TestServerThatIsNotThere(t *testing.T) {
	target := place(t)
	h := newHandler(t, Config{Target: target})
	fails(t, h, bash("ls"), "it cannot be reached, 3 tries", "no such file")
	serving(t, target, &Server{Handler: hook.Static(hook.Block("here now"))})
	if d, err := h.Handle(t.Context(), bash("ls")); err != nil || d.Reason != "here now" {
		t.Errorf("when it is there: %q, %v", d.Reason, err)
	}
	fails(t, newHandler(t, Config{Target: "dns:///no-such-host.invalid:1", Insecure: true}), bash("ls"), "its name cannot be resolved")
}

// bytes serves a stream of bytes as the answer to every call, on HTTP/2 that is right
// but for them.
func bytesAnswer(t *testing.T, write func(w http.ResponseWriter, r *http.Request)) *Handler {
	t.Helper()
	target := place(t)
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	s := &http.Server{Protocols: protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		if strings.HasSuffix(r.URL.Path, "/Stream") {
			w.Header().Set("Grpc-Status", "12")
			return
		}
		write(w, r)
	})}
	l := listen(t, target)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // always an error
	}()
	t.Cleanup(func() { _ = s.Close(); <-done })
	return newHandler(t, Config{Target: target})
}

// TestAnswerOfTenGigabytes: the server sees long before that it is not wanted.
func TestAnswerOfTenGigabytes(t *testing.T) {
	const all = 10 << 30
	for _, announced := range []uint32{0xffffffff, maxAnswer + 1} {
		sent := make(chan int, 1)
		h := bytesAnswer(t, func(w http.ResponseWriter, _ *http.Request) {
			head := binary.BigEndian.AppendUint32([]byte{0}, announced)
			n, err := w.Write(head)
			for piece := make([]byte, 64<<10); err == nil && n < all; {
				var m int
				m, err = w.Write(piece)
				n += m
			}
			sent <- n
		})
		fails(t, h, bash("ls"), "more than 2 MiB")
		if n := <-sent; n > 1<<28 {
			t.Errorf("%d bytes were sent all the same", n)
		}
	}
}

// TestAnswerByteByByteEndsWithItsTime: an answer that comes, but never comes to its end.
func TestAnswerByteByByteEndsWithItsTime(t *testing.T) {
	started, gone := make(chan struct{}, 1), make(chan struct{}, 1)
	h := bytesAnswer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(binary.BigEndian.AppendUint32([]byte{0}, 1<<20))
		defer func() { gone <- struct{}{} }()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			if _, err := w.Write([]byte{0}); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			if i == 10 {
				started <- struct{}{}
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	_, err := h.Handle(ctx, bash("ls"))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	isClear(t, err, h.label, "there was no answer")
	<-gone
}

func TestAnswersThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		write func(w http.ResponseWriter)
		words string
	}{
		"half a message": {func(w http.ResponseWriter) {
			_, _ = w.Write(append(binary.BigEndian.AppendUint32([]byte{0}, 100), 1, 2, 3))
		}, "EOF"},
		"no message":            {func(w http.ResponseWriter) { w.Header().Set("Grpc-Status", "0") }, ""},
		"status without a word": {func(w http.ResponseWriter) { w.Header().Set("Grpc-Status", "13") }, "it failed"},
		"compressed": {func(w http.ResponseWriter) {
			w.Header().Set("Grpc-Encoding", "gzip")
			_, _ = w.Write(append(binary.BigEndian.AppendUint32([]byte{1}, 3), 0x1f, 0x8b, 8))
		}, "gzip"},
		"a web page": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(403)
			_, _ = io.WriteString(w, "<html>Sign in to the hotel</html>")
		}, "403"},
		"headers without end": {func(w http.ResponseWriter) { w.Header().Set("X-Long", strings.Repeat("x", 1<<20)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := bytesAnswer(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); c.write(w) })
			fails(t, h, bash("ls"), c.words)
		})
	}
}

// streaming serves a Stream of the test's own.
type streaming struct {
	hookwayv1.UnimplementedHooksServer
	stream func(grpc.BidiStreamingServer[hookwayv1.StreamRequest, hookwayv1.StreamResponse]) error
}

func (s *streaming) Stream(rpc grpc.BidiStreamingServer[hookwayv1.StreamRequest, hookwayv1.StreamResponse]) error {
	return s.stream(rpc)
}

func streams(t *testing.T, stream func(grpc.BidiStreamingServer[hookwayv1.StreamRequest, hookwayv1.StreamResponse]) error) *Handler {
	t.Helper()
	target := place(t)
	s := grpc.NewServer()
	hookwayv1.RegisterHooksServer(s, &streaming{stream: stream})
	run(t, listen(t, target), s)
	return newHandler(t, Config{Target: target})
}

func TestStreamsThatAreWrong(t *testing.T) {
	type rpc = grpc.BidiStreamingServer[hookwayv1.StreamRequest, hookwayv1.StreamResponse]
	fine := &hookwayv1.StreamResponse_Decision{Decision: &hookwayv1.Decision{}}
	for name, c := range map[string]struct {
		answer func(rpc rpc, id uint64) error
		words  string
	}{
		"ends without an answer":    {func(rpc, uint64) error { return nil }, "it ended the stream without an answer"},
		"ends with an error":        {func(rpc, uint64) error { return status.Error(codes.Internal, "out of order") }, "out of order"},
		"answers what is not asked": {func(r rpc, id uint64) error { return r.Send(&hookwayv1.StreamResponse{Id: id + 7, Kind: fine}) }, "which was never asked"},
		"answers with no id":        {func(r rpc, _ uint64) error { return r.Send(&hookwayv1.StreamResponse{Kind: fine}) }, "request 0, which was never asked"},
		"answers nothing":           {func(r rpc, id uint64) error { return r.Send(&hookwayv1.StreamResponse{Id: id}) }, "neither a decision nor a failure"},
		"fails": {func(r rpc, id uint64) error {
			return r.Send(&hookwayv1.StreamResponse{Id: id, Kind: &hookwayv1.StreamResponse_Failure{Failure: &hookwayv1.Failure{Message: "no\nrules"}}})
		}, "it failed: no rules"},
		"fails without a word": {func(r rpc, id uint64) error {
			return r.Send(&hookwayv1.StreamResponse{Id: id, Kind: &hookwayv1.StreamResponse_Failure{Failure: &hookwayv1.Failure{}}})
		}, "said nothing more"},
	} {
		t.Run(name, func(t *testing.T) {
			h := streams(t, func(r rpc) error {
				request, err := r.Recv()
				if err != nil {
					return err
				}
				if err := c.answer(r, request.GetId()); err != nil || strings.HasPrefix(name, "ends") {
					return err
				}
				<-r.Context().Done()
				return nil
			})
			fails(t, h, bash("ls"), c.words)
		})
	}
}

// TestAStreamThatIsNotRead holds up an event for its time only, and the next ones
// get a stream of their own.
func TestAStreamThatIsNotRead(t *testing.T) {
	var opened atomic.Int32
	h := streams(t, func(rpc grpc.BidiStreamingServer[hookwayv1.StreamRequest, hookwayv1.StreamResponse]) error {
		if opened.Add(1) == 1 {
			<-rpc.Context().Done()
			return nil
		}
		for {
			request, err := rpc.Recv()
			if err != nil {
				return nil
			}
			if request.GetCancel() != nil { // a call that this server was too slow for, and that wants no second answer
				continue
			}
			if err := rpc.Send(&hookwayv1.StreamResponse{Id: request.GetId(), Kind: &hookwayv1.StreamResponse_Decision{
				Decision: &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "read"}}}); err != nil {
				return nil
			}
		}
	})
	big := bash(strings.Repeat("x", 60<<10))
	for tries := 0; ; tries++ {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		d, err := h.Handle(ctx, big)
		cancel()
		if err == nil {
			if d.Reason != "read" {
				t.Errorf("it says %q", d.Reason)
			}
			return
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want errors.Is(err, context.DeadlineExceeded)", err)
		}
		if tries > 500 {
			t.Fatal("the unread stream is still in use")
		}
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		started := make(chan struct{}, 1)
		wait := hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			started <- struct{}{}
			<-ctx.Done()
			return hook.Decision{}, ctx.Err()
		})
		target := place(t)
		serving(t, target, &Server{Handler: wait})
		h := newHandler(t, Config{Target: target})
		text := "ls"
		if !streamed {
			text = strings.Repeat("x", largeEvent)
		}
		failed := make(chan error, 1)
		go func() {
			_, err := h.Handle(context.Background(), bash(text))
			failed <- err
		}()
		<-started
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if err := <-failed; !errors.Is(err, ErrClosed) {
			t.Errorf("the call under way: %v", err)
		}
		if _, err := h.Handle(t.Context(), bash("ls")); !errors.Is(err, ErrClosed) {
			t.Errorf("a later call: %v", err)
		}
	}
}
