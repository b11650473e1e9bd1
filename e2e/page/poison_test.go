//go:build linux

package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/eventually"
)

// poisoned is a record with a payload in every field that a page may show.
func poisoned(w *world, n int, payload string) audit.Record {
	r := audit.Record{
		Time: time.Now().Add(-time.Duration(n) * time.Second), Event: payload, EventID: payload, Native: payload, Via: payload, Session: payload, Agent: payload, Source: payload,
		CWD: payload, Workspace: payload, Tool: payload, ToolUseID: payload, What: payload, Ran: payload, Action: payload, Answer: payload, Of: payload,
		Reason: payload, By: payload, Rule: payload, Would: payload, UserMessage: payload, Inject: payload, Result: payload, Failure: payload,
		ToolInput: map[string]any{"command": payload, payload: payload, "nested": map[string]any{payload: []any{payload}}},
		Metadata:  map[string]any{payload: payload}, Degraded: []string{payload}, Warnings: []string{payload}, Cut: []string{payload}, Unkept: payload,
		Facts: []hook.Fact{{Does: payload, By: payload, Program: payload, Args: []string{payload}, Path: payload, Host: payload, At: hook.Span{From: n % 5, To: n % 50}}},
		Steps: []audit.Step{{Hook: payload, Lane: payload, Action: payload, Reason: payload, Rule: payload, Note: payload, Error: payload, Failed: true, Changed: true,
			Would: &audit.Would{Action: payload, Reason: payload, Rule: payload}}},
		Changes:    []audit.Change{{Path: payload, From: payload, To: payload + "\n" + payload}, {Path: "tool_input.command", From: "a", To: map[string]any{payload: payload}}},
		DurationMS: float64(n),
	}
	switch n % 4 { // fields that choose what is shown at all are themselves now and then
	case 0:
		r.Event, r.Action = "PreToolUse", "block"
	case 1:
		r.Event, r.Tool, r.Action = "PreToolUse", "Bash", "ask"
	case 2:
		r.Event, r.Tool, r.Action, r.Agent = "PreToolUse", "Edit", "continue", "claude"
		r.ToolInput = map[string]any{"file_path": payload, "old_string": payload, "new_string": payload}
	}
	if n%2 == 0 {
		r.CWD, r.Workspace = w.project, w.project
	}
	return r
}

// isShort reports whether a payload is left out where each of them leads to a page of its
// own, and tests are to be short.
func isShort(n int) bool { return testing.Short() && n%5 != 0 }

// TestPayloadsInTheRecord: each payload in every field of a record, which another
// process has written as it liked.
func TestPayloadsInTheRecord(t *testing.T) {
	w := newWorld(t, "")
	log, err := audit.Open(audit.Config{Dir: w.audit()})
	check(t, err)
	for n, payload := range payloads() {
		check(t, log.Append(t.Context(), poisoned(w, n, payload)))
	}
	check(t, log.Close())
	p := w.page("")
	p.expects(`\b400\b.*/explain`) // some of them are nothing that can be explained
	for _, route := range []string{"now", "decisions", "sessions", "hooks", "guards", "agents"} {
		p.view(route)
		p.scrollsThrough(t, route)
	}
	for n, payload := range payloads() {
		if isShort(n) {
			continue
		}
		p.view(fmt.Sprintf("decisions/%d", n+1))
		p.isWhole(t, fmt.Sprintf("the decision about payload %d, %.60q", n, payload))
		if t.Failed() && n > 20 {
			t.Fatal("the rest is not looked at")
		}
	}
	shift := p.moved()
	if strings.Contains(shift, "script") {
		t.Errorf(`got %v, want !strings.Contains(shift, "script")`, shift)
	}
}

