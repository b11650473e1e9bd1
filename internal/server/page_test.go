package server

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/page"
	"github.com/hookway/hookway/internal/pin"
	"github.com/hookway/hookway/internal/process"
)

// TestALinkLetsOneBrowserIn follows a session from its link to its end.
func TestALinkLetsOneBrowserIn(t *testing.T) {
	p := openPage(t, "hooks: []\n")
	defer p.stop(t)
	if a := p.send("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n"); a.status != http.StatusOK || !strings.Contains(a.body, page.Bundle()) {
		t.Errorf("the page without a login: %d %s", a.status, a.body)
	}
	code := p.link()
	p.logIn() // with another one
	a := p.login(code)
	set := a.header.Get("Set-Cookie")
	if a.status != http.StatusOK || !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") {
		t.Errorf(`got %d %s %s, want a.status == http.StatusOK and strings.Contains(set, "HttpOnly") and strings.Contains(set, "SameSite=Strict")`, a.status, a.body, set)
	}
	other := a.field("id")
	if again := p.login(code); again.status != http.StatusUnauthorized || again.kind() != "no-link" {
		t.Errorf("a link lets in twice: %d %s", again.status, again.body)
	}
	now := p.ask("GET", "/session", "")
	if now.status != http.StatusOK || now.field("bundle") != page.Bundle() || now.field("version") != "test" {
		t.Errorf(`got %d %s, want now.status == http.StatusOK and now.field("bundle") == page.Bundle() and now.field("version") == "test"`, now.status, now.body)
	}
	if list := p.ask("GET", "/sessions", ""); !strings.Contains(list.body, other) || !strings.Contains(list.body, now.field("id")) || strings.Contains(list.body, "token") {
		t.Errorf(`got %s, want strings.Contains(list.body, other) and strings.Contains(list.body, now.field("id")) and !strings.Contains(list.body, "token")`, list.body)
	}
	if ended := p.ask("DELETE", "/sessions/"+other, ""); ended.status != http.StatusOK {
		t.Errorf("got %d %s, want %d", ended.status, ended.body, http.StatusOK)
	}
	if ended := p.ask("DELETE", "/sessions/"+other, ""); ended.status != http.StatusNotFound {
		t.Errorf("got %d %s, want %d", ended.status, ended.body, http.StatusNotFound)
	}
	if status := p.ask("GET", "/v1/status", ""); status.status != http.StatusOK || status.field("version") != "test" {
		t.Errorf(`got %d %s, want status.status == http.StatusOK and status.field("version") == "test"`, status.status, status.body)
	}
	if out := p.ask("POST", "/logout", ""); out.status != http.StatusOK || !strings.Contains(out.header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf(`got %d %s %v, want out.status == http.StatusOK and strings.Contains(out.header.Get("Set-Cookie"), "Max-Age=0")`, out.status, out.body, out.header)
	}
	if status := p.ask("GET", "/v1/status", ""); status.status != http.StatusUnauthorized {
		t.Errorf("after the logout: %d %s", status.status, status.body)
	}
	for _, want := range []string{
		"allow anna page page login: a browser was let into the page, with a link of anna",
		"block hookway page page login: this link is used",
		"allow anna page page logout: the session " + other,
	} {
		if !slices.ContainsFunc(p.records(), func(r string) bool { return strings.HasPrefix(r, want) }) {
			t.Errorf("%q is not on record: %q", want, p.records())
		}
	}
}

