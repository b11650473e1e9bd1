package web

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/loopback"
)

// either is the first of some variables that has a value.
func either(vars []string, names ...string) string {
	for _, name := range names {
		if v, _ := environ.Lookup(vars, name); v != "" {
			return v
		}
	}
	return ""
}

// proxyFor finds the proxy of a URL by HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or
// nil. What is on this machine is never asked for through a proxy.
func proxyFor(vars []string, u *url.URL) (*url.URL, error) {
	names := []string{"http_proxy", "HTTP_PROXY"}
	if u.Scheme == "https" {
		names = []string{"https_proxy", "HTTPS_PROXY"}
	}
	text := either(vars, names...)
	if text == "" || direct(u, either(vars, "no_proxy", "NO_PROXY")) {
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
	if loopback.Host(host) {
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
