//go:build linux

package page

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/hookway/hookway/internal/eventually"
)

// view is a place of the page, and what stands there when the story was told. PROJECT in
// its route is the folder of the project.
type view struct {
	route string
	title string // its heading
	shows []string
	list  bool // it can be exported
}

// views are all of the page.
var views = []view{
	{"now", "Now", []string{"make deploy", "claude"}, true},
	{"sessions", "Sessions", []string{"claude", "Make the cart survive a reload"}, true},
	{"sessions/claude-0000?agent=claude", "", []string{"Make the cart survive a reload", "go test ./..."}, false},
	{"sessions/claude-before?agent=claude", "", []string{"Why does the build take so long?", "Read the build scripts", "tokens"}, false},
	{"decisions", "Decisions", []string{"make deploy"}, true},
	{"decisions/6", "", []string{"make deploy", "Not today. Deploy on Monday."}, false},
	{"approvals", "Approvals", []string{"touch ./cart.lock", "Is this file wanted?", "Allow", "Deny", "touch ./cart.old", "Take back"}, true},
	{"approvals/standing", "Answers that stand", []string{"refuses", "touch ./cart.old", "Take back"}, true},
	{"guards", "Guards", []string{"git", "databases", "monitor"}, true},
	{"hooks?cwd=PROJECT", "Hooks", []string{"no-deploy", "tidy"}, true},
	{"messages", "Messages", []string{"The cart tests are green again."}, true},
	{"memory", "Memory", []string{"The staging database is read-only on Sundays."}, true},
	{"agents", "Agents", []string{"Programs", "hookway-hook"}, true},
}

// newStory makes a world in which much has happened.
func newStory(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, guarded)
	w.holds("")
	w.fill(480)
	w.wasBefore("claude-before")
	w.serve()
	w.hookway("memory", "save", "The staging database is read-only on Sundays.")
	w.native("SessionStart", object{"session_id": "claude-live", "source": "startup"}) // from then on the agent is known
	w.hooked("claude-live", "make deploy")
	w.hookway("send", "claude-clau", "The cart tests are green again.")
	w.stands("claude-live", "touch ./cart.old", "deny", "session")
	w.asks("claude-live", "touch ./cart.lock")
	return w
}

func TestEachViewShowsWhatIsThere(t *testing.T) {
	w := newStory(t)
	p := w.page("")
	for _, v := range views {
		t.Run(v.name(), func(t *testing.T) {
			p.showsView(t, v)
			p.isWhole(t, v.route)
		})
	}
}

// name is what a test and a picture of the view are called.
func (v view) name() string {
	name, _, _ := strings.Cut(v.route, "?")
	if before, _, deeper := strings.Cut(name, "/"); deeper {
		return strings.TrimSuffix(before, "s")
	}
	return name
}

// showsView goes to a view and waits until it shows what it should.
func (p *tab) showsView(t testing.TB, v view) {
	t.Helper()
	p.view(strings.ReplaceAll(v.route, "PROJECT", url.QueryEscape(p.project)))
	if v.title != "" && p.text("h1") != v.title {
		t.Errorf("%s has the heading %q, want %q", v.route, p.text("h1"), v.title)
	}
	for _, text := range v.shows {
		p.until(fmt.Sprintf("%s shows %q", v.route, text), `document.querySelector("main").innerText.toLowerCase().includes(%s)`, quoted(strings.ToLower(text)))
	}
}