// scrollsThrough looks at all rows of the lists of a view.
func (p *tab) scrollsThrough(t testing.TB, route string) {
	t.Helper()
	for {
		p.isWhole(t, route)
		if eval[bool](p, `(() => {
	const lists = [...document.querySelectorAll(".longlist, main, main *")].filter(e => e.scrollHeight > e.clientHeight + 4 && /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollTop + e.clientHeight < e.scrollHeight - 4)
	const list = lists.find(e => e.matches(".longlist")) ?? lists[0]
	if (list) list.scrollTop += list.clientHeight - 40
	return !list
})()`) {
			return
		}
		eval[int](p, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`)
	}
}

// TestPayloadsThroughTheDaemon: what agents of any kind tell of their calls, prompts and
// sessions, and what other programs send.
func TestPayloadsThroughTheDaemon(t *testing.T) {
	w := newWorld(t, guarded)
	w.serve()
	w.native("SessionStart", object{"session_id": "poisoned", "source": "startup"})
	eventually.True(t, "the agent is known", func() bool {
		_, agents := w.ask(http.MethodGet, "/v1/agents", nil)
		return strings.Contains(string(agents), "claude-pois")
	})
	taken := map[string]int{}
	for n, payload := range payloads() {
		w.tells(n, payload, taken)
	}
	for path, least := range map[string]int{"/v1/events": 800, "/v1/messages": 150, "/v1/memories": 150} {
		if taken[path] < least {
			t.Errorf("%s has taken %d payloads, want %d or more", path, taken[path], least)
		}
	}
	p := w.page("")
	p.expects(`\b40[04]\b.*/v1/sessions/`) // no agent's session has a slash in its name, which the door refuses
	for _, route := range []string{"now", "decisions", "sessions", "approvals", "messages", "memory", "hooks", "guards", "agents"} {
		p.view(route)
		p.scrollsThrough(t, route)
	}
	for n, payload := range payloads() {
		if n%10 == 0 && utf8.ValidString(payload) && payload != "" {
			p.do("location.hash = %s", quoted("#/sessions/"+url.PathEscape(payload)+"?agent=claude"))
			p.until("the session is shown, or said not to be there", `document.documentElement.dataset.view == "session" && document.documentElement.dataset.state == "ready"`)
			p.isWhole(t, fmt.Sprintf("the session %.60q", payload))
		}
	}
}

// tells has the daemon told of a payload in all ways. It may refuse what it likes; what it
// has taken is counted.
func (w *world) tells(n int, payload string, taken map[string]int) {
	w.t.Helper()
	send := func(method, path string, body any) {
		status, answer, err := w.tryAsk(w.t.Context(), method, path, body)
		check(w.t, err)
		if status < 300 {
			taken[path]++
		}
		if status >= 500 {
			w.t.Errorf("payload %d makes %s answer %d: %s", n, path, status, answer)
		}
	}
	session := payload
	if session == "" {
		session = "s"
	}
	for _, event := range []object{
		{"event": "PreToolUse", "payload": object{"tool_name": "Bash", "tool_use_id": payload, "tool_input": object{"command": payload, payload: payload}}},
		{"event": "PreToolUse", "payload": object{"tool_name": payload, "tool_input": object{"file_path": payload}}},
		{"event": "PostToolUse", "payload": object{"tool_name": "Bash", "tool_input": object{"command": payload}, "tool_response": payload}},
		{"event": "UserPromptSubmit", "payload": object{"prompt": payload}},
		{"event": "Notification", "payload": object{"message": payload, "title": payload}},
	} {
		event["cwd"], event["agent"], event["session_id"], event["metadata"] = w.project, "claude", session, object{"note": payload}
		if n%3 == 0 {
			event["agent"], event["source"] = payload, payload
		}
		send(http.MethodPost, "/v1/events", event)
	}
	send(http.MethodPost, "/v1/messages", object{"to": "claude-pois", "from": "builder", "content": payload})
	send(http.MethodPost, "/v1/memories", object{"text": payload, "cwd": w.project})
	send(http.MethodPost, "/v1/memories", object{"text": fmt.Sprint("tagged ", n), "tags": []string{payload}, "cwd": w.project})
	send(http.MethodPost, "/v1/memories", object{"text": fmt.Sprint("of an agent ", n), "agent": payload, "scope": "agent"})
}

// TestPayloadsInFiles: what lies in files that the page shows something of: hooks with
// their names, descriptions and reasons, transcripts of agents, names of folders.
func TestPayloadsInFiles(t *testing.T) {
	w := newWorld(t, "")
	var hooks strings.Builder
	hooks.WriteString("version: 1\nmax_hooks: 10000\nhooks:\n")
	for n, payload := range payloads() {
		if !utf8.ValidString(payload) || len(payload) > 2000 || strings.ContainsFunc(payload, unicode.IsControl) || strings.ContainsAny(payload, "\ufffe\uffff") {
			continue // no file of hooks may have it
		}
		text, err := json.Marshal("It says " + payload)
		check(t, err)
		fmt.Fprintf(&hooks, "  - {id: hook-%d, on: PreToolUse, description: %s, match: {tool: Bash}, block: %s}\n", n, text, text)
	}
	w.write(filepath.Join(w.project, "hookway.yaml"), hooks.String())
	if out, err := w.try("trust", "--yes"); err != nil { // some of it is not a configuration; the page shows that
		t.Logf("hookway trust: %v\n%.2000s", err, out)
	}
	w.serve()
	for n, payload := range payloads() {
		w.says(fmt.Sprintf("spoken-%d", n), payload)
	}
	for n, name := range []string{`<img src=x onerror=hookwayTaken=1>`, "\u202egnp.exe", "a\x1b[31mb", "x\ny", "__proto__", "constructor", `"><script>hookwayTaken=1<`, "%2e%2e"} {
		folder := filepath.Join(w.root, name)
		w.write(filepath.Join(folder, "hookway.yaml"), "version: 1\nhooks: [{id: one, on: PreToolUse, block: no}]\n")
		status, answer := w.ask(http.MethodPost, "/v1/events", object{"event": "PreToolUse", "cwd": folder, "agent": "claude", "session_id": fmt.Sprint("folder-", n), "payload": object{"tool_name": "Bash", "tool_input": object{"command": "x"}}})
		if status != http.StatusOK {
			t.Fatalf("in %q: %d %s", folder, status, answer)
		}
	}
	p := w.page("")
	p.expects(`\b404\b.*/v1/sessions/`)
	for _, route := range []string{"hooks", "sessions", "guards", "now", "agents"} {
		p.view(route)
		p.scrollsThrough(t, route)
	}
	for n, payload := range payloads() {
		if n%4 == 0 {
			p.view(fmt.Sprintf("sessions/spoken-%d?agent=claude", n))
			p.scrollsThrough(t, fmt.Sprintf("the session with payload %d, %.60q", n, payload))
		}
	}
}

// says writes a transcript of Claude Code with a payload in all that is said and done.
func (w *world) says(session, payload string) {
	w.t.Helper()
	payload = strings.ToValidUTF8(payload, "\ufffd")
	var b strings.Builder
	for n, content := range []any{
		payload,
		[]object{{"type": "text", "text": payload}, {"type": "tool_use", "id": "t1", "name": payload, "input": object{"command": payload, payload: payload}}},
		[]object{{"type": "tool_result", "tool_use_id": "t1", "content": payload, "is_error": true}},
		[]object{{"type": "tool_use", "id": payload, "name": "Task", "input": object{"description": payload, "prompt": payload, "subagent_type": payload}}},
	} {
		kind := []string{"user", "assistant", "user", "assistant"}[n]
		text, err := json.Marshal(object{
			"type": kind, "uuid": fmt.Sprint("u", n), "sessionId": session, "cwd": w.project, "timestamp": time.Now().Add(time.Duration(n-10) * time.Second).UTC().Format(time.RFC3339Nano),
			"version": "2.1.329", "message": object{"id": fmt.Sprint("m", n), "role": kind, "model": payload, "content": content, "usage": object{"input_tokens": 1, "output_tokens": 1}},
		})
		check(w.t, err)
		b.Write(text)
		b.WriteByte('\n')
	}
	w.write(filepath.Join(w.home, ".claude", "projects", dashed(w.project), session+".jsonl"), b.String())
}

// TestPayloadsInApprovals: whoever asks writes what a person reads before they answer.
func TestPayloadsInApprovals(t *testing.T) {
	w := newWorld(t, asksAbout)
	w.serve()
	var some []string
	for n, payload := range payloads() {
		if len(payload) < 5000 && !strings.Contains(payload, "\x00") && (n%3 == 0 || n > 48) {
			some = append(some, payload)
		}
	}
	for n, payload := range some {
		w.refused(n, "touch "+payload)
	}
	p := w.page("")
	p.view("approvals")
	p.until("the calls are shown", `document.querySelectorAll("[data-code]").length >= %d`, len(w.asked()))
	p.isWhole(t, "approvals")
	if cards, want := eval[int](p, `document.querySelectorAll("[data-code]").length`), len(w.asked()); cards != want || want < 50 {
		t.Errorf("%d calls are shown of %d, which should be 50 or more", cards, want)
	}
}

// refused has Claude Code ask for a call; nobody is there, so it is refused with a code.
func (w *world) refused(n int, command string) {
	w.t.Helper()
	w.native("PreToolUse", object{"session_id": fmt.Sprint("s", n), "tool_name": "Bash", "tool_use_id": fmt.Sprint("t", n), "tool_input": object{"command": strings.ToValidUTF8(command, "\ufffd")}})
}

// TestPayloadsInTheAddress: a link that somebody else has made leads to a page that is
// whole, and does nothing.
func TestPayloadsInTheAddress(t *testing.T) {
	w := newWorld(t, guarded)
	w.holds("")
	p := w.page("")
	p.expects(`\b40[04]\b`)
	w.call("s1", "echo hello")
	code := w.asks("s1", "touch ./made")
	before := w.state()
	for n, payload := range payloads() {
		if isShort(n) || !utf8.ValidString(payload) || len(payload) > 8000 {
			continue
		}
		escaped := url.QueryEscape(payload)
		for _, hash := range []string{
			"#/decisions?q=" + escaped, "#/now?session=" + escaped + "&action=" + escaped, "#/sessions/" + url.PathEscape(payload), "#/decisions/" + url.PathEscape(payload),
			"#/" + payload, "#" + payload, "#/approvals?code=" + code + "&answer=allow&" + escaped, "#/guards?mode=off&target=" + escaped,
		}[n%4:][:5-n%2] {
			p.do("location.hash = %s; await new Promise(requestAnimationFrame)", quoted(hash))
			p.isWhole(t, fmt.Sprintf("at %.100q", hash))
		}
		if t.Failed() && n > 20 {
			break
		}
	}
	if now := w.state(); now != before {
		t.Errorf("links have changed\n%s\nto\n%s", before, now)
	}
	p.view("now")
}
