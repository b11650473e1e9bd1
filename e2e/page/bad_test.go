//go:build linux

package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// kill ends the daemon as a crash does.
func (w *world) kill() {
	w.t.Helper()
	var status struct{ PID int }
	check(w.t, json.Unmarshal([]byte(w.hookway("status", "--json")), &status))
	if status.PID == 0 {
		w.t.Fatal("hookway status names no process")
	}
	check(w.t, syscall.Kill(status.PID, syscall.SIGKILL))
}

// TestTheDaemonIsKilledAndComesBack: the page says that it is gone, and is where it was
// when there is a new one; what fell meanwhile is there.
func TestTheDaemonIsKilledAndComesBack(t *testing.T) {
	w := newWorld(t, guarded)
	p := w.page("")
	p.expects(`ERR_CONNECTION_REFUSED`, `ERR_EMPTY_RESPONSE`, `ERR_INCOMPLETE_CHUNKED_ENCODING`, `ERR_CONNECTION_RESET`, `ERR_SOCKET_NOT_CONNECTED`, `Failed to load resource: net::`)
	for n := range 30 {
		w.call("s-before", fmt.Sprintf("echo before-%d", n))
	}
	p.view("decisions?q=before")
	p.until("the decisions are there", `document.querySelectorAll("[data-seq]").length > 5`)
	p.do(`document.querySelector(".longlist").scrollTop = 300; await new Promise(requestAnimationFrame)`)
	scrolled := eval[float64](p, `document.querySelector(".longlist").scrollTop`)
	w.kill()
	p.until("the page says that the daemon is gone", `document.documentElement.dataset.state == "away" && /daemon|connect/i.test(document.querySelector("[role=alert], [role=status]")?.innerText ?? "")`)
	if rows := eval[int](p, `document.querySelectorAll("[data-seq]").length`); rows == 0 {
		t.Error("what was shown is gone with the daemon")
	}
	w.hooked("s-meanwhile", "echo before-meanwhile") // an agent's event starts a new daemon
	p.until("the page is back", `document.documentElement.dataset.state == "ready"`)
	if hash, now := eval[string](p, "location.hash"), eval[float64](p, `document.querySelector(".longlist").scrollTop`); hash != "#/decisions?q=before" || now != scrolled {
		t.Errorf("it is at %s, scrolled to %v; want #/decisions?q=before, %v", hash, now, scrolled)
	}
	p.until("what fell meanwhile is there", `document.querySelector("main").innerText.includes("before-meanwhile") || document.querySelectorAll("[data-seq]").length > 0`)
	p.view("now")
	w.call("s-after", "echo after-the-daemon")
	p.until("it is live again", `document.querySelector("main").innerText.includes("after-the-daemon")`)
}

// TestNothingIsSaidOfWhatIsNotKnown: where the daemon is gone, a view that was not asked for
// before does not say that there is nothing, and is filled when there is a daemon again.
func TestNothingIsSaidOfWhatIsNotKnown(t *testing.T) {
	w := newWorld(t, guarded) // no agent waits there, who would start another daemon
	w.fill(480)
	p := w.page("")
	p.expects(`ERR_CONNECTION_REFUSED`, `ERR_EMPTY_RESPONSE`, `ERR_INCOMPLETE_CHUNKED_ENCODING`, `ERR_CONNECTION_RESET`, `ERR_SOCKET_NOT_CONNECTED`, `Failed to load resource: net::`)
	p.goes(origin(eval[string](p, "location.href")) + "/#/nothing")
	p.until("the page is there", `document.querySelector("h1")?.innerText == "There is nothing here"`)
	w.kill()
	for _, v := range views {
		at := strings.ReplaceAll(v.route, "PROJECT", w.project)
		p.do("location.hash = %q", "#/"+at)
		p.until(at+" says that it is not known", `/Not known until the daemon is back/.test(document.querySelector("main").innerText)`)
		if text := p.text("main .view"); regexp.MustCompile(`(?i)\bno |\b0 |nothing|fetch`).MatchString(text) {
			t.Errorf("without a daemon %s says:\n%s", at, text)
		}
	}
	w.serve()
	p.until("the last view is there", `document.documentElement.dataset.state == "ready" && document.querySelector("main").innerText.includes("hookway-hook")`)
}

// hooked has an agent ask for a command through hookway-hook, which starts a daemon where
// there is none.
func (w *world) hooked(session, command string) {
	w.t.Helper()
	w.native("PreToolUse", object{"session_id": session, "tool_name": "Bash", "tool_use_id": fmt.Sprint(time.Now().UnixNano()), "tool_input": object{"command": command}})
}

// native has Claude Code tell hookway-hook of an event.
func (w *world) native(event string, fields object) {
	w.t.Helper()
	w.nativeOf("claude", event, fields)
}

