//go:build unix

package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire/call"
)

func TestAnEventIsFiredOverTheSocketThatAgentsUse(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	body := h.firing("rm -rf /", `,"session_id":"s1","agent":"mine","metadata":{"turn":3}`)
	if err := fits(ref("Firing"), []byte(body)); err != nil {
		t.Errorf("the description does not let this event: %v", err)
	}
	status, text := h.ask("POST", "/v1/events", body)
	if status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	want(t, text, `"action":"block"`, `"reason":"not today"`, `"by":"no-rm"`, `"turn":3`)
	_, text = h.ask("POST", "/v1/events", h.firing("ls"))
	want(t, text, `"action":"continue"`)

	all := h.recorded()
	if len(all) != 2 {
		t.Fatalf("%d records", len(all))
	}
	r := all[0]
	if got, want := fmt.Sprint([]any{r.Session, r.Agent, r.Source, r.Action, r.Workspace}), fmt.Sprint([]any{"s1", "mine", "http", "block", h.dir}); got != want {
		t.Errorf("on record is %+v: got %s, want %s", r, got, want)
	}

	c, err := daemon.Dial(t.Context(), h.socket) // frames go on as before
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	reply, err := c.Do(t.Context(), &call.Request{Kind: call.KindPing})
	if err != nil || string(reply.Stdout) != "test" {
		t.Errorf("a frame is answered with %+v, %v", reply, err)
	}
}

func TestADryRunNamesTheHooksAndRunsNone(t *testing.T) {
	h := newHouse(t, oneHook+"  - {id: look, on: PreToolUse, lane: observe, command: touch looked}\n", plan{})
	_, text := h.ask("POST", "/v1/events", h.firing("rm -rf /", `,"dry_run":true`))
	want(t, text, `"action":"continue"`, `"hook":"no-rm"`, `"hook":"look","lane":"observe"`)
	if n := len(h.recorded()); n != 0 {
		t.Errorf("%d records of what did not happen", n)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "looked")); err == nil {
		t.Error("a hook ran")
	}
}