// TestEachViewSuitsEveryone: on a phone and on a screen, in light and in dark, nothing is
// wider than the window, nothing moves by itself, and axe-core finds nothing serious.
func TestEachViewSuitsEveryone(t *testing.T) {
	w := newStory(t)
	axe := axeCore(t)
	for _, look := range []struct {
		name       string
		wide, high int64
		scheme     string
	}{{"light", width, height, "light"}, {"dark", width, height, "dark"}, {"phone", 320, 640, "light"}, {"dark phone", 360, 740, "dark"}, {"low tablet", 820, 640, "light"}} {
		t.Run(look.name, func(t *testing.T) {
			p := newTab(t)
			p.project = w.project
			p.looks(look.wide, look.high, look.scheme)
			p.goes(w.link())
			p.until("the page is open", `document.documentElement.dataset.state == "ready"`)
			for _, v := range views {
				p.showsView(t, v)
				p.stoodStill(t, v.route+", gone to,")
				at := eval[string](p, "location.href")
				p.goes("about:blank")
				p.goes(at)
				p.showsView(t, v)
				p.stoodStill(t, v.route+", loaded,")
				if wider := eval[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wider > 0 {
					t.Errorf("%s is %d pixels wider than its window: %s", v.route, wider, eval[string](p, widest))
				}
				if bad := eval[string](p, untidy); bad != "" {
					t.Errorf(`%s: got %s, want ""`, v.route, bad)
				}
				if out := eval[string](p, outOfSight); out != "" {
					t.Errorf("%s: these entries are out of sight: %s", v.route, out)
				}
				if dark := eval[bool](p, isDark); dark != (look.scheme == "dark") {
					t.Errorf("%s is dark: %v", v.route, dark)
				}
				for _, bad := range p.asks(t, axe) {
					t.Errorf("%s: %s", v.route, bad)
				}
				if moved := p.moved(); moved != "" {
					t.Errorf("%s moves by itself: %s", v.route, moved)
				}
			}
		})
	}
}

// TestADaemonThatIsFasterThanFrames: what it answers before the page was drawn once is not
// lost.
func TestADaemonThatIsFasterThanFrames(t *testing.T) {
	w := newWorld(t, "")
	p := newTab(t)
	p.everywhere(`requestAnimationFrame = (frame => f => setTimeout(() => frame(f), 300))(requestAnimationFrame)`)
	p.goes(w.link())
	p.until("the view is there", `document.documentElement.dataset.state == "ready" && document.querySelector("h1")?.innerText === "Now"`)
}

// mostShift is how far a view may move while it comes, where 0.1 is what people do not mind.
const mostShift = 0.01

// stoodStill says how far a view has moved until now, if that is more than it may.
func (p *tab) stoodStill(t testing.TB, what string) {
	t.Helper()
	if moved := p.moved(); eval[float64](p, "hookwayShift.total") >= mostShift {
		t.Errorf("%s moves while it comes by %s; want less than %v", what, moved, mostShift)
	}
	p.do("hookwayShift.total = 0; hookwayShift.what = []") // it is there now
}

// TestColoursThatWereChosen: they are there before anything is drawn, also where the system
// has others.
func TestColoursThatWereChosen(t *testing.T) {
	w := newWorld(t, "")
	p := newTab(t)
	p.looks(width, height, "light")
	p.goes(w.link())
	p.until("the page is open", `document.documentElement.dataset.state == "ready"`)
	p.button("Colours: as the system")
	p.button("Colours: light")
	p.until("it is dark", isDark)
	p.everywhere(`new MutationObserver((_, me) => {
	if (document.body) window.hookwayBegan = document.documentElement.dataset.theme, me.disconnect()
}).observe(document, {childList: true, subtree: true})`)
	run(p, chromedp.Reload())
	p.until("the page is open", `document.documentElement.dataset.state == "ready"`)
	if began := eval[string](p, "hookwayBegan"); began != "dark" {
		t.Errorf("the page begins in the colours %q, want dark", began)
	}
}

// widest names what is wider than the window.
const widest = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).slice(0, 3).map(e => e.outerHTML.slice(0, 150)).join(" | ")`

// untidy tells of parts of a view that lie on one another, of words in boxes that are cut,
// of a list that has no room, of columns that have others' names, and of what a finger
// cannot hit.
const untidy = `(() => {
	const bad = [], name = e => (e.ariaLabel || e.innerText || e.className).slice(0, 60)
	const view = document.querySelector("main .view"), box = e => e.getBoundingClientRect()
	const parts = [...view.children].filter(e => e.localName !== "dialog" && box(e).height > 0)
	for (let i = 1; i < parts.length; i++) if (box(parts[i]).top < box(parts[i - 1]).bottom - 1) bad.push(name(parts[i]) + " lies on " + name(parts[i - 1]))
	for (const e of document.querySelectorAll("main .action, main .tag")) {
		if (!e.checkVisibility() || e.scrollWidth > e.clientWidth + 1) continue
		for (let up = e.parentElement; up !== view; up = up.parentElement)
			if (getComputedStyle(up).overflowX !== "visible" && box(e).left < box(up).right && box(e).right > box(up).right + 1) bad.push(name(e) + " is cut by " + up.className)
	}
	const head = document.querySelector("main .row-head"), row = head && document.querySelector("main .row." + head.classList[1] + ":not(.row-head)")
	if (row && head.checkVisibility()) {
		const ends = e => [...e.children].filter(c => c.checkVisibility()).map(c => c.matches(".right") ? box(c).right : box(c).left)
		const [over, under] = [ends(head), ends(row)]
		if (over.length !== under.length || over.some((x, i) => Math.abs(x - under[i]) > 2)) bad.push("columns lie at " + under + ", and are named at " + over)
	}
	const list = document.querySelector("main .longlist")
	if (list && box(list).height < 0.3 * innerHeight) bad.push("the list has " + box(list).height + " pixels of " + innerHeight)
	if (innerWidth < 720) for (const e of document.querySelectorAll("main button, main select, main input, main a.button, nav a, nav button")) {
		const r = box(e)
		if (e.checkVisibility() && r.width > 0 && !e.matches(".as-link, .skip, .row") && Math.min(r.width, r.height) < 28) bad.push(name(e) + " has " + r.width + " x " + r.height + " pixels")
	}
	return bad.slice(0, 5).join("; ")
})()`

// outOfSight names the entries that lead to views, and are not in sight.
const outOfSight = `[...document.querySelectorAll(".nav-link")].filter(e => {
	const at = e.getBoundingClientRect(), seen = document.elementFromPoint((at.left + at.right) / 2, (at.top + at.bottom) / 2)
	return !e.contains(seen) && !document.querySelector("dialog[open]")
}).map(e => e.innerText).join(", ")`

// isDark tells whether the ground is darker than what stands on it.
const isDark = `(() => {
	const light = color => { const [r, g, b] = color.match(/[\d.]+/g).map(Number); return r + g + b }
	const s = getComputedStyle(document.body)
	return light(s.backgroundColor) < light(s.color)
})()`

// axeCore is the program that looks for what people cannot see, hear or reach; "" if it
// is not there.
func axeCore(t *testing.T) string {
	file := os.Getenv("HOOKWAY_E2E_AXE")
	if file == "" {
		t.Log("SKIPPED: axe-core does not look at the page, because HOOKWAY_E2E_AXE names none; tools/page.sh installs it")
		return ""
	}
	text, err := os.ReadFile(file)
	check(t, err)
	return string(text)
}

// asks has axe-core look at what the page shows; what is serious or worse is given.
func (p *tab) asks(t testing.TB, axe string) (bad []string) {
	t.Helper()
	if axe == "" {
		return nil
	}
	if !eval[bool](p, `typeof axe === "object"`) {
		run(p, chromedp.Evaluate[chromedp.Void](axe+"\n;0"))
	}
	found := eval[[]struct {
		ID, Impact, Help string
		Nodes            []string
	}](p, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => ({ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + (n.any[0]?.message ?? ""))})))`)
	for _, f := range found {
		bad = append(bad, fmt.Sprintf("axe-core: %s, %s: %s\n\t%s", f.Impact, f.ID, f.Help, strings.Join(f.Nodes, "\n\t")))
	}
	return bad
}

