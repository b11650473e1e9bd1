package page

import (
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/loopback"
)

func FuzzLogin(f *testing.F) {
	for _, body := range []string{`{"link":"AAAA"}`, `{"link":""}`, `{"link":1}`, `{"link":"a","x":"b"}`, `[]`, ``, `{"link":"a"}{"link":"b"}`, "{\"link\":\"\\ud800\"}"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		code, err := parseLink(body)
		if (err == nil) != (code != "") || len(code) > mostSecret {
			t.Errorf(`%q: got %q, %v, want (err == nil) == (code != "") and len(code) <= mostSecret`, body, code, err)
		}
	})
}

// What passes names this machine, and a path that means one thing.
func FuzzRequest(f *testing.F) {
	for _, one := range [][2]string{{"127.0.0.1:4665", "/v1/status"}, {"localhost", "/v1/../login"}, {"[::1]:1", "//x"}, {"a@127.0.0.1", "/%2e"}, {"127.0.0.1:x", "/"}, {"127.0.0.1#", "/a%00"}, {"localhost", "/v1/sessions/a%2Fb%5C"}, {"localhost", "/v1/sessions/..%2F..%2Fv1%2Fstatus"}, {"evil.example", "/v1\\x"}} {
		f.Add(one[0], one[1])
	}
	f.Fuzz(func(t *testing.T, host, path string) {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			return
		}
		r := &http.Request{Method: http.MethodGet, Host: host, URL: u, Header: http.Header{}}
		name := cookieName(host)
		if strings.ContainsAny(name, "=; \t\r\n") {
			t.Errorf("%q: the cookie is %q", host, name)
		}
		if meant(r) != nil {
			return
		}
		bare, _, _ := strings.Cut(strings.TrimPrefix(host, "["), "]")
		if !strings.Contains(host, "[") {
			bare, _, _ = strings.Cut(host, ":")
		}
		if !loopback.Host(bare) {
			t.Errorf("%q passes as this machine", host)
		}
		if id, ok := strings.CutPrefix(u.EscapedPath(), "/v1/sessions/"); ok { // what an agent has written is one name
			u = &url.URL{Path: "/v1/sessions/" + id}
		}
		if strings.Contains(u.Path, "/.") || strings.Contains(u.Path, "//") || strings.ContainsAny(u.Path, "\\\x00") {
			t.Errorf("%q passes as a path", path)
		}
	})
}

func FuzzTable(f *testing.F) {
	f.Add("   0: 0100007F:A2C0 0100007F:1239 01 00000000:00000000 00:00000000 00000000  1000        0 1 1 0\n")
	f.Add("   0: 0000000000000000FFFF00000100007F:A2C0 0000000000000000FFFF00000100007F:1239 01 0:0 0:0 0 1000 0\n")
	f.Add("  sl  local_address rem_address   st tx_queue\n:\n0: : : : : : : :\n")
	from, to := netip.MustParseAddrPort("127.0.0.1:41664"), netip.MustParseAddrPort("127.0.0.1:4665")
	f.Fuzz(func(t *testing.T, table string) {
		if uid, ok := uidOf(table, from, to); ok && !strings.Contains(strings.ToUpper(table), "A2C0") {
			t.Errorf("%d of %q", uid, table)
		}
	})
}

// What somebody wrote into the file lets nobody in who has no secret, and never panics.
func FuzzState(f *testing.F) {
	f.Add(`{"sessions":[{"id":"a","cookie":"","token":"","until":"2999-01-01T00:00:00Z","used":"2999-01-01T00:00:00Z"}]}`)
	f.Add(`{"links":[{"hash":"","until":"2999-01-01T00:00:00Z"}],"port":-1}`)
	f.Add(`[`)
	dir := f.TempDir()
	store := NewStore(dir)
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, "page.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := store.Read()
		if err != nil {
			return
		}
		if st.session("", "") != nil {
			t.Errorf("nothing is the secret of a session of %q", text)
		}
		if by, ok := st.useLink(""); ok {
			t.Errorf("nothing is a link of %q in %q", by, text)
		}
	})
}
