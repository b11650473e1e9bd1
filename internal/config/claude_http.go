package config

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// serverHeaders reads the headers of a server, as they are before their variables.
func (s *settings) serverHeaders(n *yaml.Node) map[string]string {
	out := map[string]string{}
	for _, p := range s.object(n, "headers") {
		value, ok := s.Text(p.Value, "headers."+strict.Clip(p.Key.Value))
		switch name := strings.ToLower(strings.TrimSpace(p.Key.Value)); {
		case !ok:
		case name == "content-length" || name == "transfer-encoding":
			s.warn(p.Key, "the header "+name+" is left out, as in Claude Code: the length is that of the body", "")
		case name == "content-type":
		default:
			out[p.Key.Value] = value
		}
	}
	return out
}

// texts reads a list of texts.
func (s *settings) texts(n *yaml.Node, what string) []string {
	out := []string{}
	for _, item := range s.items(n, what) {
		if text, ok := s.Text(item, what); ok {
			out = append(out, text)
		}
	}
	return out
}

// server makes the hook ask a server. It reports false if it cannot.
func (s *settings) server(h *hookSpec, e claudeEntry, n *yaml.Node) bool {
	w := &webSpec{claude: &e.server, url: e.url.Node}
	w.URL, w.Headers, w.AllowLoopback = e.url.Text, e.server.Headers, true
	if u, err := url.Parse(w.URL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		claudehooks.SignIn(w.Headers, "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
		u.User = nil
		w.URL = u.String()
	}
	before := len(s.Problems)
	s.checkWeb(n, w)
	h.handler = handlerSpec{kind: "http", web: w}
	return len(s.Problems) == before
}

// limit keeps a hook's server to what settings allow: managed ones alone for managed
// hooks that they limit, else those of all files that count.
func (l *loader) limit(f *found, managed bool) {
	all := claudehooks.Limits{}
	for scope, limits := range l.claude.limits {
		if l.counts(scope) && (!managed || scope == scopeManaged) {
			all.Note(limits)
		}
	}
	w := f.spec.handler.web
	w.claude.Only, w.claude.Limited = all.Variables, all.Variables != nil
	if all.URLs != nil && !slices.ContainsFunc(all.URLs, func(p string) bool { return claudehooks.AllowsURL(p, w.URL) }) {
		f.broken = fmt.Errorf("%s does not match any pattern of allowedHttpHookUrls in Claude Code's settings", strict.Clip(w.URL))
		l.set.Warnings = append(l.set.Warnings, Problem{File: f.file, Line: w.url.Line, Column: w.url.Column, Hook: f.spec.id,
			Message: strict.Line(f.broken.Error() + ", so it is not asked"), Hint: "add its url there"})
	}
}

// sameServer is what tells two servers apart: Claude Code asks one of two hooks that say the same.
func (f *found) sameServer() string {
	w := f.spec.handler.web
	return fmt.Sprintf("%q %v %q %q %+v", w.URL, w.Headers, w.claude.Allowed, f.spec.rule, f.spec.filter)
}
