//go:build unix

package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// sent is one server-sent event.
type sent struct{ event, id, data string }

// reader reads a stream of events.
type reader struct {
	h     *house
	lines chan sent
	stop  context.CancelFunc
}

// watch opens a stream and gives what comes, until the test ends.
func (h *house) watch(query string, headers ...string) *reader {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://hookway/v1/watch"+query, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: h.dial, DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		h.t.Fatalf(`got %s %v, want response.StatusCode == http.StatusOK and response.Header.Get("Content-Type") == "text/event-stream"`, response.Status, response.Header)
	}
	out := &reader{h: h, lines: make(chan sent, 1000), stop: cancel}
	go func() {
		defer close(out.lines)
		defer response.Body.Close()
		var one sent
		for in := bufio.NewScanner(response.Body); in.Scan(); {
			name, value, _ := strings.Cut(in.Text(), ": ")
			switch name {
			case "event":
				one.event = value
			case "id":
				one.id = value
			case "data":
				one.data = value
			case "":
				if one.event != "" {
					out.lines <- one
				}
				one = sent{}
			}
		}
	}()
	h.t.Cleanup(cancel)
	return out
}

// next waits for the next event of a stream.
func (r *reader) next() (one sent) {
	r.h.t.Helper()
	got := make(chan struct{})
	go func() {
		defer close(got)
		one = <-r.lines
	}()
	r.h.await("an event of the stream", got)
	return one
}

func TestWhatIsDecidedIsStreamed(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	h.ask("POST", "/v1/events", h.firing("before"))
	all, mine := h.watch(""), h.watch("?session=s1&event=pre_tool_use&cwd="+h.dir)
	h.ask("POST", "/v1/events", h.firing("rm -rf /", `,"session_id":"s0"`))
	h.ask("POST", "/v1/events", h.firing("ls", `,"session_id":"s1"`))
	one := all.next()
	var r audit.Record
	if err := json.Unmarshal([]byte(one.data), &r); err != nil {
		t.Fatal(err)
	}
	if err := fits(ref("Record"), []byte(one.data)); err != nil {
		t.Errorf("a record is not as described: %v", err)
	}
	if got, want := fmt.Sprint([]any{one.event, one.id, r.Session, r.Action}), fmt.Sprint([]any{"outcome", "2", "s0", "block"}); got != want {
		t.Errorf("streamed is %+v: got %s, want %s", one, got, want)
	} else if r.Hash == "" {
		t.Errorf("streamed is %+v", one)
	}
	if one := mine.next(); one.id != "3" || !strings.Contains(one.data, `"session":"s1"`) {
		t.Errorf("of one session %+v", one)
	}
}

func TestAStreamGoesOnWhereItEnded(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	for i := range 5 {
		h.ask("POST", "/v1/events", h.firing(fmt.Sprint(i)))
	}
	s := h.watch("", "Last-Event-ID: 2")
	for _, id := range []string{"3", "4", "5"} {
		if one := s.next(); one.id != id {
			t.Errorf("got %s, want %s", one.id, id)
		}
	}
	s.stop()
	s = h.watch("", "Last-Event-ID: 0") // of one that has seen none
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		if one := s.next(); one.id != id {
			t.Errorf("from the beginning: got %s, want %s", one.id, id)
		}
	}
	s.stop()
	s = h.watch("", "Last-Event-ID: 700") // of a log that was removed
	h.ask("POST", "/v1/events", h.firing("new"))
	if one := s.next(); one.id != "6" {
		t.Errorf("got %s", one.id)
	}
}