func TestEachBadRequestIsOneClearProblem(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		says                     []string
	}{
		{name: "no JSON", body: `{"event":}`, status: 400, says: []string{"not JSON", "byte 10"}},
		{name: "cut short", body: `{"event":"Stop"`, status: 400, says: []string{"ends too early"}},
		{name: "no object", body: `[]`, status: 400, says: []string{"must be a JSON object"}},
		{name: "two objects", body: `{"event":"Stop"}{}`, status: 400, says: []string{"goes on after"}},
		{name: "nothing", body: ` `, status: 400, says: []string{"the body is empty"}},
		{name: "no name", body: `{}`, status: 400, says: []string{"no name", `"field":"event"`}},
		{name: "a field too many", body: `{"event":"Stop","sesion_id":"x"}`, status: 400, says: []string{"did you mean session_id?"}},
		{name: "another case", body: `{"Event":"Stop"}`, status: 400, says: []string{"did you mean event?"}},
		{name: "a field twice", body: `{"event":"Stop","event":"Stop"}`, status: 400, says: []string{"event is there twice"}},
		{name: "wrong value", body: `{"event":7}`, status: 400, says: []string{"event must be a string; a JSON number is none"}},
		{name: "wrong payload", body: `{"event":"Stop","payload":[1]}`, status: 400, says: []string{"payload must be a JSON object"}},
		{name: "wrong env", body: `{"event":"Stop","env":{"A":1}}`, status: 400, says: []string{"env must be an object of strings"}},
		{name: "two variables", body: `{"event":"Stop","env":{"A=B":"x"}}`, status: 400, says: []string{"env", `A=B`, "is not a variable"}},
		{name: "too long an environment", body: `{"event":"Stop","env":{"A":"` + strings.Repeat("x", 1<<20) + `"}}`, status: 400, says: []string{"env has 1 variables", "1048576"}},
		{name: "no variable", body: `{"event":"Stop","env":{"":"x"}}`, status: 400, says: []string{"env", "is not a variable"}},
		{name: "time", body: `{"event":"Stop","timeout_ms":-1}`, status: 400, says: []string{"timeout_ms must be from 0"}},
		{name: "unknown event", body: `{"event":"PreTolUse"}`, status: 400, says: []string{"urn:hookway:problem:unknown-event", "did you mean PreToolUse?"}},
		{name: "bad payload", body: `{"event":"PreToolUse","payload":{"tool_name":5}}`, status: 400, says: []string{"urn:hookway:problem:bad-payload", "tool_name"}},
		{name: "relative folder", body: `{"event":"Stop","cwd":"project"}`, status: 400, says: []string{"absolute path"}},
		{name: "no folder", body: `{"event":"Stop","cwd":"/nowhere/at/all"}`, status: 400, says: []string{"there is no folder /nowhere/at/all"}},
		{name: "a form", body: `{"event":"Stop"}`, headers: []string{"Content-Type: text/plain"}, status: 415, says: []string{"send application/json"}},
		{name: "no type", body: `{"event":"Stop"}`, headers: []string{"Content-Type: "}, status: 415, says: []string{"application/json"}},
		{name: "another charset", body: `{"event":"Stop"}`, headers: []string{"Content-Type: application/json; charset=latin1"}, status: 415, says: []string{"UTF-8"}},
		{name: "packed", body: `{"event":"Stop"}`, headers: []string{"Content-Encoding: gzip"}, status: 415, says: []string{"Content-Encoding"}},
		{name: "a long key", body: `{"event":"Stop"}`, headers: []string{"Idempotency-Key: " + strings.Repeat("k", 300)}, status: 400, says: []string{"Idempotency-Key"}},
		{name: "no such path", method: "GET", path: "/v1/event", status: 404, says: []string{"did you mean /v1/events?"}},
		{name: "wrong method", method: "GET", path: "/v1/events", status: 405, says: []string{"takes POST, not GET"}},
		{name: "deleted", method: "DELETE", path: "/v1/hooks", status: 405, says: []string{"takes GET"}},
		{name: "no such parameter", method: "GET", path: "/v1/watch?sesion=x", status: 400, says: []string{"no parameter", "session"}},
		{name: "no such number", method: "GET", path: "/v1/watch", headers: []string{"Last-Event-ID: x"}, status: 400, says: []string{"Last-Event-ID"}},
		{name: "another answer", method: "GET", path: "/v1/watch", headers: []string{"Accept: text/html"}, status: 406, says: []string{"text/event-stream"}},
		{name: "relative hooks", method: "GET", path: "/v1/hooks?cwd=x", status: 400, says: []string{"absolute path"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.method == "" {
				c.method, c.path = "POST", "/v1/events"
			}
			status, text := h.ask(c.method, c.path, c.body, c.headers...)
			if status != c.status {
				t.Errorf("status %d, want %d", status, c.status)
			}
			want(t, text, append(c.says, fmt.Sprintf(`"status":%d`, c.status))...)
		})
	}
	if n := len(h.recorded()); n != 0 {
		t.Errorf("%d records of requests that were refused", n)
	}
}

// raw sends text over the socket and gives all that comes back.
func raw(t *testing.T, h *house, text string) net.Conn {
	t.Helper()
	c, err := h.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestABodyThatIsTooLargeIsRefusedBeforeItIsRead(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	c := raw(t, h, "POST /v1/events HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", response.StatusCode)
	}
	status, text := h.ask("POST", "/v1/events", `{"event":"Stop","payload":{"x":"`+strings.Repeat("x", 16<<20)+`"}}`)
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d of one whose size is not said", status)
	}
	want(t, text, "more than 16 MiB")
	if status, _ := h.ask("POST", "/v1/events", h.firing(strings.Repeat("x", 2<<20))); status != http.StatusOK {
		t.Errorf("a large event: status %d", status)
	}
}

