//go:build linux

package page

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"
)

var (
	long    = flag.Duration("page.long", 5*time.Second, "how long decisions fall at a rate")
	rate    = flag.Int("page.rate", 200, "how many decisions fall in a second")
	records = flag.Int("page.records", 1_000_000, "how many records the page is measured with")
)

// TestManyRecords: of 100,000 the page finds any, and has few of them in it.
func TestManyRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 100,000 records")
	}
	w := newWorld(t, "")
	w.fill(100_000)
	p := w.page("decisions")
	p.until("it tells how many there are", `/100[.,\s]?\d{3}/.test(document.querySelector("main").innerText)`)
	if nodes := eval[int](p, `document.querySelectorAll("*").length`); nodes > 5000 {
		t.Errorf("the page has %d elements for 100,000 records, want a few thousand at most", nodes)
	}
	p.types("main input[type=search]", "psql")
	p.until("the search has found some", `location.hash.includes("q=psql") && document.querySelector("[data-seq]") && [...document.querySelectorAll("[data-seq]")].every(e => e.innerText.includes("psql"))`)
	p.view("decisions/1")
	p.until("the oldest is shown", `document.querySelector("main").innerText.includes("Make the cart survive a reload")`)
	p.view("decisions")
	// As far down as a person would scroll: more comes when the end is near.
	p.do(`for (let i = 0; i < 30; i++) { const l = document.querySelector(".longlist"); l.scrollTop = l.scrollHeight; await new Promise(done => setTimeout(done, 30)) }`)
	p.until("what comes later is there", `Number([...document.querySelectorAll("[data-index]")].at(-1).dataset.index) > 500`)
	p.isWhole(t, "100,000 records")
	proves(t, "100,000 records: found, paged, the oldest opened")
}

// load has events judged at a rate until the context ends, and tells how many were.
func (w *world) load(ctx context.Context, each time.Duration) *atomic.Int64 {
	var done atomic.Int64
	var wait sync.WaitGroup
	work := make(chan int, 64)
	for range 16 {
		wait.Go(func() {
			for n := range work {
				c := commands[n%len(commands)]
				status, answer, err := w.tryAsk(ctx, http.MethodPost, "/v1/events", object{
					"event": "PreToolUse", "cwd": w.project, "agent": "claude", "session_id": fmt.Sprint("load-", n%20),
					"payload": object{"tool_name": "Bash", "tool_use_id": fmt.Sprint("load-", n), "tool_input": object{"command": c.what + " #" + fmt.Sprint(n)}},
				})
				if err == nil && status == http.StatusOK {
					done.Add(1)
				} else if ctx.Err() == nil {
					w.t.Errorf("a decision: %d %s %v", status, answer, err)
				}
			}
		})
	}
	go func() {
		tick := time.NewTicker(each)
		defer tick.Stop()
		defer close(work)
		for n := 0; ; n++ {
			select {
			case <-tick.C:
				work <- n
			case <-ctx.Done():
				return
			}
		}
	}()
	w.t.Cleanup(wait.Wait)
	return &done
}

// watchFrames has a page look at each of its frames: whether a list that was there is
// empty, and whether rows that stay are drawn anew.
const watchFrames = `
window.hookwayFrames = {all: 0, empty: 0, slow: 0, longest: 0, redrawn: 0, known: new Map()}
let last = performance.now()
const look = now => {
	const f = hookwayFrames, took = now - last
	last = now
	f.all++
	if (took > 100) f.slow++
	f.longest = Math.max(f.longest, took)
	const rows = document.querySelectorAll("[data-seq]")
	if (rows.length === 0) f.empty++
	const known = new Map()
	for (const row of rows) {
		const before = f.known.get(row.dataset.seq)
		if (before && before !== row) f.redrawn++
		known.set(row.dataset.seq, row)
	}
	f.known = known
	hookwayFrames.next = requestAnimationFrame(look)
}
requestAnimationFrame(look)`

