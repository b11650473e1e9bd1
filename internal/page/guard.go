package page

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/hookway/hookway/internal/loopback"
)

// policy is what the page may load and do: its own files, and its own daemon.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// protect sets the headers of every answer.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("Cache-Control", "no-store")
}

// meant refuses what names another host than this machine: a page whose name was made to
// lead here does. Ports are not compared, since a tunnel may have another one at its end.
func meant(r *http.Request) error {
	host, err := url.Parse("http://" + r.Host)
	if err != nil || r.Host == "" || host.Host != r.Host || host.User != nil || !loopback.Host(host.Hostname()) {
		return refuse(http.StatusMisdirectedRequest, "not-here", "the request is for the host %q; the page is at 127.0.0.1 and localhost alone", r.Host)
	}
	if r.URL.Scheme != "" || r.URL.Host != "" { // as proxies are asked
		return refuse(http.StatusMisdirectedRequest, "not-here", "the request is one for a proxy")
	}
	if len(r.TransferEncoding) > 0 { // the page says how long a body is; what says it in two ways may hide another request
		return refuse(http.StatusLengthRequired, "bad-request", "the request must say how long its body is").with("Connection", "close")
	}
	if tricky(r.URL) {
		return refuse(http.StatusBadRequest, "bad-request", "the path is written in a way that no page of hookway's has")
	}
	return nil
}

// tricky reports whether a path may mean another one to somebody else. The id of a session
// is of an agent, and may have slashes.
func tricky(u *url.URL) bool {
	raw := strings.ToLower(u.EscapedPath())
	if id, ok := strings.CutPrefix(raw, "/v1/sessions/"); ok {
		raw = "/v1/sessions/" + strings.NewReplacer("%2f", "-", "%5c", "-").Replace(id)
	}
	for _, bad := range []string{"%2f", "%5c", "%2e", "%00", "//", "/.", `\`} {
		if strings.Contains(raw, bad) {
			return true
		}
	}
	return !strings.HasPrefix(raw, "/")
}

// ownPage refuses what a browser sends for a page of another origin, also of another
// port. A program that is not a browser says nothing of the kind, and has no session.
func ownPage(r *http.Request) error {
	if origin := r.Header.Values("Origin"); len(origin) > 1 || len(origin) == 1 && origin[0] != "http://"+r.Host {
		return refuse(http.StatusForbidden, "not-here", "the request comes from a page of %q; only hookway's own may ask", strings.Join(origin, ", "))
	}
	if site := r.Header.Values("Sec-Fetch-Site"); len(site) > 1 || len(site) == 1 && site[0] != "same-origin" {
		return refuse(http.StatusForbidden, "not-here", "the browser says that the request is %s; only hookway's own page may ask", strings.Join(site, ", "))
	}
	return nil
}

// shown refuses a file that a browser asks for to put it into a page of others. To go
// there from elsewhere is fine: the files hold nothing of the owner's.
func shown(r *http.Request) error {
	site, mode, dest := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	switch {
	case site == "" || site == "same-origin" || site == "none":
	case mode == "navigate" && dest == "document":
	default:
		return refuse(http.StatusForbidden, "not-here", "the browser wants this file for a page that is not hookway's")
	}
	if dest == "iframe" || dest == "frame" || dest == "embed" || dest == "object" || dest == "fencedframe" {
		return refuse(http.StatusForbidden, "not-here", "the page is shown in no frame")
	}
	return nil
}

// serveFile answers with a file of the bundle.
func serveFile(w http.ResponseWriter, r *http.Request, f file) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return wrongMethod(r, "GET, HEAD")
	}
	if err := shown(r); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "no-cache") // it is asked whether there is a new one
	h.Set("ETag", f.tag)
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Length", strconv.Itoa(len(f.text)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(f.text) // who has gone reads nothing
	}
	return nil
}

// only lets one method through.
func only(r *http.Request, method string, do func() error) error {
	if r.Method != method {
		return wrongMethod(r, method)
	}
	return do()
}
