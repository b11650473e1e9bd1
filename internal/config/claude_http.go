package config

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// claudeServer is a hook of the type http as settings have it.
type claudeServer struct {
	url     *entry
	headers map[string]string
	allowed []string // variables that headers may name
	only    []string // httpHookAllowedEnvVars, if it is said
	limited bool     // it is said
	env     []string // that settings set
}

// noServers are the events at which Claude Code asks no server.
var noServers = []string{"SessionStart", "Setup"}

// serverHeaders reads the headers of a server, as they are before their variables.
func (s *settings) serverHeaders(n *yaml.Node) map[string]string {
	out := map[string]string{}
	for _, p := range s.object(n, "headers") {
		value, ok := s.text(p.Value, "headers."+strict.Clip(p.Key.Value))
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
		if text, ok := s.text(item, what); ok {
			out = append(out, text)
		}
	}
	return out
}

// server makes the hook ask a server. It reports false if it cannot.
func (s *settings) server(h *hookSpec, e claudeEntry, n *yaml.Node) bool {
	w := &webSpec{claude: &e.server, url: e.server.url.node}
	w.URL, w.Headers, w.AllowLoopback = e.server.url.text, e.server.headers, true
	if u, err := url.Parse(w.URL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		signIn(w.Headers, "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
		u.User = nil
		w.URL = u.String()
	}
	before := len(s.problems)
	s.checkWeb(n, w)
	h.handler = handlerSpec{kind: "http", web: w}
	return len(s.problems) == before
}

// signIn adds the header Authorization, unless the headers have it in any case of letters.
func signIn(headers map[string]string, value string) {
	for name, own := range headers {
		switch {
		case !strings.EqualFold(name, "Authorization"):
		case own != "":
			return
		default:
			delete(headers, name)
		}
	}
	headers["Authorization"] = value
}

// headerVariable is how the header of a server names a variable.
var headerVariable = regexp.MustCompile(`\$\{([A-Z_][A-Z0-9_]*)\}|\$([A-Z_][A-Z0-9_]*)`)

// claudesOwn are variables with which Claude Code itself signs in. No header is given one.
var claudesOwn = regexp.MustCompile(`^(?:INPUT_)?(?:ANTHROPIC_(?:API_KEY|AUTH_TOKEN|IDENTITY_TOKEN)|CLAUDE_CODE_[A-Z_]*TOKEN|CLAUDE_BRIDGE_OAUTH_TOKEN|CLAUDE_TRUSTED_DEVICE_TOKEN)$`)

// fill puts variables into the value of a header: those that the hook and the settings
// allow. Any other is empty, and so is one that is not set.
func (c *claudeServer) fill(value string, vars []string) string {
	filled := headerVariable.ReplaceAllStringFunc(value, func(v string) string {
		name := strings.Trim(v, "${}")
		if !slices.Contains(c.allowed, name) || c.limited && !slices.Contains(c.only, name) || claudesOwn.MatchString(name) {
			return ""
		}
		text, _ := environ.Lookup(append(slices.Clip(vars), c.env...), name)
		return text
	})
	return strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(filled)
}

// webLimits are what settings say of all servers. A nil list says nothing.
type webLimits struct{ urls, variables []string }

// note adds what a settings file says.
func (w *webLimits) note(more webLimits) {
	if more.urls != nil {
		w.urls = append(append([]string{}, w.urls...), more.urls...)
	}
	if more.variables != nil {
		w.variables = append(append([]string{}, w.variables...), more.variables...)
	}
}

// limit keeps a hook's server to what settings allow: managed ones alone for managed
// hooks that they limit, else those of all files that count.
func (l *loader) limit(f *found, managed bool) {
	all := webLimits{}
	for scope, limits := range l.claude.limits {
		if l.counts(scope) && (!managed || scope == scopeManaged) {
			all.note(limits)
		}
	}
	w := f.spec.handler.web
	w.claude.only, w.claude.limited = all.variables, all.variables != nil
	if all.urls != nil && !slices.ContainsFunc(all.urls, func(p string) bool { return allowsURL(p, w.URL) }) {
		f.broken = fmt.Errorf("%s does not match any pattern of allowedHttpHookUrls in Claude Code's settings", strict.Clip(w.URL))
		l.set.Warnings = append(l.set.Warnings, Problem{File: f.file, Line: w.url.Line, Column: w.url.Column, Hook: f.spec.id,
			Message: clipLine(f.broken.Error() + ", so it is not asked"), Hint: "add its url there"})
	}
}

// allowsURL reports whether a pattern of allowedHttpHookUrls holds for a URL. A star in
// the host stands for a part of the host, never for more.
func allowsURL(pattern, target string) bool {
	if pattern == "*" {
		return true
	}
	u, err := url.Parse(target)
	scheme, rest, ok := strings.Cut(pattern, "://")
	if err != nil || !ok || scheme != "*" && !strings.EqualFold(scheme, u.Scheme) {
		return false
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	port := ""
	if i := strings.LastIndex(host, ":"); i > strings.LastIndex(host, "]") {
		host, port = host[:i], host[i+1:]
	}
	standard := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	anyPort := port == "*" || port == "" && strings.Contains(host, "*")
	own := u.Port()
	if own == standard {
		own = ""
	}
	if port == standard {
		port = ""
	}
	bare := func(h string) string { return strings.ToLower(strings.TrimSuffix(strings.Trim(h, "[]"), ".")) }
	if !stars(bare(host), bare(u.Hostname())) || !anyPort && port != own {
		return false
	}
	query := ""
	if u.RawQuery != "" {
		query = "?" + u.RawQuery
	}
	at := u.EscapedPath()
	if at == "" {
		at = "/"
	}
	return path == "" || stars(path, at+query)
}

// stars reports whether a text is of a pattern in which each star stands for anything.
func stars(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	re, err := regexp.Compile("(?s)^" + strings.Join(parts, ".*") + "$")
	return err == nil && re.MatchString(text)
}

// sameServer is what tells two servers apart: Claude Code asks one of two hooks that say the same.
func (f *found) sameServer() string {
	w := f.spec.handler.web
	return fmt.Sprintf("%q %v %q %q %+v", w.URL, w.Headers, w.claude.allowed, f.spec.rule, f.spec.filter)
}