// TestEachListIsExported: what the button saves is JSON, and has what the list shows.
func TestEachListIsExported(t *testing.T) {
	w := newStory(t)
	p := w.page("")
	folder := t.TempDir()
	_, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID, DownloadPath: folder,
	})
	check(t, err)
	for _, v := range views {
		if !v.list {
			continue
		}
		t.Run(v.name(), func(t *testing.T) {
			p.showsView(t, v)
			before, err := filepath.Glob(filepath.Join(folder, "*.json"))
			check(t, err)
			p.button("Export this list as JSON")
			var saved []any
			eventually.True(t, "a file was saved", func() bool {
				files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
				if len(files) == len(before) {
					return false
				}
				for _, f := range files {
					text, err := os.ReadFile(f)
					if err == nil && strings.Contains(f, v.name()) {
						return json.Unmarshal(text, &saved) == nil
					}
				}
				return false
			})
			if len(saved) == 0 {
				t.Errorf("%s was exported as an empty list", v.route)
			}
		})
	}
}

// button clicks a button by what it says, to those who see and to those who hear.
func (p *tab) button(says string) {
	p.t.Helper()
	p.until("there is a button "+says, `(() => {
	const found = [...document.querySelectorAll("button, [role=button], summary")].find(e => e.checkVisibility() && !e.disabled && (e.innerText.trim() === %[1]s || e.ariaLabel === %[1]s))
	if (found) document.querySelectorAll("[data-e2e]").forEach(e => e.removeAttribute("data-e2e")), found.dataset.e2e = "here"
	return found
})()`, quoted(says))
	run(p, chromedp.Click(chromedp.CSS(`[data-e2e="here"]`)))
}

