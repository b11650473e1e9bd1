//go:build linux

package page

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// secret is in what the page shows, and nowhere else.
const secret = "secret-of-the-owner"

// attack is what a page of another origin tries. Its script runs there, as the body of a
// function of the origin of hookway's page, of the hostile one, and of a code that is
// waiting; it gives whatever it could read.
type attack struct{ name, script string }

// attacks are everything that a browser lets a page do to another.
var attacks = []attack{
	{"fetch with credentials", `return (await fetch(page + path, {credentials: "include"})).text()`},
	{"fetch without credentials", `return (await fetch(page + path, {credentials: "omit"})).text()`},
	{"fetch that wants no answer", `const a = await fetch(page + path, {mode: "no-cors", credentials: "include"}); return a.type === "opaque" ? "" : a.text()`},
	{"fetch of what the page is made of", `return (await fetch(page + "/page.js")).text()`},
	{"fetch with the token's header", `return (await fetch(page + path, {credentials: "include", headers: {"X-Hookway-Token": "x"}})).text()`},
	{"fetch with an owner's credential", `return (await fetch(page + path, {headers: {"Hookway-Credential": "x"}})).text()`},
	{"fetch as the same origin", `return (await fetch(page + path, {mode: "same-origin"})).text()`},
	{"fetch as a navigation", `return (await fetch(page + path, {mode: "navigate"})).text()`},
	{"request of the old kind", `return new Promise(done => { const x = new XMLHttpRequest(); x.open("GET", page + path); x.withCredentials = true; x.onload = () => done(x.responseText); x.onerror = () => done(""); x.send() })`},
	{"request that waits", `const x = new XMLHttpRequest(); x.open("GET", page + path, false); x.send(); return x.responseText`},
	{"script of an answer", `return load("script", {src: page + path}, e => e.text + JSON.stringify(globalThis.records ?? ""))`},
	{"script of the page", `return (await load("script", {src: page + "/page.js"}, () => "loaded")) === "loaded" ? "the page's script runs elsewhere" : ""`},
	{"module of the page", `try { await import(page + "/page.js"); return "the page's module runs elsewhere" } catch { return "" }`},
	{"image of an answer", `return (await load("img", {src: page + path}, e => "loaded " + e.naturalWidth)) ? "an image was loaded" : ""`},
	{"style of the page", `return (await load("link", {rel: "stylesheet", href: page + "/page.css"}, () => "loaded")) ? "the page's style is loaded elsewhere" : ""`},
	{"style of an answer", `return (await load("link", {rel: "stylesheet", href: page + path}, () => [...document.styleSheets].map(s => { try { return s.cssRules.length } catch { return 0 } }).join())).replace(/[0,]/g, "")`},
	{"font of an answer", `try { await new FontFace("x", "url(" + page + path + ")").load(); return "a font was loaded" } catch { return "" }`},
	{"sound of an answer", `return (await load("audio", {src: page + path, preload: "auto"}, () => "loaded")) ? "a sound was loaded" : ""`},
	{"object of the page", `return load("object", {data: page + "/"}, e => e.contentDocument?.body?.innerText ?? "")`},
	{"embed of the page", `return load("embed", {src: page + "/", type: "text/html"}, e => e.getSVGDocument?.()?.textContent ?? "")`},
	{"frame of the page", `return load("iframe", {src: page + "/"}, e => framed(e))`},
	{"frame of the page at an approval", `return load("iframe", {src: page + "/#/approvals"}, e => framed(e))`},
	{"frame that is shut in", `return load("iframe", {src: page + "/", sandbox: "allow-scripts allow-same-origin allow-forms allow-popups allow-top-navigation"}, e => framed(e))`},
	{"frame of an answer", `return load("iframe", {src: page + path}, e => framed(e))`},
	{"frame without credentials", `return load("iframe", {src: page + "/", credentialless: true}, e => framed(e))`},
	{"window of the page", `const w = open(page + "/"); await later(); try { return w.document.body.innerText } catch { return "" } finally { w?.close() }`},
	{"messages to a window of the page", `const w = open(page + "/#/approvals"); let said = ""; addEventListener("message", e => said += JSON.stringify(e.data) + e.origin)
		for (const m of ["hello", {type: "allow", code}, {link: "x"}, {hash: "#/approvals"}]) w?.postMessage(m, "*")
		await later(); w?.close(); return said`},
	{"window that is led on", `const w = open(page + "/"); await later(); for (const to of ["#/approvals", "#/approvals?allow=" + code, "#link=x", "#/guards?mode=off", "#__proto__"]) { try { w.location = page + "/" + to } catch {} await later() }
		let read = ""; try { read = w.location.href + w.length + w.name } catch {} w?.close(); return read.includes("#") ? read : ""`},
	{"frames of a window, counted", `const w = open(page + "/"); await later(); const n = w?.length; w?.close(); return n ? "the page has " + n + " frames" : ""`},
	{"stream of events", `return new Promise(done => { const e = new EventSource(page + "/v1/watch", {withCredentials: true}); e.onmessage = m => done(m.data); e.addEventListener("outcome", m => done(m.data)); e.onopen = () => done("a stream is open"); e.onerror = () => (e.close(), done("")) })`},
	{"web socket", `return new Promise(done => { const s = new WebSocket(page.replace("http", "ws") + "/v1/watch"); s.onmessage = m => done(m.data); s.onopen = () => done("a web socket is open"); s.onerror = () => done("") })`},
	{"worker of the page", `try { return await new Promise(done => { const w = new Worker(page + "/page.js"); w.onerror = () => done(""); w.onmessage = m => done("a worker says " + m.data) }) } catch { return "" }`},
	{"worker that imports", `return new Promise(done => { const w = new Worker(URL.createObjectURL(new Blob(["try { importScripts('" + page + "/page.js'); postMessage('imported') } catch { postMessage('') }"]))); w.onmessage = m => done(m.data); w.onerror = () => done("") })`},
	{"service worker of the page", `try { await navigator.serviceWorker.register(page + "/page.js"); return "a service worker is registered" } catch { return "" }`},
	{"storage of the page", `return Object.entries({...localStorage, ...sessionStorage}).map(String).join().replace(/^mine.*/, "")`},
	{"cookies", `return document.cookie.includes("hookway") ? document.cookie : ""`},
	{"channel", `return new Promise(done => { for (const n of ["hookway", "page", "now", ""]) { const c = new BroadcastChannel(n); c.onmessage = m => done(JSON.stringify(m.data)); c.postMessage({type: "allow", code}) } later().then(() => done("")) })`},
	{"times of what is loaded", `await fetch(page + path, {mode: "no-cors", credentials: "include"}).catch(() => 0)
		return performance.getEntriesByType("resource").filter(e => e.name.startsWith(page) && (e.decodedBodySize || e.responseStatus)).map(e => e.name + e.decodedBodySize + " " + e.responseStatus).join()`},
	{"what has no other name", `return (await fetch(page.replace("127.0.0.1", "localhost") + path, {credentials: "include"})).text()`},
	{"address in other words", `for (const host of ["127.1", "2130706433", "0x7f.1", "127.0.0.2", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "127.0.0.1.", "localhost."]) { try { const a = await fetch("http://" + host + ":" + new URL(page).port + path, {credentials: "include"}); return await a.text() } catch {} } return ""`},
	{"redirect", `return (await fetch(mine + "/redirect?" + encodeURIComponent(page + path), {credentials: "include"})).text()`},
	{"redirect of a worker", `return (await fetch(mine + "/redirect?" + encodeURIComponent(page + path), {mode: "no-cors"})).text()`},

	{"answer, plainly", `await fetch(page + "/v1/approvals/" + code, {method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify({answer: "allow"})})`},
	{"answer as JSON", `await fetch(page + "/v1/approvals/" + code, {method: "POST", credentials: "include", headers: {"Content-Type": "application/json"}, body: JSON.stringify({answer: "allow"})})`},
	{"answer by a beacon", `navigator.sendBeacon(page + "/v1/approvals/" + code, new Blob([JSON.stringify({answer: "allow"})], {type: "text/plain"}))`},
	{"answer by a beacon of JSON", `navigator.sendBeacon(page + "/v1/approvals/" + code, new Blob([JSON.stringify({answer: "allow"})], {type: "application/json"}))`},
	{"answer that outlives its page", `await fetch(page + "/v1/approvals/" + code, {method: "POST", mode: "no-cors", keepalive: true, credentials: "include", body: JSON.stringify({answer: "allow"})})`},
	{"answer by redirect", `await fetch(mine + "/redirect307?" + encodeURIComponent(page + "/v1/approvals/" + code), {method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify({answer: "allow"})})`},
	{"answer by PUT", `await fetch(page + "/v1/approvals/" + code, {method: "PUT", credentials: "include", body: "{}"})`},
	{"guards off", `await fetch(page + "/v1/guards", {method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify({target: "all", mode: "off"})})`},
	{"event", `await fetch(page + "/v1/events", {method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify({event: "Notification", session_id: "planted", payload: {message: "planted"}})})`},
	{"message", `await fetch(page + "/v1/messages", {method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify({to: "user", content: "planted"})})`},
	{"memory", `await fetch(page + "/v1/memories", {method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify({text: "planted", content: "planted"})})`},
	{"memory forgotten", `await fetch(page + "/v1/memories/1", {method: "DELETE", credentials: "include"})`},
	{"logout", `await fetch(page + "/logout", {method: "POST", mode: "no-cors", credentials: "include"})`},
	{"login with a guess", `await fetch(page + "/login", {method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify({link: "guess"})})`},
	{"form of text", `await form("text/plain", page + "/v1/approvals/" + code, '{"answer":"allow","x":"', '"}')`},
	{"form", `await form("application/x-www-form-urlencoded", page + "/v1/approvals/" + code, "answer", "allow")`},
	{"form with parts", `await form("multipart/form-data", page + "/v1/guards", "mode", "off")`},
	{"form of a login", `await form("text/plain", page + "/login", '{"link":"x","y":"', '"}')`},
	{"form of a logout", `await form("text/plain", page + "/logout", "x", "y")`},
	{"form of nobody's origin", `await load("iframe", {sandbox: "allow-scripts allow-forms", srcdoc: "<form method=post enctype=text/plain action='" + page + "/v1/approvals/" + code + "'><input name='{\"answer\":\"allow\",\"x\":\"' value='\"}'></form><script>document.forms[0].submit()</scr" + "ipt>"}, () => ""); await later()`},
	{"fetch of nobody's origin", `const f = document.createElement("iframe"); f.sandbox = "allow-scripts"; f.srcdoc = "<script>fetch('" + page + path + "', {credentials: 'include'}).then(a => a.text()).then(t => parent.postMessage(t, '*'), () => parent.postMessage('', '*'))</scr" + "ipt>"
		return new Promise(done => { addEventListener("message", e => done(e.data), {once: true}); document.body.append(f) })`},
	{"page made ready before it is opened", `for (const rel of ["prefetch", "preload", "modulepreload", "dns-prefetch", "preconnect", "prerender"]) await load("link", {rel, href: page + path, as: "fetch", crossOrigin: "use-credentials"}, () => "")
		const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({prerender: [{urls: [page + "/#/approvals?allow=" + code]}]}); document.head.append(s); await later()`},
	{"cookies for the page's port", `const port = new URL(page).port
		for (const path of ["/", "/v1", "/v1/record", "/session"]) document.cookie = "hookway-" + port + "=planted; path=" + path
		document.cookie = "__Host-hookway-" + port + "=planted; path=/"; for (let i = 0; i < 20; i++) document.cookie = "planted" + i + "=" + "x".repeat(3000)
		await later(); for (const c of document.cookie.split("; ")) for (const path of ["/", "/v1", "/v1/record", "/session"]) document.cookie = c.split("=")[0] + "=; max-age=0; path=" + path`},
	{"name of the window", `const w = open(page + "/", "<img src=x onerror=hookwayTaken=1>"); await later(); w?.close()`},
}