// TestDecisionsFallFast: hundreds a second, and what is shown neither flickers nor grows.
func TestDecisionsFallFast(t *testing.T) {
	w := newWorld(t, guarded)
	w.serve()
	p := w.page("now")
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	done := w.load(ctx, time.Second/time.Duration(*rate))
	p.until("decisions fall", `document.querySelectorAll("[data-seq]").length > 10`)
	p.until("as many as it keeps have fallen", `Number(document.querySelector("[aria-setsize]")?.ariaSetSize) >= 200`)
	p.do("hookwayShift.total = 0; hookwayShift.what = []; " + watchFrames)
	began, before := time.Now(), done.Load()
	first := p.memory()
	tick := time.NewTicker(*long / 10)
	defer tick.Stop()
	var last measured
	for range 10 {
		<-tick.C
		last = p.memory()
	}
	fallen, took := done.Load()-before, time.Since(began)
	stop()
	f := eval[struct {
		All, Empty, Slow, Redrawn int
		Longest                   float64
	}](p, `(cancelAnimationFrame(hookwayFrames.next), {All: hookwayFrames.all, Empty: hookwayFrames.empty, Slow: hookwayFrames.slow, Redrawn: hookwayFrames.redrawn, Longest: hookwayFrames.longest})`)
	if f.Empty > 0 || f.Redrawn > 0 {
		t.Errorf("of %d frames %d showed no row, and %d rows that stayed were drawn anew", f.All, f.Empty, f.Redrawn)
	}
	if moved := p.moved(); moved != "" {
		t.Errorf("the page moves by itself: %s", moved)
	}
	// What it keeps is bounded, so a few times of what it had is a leak.
	if last.elements > 2*first.elements+500 || last.heap > 3*first.heap+32<<20 {
		t.Errorf("it has grown from %+v to %+v in %v", first, last, took)
	}
	t.Logf("proof: %d decisions in %v (%.0f/s): %d frames, the longest %.0f ms, %d over 100 ms; %d to %d elements, %.1f to %.1f MB",
		fallen, took.Round(time.Second), float64(fallen)/took.Seconds(), f.All, f.Longest, f.Slow, first.elements, last.elements, float64(first.heap)/1e6, float64(last.heap)/1e6)
}

// measured is what a page takes.
type measured struct{ elements, heap int }

// memory tells what a page takes after its garbage is collected.
func (p *tab) memory() measured {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, heapprofiler.CollectGarbage, cdp.Empty{})
	check(p.t, err)
	return measured{eval[int](p, `document.querySelectorAll("*").length`), eval[int](p, "performance.memory.usedJSHeapSize")}
}

// BenchmarkPage measures what a person waits for, with a million records: the first paint
// of a page that is opened again, and the next paint after a key.
func BenchmarkPage(b *testing.B) {
	w := newWorld(b, "")
	w.fill(*records)
	p := w.page("decisions")
	p.until("the index has them all", `Number(/([\d.,\s]+) decisions/.exec(document.querySelector("main").innerText)?.[1].replace(/\D/g, "")) >= %d`, *records)
	b.Run("first paint", func(b *testing.B) {
		var paint, rows float64
		for range b.N {
			run(p, chromedp.Reload())
			p.until("rows are there", `document.querySelector("[data-seq]") && performance.getEntriesByName("first-contentful-paint").length`)
			paint += eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
			rows += eval[float64](p, `performance.now()`)
		}
		b.ReportMetric(paint/float64(b.N), "ms-to-paint")
		b.ReportMetric(rows/float64(b.N), "ms-to-rows")
	})
	b.Run("interaction", func(b *testing.B) {
		p.do(`window.hookwayINP = []; new PerformanceObserver(l => { for (const e of l.getEntries()) hookwayINP.push(e.duration) }).observe({type: "event", durationThreshold: 16, buffered: false})`)
		for range b.N {
			p.press("/")
			run(p, chromedp.KeyEvent("p"))
			p.press("\b", "\x1b")
			p.do(`document.querySelector(".longlist").focus()`)
			p.press("j", "j", "k")
		}
		b.ReportMetric(eval[float64](p, `Math.max(16, ...hookwayINP)`), "ms-worst")
	})
	b.Run("search", func(b *testing.B) {
		var took float64
		for n := range b.N {
			began := time.Now()
			p.do("location.hash = %q", fmt.Sprintf("#/decisions?q=psql&action=%s", []string{"block", "ask"}[n%2]))
			p.until("it is done", `document.documentElement.dataset.state === "ready"`)
			took += float64(time.Since(began).Milliseconds())
		}
		b.ReportMetric(took/float64(b.N), "ms-to-found")
	})
}

// BenchmarkDecisionsWithPagesOpen measures decisions while five pages look on.
func BenchmarkDecisionsWithPagesOpen(b *testing.B) {
	w := newWorld(b, guarded)
	w.serve()
	var pages []*tab
	for range 5 {
		pages = append(pages, w.page("now"))
	}
	work := make(chan int)
	var wait sync.WaitGroup
	for range 64 {
		wait.Go(func() {
			for n := range work {
				status, answer, err := w.tryAsk(context.Background(), http.MethodPost, "/v1/events", object{"event": "PreToolUse", "cwd": w.project, "agent": "claude", "session_id": "s",
					"payload": object{"tool_name": "Read", "tool_use_id": fmt.Sprint(n), "tool_input": object{"file_path": "a.go"}}})
				if err != nil || status != http.StatusOK {
					b.Errorf("got %d %s %v, want err == nil and status == http.StatusOK", status, answer, err)
				}
			}
		})
	}
	b.ResetTimer()
	for n := range b.N {
		work <- n
	}
	close(work)
	wait.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	for _, p := range pages {
		p.until("the page is alive", `document.querySelector("[data-seq]")`)
		if text := p.text("main"); strings.Contains(text, "undefined") {
			b.Error("the page shows undefined")
		}
	}
}
