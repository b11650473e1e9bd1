package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/judge"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Bounds of a stream.
const (
	heartbeat = 15 * time.Second // without a record, a line is sent that says nothing
	sendTime  = 30 * time.Second // for the reader to take what was sent
	sendBytes = 64 << 10         // after which what is told is sent
)

// watch answers GET /v1/watch with a stream of what is put on record.
func (d *Server) watch(w http.ResponseWriter, r *http.Request, _ origin) error {
	if err := accepts(r, "text/event-stream"); err != nil {
		return err
	}
	f, err := filterOf(r)
	if err != nil {
		return err
	}
	if d.stopping() {
		return stopping()
	}
	ctx := r.Context()
	seen, err := d.Engine.Follow(ctx, f)
	var wrong *judge.RequestError
	switch {
	case errors.As(err, &wrong):
		return mistaken(wrong)
	case err != nil:
		return problem("nothing-to-stream", "%v", err).with("Retry-After", "10")
	}
	s := newStream(w)
	if r.Method == http.MethodHead {
		return nil
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	s.send([]byte("retry: 1000\n\n"))
	for s.err == nil {
		select {
		case one, more := <-seen:
			if !more {
				return nil
			}
			s.tell(one)
			for more := true; more && s.out.Len() < sendBytes; { // what is there already goes with it
				select {
				case one, open := <-seen:
					if more = open; open {
						s.tell(one)
					}
				default:
					more = false
				}
			}
			s.flush()
			beat.Reset(heartbeat)
		case <-beat.C:
			s.send([]byte(":\n\n"))
		case <-d.stopped.Done():
			s.send([]byte("event: end\ndata: {}\n\n"))
			return nil
		case <-ctx.Done():
			return nil
		}
	}
	return nil // the reader has gone, or takes nothing
}

// stream writes server-sent events.
type stream struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	out bytes.Buffer // told, and not sent yet
	err error
}

func newStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	return &stream{w: w, rc: http.NewResponseController(w)}
}

// send writes text at once. Who takes nothing for long is given up.
func (s *stream) send(text []byte) {
	if s.err != nil {
		return
	}
	_ = s.rc.SetWriteDeadline(time.Now().Add(sendTime))
	if _, s.err = s.w.Write(text); s.err == nil {
		s.err = s.rc.Flush()
	}
}

// flush sends what was told.
func (s *stream) flush() {
	s.send(s.out.Bytes())
	if s.out.Reset(); s.out.Cap() > 4*sendBytes {
		s.out = bytes.Buffer{}
	}
}

// tell tells of a record, or of what happened to a hook, after how many were missed
// before it.
func (s *stream) tell(one judge.Watched) {
	if s.err != nil {
		return
	}
	if one.Hook != nil {
		s.notice(one.Hook)
		return
	}
	s.missed(one.Missed)
	text, err := one.JSON()
	if err != nil {
		s.err = err
		return
	}
	fmt.Fprintf(&s.out, "event: outcome\nid: %d\ndata: %s\n\n", one.Record.Seq, text)
}

func (s *stream) missed(n int64) {
	if n > 0 {
		fmt.Fprintf(&s.out, "event: missed\ndata: {\"count\":%d}\n\n", n)
	}
}

// noticeKinds are the names under which changes of hooks are sent: compilr's.
var noticeKinds = map[hook.NoticeKind]string{
	hook.HookRegistered: "hook:registered", hook.HookUnregistered: "hook:unregistered",
	hook.HookStarted: "hook:started", hook.HookCompleted: "hook:completed", hook.HookError: "hook:error",
}

// change is what happened to a hook, as compilr tells of it, and more.
type change struct {
	Type       string   `json:"type"`
	HookType   string   `json:"hookType"`
	HookID     string   `json:"hookId"`
	HookName   string   `json:"hookName,omitempty"`
	DurationMS float64  `json:"durationMs,omitempty"`
	Error      string   `json:"error,omitempty"`
	Events     []string `json:"events"`
	Lane       string   `json:"lane,omitempty"`
	Action     string   `json:"action,omitempty"`
	EventID    string   `json:"eventId,omitempty"`
	SessionID  string   `json:"sessionId,omitempty"`
	Agent      string   `json:"agent,omitempty"`
	Workspace  string   `json:"workspace"`
}

// changed is what happened to a hook as it is sent, or nil.
func changed(n *judge.HookNotice) *change {
	kind, known := noticeKinds[n.Kind]
	if !known {
		return nil
	}
	c := &change{
		Type: kind, HookType: n.Event, HookID: n.Hook, HookName: n.Name, DurationMS: float64(n.Duration.Microseconds()) / 1e3,
		Events: n.Events, SessionID: n.Session, Agent: n.Agent, Workspace: n.Workspace,
	}
	if n.Event == "" && len(n.Events) > 0 {
		c.HookType = n.Events[0]
	}
	if n.Event != "" {
		c.Lane, c.EventID = n.Lane.String(), n.EventID.String()
	}
	if n.Kind == hook.HookCompleted {
		c.Action = n.Action.String()
	}
	if n.Err != nil {
		c.Error = hook.LogLine(n.Err.Error())
	}
	return c
}

// notice tells what happened to a hook.
func (s *stream) notice(n *judge.HookNotice) {
	if c := changed(n); c != nil {
		s.missed(n.Missed)
		text, err := plainJSON(c)
		if err != nil {
			s.err = err
			return
		}
		fmt.Fprintf(&s.out, "event: %s\ndata: %s\n\n", c.Type, text)
	}
}

// ofHooks reports whether an event is one of what happens to hooks.
func ofHooks(event string) bool {
	info, err := hook.Lookup(event)
	return err == nil && info.Changes()
}

// filterOf reads what is wanted.
func filterOf(r *http.Request) (judge.WatchFilter, error) {
	q, err := query(r, "session", "event", "cwd", "hooks")
	if err != nil {
		return judge.WatchFilter{}, err
	}
	f := judge.WatchFilter{Session: q.Get("session"), Event: q.Get("event"), CWD: q.Get("cwd")}
	if f.CWD != "" {
		if !filepath.IsAbs(f.CWD) {
			return f, problem("bad-request", "cwd: %q is not an absolute path", f.CWD).at("cwd")
		}
		f.CWD = filepath.Clean(f.CWD)
	}
	switch q.Get("hooks") {
	case "true", "1":
		f.Hooks = true
	case "", "false", "0":
		f.Hooks = ofHooks(f.Event)
	default:
		return f, problem("bad-request", "hooks is %q; it is true or false", q.Get("hooks")).at("hooks")
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		return f, nil
	}
	if f.After, err = strconv.ParseInt(last, 10, 64); err != nil || f.After < 0 {
		return f, problem("bad-request", "Last-Event-ID is %q; send the id of the last event that you got, or leave it out", last)
	}
	f.Whole = f.After == 0
	return f, nil
}

// accepts refuses a request that takes no answer of this kind.
func accepts(r *http.Request, kind string) error {
	given := strings.Join(r.Header.Values("Accept"), ",")
	if given == "" {
		return nil
	}
	major, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(given, ",") {
		one, _, _ := strings.Cut(part, ";")
		if one = strings.ToLower(strings.TrimSpace(one)); one == kind || one == "*/*" || one == major+"/*" {
			return nil
		}
	}
	return problem("not-acceptable", "the answer is %s, and the request accepts %q only", kind, given)
}

// plainJSON is a value in JSON, with < and > as they are.
func plainJSON(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