// TestDecisionsAreLive: what falls while the page is open is there by itself, and only
// what passes the filter.
func TestDecisionsAreLive(t *testing.T) {
	w := newWorld(t, guarded)
	p := w.page("now")
	w.call("s-first", "echo first-call")
	p.until("the first call is shown", `document.querySelector("main").innerText.includes("first-call")`)
	p.button("Pause")
	w.call("s-second", "echo second-call")
	p.until("it tells that one is waiting", `[...document.querySelectorAll("button")].some(b => /^Go on, \d+ new/.test(b.innerText.trim()))`)
	if strings.Contains(p.text("main"), "second-call") {
		t.Error("a page that was paused goes on")
	}
	p.press("p")
	p.until("the second call is shown", `document.querySelector("main").innerText.includes("second-call")`)
	p.view("now?session=s-third")
	w.call("s-other", "echo other-call")
	w.call("s-third", "echo third-call")
	p.until("the session that is followed is shown", `document.querySelector("main").innerText.includes("third-call")`)
	if strings.Contains(p.text("main"), "other-call") {
		t.Error("a page that follows one session shows another")
	}
}

// TestWhoseIsShown: where no project is chosen, rules and hooks are the user's own, and
// those of a project are one click away.
func TestWhoseIsShown(t *testing.T) {
	w := newWorld(t, guarded)
	p := w.page("")
	for view, shows := range map[string]string{"guards": "Set in", "hooks": "no-deploy"} {
		p.view(view)
		p.until(view+" says whose they are", `/your own configuration/.test(document.querySelector("main .notice")?.innerText)`)
		if strings.Contains(p.text("main"), shows) {
			t.Errorf("%s of every project are those of one:\n%s", view, p.text("main"))
		}
		p.click("main .notice a")
		p.until(view+" of the project are shown", `location.hash.includes("cwd=") && document.querySelector("main").innerText.includes(%q) && !/your own configuration/.test(document.querySelector("main").innerText)`, shows)
	}
}

// TestLinksAreKept: the address says what is looked at, so that another tab shows it.
func TestLinksAreKept(t *testing.T) {
	w := newStory(t)
	p := w.page("decisions")
	p.types(`main input[type=search]`, "psql")
	p.until("the search is in the address", `location.hash.includes("q=psql")`)
	p.do(`const s = document.querySelector('main select[aria-label=Decision]'); s.value = "block"; s.dispatchEvent(new Event("change", {bubbles: true}))`)
	p.until("the filter is in the address", `location.hash.includes("action=block")`)
	shown := `[...document.querySelectorAll("[data-seq]")].map(e => e.dataset.seq).join()`
	p.until("the search has found some", `document.querySelectorAll("[data-seq]").length > 0 && [...document.querySelectorAll("[data-seq]")].every(e => e.innerText.includes("psql"))`)
	other := p.another(t)
	other.goes(eval[string](p, "location.href"))
	other.until("another tab shows the same", `%s === %s`, shown, quoted(eval[string](p, "%s", shown)))
	if got := eval[string](other, `document.querySelector("main input[type=search]").value`); got != "psql" {
		t.Errorf("the other tab's search is %q, want psql", got)
	}
	// Going back goes to where one was, and not out of the page.
	other.do(`location.hash = "#/guards"`)
	other.until("the guards are shown", `document.querySelector("h1").innerText == "Guards"`)
	other.do("history.back()")
	other.until("back is where it was", `location.hash.includes("q=psql") && document.querySelector("[data-seq]")`)
}

