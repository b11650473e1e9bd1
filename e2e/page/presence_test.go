//go:build linux

package page

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/eventually"
)

// approval is what the record has of the asking about a call; nil if there is no record.
func (w *world) approval(session string) (found map[string]any) {
	w.t.Helper()
	for one, err := range audit.Read(w.audit(), audit.Filter{Session: session}) {
		check(w.t, err)
		if a, ok := one.Metadata["approval"].(map[string]any); ok {
			found = a
		}
	}
	return found
}

// TestACallIsHeldForAnOpenPage: an agent that cannot ask its user waits for who looks at
// the page, in whatever view and also at none; without a page, and after signing out, its
// call is refused at once with a code.
func TestACallIsHeldForAnOpenPage(t *testing.T) {
	w := newWorld(t, asksAbout)
	w.serve()
	asks := func(session string) string { // Codex has no question of its own
		return w.nativeOf("codex", "PreToolUse", object{"session_id": session, "turn_id": session, "tool_name": "Bash", "tool_use_id": session, "tool_input": object{"command": "touch ./" + session}})
	}
	refused := func(session string) {
		t.Helper()
		answer, a := asks(session), w.approval(session)
		code, _ := a["code"].(string)
		if a["route"] != "retry" || a["state"] != "open" {
			t.Errorf("nobody is there, and on record is %v; want that the call is refused", a)
		}
		if code == "" || !strings.Contains(answer, code) {
			t.Errorf("the answer is %s; want that it names the code %q", answer, code)
		}
	}
	refused("before")

	store, err := approve.Open(t.Context(), filepath.Join(w.root, "hookway", "state", "approvals"), approve.Options{})
	check(t, err)
	defer store.Close()
	is := func(what string, want bool) {
		t.Helper()
		eventually.True(t, what, func() bool {
			there, err := store.Attended(t.Context())
			return err == nil && there == want
		})
	}
	p := w.page("memory")
	is("a page is open", true)
	p.isSeen(false)
	answered := make(chan string, 1)
	go func() {
		defer close(answered)
		answered <- asks("during")
	}()
	p.until("a page that is hidden knows of it", `document.title.startsWith("(2)")`)
	if got := w.approval("during"); got != nil {
		t.Fatalf("before anybody answered the call is decided: %v", got)
	}
	p.isSeen(true)
	p.view("approvals")
	const card = `[...document.querySelectorAll("[data-code]")].find(e => e.innerText.includes("touch ./during"))`
	p.until("its agent waits", `/waits now/.test(%s.innerText)`, card)
	p.until("it can be answered", `[...%s.querySelectorAll("button")].some(b => b.innerText.trim() === "Deny" && !b.disabled)`, card)
	p.do(`[...%s.querySelectorAll("button")].find(b => b.innerText.trim() === "Deny").click()`, card)
	if answer := <-answered; !strings.Contains(answer, "refused this call") {
		t.Errorf("its agent was answered %s", answer)
	}
	if a := w.approval("during"); a["route"] != "hold" || a["state"] != "denied" {
		t.Errorf("on record is %v, want that the call was held, and denied", a)
	}

	p.expects(`401`)
	p.button("Sign out…")
	p.button("Sign out")
	is("nobody is there any more", false)
	refused("after")
}
