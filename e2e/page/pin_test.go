//go:build linux

package page

import (
	"encoding/json"
	"net/http"
	"testing"
)

// mode is that of all rules in the project.
func (w *world) mode() string {
	w.t.Helper()
	_, body := w.ask(http.MethodGet, "/v1/guards?cwd="+w.project, nil)
	var said struct{ Mode string }
	check(w.t, json.Unmarshal(body, &said))
	return said.Mode
}

// remembers reports whether a memory is there.
func (w *world) remembers() bool {
	w.t.Helper()
	_, body := w.ask(http.MethodGet, "/v1/memories", nil)
	var said struct{ Memories []object }
	check(w.t, json.Unmarshal(body, &said))
	return len(said.Memories) > 0
}

// TestThePINForGuards: where the owner has set a PIN, rules are switched with it only, and
// in the place where it was asked for it is said what is wrong with it. Where there is
// none, nobody asks for one. What is forgotten takes none in any case.
func TestThePINForGuards(t *testing.T) {
	for _, c := range []struct{ name, pin string }{{"none is set", ""}, {"one is set", "482915"}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, guarded)
			more := ""
			if c.pin != "" {
				w.inTerminal([]string{"approvals", "pin"}, "or more: ", c.pin+"\r", "once more: ", c.pin+"\r")
				w.pin, more = c.pin, ", require: pin"
			}
			w.holds(more)
			w.hookway("memory", "save", "The staging database is read-only on Sundays.")
			p := w.page("guards?cwd=" + w.project)
			p.click(`.mode-card .choice-off`)
			p.button("Make it milder")
			if c.pin != "" {
				p.expects(`403`)
				p.until("the PIN is asked for", `document.querySelector("dialog input[type=password]") === document.activeElement`)
				p.types(`dialog input`, "000000")
				p.press("\r")
				p.until("a wrong PIN is said to be wrong, and asked for again", `/wrong PIN/.test(document.querySelector("dialog dialog [role=alert]")?.innerText) && document.activeElement.type === "password" && document.activeElement.value === ""`)
				if got := w.mode(); got != "monitor" {
					t.Errorf("with a wrong PIN the rules are %s, want monitor", got)
				}
				p.types(`dialog input`, c.pin)
				p.press("\r")
			}
			p.until("the rules are off", `!document.querySelector("dialog") && document.querySelector(".mode-card .choice-off").ariaPressed === "true"`)
			if got := w.mode(); got != "off" {
				t.Errorf("the rules are %s, want off", got)
			}

			p.view("memory")
			p.button("Forget: The staging database is read-only on Sundays.")
			p.button("Keep it")
			p.until("it is kept", `!document.querySelector("dialog")`)
			p.button("Forget: The staging database is read-only on Sundays.")
			p.button("Forget it")
			p.until("it is forgotten", `!document.querySelector("dialog") && /No memories/.test(document.querySelector("main").innerText)`)
			if w.remembers() {
				t.Error("the memory is there yet")
			}
		})
	}
}
