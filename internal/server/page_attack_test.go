package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Each is sent with a right cookie and a right token, unless it says otherwise, and must
// get nothing.
var refusedAtThePage = map[string]struct {
	request string
	status  int
	kind    string // of the problem; "" is any
}{
	"rebind a name of its own to the loopback":       {"GET /v1/status HTTP/1.1\r\nHost: evil.example:4665\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 421, "not-here"},
	"a name that begins with the right one":          {"GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 421, "not-here"},
	"a host with a user in it":                       {"GET /v1/status HTTP/1.1\r\nHost: evil@127.0.0.1:4665\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 400, ""},
	"no host":                                        {"GET /v1/status HTTP/1.1\r\nHost:\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 421, "not-here"},
	"two hosts":                                      {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 400, ""},
	"every address":                                  {"GET / HTTP/1.1\r\nHost: 0.0.0.0:4665\r\n\r\n", 421, "not-here"},
	"use it as a proxy":                              {"GET http://127.0.0.1/v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 421, "not-here"},
	"ask from a page of another origin":              {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 403, "not-here"},
	"ask from a page of another port":                {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nOrigin: http://127.0.0.1:8000\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 403, "not-here"},
	"ask from a page by TLS":                         {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nOrigin: https://HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 403, "not-here"},
	"ask from a page without an origin":              {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 403, "not-here"},
	"give two origins":                               {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nOrigin: https://evil.example\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 403, "not-here"},
	"have the browser say that it is another site":   {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: cross-site\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 403, "not-here"},
	"have it say that it is another port":            {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: same-site\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 403, "not-here"},
	"write the API into the address bar":             {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: none\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 403, "not-here"},
	"log in from another page":                       {"POST /login HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"link\":\"LINK\"}", 403, "not-here"},
	"log in with a form":                             {"POST /login HTTP/1.1\r\nHost: HOST\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n\r\n{\"link\":\"LINK\"}", 415, "wrong-type"},
	"log in with the link in the address":            {"GET /login?link=LINK HTTP/1.1\r\nHost: HOST\r\n\r\n", 405, "wrong-method"},
	"put the page into a frame":                      {"GET / HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n\r\n", 403, "not-here"},
	"put it into a frame of another port":            {"GET / HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n\r\n", 403, "not-here"},
	"load its script into another page":              {"GET /page.js HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: script\r\n\r\n", 403, "not-here"},
	"bring the cookie alone":                         {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\n\r\n", 401, "no-session"},
	"bring the token alone":                          {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nX-Hookway-Token: TOKEN\r\n\r\n", 401, "no-session"},
	"bring the token as the cookie":                  {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: NAME=TOKEN\r\nX-Hookway-Token: TOKEN\r\n\r\n", 401, "no-session"},
	"bring another token":                            {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKENX\r\n\r\n", 401, "no-session"},
	"bring two tokens":                               {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\nX-Hookway-Token: x\r\n\r\n", 401, "no-session"},
	"bring the token in the address":                 {"GET /v1/status?X-Hookway-Token=TOKEN HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\n\r\n", 401, "no-session"},
	"bring the cookie of another port":               {"GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:1\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 401, "no-session"},
	"bring the daemon's own token":                   {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer DAEMON\r\n\r\n", 401, "no-session"},
	"read the list of sessions":                      {"GET /sessions HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\n\r\n", 401, "no-session"},
	"have a session ended":                           {"POST /logout HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nContent-Length: 0\r\n\r\n", 401, "no-session"},
	"find out whether a path is there":               {"GET /nothing HTTP/1.1\r\nHost: HOST\r\n\r\n", 401, "no-session"},
	"get around the door by dots":                    {"GET /page.js/../v1/status HTTP/1.1\r\nHost: HOST\r\n\r\n", 400, "bad-request"},
	"get around it by dots in the API":               {"GET /v1/../v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 400, "bad-request"},
	"get around it by two slashes":                   {"GET //v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 400, "bad-request"},
	"get around it by an encoded slash":              {"GET /v1%2fstatus HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 400, "bad-request"},
	"get around it by encoded dots":                  {"GET /v1/%2e%2e/login HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 400, "bad-request"},
	"get around it by a backslash":                   {"GET /v1\\status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 400, "bad-request"},
	"get around it by a NUL":                         {"GET /v1/status%00.js HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 400, "bad-request"},
	"come to the gateway here":                       {"POST /hooks/wake HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n", 401, "no-session"},
	"override the method":                            {"GET /logout HTTP/1.1\r\nHost: HOST\r\nX-HTTP-Method-Override: POST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 405, "wrong-method"},
	"override it in the API":                         {"GET /v1/events?_method=POST HTTP/1.1\r\nHost: HOST\r\nX-Method-Override: POST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 405, "wrong-method"},
	"ask what it may ask across origins":             {"OPTIONS /v1/status HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: x-hookway-token\r\n\r\n", 403, "not-here"},
	"ask for options":                                {"OPTIONS /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 405, "wrong-method"},
	"have the request given back":                    {"TRACE /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 405, "wrong-method"},
	"have a file traced":                             {"TRACE / HTTP/1.1\r\nHost: HOST\r\n\r\n", 405, "wrong-method"},
	"make a tunnel":                                  {"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: HOST\r\n\r\n", 0, ""},
	"upgrade to a websocket of another origin":       {"GET /v1/watch HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: COOKIE\r\n\r\n", 403, "not-here"},
	"upgrade to a websocket without the token":       {"GET /v1/watch HTTP/1.1\r\nHost: HOST\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: COOKIE\r\n\r\n", 401, "no-session"},
	"upgrade to HTTP/2":                              {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, ""},
	"send a head without end":                        {"GET / HTTP/1.1\r\nHost: HOST\r\nX-Fill: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", 431, ""},
	"send a cookie that is large":                    {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: NAME=" + strings.Repeat("x", 20<<10) + "\r\nX-Hookway-Token: TOKEN\r\n\r\n", 401, "no-session"},
	"send more cookies than are looked at":           {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: " + strings.Repeat("NAME=x; ", 50) + "COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", 401, "no-session"},
	"send a login without end":                       {"POST /login HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{\"link\":\"" + strings.Repeat("x", 99991), 413, "too-large"},
	"say two lengths":                                {"POST /login HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 60\r\n\r\n{}GET /v1/status HTTP/1.1\r\n\r\n", 400, ""},
	"say no length":                                  {"POST /login HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411, "bad-request"},
	"say a length that is none":                      {"POST /login HTTP/1.1\r\nHost: HOST\r\nContent-Length: +2\r\n\r\n{}", 400, ""},
	"send pieces of an encoding that is none":        {"POST /login HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501, ""},
	"say an encoding twice":                          {"POST /login HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501, ""},
	"put a blank before the colon":                   {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nX-Hookway-Token : TOKEN\r\nCookie: COOKIE\r\n\r\n", 400, ""},
	"put a header of another one into its PIN":       {"POST /v1/approvals/CCCCC HTTP/1.1\r\nHost: HOST\r\nX-Hookway-PIN: 1\r\nX-Hookway-PIN: 2\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\nContent-Length: 0\r\n\r\n", 400, "bad-request"},
	"answer with a credential in place of a session": {"POST /v1/approvals/CCCCC HTTP/1.1\r\nHost: HOST\r\nHookway-Credential: hwa_X\r\nContent-Length: 0\r\n\r\n", 401, "no-session"},
	"take back an answer from another origin":        {"DELETE /v1/standing/CCCCC HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\nContent-Length: 0\r\n\r\n", 403, "not-here"},
	"take back an answer without the token":          {"DELETE /v1/standing/CCCCC HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nContent-Length: 0\r\n\r\n", 401, "no-session"},
	"open the page's port from a page":               {"POST /v1/page HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\nContent-Length: 0\r\n\r\n", 403, "not-here"},
}

func TestThePageRefuses(t *testing.T) {
	p := openPage(t, "hooks: []\n")
	defer p.stop(t)
	p.logIn()
	name, _, _ := strings.Cut(p.cookie, "=")
	for what, tt := range refusedAtThePage {
		a := p.send(strings.ReplaceAll(tt.request, "NAME", name))
		if tt.status == 0 && a.status != 0 && a.status < 400 {
			t.Errorf("%s: %d %.200s; want that it is refused", what, a.status, a.body)
		}
		if tt.status != 0 && a.status != tt.status {
			t.Errorf("%s: %d %.200s; want %d", what, a.status, a.body, tt.status)
		}
		if tt.kind != "" && a.kind() != tt.kind {
			t.Errorf("%s: a problem of the kind %s, want %s", what, a.kind(), tt.kind)
		}
		if a.more != "" || a.header.Get("Access-Control-Allow-Origin") != "" || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: more came: %q %v", what, a.more, a.header)
		}
		if tt.kind != "" {
			isProtected(t, what, a.header)
		}
	}
	if a := p.ask("GET", "/v1/status", ""); a.status != http.StatusOK {
		t.Errorf("after all this: %d %s", a.status, a.body)
	}
}

// isProtected checks the headers that every answer has.
func isProtected(t *testing.T, what string, h http.Header) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin", "X-Hookway-Version": "test",
	} {
		if h.Get(name) != want {
			t.Errorf("%s: %s is %q, want %q", what, name, h.Get(name), want)
		}
	}
	policy := h.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'; script-src 'self'; style-src 'self';", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, want) || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %s", what, policy)
		}
	}
}

// What is right passes: from the page, from a link that was kept elsewhere, through a
// tunnel with another port at its end, and beside a cookie that another port has set.
func TestThePageLetsThrough(t *testing.T) {
	p := openPage(t, "hooks: []\n")
	defer p.stop(t)
	p.logIn()
	name, value, _ := strings.Cut(p.cookie, "=")
	for what, tt := range map[string]struct {
		request, cache string
		status         int
	}{
		"the page":                           {"GET / HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n", "no-cache", 200},
		"a link that was kept elsewhere":     {"GET / HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n", "no-cache", 200},
		"localhost":                          {"GET / HTTP/1.1\r\nHost: localhost:4665\r\n\r\n", "no-cache", 200},
		"the head of a file":                 {"HEAD /page.js HTTP/1.1\r\nHost: HOST\r\n\r\n", "no-cache", 200},
		"the API":                            {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nSec-Fetch-Site: same-origin\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", "no-store", 200},
		"the head of an answer":              {"HEAD /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", "no-store", 200},
		"a cookie of this name beside it":    {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: NAME=other; COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", "no-store", 200},
		"cookies of other ports":             {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: " + otherPorts(150) + "COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", "no-store", 200},
		"the page beside these":              {"GET / HTTP/1.1\r\nHost: HOST\r\nCookie: " + otherPorts(150) + "COOKIE\r\n\r\n", "no-cache", 200},
		"a tunnel":                           {"GET /v1/status HTTP/1.1\r\nHost: localhost:9\r\nOrigin: http://localhost:9\r\nCookie: hookway-9=VALUE\r\nX-Hookway-Token: TOKEN\r\n\r\n", "no-store", 200},
		"a websocket is just a request here": {"GET /v1/status HTTP/1.1\r\nHost: HOST\r\nUpgrade: websocket\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", "no-store", 200},
		"a name in a path":                   {"GET /v1/inbox/K%C3%B6ln%20a HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n", "no-store", 404},
	} {
		a := p.send(strings.NewReplacer("NAME", name, "VALUE", value).Replace(tt.request))
		if a.status != tt.status || a.header.Get("Cache-Control") != tt.cache {
			t.Errorf("%s: %d %s %.200s; want %d %s", what, a.status, a.header.Get("Cache-Control"), a.body, tt.status, tt.cache)
		}
		isProtected(t, what, a.header)
	}
	tag := p.send("GET /page.js HTTP/1.1\r\nHost: HOST\r\n\r\n").header.Get("ETag")
	if a := p.send("GET /page.js HTTP/1.1\r\nHost: HOST\r\nIf-None-Match: " + tag + "\r\n\r\n"); a.status != http.StatusNotModified || tag == "" {
		t.Errorf("%d, tag %q", a.status, tag)
	}
}

// otherPorts are n cookies as large as a browser keeps them.
func otherPorts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "app-%d=%s; ", i, strings.Repeat("x", 4080))
	}
	return b.String()
}

// A request that hides another one behind it gets one answer.
func TestOneRequestGetsOneAnswer(t *testing.T) {
	p := openPage(t, "hooks: []\n")
	defer p.stop(t)
	p.logIn()
	hidden := "GET /v1/status HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n\r\n"
	for what, request := range map[string]string{
		"behind a length and an encoding": "POST /login HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + hidden,
		"in a body that nobody reads":     "GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 400\r\n\r\n" + hidden,
		"behind a piece that is none":     "POST /login HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZ\r\n{}\r\n0\r\n\r\n" + hidden,
	} {
		nc, err := net.Dial("tcp", p.host)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("HOST", p.host, "COOKIE", p.cookie, "TOKEN", p.token).Replace(request)
		if _, err := io.WriteString(nc, text); err != nil {
			t.Fatal(err)
		}
		if half, ok := nc.(*net.TCPConn); ok {
			_ = half.CloseWrite()
		}
		_ = nc.SetDeadline(time.Now().Add(time.Minute))
		all, err := io.ReadAll(bufio.NewReader(nc))
		if err != nil || strings.Contains(string(all), `"pid"`) {
			t.Errorf("%s: %v %.300s", what, err, all)
		}
		nc.Close()
	}
}
