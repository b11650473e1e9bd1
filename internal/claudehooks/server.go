package claudehooks

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/environ"
)

// Server is a hook of the type http as settings have it.
type Server struct {
	Headers map[string]string
	Allowed []string // variables that headers may name
	Only    []string // httpHookAllowedEnvVars, if it is said
	Limited bool     // it is said
	Env     []string // that settings set
}

// SignIn adds the header Authorization, unless the headers have it in any case of letters.
func SignIn(headers map[string]string, value string) {
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
var headerVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([A-Z_][A-Z0-9_]*)\}|\$([A-Z_][A-Z0-9_]*)`) })

// claudesOwn are variables with which Claude Code itself signs in. No header is given one.
var claudesOwn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:INPUT_)?(?:ANTHROPIC_(?:API_KEY|AUTH_TOKEN|IDENTITY_TOKEN)|CLAUDE_CODE_[A-Z_]*TOKEN|CLAUDE_BRIDGE_OAUTH_TOKEN|CLAUDE_TRUSTED_DEVICE_TOKEN)$`)
})

// Fill puts variables into the value of a header: those that the hook and the settings
// allow. Any other is empty, and so is one that is not set.
func (c *Server) Fill(value string, vars []string) string {
	filled := headerVariable().ReplaceAllStringFunc(value, func(v string) string {
		name := strings.Trim(v, "${}")
		if !slices.Contains(c.Allowed, name) || c.Limited && !slices.Contains(c.Only, name) || claudesOwn().MatchString(name) {
			return ""
		}
		text, _ := environ.Lookup(append(slices.Clip(vars), c.Env...), name)
		return text
	})
	return strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(filled)
}

// Limits are what settings say of all servers. A nil list says nothing.
type Limits struct{ URLs, Variables []string }

// Note adds what a settings file says.
func (w *Limits) Note(more Limits) {
	if more.URLs != nil {
		w.URLs = append(append([]string{}, w.URLs...), more.URLs...)
	}
	if more.Variables != nil {
		w.Variables = append(append([]string{}, w.Variables...), more.Variables...)
	}
}

// AllowsURL reports whether a pattern of allowedHttpHookUrls holds for a URL. A star in
// the host stands for a part of the host, never for more.
func AllowsURL(pattern, target string) bool {
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

// NoServers are the events at which Claude Code asks no server.
var NoServers = []string{"SessionStart", "Setup"}
