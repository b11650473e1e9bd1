package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/page"
)

// opened is the page of a daemon, as a program at its port sees it.
type opened struct {
	runningDaemon
	t      *testing.T
	host   string
	cookie string // name=value
	token  string
}

// openPage starts a daemon and opens its page. Nobody is logged in.
func openPage(t *testing.T, hooks string) *opened {
	t.Helper()
	p := &opened{runningDaemon: startDaemon(t, hooks), t: t}
	p.find()
	return p
}

// find opens the port of the daemon that runs.
func (p *opened) find() {
	p.t.Helper()
	port, err := p.Home.OpenPage(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	p.host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// link makes a link, as hookway ui does once it knows who asks.
func (p *opened) link() (code string) {
	p.t.Helper()
	l, err := p.Home.LinkToPage(p.t.Context(), "anna")
	if err != nil {
		p.t.Fatal(err)
	}
	_, code, _ = strings.Cut(l.Link, "#link=")
	return code
}

// logIn lets this program in.
func (p *opened) logIn() {
	p.t.Helper()
	a := p.login(p.link())
	cookies := (&http.Response{Header: a.header}).Cookies()
	if a.status != http.StatusOK || len(cookies) != 1 {
		p.t.Fatalf("got %d %s, want a.status == http.StatusOK and len(cookies) == 1", a.status, a.body)
	}
	p.cookie, p.token = cookies[0].Name+"="+cookies[0].Value, a.field("token")
}

func (p *opened) login(code string) said {
	p.t.Helper()
	body := `{"link":"` + code + `"}`
	return p.send("POST /login HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

// ask asks as the page does.
func (p *opened) ask(method, path, body string, headers ...string) said {
	p.t.Helper()
	text := method + " " + path + " HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nSec-Fetch-Site: same-origin\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n"
	if body != "" {
		text += "Content-Type: application/json\r\n"
	}
	for _, header := range headers {
		text += header + "\r\n"
	}
	return p.send(text + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

// said is an answer.
type said struct {
	status int
	header http.Header
	body   string
	more   string // what came behind it
}

// field is a field of an answer that is an object.
func (s said) field(name string) string {
	var all map[string]any
	if json.Unmarshal([]byte(s.body), &all) != nil {
		return ""
	}
	text, _ := all[name].(string)
	return text
}

// kind is that of a problem.
func (s said) kind() string { return strings.TrimPrefix(s.field("type"), "urn:hookway:problem:") }

// send sends bytes over a connection of their own. HOST, COOKIE and TOKEN stand for
// those that are right. It reads all that comes.
func (p *opened) send(text string) said {
	p.t.Helper()
	nc, err := net.Dial("tcp", p.host)
	if err != nil {
		p.t.Fatal(err)
	}
	defer nc.Close()
	return p.over(nc, text)
}

func (p *opened) over(nc net.Conn, text string) (s said) {
	p.t.Helper()
	if err := nc.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		p.t.Fatal(err)
	}
	text = strings.NewReplacer("HOST", p.host, "COOKIE", p.cookie, "TOKEN", p.token).Replace(text)
	text = strings.Replace(text, " HTTP/1.1\r\n", " HTTP/1.1\r\nConnection: close\r\n", 1)
	go func() { _, _ = io.WriteString(nc, text) }() // who is refused early takes not all of it
	in := bufio.NewReader(nc)
	method, _, _ := strings.Cut(text, " ")
	answer, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		return said{body: err.Error()}
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body) // its end may be lost to who still sends
	var more bytes.Buffer
	_, _ = more.ReadFrom(in)
	return said{status: answer.StatusCode, header: answer.Header, body: string(body), more: more.String()}
}

// records are those of the owner's doings, as action, by and reason.
func (p *opened) records() (all []string) {
	p.t.Helper()
	for one, err := range audit.Read(filepath.Join(p.Home.Getenv("HOOKWAY_HOME"), "state", "audit"), audit.Filter{}) {
		if err != nil {
			p.t.Fatal(err)
		}
		if one.Event == audit.Approval {
			all = append(all, one.Action+" "+one.By+" "+one.Source+" "+one.What+": "+one.Reason)
		}
	}
	return all
}

// change changes what is kept of the page.
func (p *opened) change(do func(st *page.State, now time.Time)) {
	p.t.Helper()
	store, err := p.Home.Page()
	if err == nil {
		err = store.Change(p.t.Context(), func(st *page.State, now time.Time) error { do(st, now); return nil })
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