// nativeOf has an agent tell hookway-hook of an event, and gives what it is answered.
func (w *world) nativeOf(agent, event string, fields object) (answer string) {
	w.t.Helper()
	fields["hook_event_name"], fields["cwd"], fields["permission_mode"] = event, w.project, "default"
	text, err := json.Marshal(fields)
	check(w.t, err)
	shim := w.command(w.t.Context(), filepath.Join(bin, "hookway-hook"), agent, "--event", event, "--timeout", "60s")
	shim.Stdin = bytes.NewReader(text)
	out, err := shim.CombinedOutput()
	if err != nil {
		w.t.Fatalf("hookway-hook: %v\n%s", err, out)
	}
	return string(out)
}

// TestAnOldPageSaysSo: the daemon was replaced by one with another page while this one
// was open.
func TestAnOldPageSaysSo(t *testing.T) {
	w := newWorld(t, "")
	p := newTab(t)
	// The page finds another bundle's mark in itself, as one does that was loaded before.
	p.everywhere(`new MutationObserver((_, me) => {
	const mark = document.querySelector("meta[name=bundle]")
	if (mark) mark.content = "of-the-version-before", me.disconnect()
}).observe(document, {childList: true, subtree: true})`)
	p.goes(w.link())
	p.until("it says that it is old, and offers to load the new one", `document.documentElement.dataset.state == "old" && [...document.querySelectorAll("[role=status], [role=alert]")].some(e => /version|newer|older|new page|reload/i.test(e.innerText)) && [...document.querySelectorAll("button, a")].some(e => /reload|load/i.test(e.innerText))`)
}

// TestARecordThatDoesNotVerify: somebody has changed a line of the record.
func TestARecordThatDoesNotVerify(t *testing.T) {
	w := newWorld(t, "")
	w.fill(60)
	files, err := filepath.Glob(filepath.Join(w.audit(), "*.jsonl"))
	check(t, err)
	if len(files) == 0 {
		t.Fatal("the record has no file")
	}
	text, err := os.ReadFile(files[0])
	check(t, err)
	check(t, os.WriteFile(files[0], bytes.Replace(text, []byte("git push --force origin main"), []byte("git push --quiet origin main"), 1), 0o600))
	p := w.page("decisions")
	p.until("the page says that the record was changed", `[...document.querySelectorAll("main [role=status], main [role=alert], .notice")].some(e => /hash|changed|verif|not as it was/i.test(e.innerText))`)
	p.until("what can be read is there all the same", `document.querySelectorAll("[data-seq]").length > 10`)
}

// TestATornRecord: a line is not a record at all.
func TestATornRecord(t *testing.T) {
	w := newWorld(t, "")
	w.fill(30)
	files, err := filepath.Glob(filepath.Join(w.audit(), "*.jsonl"))
	check(t, err)
	text, err := os.ReadFile(files[0])
	check(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines[7] = []byte("{\"seq\": 8, \"time\": not JSON <img src=x onerror=hookwayTaken=1>\n")
	check(t, os.WriteFile(files[0], bytes.Join(lines, nil), 0o600))
	p := w.page("decisions")
	p.until("the rest is there", `document.querySelectorAll("[data-seq]").length > 10`)
	p.isWhole(t, "a record with a line that is none")
}

// TestALongSession has 50,000 calls, of the agent's own record and of hookway's.
func TestALongSession(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 50,000 calls")
	}
	const calls = 50_000
	w := newWorld(t, "")
	w.transcript("long", calls)
	p := w.page("")
	p.view("sessions/long?agent=claude")
	p.until("its first prompt is shown", `document.querySelector("main").innerText.includes("Do all of it")`)
	p.until("it tells how many calls there are", `/50[.,\s]?000/.test(document.querySelector("main").innerText)`)
	if nodes := eval[int](p, `document.querySelectorAll("*").length`); nodes > 5000 {
		t.Errorf("the page has %d elements, want a few thousand at most", nodes)
	}
	p.isWhole(t, "a session with 50,000 calls")
	took := eval[float64](p, `(async () => { const began = performance.now(); const l = document.querySelector(".longlist, main"); for (let i = 0; i < 20; i++) { l.scrollTop += 5000; await new Promise(requestAnimationFrame) } return performance.now() - began })()`)
	t.Logf("20 frames of scrolling took %.0f ms", took)
}

// transcript writes a session as Claude Code does: a prompt, and so many calls with their
// results.
func (w *world) transcript(session string, calls int) {
	w.t.Helper()
	var b bytes.Buffer
	at := time.Now().Add(-time.Duration(calls+2) * 200 * time.Millisecond)
	line := func(kind string, content any, extra string) {
		at = at.Add(100 * time.Millisecond)
		text, err := json.Marshal(content)
		check(w.t, err)
		role := kind
		fmt.Fprintf(&b, `{"type":%q,"uuid":"u%d","sessionId":%q,"cwd":%q,"timestamp":%q,"version":"2.1.329","message":{"id":"m%d","role":%q,"content":%s%s}}`+"\n",
			kind, b.Len(), session, w.project, at.UTC().Format(time.RFC3339Nano), b.Len(), role, text, extra)
	}
	line("user", "Do all of it", "")
	for n := range calls {
		id := "toolu_" + strconv.Itoa(n)
		line("assistant", []object{{"type": "tool_use", "id": id, "name": "Bash", "input": object{"command": fmt.Sprintf("make part-%d", n)}}}, `,"model":"claude-opus","usage":{"input_tokens":10,"output_tokens":5}`)
		line("user", []object{{"type": "tool_result", "tool_use_id": id, "content": "done"}}, "")
	}
	w.write(filepath.Join(w.home, ".claude", "projects", dashed(w.project), session+".jsonl"), b.String())
}