func TestWhoSendsSlowlyIsNotWaitedForWithoutEnd(t *testing.T) {
	h := newHouse(t, oneHook, plan{patience: 100 * time.Millisecond})
	c := raw(t, h, "POST /v1/events HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{")
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(response.Body)
	response.Body.Close()
	if err := described("POST", "/v1/events", response.StatusCode, response.Header, text); err != nil || response.StatusCode != http.StatusRequestTimeout {
		t.Errorf("status %d, %v: %s", response.StatusCode, err, text)
	}
	want(t, string(text), "did not arrive within")

	c = raw(t, h, "POST /v1/events HTTP/1.1\r\nHost: h\r\nX-Slow")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, c)
	}()
	h.await("the end of a connection with half a head", ended)
}

// A body that comes slowly keeps a daemon from ending for a moment only.
func TestTheEndDoesNotWaitForABody(t *testing.T) {
	h := newHouse(t, oneHook, plan{patience: time.Hour})
	c := raw(t, h, "POST /v1/events HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n")
	in := bufio.NewReader(c)
	response, err := http.ReadResponse(in, nil)
	if err != nil || response.StatusCode != http.StatusContinue {
		t.Fatalf("the daemon does not read the body: %+v, %v", response, err)
	}
	h.stop()
	if response, err = http.ReadResponse(in, nil); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		t.Errorf("the answer is cut off: %v", err)
	}
	if err := described("POST", "/v1/events", response.StatusCode, response.Header, text); err != nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("status %d, %v: %s", response.StatusCode, err, text)
	}
	h.await("the end of the daemon", h.ended)
}

// What was asked before the daemon ends is answered whole, in any order: the
// answer's last bytes or the end.
func TestTheEndCutsOffNoAnswer(t *testing.T) {
	for range 20 {
		h := newHouse(t, oneHook, plan{patience: time.Hour})
		began, over := make(chan struct{}, 8), make(chan struct{})
		if _, _, err := h.judge.Register(t.Context(), h.dir, before("slow", hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
			began <- struct{}{}
			<-over
			return hook.Decision{}, nil
		}))); err != nil {
			t.Fatal(err)
		}
		var asking sync.WaitGroup
		for range cap(began) {
			asking.Go(func() {
				if status, text := h.ask("POST", "/v1/events", h.firing("ls")); status != http.StatusOK || !strings.HasSuffix(text, "}") {
					t.Errorf(`got %d %s, want status == http.StatusOK and strings.HasSuffix(text, "}")`, status, text)
				}
			})
		}
		for range cap(began) {
			<-began
		}
		h.stop()
		close(over)
		asking.Wait()
		h.await("the end of the daemon", h.ended)
	}
}

func TestAHookIsAbortedWhenTheClientHasGone(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	began, aborted := make(chan struct{}), make(chan struct{})
	slow := hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		close(began)
		<-ctx.Done()
		close(aborted)
		return hook.Decision{}, ctx.Err()
	})
	remove, _, err := h.judge.Register(t.Context(), h.dir, before("slow", slow))
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	body := h.firing("ls")
	c := raw(t, h, fmt.Sprintf("POST /v1/events HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	h.await("the hook's call", began)
	c.Close()
	h.await("the hook's end", aborted)
}

func TestATimeoutIsAProblemOfItsOwn(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	slow := hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		<-ctx.Done()
		return hook.Decision{}, ctx.Err()
	})
	if _, _, err := h.judge.Register(t.Context(), h.dir, before("slow", slow)); err != nil {
		t.Fatal(err)
	}
	status, text := h.ask("POST", "/v1/events", h.firing("ls", `,"timeout_ms":50`))
	if status != http.StatusGatewayTimeout {
		t.Errorf("status %d", status)
	}
	want(t, text, "hooks-took-long", "50 ms", "longer timeout_ms")
	if all := h.recorded(); len(all) != 1 || !strings.Contains(all[0].Failure, "could not decide") {
		t.Errorf("on record is %+v", all)
	}
}

