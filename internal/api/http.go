package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/logline"
)

// origin is what is known of who sent a request.
type origin struct {
	foreign  bool      // it did not come from the daemon's own socket, and may be from anybody
	listener *Listener // nil: the daemon's own socket, or the page's
	from     net.Listener
	local    net.Addr
	conn     net.Conn
}

type originKey struct{}

func withOrigin(ctx context.Context, nc net.Conn) context.Context {
	return context.WithValue(ctx, originKey{}, originOf(nc))
}

func originOf(nc net.Conn) origin {
	g, ok := nc.(*daemon.APIConn)
	if !ok {
		return origin{foreign: true, conn: nc}
	}
	listener, _ := g.Listener.(*Listener)
	return origin{foreign: g.Listener != nil, listener: listener, from: g.Listener, local: g.LocalAddr(), conn: nc}
}

// answerer answers one kind of request. An error becomes problem details.
type answerer func(w http.ResponseWriter, r *http.Request, o origin) error

// finish answers with what is wrong, if anything is.
func finish(w http.ResponseWriter, err error) {
	if err == nil || errors.Is(err, context.Canceled) { // then no client waits for an answer
		return
	}
	asProblem(err).write(w)
}

// route finds what answers a request.
func route(paths map[string]map[string]answerer, w http.ResponseWriter, r *http.Request, o origin) error {
	methods, known := find(paths, r)
	if !known {
		var all []string
		for path := range paths {
			all = append(all, path)
		}
		slices.Sort(all)
		if near := hook.Nearest(r.URL.Path, all); near != "" {
			return problem("no-such-path", "there is nothing at %q; did you mean %s?", r.URL.Path, near)
		}
		return problem("no-such-path", "there is nothing at %q; there is %s", r.URL.Path, strings.Join(all, ", "))
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	answer := methods[method]
	if answer == nil {
		var allowed []string
		for m := range methods {
			allowed = append(allowed, m)
		}
		return problem("wrong-method", "%s takes %s, not %s", r.URL.Path, strings.Join(allowed, ", "), r.Method).with("Allow", strings.Join(allowed, ", "))
	}
	return answer(w, r, o)
}

// find finds a path that is known, or one that has a name in place of the one in
// braces. Handlers find that name as the request's path value "name". A slash in a name
// is written %2F.
func find(paths map[string]map[string]answerer, r *http.Request) (methods map[string]answerer, known bool) {
	if methods, known = paths[r.URL.Path]; known {
		return methods, true
	}
	for path, methods := range paths {
		if name, ok := named(path, r.URL.EscapedPath()); ok {
			if name, err := url.PathUnescape(name); err == nil {
				r.SetPathValue("name", name)
				return methods, true
			}
		}
	}
	return nil, false
}

// named gives the name that a path has where another one has braces.
func named(path, asked string) (name string, ok bool) {
	begin, rest, ok := strings.Cut(path, "{")
	if !ok {
		return "", false
	}
	_, end, _ := strings.Cut(rest, "}")
	if name, ok = strings.CutPrefix(asked, begin); ok {
		name, ok = strings.CutSuffix(name, end)
	}
	return name, ok && name != "" && !strings.Contains(name, "/")
}

// counted has the daemon stay until a request is answered.
func (d *Server) counted(answer func(http.ResponseWriter, *http.Request, origin) (int, error)) answerer {
	return func(w http.ResponseWriter, r *http.Request, o origin) error {
		return d.within(d.firing, func() (size int, err error) {
			if !d.host.Work() {
				return 0, stopping()
			}
			defer func() { d.written.then(o.conn, func() { d.host.Done(size) }) }()
			return answer(w, r, o)
		})
	}
}

// within answers a request if there is room for it.
func (d *Server) within(room chan struct{}, answer func() (int, error)) error {
	select {
	case room <- struct{}{}:
		defer func() { <-room }()
	default:
		return problem("busy", "%d requests are under way already; try again", cap(room)).with("Retry-After", "1")
	}
	_, err := answer()
	return err
}

// caught answers a request whose answering panicked.
func (d *Server) caught(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	d.log().Warn(fmt.Sprintf("panic while %s %s was answered", r.Method, r.URL.Path), logline.Err, p)
	for line := range strings.Lines(string(debug.Stack())) {
		d.log().Warn(line)
	}
	problem("failed", "hookway panicked: %v", p).write(w)
}

// refusal is the answer to a request that is not read.
type refusal struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *refusal) Header() http.Header         { return r.header }
func (r *refusal) WriteHeader(status int)      { r.status = status }
func (r *refusal) Write(p []byte) (int, error) { return r.body.Write(p) }

// bytes is the answer as it goes over a connection.
func (r *refusal) bytes() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\n", r.status, http.StatusText(r.status))
	r.header.Set("Content-Length", fmt.Sprint(r.body.Len()))
	_ = r.header.Write(&out)
	out.WriteString("\r\n")
	out.Write(r.body.Bytes())
	return out.Bytes()
}

// query reads the parameters of a request: these, each at most once.
func query(r *http.Request, names ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, problem("bad-request", "the query cannot be read: %v", err)
	}
	for name, values := range q {
		if !slices.Contains(names, name) {
			known := "this takes none"
			if len(names) > 0 {
				known = "there is " + strings.Join(names, ", ")
			}
			return nil, problem("bad-request", "there is no parameter %q; %s", name, known).at(name)
		}
		if len(values) > 1 {
			return nil, problem("bad-request", "%s is there twice", name).at(name)
		}
	}
	return q, nil
}

func stopping() *problemDetails {
	return problem("stopping", "the daemon is ending; call again, and the next one answers").with("Retry-After", "1").with("Connection", "close")
}
