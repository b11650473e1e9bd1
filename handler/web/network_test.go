package web

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestAddressesThatAreNotPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"127.0.0.1": true, "127.9.9.9": true, "0.0.0.0": true, "10.1.2.3": true, "172.16.0.1": true, "192.168.1.1": true,
		"169.254.169.254": true, "100.64.0.1": true, "224.0.0.1": true, "255.255.255.255": true, "198.18.0.1": true,
		"::1": true, "::": true, "fe80::1": true, "fe80::1%eth0": true, "fd00::1": true, "fec0::1": true, "ff02::1": true,
		"::ffff:127.0.0.1": true, "::ffff:10.0.0.1": true, "::127.0.0.1": true, "64:ff9b::a00:1": true, "64:ff9b:1::1": true,
		"2002:7f00:1::": true, "2002:c0a8:101::1": true, "2001:0:1::": true,
		"8.8.8.8": false, "172.32.0.1": false, "100.128.0.1": false, "2606:4700::1111": false, "::ffff:8.8.8.8": false,
		"64:ff9b::808:808": false, "2002:808:808::1": false,
	} {
		if got := private(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: private is %v, want %v", text, got, want)
		}
	}
}

func TestPrivateAddressesAreRefusedAfterNamesWereResolved(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer s.Close()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		h := newHandler(t, Config{URL: "http://" + host + ":" + port + "/hooks"})
		_, err := h.Handle(t.Context(), bash("ls"))
		var private *PrivateError
		if !errors.As(err, &private) {
			t.Errorf("%s: %v", host, err)
			continue
		}
		isClear(t, err, "allow_private: true", host)
	}
	if asked.Load() != 0 {
		t.Error("the server was asked")
	}
}

func TestAddressesOfThisMachineAreRefused(t *testing.T) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok && (permits{}).address(netip.AddrPortFrom(ip, 80).String()) == nil {
				t.Errorf("%v is this machine's and was permitted", ip)
			}
		}
	}
	if err := (permits{}).address("8.8.8.8:443"); err != nil {
		t.Error(err)
	}
}