func TestADaemonThatStopsFinishesWhatItBeganAndTakesNoMore(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	letGo := h.hold()
	h.stop()
	eventually.True(t, "no request is let in any more", func() bool {
		c, err := h.dial(t.Context(), "", "")
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	letGo()
	h.await("the daemon's end", h.ended)
}

// over is a daemon that has stopped.
type over struct{ daemon.Host }

func (over) Work() bool { return false }

func TestARequestThatComesTooLateIsToldSo(t *testing.T) {
	w := httptest.NewRecorder()
	api.Answer(over{}, w, httptest.NewRequest(http.MethodPost, "/v1/events", strings.NewReader(`{"event":"Stop"}`)))
	if err := described("POST", "/v1/events", w.Code, w.Header(), w.Body.Bytes()); err != nil || w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d, %v", w.Code, err)
	}
	want(t, w.Body.String(), "urn:hookway:problem:stopping", "call again")
}

func TestManyEventsAtOnce(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			status, text := h.ask("POST", "/v1/events", h.firing("rm -rf /", fmt.Sprintf(`,"session_id":"s%d"`, i%7)))
			if status != http.StatusOK || !strings.Contains(text, `"action":"block"`) {
				t.Errorf("got %d %s, want status == http.StatusOK and strings.Contains(text, `\"action\":\"block\"`)", status, text)
			}
		})
	}
	all.Wait()
	if len(h.recorded()) == 0 { // an answer waits a second for its record, which may be too short here
		t.Error("nothing is on record")
	}
}

func TestARequestThatIsSentAgainAsksNoHook(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	_, first := h.ask("POST", "/v1/events", h.firing("rm -rf /"), "Idempotency-Key: k1")
	_, second := h.ask("POST", "/v1/events", h.firing("rm -rf /"), "Idempotency-Key: k1")
	if first != second {
		t.Errorf("%s\nand then %s", first, second)
	}
	status, text := h.ask("POST", "/v1/events", h.firing("ls"), "Idempotency-Key: k1")
	if status != http.StatusConflict {
		t.Errorf("another body under the same key: %d %s", status, text)
	}
	h.ask("POST", "/v1/events", h.firing("rm -rf /"), "Idempotency-Key: k2")
	if n := len(h.recorded()); n != 2 {
		t.Errorf("the hooks were asked %d times", n)
	}
}

func TestHooksAreListedWithThoseThatWereRegistered(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	guard := before("guard", hook.Static{Action: hook.ActionBlock, Reason: "registered"})
	remove, replaced, err := h.judge.Register(t.Context(), h.dir, guard)
	if err != nil || replaced {
		t.Fatalf("got %v, %v, want err == nil and !replaced", replaced, err)
	}
	_, text := h.ask("GET", "/v1/hooks?cwd="+h.dir, "")
	want(t, text, `"id":"no-rm"`, `"id":"api:guard"`, `"layer":"registered"`)
	_, text = h.ask("POST", "/v1/events", h.firing("ls"))
	want(t, text, `"by":"api:guard"`)
	remove()
	_, text = h.ask("POST", "/v1/events", h.firing("ls"))
	want(t, text, `"action":"continue"`)
}

func TestTheRestIsAsDescribed(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	_, text := h.ask("GET", "/v1/status", "")
	want(t, text, `"version":"test"`, `"running":0`)
	_, text = h.ask("GET", "/healthz", "")
	want(t, text, `{"status":"ok"}`)
	_, text = h.ask("GET", "/v1/openapi.json", "")
	want(t, text, `"openapi": "3.1.0"`)
	if status, _ := h.ask("HEAD", "/healthz", ""); status != http.StatusOK {
		t.Errorf("HEAD: status %d", status)
	}
}

func FuzzDecodeFire(f *testing.F) {
	for _, seed := range []string{
		`{"event":"PreToolUse","payload":{"tool_name":"Bash"},"env":{"A":"b"},"timeout_ms":5e3,"dry_run":true}`,
		`{"event":"Stop","metadata":{"a":[1,{"b":null}]}}`, `{"event":1}`, `{"event":"a","event":"b"}`, `[]`, `{}`, ``, `{"a`, "{\"event\":\"\xff\"}", `{"event":"x"}x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		event, err := api.DecodeFire(body)
		switch {
		case err == nil && event == "":
			t.Error("an event without a name")
		case err == nil:
			if err := fits(ref("Firing"), body); err != nil && !strings.Contains(string(body), "null") {
				t.Errorf("it is read, and not as described: %v: %q", err, body)
			}
		case err.Error() == "":
			t.Error("an error without a text")
		}
	})
}
