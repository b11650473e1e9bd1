//go:build linux

package page

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/eventually"
)

// standing are the answers that hold for more than one call, as the daemon tells of them.
func (w *world) standing() (all []approve.Standing) {
	w.t.Helper()
	_, body := w.ask(http.MethodGet, "/v1/standing", nil)
	var said struct{ Standing []approve.Standing }
	if err := json.Unmarshal(body, &said); err != nil {
		w.t.Fatalf("the answers that stand: %v: %s", err, body)
	}
	return said.Standing
}

// stands has the owner answer a call, and all like it, in a terminal.
func (w *world) stands(session, command, answer, scope string, more ...string) (code string) {
	w.t.Helper()
	code = w.asks(session, command)
	talk := []string{"[y/N] ", "y\r"}
	if w.pin != "" && answer == "allow" {
		talk = append(talk, "PIN: ", w.pin+"\r")
	}
	w.inTerminal(append([]string{"approvals", answer, code, "--scope", scope}, more...), talk...)
	return code
}

// TestTodayIsComparedWithWhatHooksSaid: what a person answered is no other word of the hooks,
// who asked then and ask today.
func TestTodayIsComparedWithWhatHooksSaid(t *testing.T) {
	w := newWorld(t, asksAbout)
	w.holds("")
	w.serve()
	w.stands("s1", "touch ./made", "deny", "once")
	p := w.page("decisions?action=block")
	p.click("[data-seq]")
	p.button("What would today's hooks say?")
	p.until("it says what they said, and say", `document.querySelectorAll(".then-now .action").length === 2`)
	got := eval[string](p, `[...document.querySelectorAll(".then-now .card")].map(c => c.querySelector("h3").innerText.trim() + ": " + c.querySelector(".action").innerText).join("; ")`)
	if want := "Then: ask; Today the same: ask"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWhatStandsIsTakenBack: an answer for more than one call is listed while the page is
// open, wherever it was given, and is taken back there: one that refuses with the PIN only.
func TestWhatStandsIsTakenBack(t *testing.T) {
	w := newWorld(t, asksAbout)
	w.inTerminal([]string{"approvals", "pin"}, "or more: ", "482915\r", "once more: ", "482915\r")
	w.pin = "482915"
	w.holds(", require: pin")
	p := w.page("approvals")
	yes := w.stands("s1", "touch ./made", "allow", "session", "--note", "go on")
	p.until("it is there by itself", `/allows.*touch \.\/made.*go on/s.test(document.querySelector('[data-standing=%q]')?.innerText)`, yes)
	w.hooked("s1", "touch ./made")
	no := w.stands("s1", "touch ./other", "deny", "session")
	p.until("what refuses is there, too, and what allows says how often it did", `document.querySelector('[data-standing=%q]') && /[12] calls?, the last/.test(document.querySelector('[data-standing=%q]').innerText)`, no, yes)
	other := p.another(t)
	other.goes(origin(eval[string](p, "location.href")) + "/#/approvals/standing?q=other")
	other.until("a link leads to what it names", `document.querySelector("h1")?.innerText === "Answers that stand" && document.querySelector('[data-standing=%q]') && !document.querySelector('[data-standing=%q]')`, no, yes)

	// By keyboard alone; and who takes back what allows needs no PIN.
	p.do(`document.querySelector('[data-standing=%q] button').focus()`, yes)
	if name := eval[string](p, "document.activeElement.ariaLabel"); name != "Take back: it allows touch ./made" {
		t.Errorf("the button is called %q", name)
	}
	p.press("\r")
	p.until("it is asked whether that is meant", `/Take this back\?/.test(document.querySelector("dialog[open]")?.innerText)`)
	if got := len(w.standing()); got != 2 {
		t.Errorf("%d answers stand before that is said, want 2", got)
	}
	p.do(`[...document.querySelectorAll("dialog[open] button")].find(b => b.innerText.trim() === "Take it back").focus()`)
	p.press("\r")
	p.until("it is gone, and the next one has the focus", `!document.querySelector("dialog[open]") && !document.querySelector('[data-standing=%q]') && document.activeElement.dataset.standing === %q`, yes, no)

	p.expects(`403`)
	p.do("hookwayShift.total = 0, hookwayShift.what = []")
	p.button("Take back: it refuses touch ./other")
	p.button("Take it back")
	p.until("the PIN is asked for", `document.querySelector("dialog[open] input[type=password]")`)
	if moved := p.moved(); moved != "" {
		t.Errorf("what is asked moves the page: %s", moved)
	}
	p.types(`dialog[open] input`, "000000")
	p.press("\r")
	p.until("a wrong PIN is said to be wrong", `/wrong PIN/.test(document.querySelector("dialog[open] [role=alert]")?.innerText) && document.querySelector("dialog[open] input").value === ""`)
	if got := w.standing(); len(got) != 1 || got[0].Code != no {
		t.Fatalf("with a wrong PIN %+v stands, want the no", got)
	}
	p.types(`dialog[open] input`, "482915")
	p.press("\r")
	p.until("it is gone", `!document.querySelector("dialog[open]") && !document.querySelector("[data-standing]")`)
	other.until("it is gone on the other page, too", `/No answer stands/.test(document.querySelector("main").innerText)`)
	if got := w.standing(); len(got) != 0 {
		t.Errorf("%+v stands yet", got)
	}
	if again := w.asks("s1", "touch ./other"); again == no {
		t.Errorf("the call is not asked about anew: %s", again)
	}
}

// TestPayloadsInWhatStands: what stands is shown as text, whatever stands in it.
func TestPayloadsInWhatStands(t *testing.T) {
	w := newWorld(t, "")
	w.serve()
	store, err := approve.Open(t.Context(), filepath.Join(w.root, "hookway", "state", "approvals"), approve.Options{})
	check(t, err)
	defer store.Close()
	n, seen := 0, map[string]bool{}
	for i, payload := range payloads() {
		if len(payload) > 5000 || i%4 > 0 && i < 100 {
			continue
		}
		payload = strings.ReplaceAll(strings.ToValidUTF8(payload, "?"), "\ufffd", "?") // to others no answer can be bound
		if seen[payload] {
			continue
		}
		seen[payload] = true
		r, err := store.Ask(t.Context(), approve.Call{
			Agent: payload, Session: payload + "s", Subagent: payload, Workspace: payload, Tool: payload, Input: map[string]any{payload: payload}, Hook: payload, Rule: payload, Reason: payload,
			Kind: approve.KindAsk, Does: []string{payload},
		}, "here")
		check(t, err)
		_, err = store.Answer(t.Context(), r, approve.Answer{Yes: i%2 == 0, Scope: approve.ScopeSession, Note: payload, By: payload, From: payload})
		check(t, err)
		n++
	}
	p := w.page("approvals/standing")
	p.until("all are shown", `document.querySelectorAll("[data-standing]").length === %d`, n)
	p.do(`document.querySelectorAll("details").forEach(d => d.open = true)`)
	p.isWhole(t, "what stands")
	p.button(eval[string](p, `document.querySelector("[data-standing] button").ariaLabel`))
	p.until("it is asked", `document.querySelector("dialog[open]")`)
	p.isWhole(t, "what is to be taken back")
	p.button("Keep it")
	eventually.True(t, "all stand yet", func() bool { return len(w.standing()) == n })
}