// What is kept has no secret in it, and is for the user alone.
func TestWhatIsKeptOfThePageLetsNobodyIn(t *testing.T) {
	p := openPage(t, "hooks: []\n")
	defer p.stop(t)
	p.logIn()
	code := p.link()
	file := filepath.Join(p.Home.Getenv("HOOKWAY_HOME"), "state", "page", "page.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, cookie, _ := strings.Cut(p.cookie, "=")
	for _, secret := range []string{code, cookie, p.token} {
		if secret == "" || strings.Contains(string(text), secret) {
			t.Errorf("%q stands in %s", secret, text)
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("mode %v, want 0600", mode)
	}
}

func TestALinkAndASessionEnd(t *testing.T) {
	p := openPage(t, "hooks: []\n")
	defer p.stop(t)
	code := p.link()
	p.change(func(st *page.State, now time.Time) { st.Links[0].Until = now.Add(-time.Second) })
	if a := p.login(code); a.status != http.StatusUnauthorized {
		t.Errorf("an old link: %d %s", a.status, a.body)
	}
	for name, end := range map[string]func(s *page.Session, now time.Time){
		"not used for long": func(s *page.Session, now time.Time) { s.Used = now.Add(-page.QuietTime - time.Second) },
		"after its time":    func(s *page.Session, now time.Time) { s.Until = now.Add(-time.Second) },
		"of a clock ahead":  func(s *page.Session, now time.Time) { s.Until = now.Add(10 * page.MostTime) },
	} {
		p.logIn()
		if a := p.ask("GET", "/session", ""); a.status != http.StatusOK {
			t.Fatalf("got %d %s, want %d", a.status, a.body, http.StatusOK)
		}
		p.change(func(st *page.State, now time.Time) { end(&st.Sessions[len(st.Sessions)-1], now) })
		if a := p.ask("GET", "/session", ""); a.status != http.StatusUnauthorized {
			t.Errorf("a session %s: %d %s", name, a.status, a.body)
		}
	}
}

func TestLinksCannotBeGuessed(t *testing.T) {
	p := openPage(t, "hooks: []\n")
	defer p.stop(t)
	right := p.link()
	for i := range 20 {
		if a := p.login("AAAAAAAAAAAAAAAAAAAAAAAAAA"); a.status != http.StatusUnauthorized {
			t.Fatalf("guess %d: %d %s", i, a.status, a.body)
		}
	}
	for _, code := range []string{"AAAAAAAAAAAAAAAAAAAAAAAAAA", right} {
		if a := p.login(code); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
			t.Errorf("after 20 guesses: %d %s", a.status, a.body)
		}
	}
	if n := len(p.records()); n > 25 {
		t.Errorf("%d tries are on record, want no more than are looked at", n)
	}
}

// A daemon that comes back has the same port and the same sessions; one whose page nobody
// has used opens nothing.
func TestThePageComesBackWithTheDaemon(t *testing.T) {
	p := openPage(t, "hooks: []\n")
	p.logIn()
	host := p.host
	p.stop(t)
	next := func() {
		t.Helper()
		p.runningDaemon = again(t, p.runningDaemon)
	}
	next()
	eventually.True(t, "the page is back, at the port of before", func() bool {
		st, err := p.Status(t.Context(), "")
		return err == nil && st.Page == "http://"+host+"/"
	})
	if a := p.ask("GET", "/session", ""); a.status != http.StatusOK {
		t.Errorf("got %d %s, want %d", a.status, a.body, http.StatusOK)
	}
	p.stop(t)
	taken, err := net.Listen("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	next()
	if st, err := p.Status(t.Context(), ""); err != nil || st.Page != "" {
		t.Errorf("%+v, %v; want no page while another program has its port", st, err)
	}
	_, port, _ := strings.Cut(host, ":")
	if l, err := p.Home.LinkToPage(t.Context(), "anna"); err != nil || strconv.Itoa(l.Moved) != port {
		t.Errorf("%+v, %v; want that it has moved from %s", l, err, port)
	}
	taken.Close()
	p.change(func(st *page.State, now time.Time) { st.Used = now.Add(-page.MostTime) })
	p.stop(t)
	next()
	defer p.stop(t)
	if st, err := p.Status(t.Context(), ""); err != nil || st.Page != "" {
		t.Errorf("%+v, %v; want no page", st, err)
	}
}

// again serves the home of a daemon that has ended.
func again(t *testing.T, before runningDaemon) runningDaemon {
	t.Helper()
	d := *before.Daemon
	d.Home = testHome(t, before.Home.Getenv("HOOKWAY_HOME"))
	ready := make(chan struct{})
	d.Ready = func() { close(ready) }
	r := runningDaemon{Daemon: &d, ended: make(chan error, 1)}
	go func() { r.ended <- d.Serve(t.Context()) }()
	<-ready
	var err error
	if r.Client, err = daemon.Dial(t.Context(), d.Places.Socket); err != nil {
		t.Fatal(err)
	}
	return r
}

// The owner answers in the page without a credential, with the PIN where one is wanted.
func TestTheOwnerAnswersInThePage(t *testing.T) {
	p := openPage(t, "approvals: {require: pin}\nhooks: []\n")
	defer p.stop(t)
	dir := filepath.Join(p.Home.Getenv("HOOKWAY_HOME"), "state", "approvals")
	store, err := approve.Open(t.Context(), dir, approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ask := func(command, place string) string {
		t.Helper()
		r, err := store.Ask(t.Context(), approve.Call{Agent: "claude", Session: "s-1", Tool: "Bash", Input: map[string]any{"command": command}, Hook: "gate", Kind: approve.KindAsk}, place)
		if err != nil {
			t.Fatal(err)
		}
		return "/v1/approvals/" + r.Code
	}
	here := process.Namespaces()
	first, second, elsewhere := ask("make deploy", here), ask("make clean", here), ask("make all", "in another container")
	p.logIn()
	if a := p.ask("POST", first, `{"answer":"allow"}`); a.status != http.StatusForbidden || a.kind() != "pin-needed" {
		t.Errorf("without a PIN: %d %s", a.status, a.body)
	}
	pins, err := pin.Open(t.Context(), dir, pin.Options{Cost: pin.Cost{Passes: 1, Memory: 64, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer pins.Close()
	if a := p.ask("POST", first, `{"answer":"allow"}`, "X-Hookway-PIN: 1"); a.status != http.StatusForbidden || !strings.Contains(a.body, "no PIN is set") {
		t.Errorf("where none is set: %d %s", a.status, a.body)
	}
	if err := pins.Set(t.Context(), "grün %7"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, body, pin string
		status          int
		has             string
	}{
		{first, `{"answer":"allow"}`, "wrong", 403, "wrong PIN; 4 more tries"},
		{first, `{"answer":"allow"}`, "%zz", 400, "percent-encoded"},
		{elsewhere, `{"answer":"allow"}`, "gr%C3%BCn%20%257", 403, "another container"},
		{first, `{"answer":"allow"}`, "gr%C3%BCn%20%257", 200, `"by":"anna"`},
		{first, `{"answer":"deny"}`, "gr%C3%BCn%20%257", 409, "not-answered"},
		{second, `{"answer":"deny","note":"later"}`, "", 200, `"state":"denied"`},
	} {
		if a := p.ask("POST", tt.path, tt.body, "X-Hookway-PIN: "+tt.pin); a.status != tt.status || !strings.Contains(a.body, tt.has) {
			t.Errorf("%s %q: %d %s; want %d with %q", tt.body, tt.pin, a.status, a.body, tt.status, tt.has)
		}
	}
	if p.cookie, p.token = "", ""; p.ask("POST", second, `{"answer":"allow"}`).status != http.StatusUnauthorized {
		t.Error("somebody who is not logged in could answer")
	}
	code := filepath.Base(first)
	for _, want := range []string{"allow anna page " + code, "block hookway page " + code + ": wrong PIN"} {
		if !slices.ContainsFunc(p.records(), func(r string) bool { return strings.HasPrefix(r, want) }) {
			t.Errorf("%q is not on record: %q", want, p.records())
		}
	}
}