// hostilePage is what the hostile server answers with; what its scripts need to try.
const hostilePage = `<!doctype html><title>hostile</title><link rel=icon href="data:,"><body><p>A page of somebody else's.<script>
const later = () => new Promise(done => setTimeout(done, 300))
const framed = e => { try { return e.contentWindow.document.body.innerText } catch { return e.contentWindow?.length ? "the frame has frames" : "" } }
const load = (name, set, then) => new Promise(done => {
	const e = document.createElement(name)
	e.onload = e.oncanplay = () => { try { done(String(then(e) ?? "")) } catch { done("") } }
	e.onerror = () => done("")
	for (const [k, v] of Object.entries(set)) try { e[k] = v } catch { e.setAttribute(k, v) }
	document.body.append(e)
	setTimeout(() => done(""), 2000)
})
const form = async (type, action, name, value) => {
	const f = document.createElement("form"), i = document.createElement("input"), to = document.createElement("iframe")
	to.name = "answers" + Math.random()
	Object.assign(f, {method: "post", enctype: type, action, target: to.name}); Object.assign(i, {name, value, type: "hidden"})
	f.append(i); document.body.append(to, f)
	const answered = new Promise(done => { to.onload = done; setTimeout(done, 2000) })
	f.submit(); await answered
}
localStorage.mine = "mine"
</script>`

