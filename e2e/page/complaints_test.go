//go:build linux

package page

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/hookway/hookway/internal/eventually"
)

// watchPolicy has a page write down what its policy forbade.
const watchPolicy = `
addEventListener("securitypolicyviolation", e => console.error("policy: " + e.effectiveDirective + " " + e.blockedURI + " " + e.sample));`

// watchShift has a page count how far what it shows has moved by itself.
const watchShift = `
window.hookwayShift = {total: 0, what: []};
new PerformanceObserver(list => {
	for (const e of list.getEntries()) {
		if (e.hadRecentInput || e.value < 0.0001) continue // less than a letter
		hookwayShift.total += e.value
		for (const s of e.sources) hookwayShift.what.push(e.value.toFixed(4) + " " + (s.node?.outerHTML ?? s.node?.textContent ?? "").slice(0, 200))
	}
}).observe({type: "layout-shift", buffered: true});`

// complaints are what a tab says that it should not: errors and warnings in the
// console, what its policy has refused, requests that failed.
type complaints struct {
	mu       sync.Mutex
	heard    []string
	asked    []string          // the addresses of all requests
	urls     map[string]string // of requests, by their number
	expected []*regexp.Regexp
}

// expects says which complaints belong to what a test does.
func (c *complaints) expects(patterns ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range patterns {
		c.expected = append(c.expected, regexp.MustCompile(p))
	}
}

// hear takes an event of the browser; it must not call it.
func (c *complaints) hear(ev any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.urls == nil {
		c.urls = map[string]string{}
	}
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		if kind := fmt.Sprint(ev.Type); kind == "error" || kind == "warning" || kind == "assert" {
			c.heard = append(c.heard, "console "+kind+": "+argsText(ev.Args))
		}
	case *runtime.EventExceptionThrown:
		c.heard = append(c.heard, "exception: "+exceptionText(ev.ExceptionDetails))
	case *log.EventEntryAdded:
		if level := fmt.Sprint(ev.Entry.Level); level == "error" || level == "warning" {
			c.heard = append(c.heard, fmt.Sprintf("log %s of %v: %s %s", level, ev.Entry.Source, ev.Entry.Text, ev.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		c.asked = append(c.asked, ev.Request.URL)
		c.urls[string(ev.RequestID)] = ev.Request.URL
	case *network.EventLoadingFailed:
		if !ev.Canceled {
			c.heard = append(c.heard, fmt.Sprintf("request failed: %s %v %s", ev.ErrorText, ev.BlockedReason, c.urls[string(ev.RequestID)]))
		}
	case *network.EventResponseReceived:
		if ev.Response.Status >= 400 {
			c.heard = append(c.heard, fmt.Sprintf("answer %d: %s", ev.Response.Status, ev.Response.URL))
		}
	case *network.EventWebSocketCreated:
		c.asked = append(c.asked, ev.URL)
	case *page.EventJavascriptDialogOpening:
		c.heard = append(c.heard, "dialog: "+ev.Message)
	case *inspector.EventTargetCrashed:
		c.heard = append(c.heard, "the tab has crashed")
	}
}

func argsText(args []*runtime.RemoteObject) string {
	var all []string
	for _, a := range args {
		if a.Description != "" {
			all = append(all, a.Description)
		} else {
			all = append(all, string(a.Value))
		}
	}
	return strings.Join(all, " ")
}

func exceptionText(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}

// complained are the complaints so far that were not expected.
func (c *complaints) complained() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range c.heard {
		if !slices.ContainsFunc(c.expected, func(p *regexp.Regexp) bool { return p.MatchString(text) }) {
			all = append(all, text)
		}
	}
	return all
}

// elsewhere are requests to other places than these origins. What a document carries
// with it is not a request.
func (c *complaints) elsewhere(origins ...string) (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, asked := range c.asked {
		u, err := url.Parse(asked)
		if err == nil && (u.Scheme == "data" || u.Scheme == "blob" || u.Scheme == "about") {
			continue
		}
		if err != nil || !slices.Contains(origins, u.Scheme+"://"+u.Host) {
			all = append(all, asked)
		}
	}
	return all
}

func (c *complaints) judge(t testing.TB) {
	t.Helper()
	all := c.complained()
	if len(all) > 20 {
		all = append(all[:20], fmt.Sprintf("and %d more", len(all)-20))
	}
	for _, text := range all {
		t.Errorf("the page complains: %s", text)
	}
}

// heardSoFar are all complaints, expected or not.
func (c *complaints) heardSoFar() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.heard)
}

// awaits waits until something is so that the tab hears of.
func (c *complaints) awaits(t testing.TB, what string, is func() bool) {
	t.Helper()
	eventually.True(t, "the page complains: "+what, is, func() string { return strings.Join(c.heardSoFar(), "\n") })
}

// moved is how far the page has moved by itself since it was shown, and what; "" is not
// at all.
func (p *tab) moved() string {
	p.t.Helper()
	// Two frames later every movement of the last one is told.
	return eval[string](p, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() =>
	done(hookwayShift.total ? hookwayShift.total.toFixed(4) + ": " + hookwayShift.what.slice(0, 5).join("\n") : "")))))`)
}
