package web

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// variable is how a value names one of the environment.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`) })

// expand puts variables into a value. One that is not set is an error: a header
// without its token would only be refused by the server, with no hint why.
func expand(what, value string, environ []string) (string, error) {
	if !strings.Contains(value, "${") {
		return value, nil
	}
	var missing string
	out := variable().ReplaceAllStringFunc(value, func(v string) string {
		name := v[2 : len(v)-1]
		text, ok := lookup(environ, name)
		if !ok && missing == "" {
			missing = name
		}
		return text
	})
	if missing != "" {
		return "", fmt.Errorf("%s needs the variable %s, which is not set in the agent's environment", what, missing)
	}
	return out, nil
}

// lookup finds a variable; the last entry of a name counts.
func lookup(environ []string, name string) (string, bool) {
	for _, entry := range slices.Backward(environ) {
		k, v, ok := strings.Cut(entry, "=")
		if ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			return v, true
		}
	}
	return "", false
}

// either is the first of some variables that has a value.
func either(environ []string, names ...string) string {
	for _, name := range names {
		if v, _ := lookup(environ, name); v != "" {
			return v
		}
	}
	return ""
}

// proxyFor finds the proxy of a URL by HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or
// nil. What is on this machine is never asked for through a proxy.
func proxyFor(environ []string, u *url.URL) (*url.URL, error) {
	names := []string{"http_proxy", "HTTP_PROXY"}
	if u.Scheme == "https" {
		names = []string{"https_proxy", "HTTPS_PROXY"}
	}
	text := either(environ, names...)
	if text == "" || direct(u, either(environ, "no_proxy", "NO_PROXY")) {
		return nil, nil
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	proxy, err := url.Parse(text)
	if err != nil || proxy.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme) {
		return nil, fmt.Errorf("the proxy in %s cannot be used; write it as http://host:port", names[1])
	}
	return proxy, nil
}

// direct reports whether a URL needs no proxy.
func direct(u *url.URL, except string) bool {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	ip, _ := netip.ParseAddr(host)
	if host == "localhost" || ip.Unmap().IsLoopback() {
		return true
	}
	for entry := range strings.SplitSeq(except, ",") {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if h, p, err := net.SplitHostPort(entry); err == nil {
			if p != port(u) {
				continue
			}
			entry = h
		}
		if entry == "" {
			continue
		}
		if entry == "*" {
			return true
		}
		if prefix, err := netip.ParsePrefix(entry); err == nil {
			if ip.IsValid() && prefix.Contains(ip.Unmap()) {
				return true
			}
			continue
		}
		entry = strings.TrimPrefix(entry, "*")
		if host == strings.Trim(entry, "[]") || strings.HasSuffix(host, "."+strings.TrimPrefix(entry, ".")) {
			return true
		}
	}
	return false
}

// port is the one that a URL means.
func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