// TestProxyOfTheEnvironment: the name is one that only the proxy can resolve.
func TestProxyOfTheEnvironment(t *testing.T) {
	seen := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Method + " " + r.RequestURI + " " + r.Header.Get("Proxy-Authorization")
		if r.Method == http.MethodConnect {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"action":"block","reason":"through the proxy"}`)
	}))
	defer proxy.Close()
	env := environFrom("HTTP_PROXY="+strings.Replace(proxy.URL, "http://", "http://me:pw@", 1), "https_proxy="+strings.TrimPrefix(proxy.URL, "http://"))
	d, err := newHandler(t, Config{URL: "http://hooks.invalid/hooks", Environ: env}).Handle(t.Context(), bash("ls"))
	if err != nil || d.Reason != "through the proxy" {
		t.Errorf("%q, %v", d.Reason, err)
	}
	if got := <-seen; got != "POST http://hooks.invalid/hooks Basic bWU6cHc=" {
		t.Errorf("the proxy saw %q", got)
	}
	fails(t, newHandler(t, Config{URL: "https://hooks.invalid/hooks", Environ: env}), bash("ls"), "Forbidden")
	if got := <-seen; got != "CONNECT hooks.invalid:443 " {
		t.Errorf("the proxy saw %q", got)
	}
	fails(t, newHandler(t, Config{URL: "http://10.1.2.3/hooks", Environ: env}), bash("ls"), "allow_private")
	fails(t, newHandler(t, Config{URL: "http://hooks.invalid/hooks", Environ: environFrom("HTTP_PROXY=ftp://hidden:hidden@x")}), bash("ls"), "HTTP_PROXY")
	if len(seen) != 0 {
		t.Errorf("the proxy saw %q", <-seen)
	}
}

func TestWhatNeedsNoProxy(t *testing.T) {
	for _, c := range []struct {
		url, except string
		want        bool
	}{
		{"https://a.example.com", "", false},
		{"https://localhost", "", true},
		{"http://127.3.2.1:80", "", true},
		{"http://[::1]", "", true},
		{"https://a.example.com", "*", true},
		{"https://a.example.com", "example.com", true},
		{"https://a.example.com", " .example.com , x", true},
		{"https://A.example.com", "*.example.com", true},
		{"https://notexample.com", "example.com", false},
		{"https://a.example.com", "example.com:443", true},
		{"https://a.example.com:8443", "example.com:443", false},
		{"http://10.1.2.3", "10.0.0.0/8", true},
		{"http://11.1.2.3", "10.0.0.0/8", false},
		{"http://10.1.2.3", "10.1.2.3", true},
		{"https://a.example.com", ",,:,[", false},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := direct(u, c.except); got != c.want {
			t.Errorf("%s with NO_PROXY=%q: direct is %v, want %v", c.url, c.except, got, c.want)
		}
	}
}

func FuzzNoProxy(f *testing.F) {
	f.Add("a.example.com", "*.example.com,10.0.0.0/8,[::1]:80")
	f.Fuzz(func(t *testing.T, host, except string) {
		direct(&url.URL{Scheme: "https", Host: host}, except)
		if !direct(&url.URL{Scheme: "https", Host: "localhost"}, except) {
			t.Error("localhost is asked for through a proxy")
		}
	})
}

func TestHeadersHaveVariables(t *testing.T) {
	seen := make(chan http.Header, 1)
	h, _ := serve(t, Config{
		Headers: map[string]string{"Authorization": "Bearer ${TOKEN}", "X-Plain": "$TOKEN {TOKEN}", "User-Agent": "mine"},
		Environ: environFrom("TOKEN=old", "TOKEN=hidden-1"),
	}, func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header })
	if _, err := h.Handle(t.Context(), bash("ls")); err != nil {
		t.Fatal(err)
	}
	got := <-seen
	for name, want := range map[string]string{
		"Authorization": "Bearer hidden-1", "X-Plain": "$TOKEN {TOKEN}", "User-Agent": "mine", "Hookway-Event": "PreToolUse",
		"Content-Type": "application/json", "Webhook-Signature": "", "Idempotency-Key": "",
	} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
	h.c.Environ = environFrom("OTHER=1")
	fails(t, h, bash("ls"), "Authorization", "TOKEN, which is not set")
	h.c.Environ = environFrom("TOKEN=hidden\r\nX-Other: 1")
	fails(t, h, bash("ls"), "Authorization", "control character")
	if len(seen) != 0 {
		t.Error("a request was sent")
	}
}

func TestMistakesAreListedAtOnce(t *testing.T) {
	_, err := New(Config{URL: "ftp://x", Verify: true, CA: []byte("x"), Headers: map[string]string{"a b": "", "Webhook-ID": "x", "X": "a\nb"}})
	for _, part := range []string{"https://", "verify needs a secret", "ca has no certificate", `"a b"`, "Webhook-ID is hookway's own", "header X has a control"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not have %q", err, part)
		}
	}
	for _, text := range []string{"", "https://", "https://me:hidden@example.com", "https://example.com/%zz?hidden", "hidden"} {
		if _, err := New(Config{URL: text}); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestAThousandEventsAtOnce: all are answered, each by its own answer, over a
// bounded number of connections.
func TestAThousandEventsAtOnce(t *testing.T) {
	const events = 1000
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprintf("HTTP/%d", version), func(t *testing.T) {
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.ProtoMajor != version {
					http.Error(w, r.Proto, 500)
					return
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					panic(http.ErrAbortHandler)
				}
				_, rest, _ := strings.Cut(string(body), `"command":"`)
				command, _, _ := strings.Cut(rest, `"`)
				fmt.Fprintf(w, `{"action":"block","reason":%q}`, command)
			}))
			c := Config{AllowPrivate: true, Secret: testSecret}
			if s.EnableHTTP2 = version == 2; version == 2 {
				s.StartTLS()
				c.CA = authority(s)
			} else {
				s.Start()
			}
			t.Cleanup(s.Close)
			c.URL = s.URL + "/hooks"
			h := newHandler(t, c)
			errs := make([]error, events)
			var wg sync.WaitGroup
			for i := range events {
				wg.Go(func() {
					want := fmt.Sprintf("event %d", i)
					d, err := h.Handle(t.Context(), bash(want))
					if err == nil && (d.Action != hook.ActionBlock || d.Reason != want) {
						err = fmt.Errorf("%s got %v %q", want, d.Action, d.Reason)
					}
					errs[i] = err
				})
			}
			wg.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
			h.client.mu.Lock()
			defer h.client.mu.Unlock()
			if h.client.most > maxConns {
				t.Errorf("%d connections at once, at most %d", h.client.most, maxConns)
			}
			t.Logf("%d connections at once", h.client.most)
		})
	}
}
