//go:build linux

package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a page may take for what should take milliseconds.
const patience = time.Minute

// size of a window, unless a test wants another.
const width, height = 1280, 800

// chromium is the browser of all tests of a run: a tab of it has cookies and storage
// of its own. Nil: none is named.
var chromium context.Context

// startChromium starts the browser that is named. What it returns ends it with
// everything that it has started.
func startChromium() (end func(), err error) {
	program := os.Getenv("HOOKWAY_E2E_CHROMIUM")
	if program == "" {
		return func() {}, nil
	}
	home, err := os.MkdirTemp("", "hw-chromium-")
	if err != nil {
		return nil, err
	}
	group := 0
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(program), chromedp.UserDataDir(home), chromedp.WindowSize(width, height),
		chromedp.NoInheritEnv, chromedp.Env("PATH=/usr/local/bin:/usr/bin:/bin", "HOME="+home, "TMPDIR="+os.TempDir(), "LANG=C.UTF-8", "TZ=UTC"),
		// Nothing leaves the machine, and loopback has as many names as a test wants.
		chromedp.Flag("host-resolver-rules", "MAP * 127.0.0.1"), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("disable-crash-reporter", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("js-flags", "--expose-gc"),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		}))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // there is none for root
	}
	allocator, free := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocator)
	end = func() {
		closeBrowser()
		free()
		if group != 0 {
			_ = syscall.Kill(-group, syscall.SIGKILL) // whoever is left
		}
		_ = os.RemoveAll(home)
	}
	late := time.AfterFunc(patience, free)
	defer late.Stop()
	if err := chromedp.Do(ctx); err != nil {
		end()
		return nil, fmt.Errorf("%s does not start: %w", program, err)
	}
	group, chromium = chromedp.FromContext(ctx).Browser.Process().Pid, ctx
	return end, nil
}

// tab is a page in the browser. When its test ends, whatever it has complained about
// and was not expected fails the test.
type tab struct {
	*complaints
	t       testing.TB
	ctx     context.Context
	project string // that its owner looks at
	close   func()
}

// newTab opens an empty tab of a person with no cookies.
func newTab(t testing.TB, options ...chromedp.ContextOption) *tab {
	t.Helper()
	if chromium == nil {
		t.Skip("SKIPPED: the page is not opened in a browser, because HOOKWAY_E2E_CHROMIUM names none; sh tools/page.sh installs one")
	}
	return openTab(t, chromium, append(options, chromedp.WithNewBrowserContext())...)
}

// another opens a tab of the same person: it has the cookies of this one.
func (p *tab) another(t testing.TB) *tab {
	t.Helper()
	return openTab(t, p.ctx)
}

func openTab(t testing.TB, parent context.Context, options ...chromedp.ContextOption) *tab {
	t.Helper()
	p := &tab{complaints: &complaints{}, t: t}
	var cancel context.CancelFunc
	p.ctx, cancel = chromedp.NewContext(parent, append(options, chromedp.WithListener(p.hear))...)
	p.close = cancel
	t.Cleanup(func() {
		if t.Failed() && p.ctx.Err() == nil {
			p.show(t)
		}
		p.judge(t)
		cancel()
	})
	run(p, chromedp.Evaluate[chromedp.Void]("0"))
	run(p, chromedp.EmulateViewport(width, height))
	p.everywhere(watchPolicy + watchShift)
	return p
}

// run runs an action in a tab, which must succeed in time.
func run[T any](p *tab, action chromedp.Action[T]) T {
	p.t.Helper()
	got, err := try(p, action)
	if err != nil {
		p.t.Fatalf("in the browser: %v", err)
	}
	return got
}

func try[T any](p *tab, action chromedp.Action[T]) (T, error) {
	// The first run of a tab binds it to its context, so that is the tab's own.
	ctx := p.ctx
	if chromedp.FromContext(ctx).Target != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(p.ctx, patience)
		defer cancel()
	}
	return chromedp.Run(ctx, action)
}