// hostile serves a page of somebody else, and whatever it needs of its own.
func hostile(t *testing.T) *url.URL {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, _ := url.QueryUnescape(r.URL.RawQuery)
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, to, http.StatusFound)
		case "/redirect307":
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		case "/plant": // what a server may set, and a script may not
			http.SetCookie(w, &http.Cookie{Name: "hookway-" + to, Value: "planted", Path: "/", HttpOnly: true})
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, hostilePage)
		}
	}))
	t.Cleanup(site.Close)
	u, err := url.Parse(site.URL)
	check(t, err)
	return u
}

// tries runs an attack in a tab at the hostile page, and gives what it could read.
func (p *tab) tries(a attack, page, code string) string {
	p.t.Helper()
	return eval[string](p, `(async (page, mine, code, path) => {%s})(%s, location.origin, %s, "/v1/record?limit=1").then(v => String(v ?? ""), () => "")`, a.script, quoted(page), quoted(code))
}

func quoted(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// TestAPageOfAnotherOriginGetsNothing: the owner is logged in and has approvals open,
// and looks at a hostile page in the same browser: at another port of this machine,
// under another name of it, and under hookway's own address by another name.
func TestAPageOfAnotherOriginGetsNothing(t *testing.T) {
	w := newWorld(t, asksAbout)
	owner := w.page("")
	owner.expects(`\b401\b`) // cookies that others plant are in the way for a moment
	w.call("s1", "echo "+secret)
	code := w.asks("s1", "touch ./made")
	owner.view("approvals")
	owner.until("the call is shown", `document.querySelector('[data-code=%q]')`, code)
	before := w.state()
	page := eval[string](owner, "location.origin")
	site := hostile(t)
	origins := []string{"http://127.0.0.1:" + site.Port(), "http://localhost:" + site.Port(), "http://hostile.test:" + site.Port()}
	if testing.Short() {
		origins = origins[:1] // what is of the same site may do the most
	}
	for _, from := range origins {
		t.Run(strings.ReplaceAll(from, "/", ""), func(t *testing.T) {
			p := owner.another(t)
			p.expects(`.`) // refusals are what it gets
			p.closesDialogs()
			for _, a := range attacks {
				p.goes(from + "/")
				got := p.tries(a, page, code)
				if got != "" {
					t.Errorf("%s: got %.300q, want nothing", a.name, got)
				}
				if now := w.state(); now != before {
					t.Errorf("%s: changed\n%s\nto\n%s", a.name, before, now)
					before = now
				}
			}
		})
	}
	owner.until("the owner's page works as before", `document.querySelector(".link-here") && document.querySelector('[data-code=%q]')`, code)
	owner.isWhole(t, "the owner's page, after the attacks")
	fresh := owner.another(t)
	fresh.goes(page + "/#/approvals")
	fresh.until("the owner is still logged in", `document.querySelector('[data-code=%q]')`, code)
}

// TestAnotherNameOfThisMachineIsRefused: a name that somebody else has made to lead here
// is of the same origin as what it loads, so nothing but the daemon can refuse it.
func TestAnotherNameOfThisMachineIsRefused(t *testing.T) {
	w := newWorld(t, "")
	owner := w.page("")
	w.call("s1", "echo "+secret)
	port := eval[string](owner, "location.port")
	p := owner.another(t)
	p.expects(`.`)
	for _, name := range []string{"rebound.test", "hookway.test", "127.0.0.1.rebound.test", "localhost.rebound.test"} {
		p.goes("http://" + name + ":" + port + "/")
		for _, path := range []string{"/", "/page.js", "/session", "/v1/record", "/v1/status", "/healthz", "/v1/openapi.json"} {
			got := eval[string](p, `fetch(%q).then(async a => a.status + " " + await a.text(), e => "failed " + e)`, path)
			if !strings.HasPrefix(got, "4") || strings.Contains(got, secret) || strings.Contains(got, "hookway-page") {
				t.Errorf("as %s, %s is answered with %.300q; want a refusal", name, path, got)
			}
		}
	}
}

// TestCookiesOfAnotherPort: what a server at another port of this machine sets is sent
// to hookway, too. It makes nobody the owner.
func TestCookiesOfAnotherPort(t *testing.T) {
	w := newWorld(t, "")
	owner := w.page("")
	page := eval[string](owner, "location.origin")
	site := hostile(t)
	stranger := newTab(t)
	stranger.expects(`401`)
	stranger.goes("http://127.0.0.1:" + site.Port() + "/plant?" + strings.TrimPrefix(page, "http://127.0.0.1:"))
	stranger.goes(page + "/")
	stranger.until("it asks for a link", `document.documentElement.dataset.state == "login" || document.documentElement.dataset.view == "login"`)
	if got := eval[int](stranger, `fetch("/v1/record", {headers: {"X-Hookway-Token": "planted"}}).then(a => a.status)`); got != http.StatusUnauthorized {
		t.Errorf("with a cookie of another port the record is answered with %d; want 401", got)
	}
}

// TestAProgramOfThisMachineNeedsBothHalves: who is not a browser can send what it likes,
// and lacks the cookie or the token.
func TestAProgramOfThisMachineNeedsBothHalves(t *testing.T) {
	w := newWorld(t, "")
	owner := w.page("")
	w.call("s1", "echo "+secret)
	page := eval[string](owner, "location.origin")
	token := eval[string](owner, `Object.entries({...localStorage, ...sessionStorage}).find(([k]) => k.includes("token"))?.[1] ?? ""`)
	if token == "" {
		t.Fatal("the page keeps no token")
	}
	for _, header := range []http.Header{
		{}, {"X-Hookway-Token": {token}}, {"Authorization": {"Bearer " + token}},
		{"X-Hookway-Token": {token}, "Cookie": {fmt.Sprintf("hookway-%s=%s", strings.TrimPrefix(page, "http://127.0.0.1:"), token)}},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page+"/v1/record", http.NoBody)
		check(t, err)
		r.Header = header
		answer, err := http.DefaultClient.Do(r)
		check(t, err)
		body, err := io.ReadAll(answer.Body)
		check(t, err)
		check(t, answer.Body.Close())
		if answer.StatusCode != http.StatusUnauthorized || strings.Contains(string(body), secret) {
			t.Errorf("with %v: got %d %s; want 401", header, answer.StatusCode, body)
		}
	}
}