// TestAPartOfASessionHasALink: what was picked is in the address, is brought into sight by
// whoever follows the link, and is put away by a key.
func TestAPartOfASessionHasALink(t *testing.T) {
	w := newWorld(t, guarded)
	w.fill(40)
	p := w.page("sessions/claude-0000?agent=claude")
	p.do(`document.querySelector(".longlist").focus()`)
	p.press(kb.End)
	p.until("the last row has the focus", `document.activeElement.closest("[data-index]")?.dataset.index === "39"`)
	p.press("\r")
	p.until("it is shown", `document.querySelector(".detail") && location.hash.includes("item=")`)
	other := p.another(t)
	other.goes(eval[string](p, "location.href"))
	other.until("another tab shows the same, in sight", `document.querySelector(".detail")?.innerText === %s && (r => r && r.top > 0 && r.bottom <= innerHeight + 1)(document.querySelector(".row-on")?.getBoundingClientRect())`, quoted(p.text(".detail")))
	p.press("\x1b")
	p.until("it is put away, and its row keeps the focus", `!document.querySelector(".detail") && !location.hash.includes("item=") && document.activeElement.closest("[data-index]")?.dataset.index === "39"`)
}

// TestByKeyboardAlone: no mouse is needed to find a decision, and to answer a call.
func TestByKeyboardAlone(t *testing.T) {
	w := newStory(t)
	p := w.page("decisions")
	p.until("decisions are there", `document.querySelector("[data-seq]")`)
	p.press("/")
	p.until("the search has the focus", `document.activeElement.matches("main input[type=search]")`)
	run(p, chromedp.KeyEvent("left-pad"))
	p.until("the search is done", `location.hash.includes("q=left-pad") && document.querySelector("[data-seq]") && [...document.querySelectorAll("[data-seq]")].every(e => /left-pad/.test(e.innerText))`)
	p.press("\x1b", "\t")
	p.do(`document.querySelector(".longlist, [role=list]").focus()`)
	p.press("j")
	p.until("a row has the focus", `document.activeElement.closest("[data-seq]")`)
	p.press("\r")
	p.until("the decision is shown, and its tab is named", `/^#\/decisions\/\d+/.test(location.hash) && /Decisions \d+ · hookway$/.test(document.title) && document.querySelector("main").innerText.includes("npm install left-pad")`)
	p.press("?")
	p.until("the keys are explained", `document.querySelector("dialog[open]")?.innerText.toLowerCase().includes("key")`)
	p.press("\x1b")
	p.until("the explanation is gone", `!document.querySelector("dialog[open]")`)
	p.view("approvals")
	code := ""
	for _, a := range w.asked() {
		if a.State == "open" {
			code = a.Code
		}
	}
	p.until("the call is there, and can have been seen", `document.querySelector('[data-code=%q] button.allow:not(:disabled)')`, code)
	p.press("a")
	p.until("the button to allow has the focus", `document.activeElement.innerText.trim() === "Allow" && !document.activeElement.disabled`)
	p.press("\r")
	eventually.True(t, "the call is allowed", func() bool { return w.asked()[0].State != "open" })
	if got := w.asked()[0]; got.State != "allowed" && got.State != "used" {
		t.Errorf("the call is %s, want allowed", got.State)
	}
}

// TestEveryControlIsReached: Tab goes through everything that can be used, each of which
// can be seen to have the focus, and comes back.
func TestEveryControlIsReached(t *testing.T) {
	w := newStory(t)
	p := w.page("")
	for _, v := range views {
		t.Run(v.name(), func(t *testing.T) {
			p.showsView(t, v)
			p.do("document.activeElement?.blur?.(); window.hookwaySeen = []; document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
			for range 60 {
				p.press("\t")
				if eval[bool](p, `(() => {
	const e = document.activeElement
	if (e === document.body) return true
	const s = getComputedStyle(e), r = e.getBoundingClientRect()
	hookwaySeen.push({name: e.localName + " " + (e.ariaLabel ?? e.innerText ?? "").slice(0, 40), marked: s.outlineStyle !== "none" && s.outlineWidth !== "0px" || s.boxShadow !== "none" || e.closest(":focus-within") && getComputedStyle(e.parentElement).outlineStyle !== "none", seen: r.width > 0 && r.height > 0})
	return false
})()`) {
					break
				}
			}
			got := eval[[]struct {
				Name         string
				Marked, Seen bool
			}](p, "hookwaySeen")
			if len(got) < 8 {
				t.Errorf("Tab reaches %d things, want the navigation at least", len(got))
			}
			for _, one := range got {
				if !one.Marked || !one.Seen {
					t.Errorf("%s has the focus, and nobody sees it: %+v", one.Name, one)
				}
			}
		})
	}
}