// eval gives what an expression is in the page; a promise is waited for.
func eval[T any](p *tab, format string, args ...any) T {
	p.t.Helper()
	return run(p, chromedp.Evaluate[T](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
}

// do runs statements in the page, and waits for what they await.
func (p *tab) do(format string, args ...any) {
	p.t.Helper()
	eval[chromedp.Void](p, "(async () => {%s})().then(() => 0)", fmt.Sprintf(format, args...))
}

// until waits until an expression holds in the page, whatever it shows meanwhile.
func (p *tab) until(what, format string, args ...any) {
	p.t.Helper()
	expression := fmt.Sprintf(format, args...)
	// It looks by itself, so that nothing is missed between two questions; a page that
	// is left while it looks is asked again.
	look := fmt.Sprintf(`new Promise(done => {
	const end = performance.now() + 1000
	const look = () => {
		let holds = false
		try { holds = !!(%s) } catch {}
		holds || performance.now() > end ? done(holds) : setTimeout(look, 10)
	}
	look()
})`, expression)
	end := time.Now().Add(patience)
	for {
		holds, err := try(p, chromedp.Evaluate[bool](look, chromedp.EvalAwaitPromise))
		if holds {
			return
		}
		if time.Now().After(end) || errors.Is(err, context.Canceled) {
			p.t.Fatalf("after %v it does not hold that %s: %s: %v", patience, what, expression, err)
		}
	}
}

// goes navigates to an address.
func (p *tab) goes(to string) {
	p.t.Helper()
	run(p, chromedp.Navigate(to))
}

// everywhere runs a script at the beginning of each document of the tab.
func (p *tab) everywhere(script string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	check(p.t, err)
}

// press presses keys, one after the other, as they are named in package kb.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		for _, r := range key {
			for _, k := range kb.Encode(r) {
				// The protocol tells of a character apart from its key, so that a page cannot
				// keep back the one with the other, as it can with a keyboard.
				if k.Type == kb.KeyChar && r != '\r' && r != ' ' {
					continue
				}
				_, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, *k)
				check(p.t, err)
			}
		}
	}
}

// click waits for an element that can be seen, and clicks it with the mouse.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.until("there is "+selector, `document.querySelector(%q)?.checkVisibility()`, selector)
	run(p, chromedp.Click(chromedp.CSS(selector)))
}

// types puts text into a field as a user does, in place of what is there.
func (p *tab) types(selector, text string) {
	p.t.Helper()
	p.click(selector)
	p.do("document.querySelector(%q).select()", selector)
	run(p, chromedp.KeyEvent(text))
}

// text is what an element shows.
func (p *tab) text(selector string) string {
	p.t.Helper()
	return eval[string](p, "document.querySelector(%q)?.innerText ?? ''", selector)
}

// looks sets what the user wants of a page: its width, and dark or light.
func (p *tab) looks(wide, high int64, scheme string) {
	p.t.Helper()
	run(p, chromedp.EmulateViewport(wide, high))
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: cmp.Or(scheme, "light")}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	check(p.t, err)
}

// show tells what a tab of a test that has failed shows.
func (p *tab) show(t testing.TB) {
	text, err := try(p, chromedp.Evaluate[string](`location.href + "\n" + (document.body?.innerText ?? "")`))
	if len(text) > 4000 {
		text = text[:4000] + "…"
	}
	t.Logf("at the end the page shows (%v):\n%s", err, strings.TrimSpace(text))
}

// closesDialogs closes what would stop the page until somebody answers.
func (p *tab) closesDialogs() {
	p.t.Helper()
	check(p.t, chromedp.Listen(p.ctx, func(ev any) {
		if _, ok := ev.(*page.EventJavascriptDialogOpening); ok {
			go func() { // the listener itself must not wait
				_, _ = chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
			}()
		}
	}))
}