// dashed is a path as Claude Code names a folder after it.
func dashed(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}

// TestAClockThatIsOff: the browser's clock is two hours behind the daemon's, and some
// records are of tomorrow.
func TestAClockThatIsOff(t *testing.T) {
	w := newWorld(t, guarded)
	w.append(audit.Record{Time: time.Now().Add(30 * time.Hour), Event: "PreToolUse", Session: "s", Agent: "claude", Tool: "Bash", What: "echo of-tomorrow", Action: "continue"},
		audit.Record{Time: time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), Event: "PreToolUse", Session: "s", Agent: "claude", Tool: "Bash", What: "echo of-1970", Action: "continue"})
	p := newTab(t)
	p.everywhere(`(() => { const off = -2 * 3600e3, Real = Date
globalThis.Date = class extends Real { constructor(...a) { a.length ? super(...a) : super(Real.now() + off) } static now() { return Real.now() + off } } })()`)
	p.goes(w.link())
	p.until("the page is open", `document.documentElement.dataset.state == "ready"`)
	p.until("it says that the clocks differ", `/clock/i.test(document.body.innerText)`)
	p.view("decisions")
	p.until("records of any time are shown", `["of-tomorrow", "of-1970"].every(t => document.querySelector("main").innerText.includes(t))`)
	if text := p.text("main"); strings.Contains(text, "NaN") || strings.Contains(text, "Invalid Date") || strings.Contains(text, "-1 ") {
		t.Errorf("times are shown badly:\n%s", text)
	}
}

// TestThePIN: where the owner has set one, a call is allowed with it only.
func TestThePIN(t *testing.T) {
	w := newWorld(t, asksAbout)
	w.inTerminal([]string{"approvals", "pin"}, "or more: ", "482915\r", "once more: ", "482915\r")
	w.pin = "482915"
	w.holds(", require: pin")
	p := w.page("")
	code := w.asks("s1", "touch ./made")
	p.expects(`403`, `401`)
	p.view("approvals")
	p.until("the call is there", `document.querySelector('[data-code=%q]')`, code)
	p.button("Allow")
	p.until("the PIN is asked for", `document.querySelector("dialog[open] input[type=password], dialog[open] input[inputmode=numeric]")`)
	p.types(`dialog[open] input`, "000000")
	p.press("\r")
	p.until("a wrong PIN is said to be wrong, and asked for again", `/wrong PIN/.test(document.querySelector("dialog[open] [role=alert]")?.innerText) && document.querySelector("dialog[open] input").value === ""`)
	if got := w.asked()[0].State; got != "open" {
		t.Fatalf("with a wrong PIN the call is %s, want open", got)
	}
	p.types(`dialog[open] input`, "482915")
	p.press("\r")
	p.until("the call is allowed", `!document.querySelector('[data-code=%q][data-open]')`, code)
	if got := w.asked()[0].State; got != "allowed" && got != "used" {
		t.Errorf("with the PIN the call is %s, want allowed", got)
	}
}

// TestALinkIsGoodOnce: whoever finds a used one gets nothing.
func TestALinkIsGoodOnce(t *testing.T) {
	w := newWorld(t, "")
	link := w.link()
	p := newTab(t)
	p.goes(link)
	p.until("the page is open", `document.documentElement.dataset.state == "ready"`)
	if hash := eval[string](p, "location.hash + location.search"); strings.Contains(hash, "link=") {
		t.Errorf("the link stays in the address: %s", hash)
	}
	thief := newTab(t)
	thief.expects(`401`)
	thief.goes(link)
	thief.until("it asks for another link", `document.documentElement.dataset.state == "login" && /hookway ui/.test(document.body.innerText)`)
	p.goes(origin(link) + "/#/decisions")
	p.until("the owner comes back without a link", `document.documentElement.dataset.state == "ready"`)
}

// TestSigningOutAndInAgain: a new link may be put into the very tab that is signed out.
func TestSigningOutAndInAgain(t *testing.T) {
	w := newWorld(t, "")
	p := w.page("")
	p.expects(`401`)
	p.button("Sign out…")
	p.until("it says for how long it would be signed in", `/signed in until \S+ \S+.*7 days at most/.test(document.querySelector("dialog[open]")?.innerText)`)
	p.button("Sign out")
	p.until("it is signed out", `document.documentElement.dataset.state == "login" && !document.querySelector("dialog[open]")`)
	p.do("location.href = %q", w.link())
	p.until("it is signed in again, and the link is gone", `document.documentElement.dataset.state == "ready" && document.querySelector("h1").innerText === "Now" && !location.href.includes("link=")`)
}