func TestAReaderThatReadsNothingHoldsUpNoOther(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	deaf, err := h.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	if err := deaf.(*net.UnixConn).SetReadBuffer(1 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := deaf.Write([]byte("GET /v1/watch HTTP/1.1\r\nHost: h\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	s := h.watch("")
	long := strings.Repeat("x", 8<<10)
	for i := range 100 {
		if status, text := h.ask("POST", "/v1/events", h.firing(fmt.Sprint(i)+long)); status != http.StatusOK {
			t.Fatalf("got %v, want status == http.StatusOK", text)
		}
	}
	for range 100 {
		if one := s.next(); one.event != "outcome" {
			t.Fatalf(`got %+v, want one.event == "outcome"`, one)
		}
	}
}

func TestAStreamEndsWithTheDaemonAndDoesNotKeepIt(t *testing.T) {
	h := newHouse(t, oneHook, plan{idle: 300 * time.Millisecond})
	letGo := h.hold() // or the daemon could end before the stream begins
	s := h.watch("")
	letGo()
	if one := s.next(); one.event != "outcome" {
		t.Errorf("first comes %+v", one)
	}
	h.await("the daemon's end, for want of calls", h.ended)
	if one := s.next(); one.event != "end" {
		t.Errorf("the last event is %+v", one)
	}
}

func TestNoMoreThanTheDocumentedNumberWatch(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	var first *reader
	for i := range 128 {
		if s := h.watch(""); i == 0 {
			first = s
		}
	}
	if status, _ := h.ask("HEAD", "/v1/watch", ""); status != http.StatusServiceUnavailable {
		t.Errorf("one more: %d", status)
	}
	first.stop()
	for free := time.Now().Add(20 * time.Second); ; { // the daemon hears of it a little later
		status, _ := h.ask("HEAD", "/v1/watch", "")
		if status == http.StatusOK {
			return
		}
		if time.Now().After(free) {
			t.Fatalf("the place of the one that went is still taken: %d", status)
		}
	}
}

func TestAMistypedEventIsNotWatched(t *testing.T) {
	h := newHouse(t, oneHook+"events: [{name: PreToolUsed}]\n", plan{})
	for name, want := range map[string]int{
		"PreToolUze": http.StatusBadRequest, "PreToolUsed": http.StatusBadRequest, "PreToolUsed&cwd=" + h.dir: http.StatusOK,
		"pre_tool_use": http.StatusOK, "AnAgentsOwnWord": http.StatusOK,
	} {
		if status, _ := h.ask("HEAD", "/v1/watch?event="+name, ""); status != want {
			t.Errorf("%s: %d, want %d", name, status, want)
		}
	}
	if _, text := h.ask("GET", "/v1/watch?event=PreToolUze", ""); !strings.Contains(text, "unknown-event") || !strings.Contains(text, "did you mean PreToolUse?") {
		t.Errorf(`got %v, want strings.Contains(text, "unknown-event") and strings.Contains(text, "did you mean PreToolUse?")`, text)
	}
}

// What happens to hooks comes with hooks=true, or where it is asked for by its name.
func TestAStreamTellsOfHooks(t *testing.T) {
	h := newHouse(t, `hooks:
  - {id: rule, description: A plain rule, on: PreToolUse, match: {tool: Bash}, block: "no"}
  - {id: broken, on: PreToolUse, priority: 1, command: "exit 7"}
`, plan{})
	all, failed, other := h.watch("?hooks=true"), h.watch("?event=hook:error"), h.watch("?hooks=1&session=else")
	if status, text := h.ask("POST", "/v1/events", h.firing("ls", `,"session_id":"s-1"`)); status != http.StatusOK {
		t.Fatalf("got %v, want status == http.StatusOK", text)
	}
	said := map[string]map[string]any{}
	for said["outcome"] == nil || said["hook:completed rule"] == nil {
		one := all.next()
		var data map[string]any
		if err := json.Unmarshal([]byte(one.data), &data); err != nil {
			t.Fatalf("%+v: %v", one, err)
		}
		if one.event == "outcome" {
			said["outcome"] = data
			continue
		}
		if data["type"] != one.event {
			t.Errorf("%s has the type %v", one.event, data["type"])
		}
		said[fmt.Sprint(one.event, " ", data["hookId"])] = data
	}
	for _, want := range []string{"hook:registered rule", "hook:registered broken", "hook:started broken", "hook:error broken", "hook:started rule"} {
		if said[want] == nil {
			t.Errorf("%s is missing of %v", want, said)
		}
	}
	done := said["hook:completed rule"]
	if got, want := fmt.Sprint([]any{done["hookName"], done["hookType"], done["action"], done["sessionId"], done["lane"]}), fmt.Sprint([]any{"A plain rule", "PreToolUse", "block", "s-1", "transform"}); got != want {
		t.Errorf("completed: %v: got %s, want %s", done, got, want)
	} else if done["eventId"] == "" {
		t.Errorf("completed: %v", done)
	}
	if one := failed.next(); one.event != "hook:error" || !strings.Contains(one.data, `"error":"`) || !strings.Contains(one.data, `"hookId":"broken"`) {
		t.Errorf("failures: %+v", one)
	}
	if status, text := h.ask("POST", "/v1/events", h.firing("ls", `,"session_id":"else"`)); status != http.StatusOK {
		t.Fatalf("got %v, want status == http.StatusOK", text)
	}
	if one := other.next(); !strings.Contains(one.data, "else") {
		t.Errorf("another session's: %+v", one)
	}
	if status, text := h.ask("GET", "/v1/watch?hooks=maybe", ""); status != http.StatusBadRequest || !strings.Contains(text, "hooks") {
		t.Errorf("hooks=maybe: %d %s", status, text)
	}
}
