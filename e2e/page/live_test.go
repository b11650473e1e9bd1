//go:build linux

package page

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// isSeen opens the window of a tab, or puts it away: then the page is hidden.
func (p *tab) isSeen(seen bool) {
	p.t.Helper()
	window, err := chromedp.CallBrowser(p.ctx, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: chromedp.FromContext(p.ctx).Target.TargetID})
	check(p.t, err)
	state := browser.WindowStateNormal
	if !seen {
		state = browser.WindowStateMinimized
	}
	_, err = chromedp.CallBrowser(p.ctx, browser.SetWindowBounds, browser.SetWindowBoundsParams{WindowID: window.WindowID, Bounds: &browser.Bounds{WindowState: state}})
	check(p.t, err)
	p.until("the page is seen, or hidden", "document.hidden === %v", !seen)
}

// tells waits until the page shows a call, and once only.
func (p *tab) tells(call string) {
	p.t.Helper()
	rows := fmt.Sprintf(`[...document.querySelectorAll("[data-seq]")].filter(e => e.innerText.includes(%s)).length`, quoted(call))
	p.until("the page shows "+call, "%s > 0", rows)
	if n := eval[int](p, "%s", rows); n != 1 {
		p.t.Errorf("the page shows %s %d times, want once", call, n)
	}
}

// TestTenPages: a browser opens six connections to a host, and ten pages of it are live all
// the same; what fell while one was hidden is there when it is looked at again, and a page
// that is closed takes nothing from the others.
func TestTenPages(t *testing.T) {
	for _, c := range []struct{ name, before string }{
		{"one stream for all", ""},
		{"a browser without locks", "delete Navigator.prototype.locks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, guarded)
			owner := w.page("")
			now := eval[string](owner, "location.origin") + "/#/now"
			owner.goes("about:blank")
			var pages []*tab
			for range 10 {
				p := owner.another(t)
				p.everywhere(c.before)
				p.goes(now)
				p.until("the page is open", `document.documentElement.dataset.state == "ready"`)
				p.isSeen(false)
				pages = append(pages, p)
			}
			w.call("s", "echo for-all")
			for _, p := range pages {
				p.isSeen(true)
				p.tells("for-all")
				p.isSeen(false)
			}
			for len(pages) > 1 {
				pages[0].close()
				pages = pages[1:]
				call := fmt.Sprintf("echo with-%d-left.", len(pages))
				w.call("s", call)
				for _, p := range []*tab{pages[len(pages)-1], pages[0]} {
					p.isSeen(true)
					p.tells(call)
					p.isSeen(false)
				}
			}
			pages[0].isWhole(t, "the last page")
		})
	}
}

// TestAPageThatIsStopped: it holds the stream of all, and says no more. Who is looked at
// takes the stream away, and tells the other what it missed when that goes on.
func TestAPageThatIsStopped(t *testing.T) {
	w := newWorld(t, guarded)
	first := w.page("now")
	w.call("s", "echo before")
	first.tells("before")
	second := first.another(t)
	first.isSeen(false)
	second.goes(eval[string](first, "location.href"))
	second.tells("before")
	first.lifecycle(page.SetWebLifecycleStateStateFrozen)
	w.call("s", "echo meanwhile")
	second.do("location.reload()")
	second.tells("meanwhile")
	w.call("s", "echo later")
	second.tells("later")
	first.lifecycle(page.SetWebLifecycleStateStateActive)
	first.isSeen(true)
	first.tells("meanwhile")
	w.call("s", "echo at-last")
	first.tells("at-last")
	second.tells("at-last")
}

// lifecycle stops a page, as a browser does with one that was hidden for long, or lets it go
// on.
func (p *tab) lifecycle(state page.SetWebLifecycleStateState) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
	check(p.t, err)
}

// countsTones has a page count the tones that it plays, and play none.
const countsTones = `
window.hookwayTones = 0
AudioContext.prototype.createOscillator = (make => function () { hookwayTones++; return make.call(this) })(AudioContext.prototype.createOscillator)`

// TestAHiddenPageRings: of two pages that nobody looks at, one rings for a call that waits,
// as soon as it may.
func TestAHiddenPageRings(t *testing.T) {
	w := newWorld(t, asksAbout)
	w.holds("")
	p := newTab(t)
	p.everywhere(countsTones)
	p.goes(w.link())
	p.view("approvals")
	p.button("Sound off")
	p.until("the sound is on", `hookwayTones === 2`)
	other := p.another(t)
	other.everywhere(countsTones)
	other.goes(eval[string](p, "location.href"))
	other.until("the page is open, with the sound on", `document.querySelector("main").innerText.includes("Sound on")`)
	other.click("h1") // a page that nobody touched may not ring
	p.isSeen(false)
	other.isSeen(false)
	w.asks("s1", "touch ./made")
	other.until("they know of it", `document.title.startsWith("(1)")`)
	p.until("they know of it", `document.title.startsWith("(1)")`)
	if n := eval[int](p, "hookwayTones") - 2 + eval[int](other, "hookwayTones"); n != 2 {
		t.Errorf("%d tones are played for a call, want 2: by one of the pages", n)
	}
}

// TestThePreview: it can be stopped, there is one at a time, and the one after tells what
// it found.
func TestThePreview(t *testing.T) {
	w := newWorld(t, "")
	w.transcript("long", 40_000)
	p := w.page("guards")
	other := p.another(t)
	other.expects(`\b(429|503)\b`) // that another is under way
	other.goes(eval[string](p, "location.href"))
	p.button("Preview")
	p.until("it goes on", `document.querySelector("progress")?.value > 0`)
	other.button("Preview")
	other.until("it says that there is one already", `/another preview is under way/.test(document.querySelector(".preview").innerText)`)
	p.button("Stop")
	p.until("it was stopped", `!document.querySelector("progress") && /Stopped/.test(document.querySelector(".preview").innerText)`)
	other.button("Preview")
	other.until("it tells what was found", `/40,000\s+calls judged/.test(document.querySelector(".preview").innerText)`)
	other.isWhole(t, "a preview")
}

// TestAnswersAreTold: an answer of the owner is shown as one, with who gave it, and is no
// decision of hooks.
func TestAnswersAreTold(t *testing.T) {
	w := newWorld(t, asksAbout)
	w.holds("")
	p := w.page("approvals")
	code := w.asks("s1", "touch ./made")
	p.until("the command stands there without a name", `document.querySelector('[data-code=%q] pre')?.innerText.trim() === "touch ./made"`, code)
	p.button("Deny")
	p.until("it is answered", `!document.querySelector('[data-code=%q][data-open]')`, code)
	p.view("now")
	p.until("the answer is among what fell", `[...document.querySelectorAll("[data-seq]")].some(e => /denied\s+claude\s+answer/.test(e.innerText) && e.innerText.includes(%q))`, code)
	p.view("now?action=block")
	p.until("it is not among what hooks have blocked", `!/%s/.test(document.querySelector(".longlist").innerText)`, code)
	p.isWhole(t, "an answer")
}
