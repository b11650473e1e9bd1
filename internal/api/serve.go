package api

import (
	"cmp"
	"context"
	"log"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/daemon"
)

// Begin starts the servers.
func (d *Server) Begin(h daemon.Host) {
	d.host = h
	handler := d.handler()
	serve := func(in *inbox, head int) *http.Server {
		s := &http.Server{
			Handler: handler, ReadHeaderTimeout: d.HeadTime, IdleTimeout: quietTime, MaxHeaderBytes: head,
			BaseContext: func(net.Listener) context.Context { return h.Context() },
			ConnContext: func(ctx context.Context, nc net.Conn) context.Context { return withOrigin(ctx, nc) },
			ConnState:   d.written.changed,
			ErrorLog:    log.New(lines{d}, "", 0),
		}
		go func() { _ = s.Serve(in) }()
		return s
	}
	d.http = [...]*http.Server{serve(d.web, maxHead), serve(d.browsers, maxPageHead)}
	grpc := d.service.Server()
	go func() { _ = grpc.Serve(d.calls) }()
}

// Serve hands a connection to the server of its language.
func (d *Server) Serve(g *daemon.APIConn) {
	to := d.web
	_ = g.SetReadDeadline(time.Now().Add(d.HeadTime))
	switch {
	case d.Page != nil && g.Listener == d.Page.Listener:
		to = d.browsers
	case string(g.Begins(3)) == preface[:3] && string(g.Begins(len(preface))) == preface:
		to = d.calls
	}
	_ = g.SetReadDeadline(time.Time{})
	if !to.put(g) {
		g.Close()
	}
}

// preface is how HTTP/2 begins, which gRPC speaks.
const preface = "PRI * HTTP/2.0\r\n"

// Refuse tells a connection that there is no room for it.
func (d *Server) Refuse(nc net.Conn, why string) {
	p := problem("busy", "%s", why).with("Retry-After", "1").with("Connection", "close")
	w := &refusal{header: http.Header{}}
	p.write(w)
	_, _ = nc.Write(w.bytes())
}

// End begins nothing more.
func (d *Server) End() {
	d.stop()
	go func() { // it looks often for connections that have become quiet, until there is none
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for _, s := range d.http {
			_ = s.Shutdown(ctx)
		}
	}()
	d.service.Stop()
	d.web.Close()
	d.browsers.Close()
	d.calls.Close()
}

// Close takes out what was registered. Call it when no request is under way any more.
func (d *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	d.service.Close(ctx)
}

// closeTime is how long streams have to end when the daemon does.
const closeTime = time.Second

// New makes a server.
func New(c Config) *Server {
	c.HeadTime, c.BodyTime = cmp.Or(c.HeadTime, headTime), cmp.Or(c.BodyTime, bodyTime)
	d := &Server{Config: c, web: newInbox(), browsers: newInbox(), calls: newInbox(), firing: make(chan struct{}, maxFiring), taking: make(chan struct{}, maxTaking), looking: make(chan struct{}, mostLooking), previewing: make(chan struct{}, 1)}
	d.stopped, d.stop = context.WithCancel(context.Background())
	d.service = NewService(c.Engine, ServiceOptions{Dial: c.Dial, Admit: d.admitCall, From: from, Work: d.work, Large: d.large, Log: c.Log})
	return d
}

// maxTaking bounds how many wait for messages beside these.
const maxTaking = 512

// handler answers every request.
func (d *Server) handler() http.Handler {
	paths := d.paths()
	d.owned = paths
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o, _ := r.Context().Value(originKey{}).(origin)
		defer d.caught(w, r)
		if d.isPage(o) {
			d.Page.Handler.ServeHTTP(w, r)
			return
		}
		finish(w, d.answer(paths, w, r, o))
	})
}

func (d *Server) answer(paths map[string]map[string]answerer, w http.ResponseWriter, r *http.Request, o origin) error {
	if d.Gateway != nil && strings.HasPrefix(r.URL.Path, gatewayPath) {
		return d.gatewayCall(w, r, o)
	}
	if err := d.let(o, r.Host, r.Header); err != nil {
		return err
	}
	return route(paths, w, r, o)
}

// paths are what can be asked for, by path and method.
func (d *Server) paths() map[string]map[string]answerer {
	all := map[string]map[string]answerer{
		"/v1/events":       {http.MethodPost: d.counted(d.events)},
		"/v1/watch":        {http.MethodGet: d.watch},
		"/v1/hooks":        {http.MethodGet: d.counted(d.hooks)},
		"/v1/status":       {http.MethodGet: d.status},
		"/v1/page":         {http.MethodPost: d.counted(d.openPage)},
		"/v1/openapi.json": {http.MethodGet: d.openAPI},
		"/healthz":         {http.MethodGet: d.health},

		"/v1/messages/{id}": {http.MethodGet: d.counted(d.relayed(d.message))},
		"/v1/agents":        {http.MethodGet: d.counted(d.relayed(d.agents))},
		"/v1/inbox/{agent}": {http.MethodGet: d.counted(d.relayed(d.messagesOf))},
		"/v1/relay/poke":    {http.MethodPost: d.counted(d.relayed(d.notify))},

		"/v1/approvals":        {http.MethodGet: d.counted(d.approvals)},
		"/v1/approvals/{code}": {http.MethodGet: d.counted(d.approval), http.MethodPost: d.counted(d.answerApproval)},

		"/v1/standing":        {http.MethodGet: d.counted(d.standing)},
		"/v1/standing/{code}": {http.MethodDelete: d.counted(d.revoke)},

		"/v1/record":       {http.MethodGet: d.counted(d.record)},
		"/v1/record/{seq}": {http.MethodGet: d.counted(d.oneRecord)},
		"/v1/stats":        {http.MethodGet: d.counted(d.stats)},

		"/v1/sessions":      {http.MethodGet: d.counted(d.sessions)},
		"/v1/sessions/{id}": {http.MethodGet: d.counted(d.session)},

		"/v1/inbox/{agent}/take": {http.MethodPost: d.takes},
		"/v1/inbox/{agent}/done": {http.MethodPost: d.counted(d.relayed(d.confirmInbox))},
	}
	maps.Copy(all, d.viewPaths())
	return all
}

// viewPaths are those of paths that somebody looks at.
func (d *Server) viewPaths() map[string]map[string]answerer {
	return map[string]map[string]answerer{
		"/v1/explain":              {http.MethodPost: d.looked(d.explain)},
		"/v1/record/{seq}/explain": {http.MethodGet: d.looked(d.decision)},
		"/v1/record/{seq}/today":   {http.MethodPost: d.looked(d.today)},
		"/v1/record/{seq}/case":    {http.MethodGet: d.looked(d.recordCase)},
		"/v1/preview":              {http.MethodGet: d.preview},
		"/v1/memories":             {http.MethodGet: d.looked(d.memories), http.MethodPost: d.looked(d.remember)},
		"/v1/memories/{id}":        {http.MethodDelete: d.looked(d.forget)},
		"/v1/messages":             {http.MethodGet: d.counted(d.relayed(d.listMessages)), http.MethodPost: d.counted(d.relayed(d.sendMessage))},
		"/v1/folders":              {http.MethodGet: d.looked(d.folders)},
		"/v1/doctor":               {http.MethodGet: d.looked(d.doctor)},
		"/v1/guards":               {http.MethodGet: d.looked(d.guards), http.MethodPost: d.looked(d.setGuards)},
	}
}
