//go:build linux || darwin

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/bench"
	"github.com/hookway/hookway/internal/faketui"
	"github.com/hookway/hookway/internal/roster"
)

const (
	agentsAtOnce  = 10               // into which is typed at the same time
	acceptedTexts = 20               // typed into an agent that does nothing
	announceTime  = 10 * time.Second // for a session to be reachable
	typedTime     = 6 * time.Minute  // for one text, with a human in the way: after five it is said to be failed
	betweenTexts  = 600              // ms, at most
)

// agentWindow is an agent in hookway, and how to reach it.
type agentWindow struct {
	*window
	remote *roster.Remote
	record string
}

// agent starts an agent that answers every prompt with some words, word by word,
// and draws all of it anew now and then.
func (s *runStage) agent(ctx context.Context, name string, prompts int) (*agentWindow, error) {
	record := filepath.Join(s.dir, name)
	tui := faketui.TUI{Style: faketui.Ink, Record: record}
	for range prompts {
		tui.Script = append(tui.Script, faketui.Reply{
			Think: 50 * time.Millisecond, Text: "It is done, and here are some words about it that are longer than a line of this terminal can be.",
			Word: time.Millisecond, Redraw: 2,
		})
	}
	text, err := json.Marshal(tui)
	if err != nil {
		return nil, err
	}
	w, err := s.open(ctx, s.plain(), []string{"FAKE_TUI=" + string(text)}, s.wrapped(name, filepath.Join(s.dir, "claude"), "play")...)
	if err != nil {
		return nil, err
	}
	limit, cancel := context.WithTimeout(ctx, announceTime)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		remote, err := roster.Find(limit, s.places.Dir, name)
		if err == nil { // and it reads keys itself: before, the terminal makes a line break of Enter
			return &agentWindow{w, remote, record}, w.until("\x1b[?2004h")
		}
		select {
		case <-tick.C:
		case <-limit.Done():
			w.close()
			return nil, errors.Join(err, limit.Err())
		}
	}
}

// watch reads what is shown, so that nothing waits for it, and tells when a text
// is there that was asked for.
func (w *agentWindow) watch(wanted *atomic.Pointer[string], shown chan<- time.Time) {
	var seen []byte
	buf := make([]byte, 32<<10)
	for {
		n, err := w.Read(buf)
		if err != nil {
			return
		}
		seen = append(seen, buf[:n]...)
		if text := wanted.Load(); text != nil && strings.Contains(string(seen), *text) {
			wanted.Store(nil)
			shown <- time.Now()
		}
		seen = seen[max(0, len(seen)-1000):]
	}
}

// shownAgent is an agent whose screen is read all the time.
type shownAgent struct {
	*agentWindow
	wanted  atomic.Pointer[string]
	shown   chan time.Time
	reading sync.WaitGroup
}

// watched starts such an agent; it must be closed.
func (s *runStage) watched(ctx context.Context, name string, prompts int) (*shownAgent, error) {
	w, err := s.agent(ctx, name, prompts)
	if err != nil {
		return nil, err
	}
	a := &shownAgent{agentWindow: w, shown: make(chan time.Time, 1)}
	a.reading.Go(func() { w.watch(&a.wanted, a.shown) })
	return a, nil
}

func (a *shownAgent) close() {
	a.agentWindow.close()
	a.reading.Wait()
}

// seen waits until a text is shown that was asked for by wanted.
func (a *shownAgent) seen(ctx context.Context) (time.Time, error) {
	select {
	case at := <-a.shown:
		return at, nil
	case <-ctx.Done():
		return time.Time{}, fmt.Errorf("a text was never shown: %w", ctx.Err())
	}
}

// accepted measures how long a text takes into an agent that does nothing.
func (s *runStage) accepted(ctx context.Context) ([]row, error) {
	w, err := s.watched(ctx, "still", acceptedTexts)
	if err != nil {
		return nil, err
	}
	defer w.close()
	var seen, submitted []float64
	for i := range acceptedTexts + 1 {
		if err := w.rest(ctx, i); err != nil {
			return nil, err
		}
		text := fmt.Sprintf("text-%d-for-it", i)
		w.wanted.Store(&text)
		began := time.Now()
		limit, cancel := context.WithTimeout(ctx, typedTime)
		state, reason, err := w.remote.Inject(limit, text, true)
		cancel()
		if err != nil || state == "failed" {
			return nil, fmt.Errorf("a text was not typed: %s %s: %w", state, reason, err)
		}
		took := time.Since(began)
		at, err := w.seen(ctx)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first one waits for the agent to be ready
			seen = append(seen, bench.Milliseconds(at.Sub(began)))
			submitted = append(submitted, bench.Milliseconds(took))
		}
	}
	return []row{
		atMostOf("a text injected until a still agent shows it, median", "ms", bench.Median(seen), 110),
		forComparison("until it is known to be submitted, median", "ms", bench.Median(submitted)),
	}, nil
}

// rest waits until the agent has answered so many prompts and is still: a second
// without output.
func (w *agentWindow) rest(ctx context.Context, prompts int) error {
	limit, cancel := context.WithTimeout(ctx, typedTime)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-limit.Done():
			return limit.Err()
		}
		if got, err := faketui.Submitted(w.record); err != nil || len(got) >= prompts {
			return err
		}
	}
}

// injections types texts while a human types, and counts what became of both.
func (s *runStage) injections(ctx context.Context, plan runPlan) ([]row, error) {
	rows, err := s.accepted(ctx)
	if err != nil {
		return nil, err
	}
	agents := min(agentsAtOnce, plan.injections)
	counts := make([]typedCount, agents)
	errs := make([]error, agents)
	var working sync.WaitGroup
	for i := range agents {
		n := plan.injections / agents
		if i < plan.injections%agents {
			n++
		}
		working.Go(func() { counts[i], errs[i] = s.mingle(ctx, fmt.Sprintf("agent%d", i), n) })
	}
	working.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var all typedCount
	for _, c := range counts {
		all.add(c)
	}
	of := fmt.Sprintf("%d texts between a human's %d lines: ", all.texts, all.lines)
	return append(rows,
		atMostOf(of+"lost", "", float64(all.lost), 0),
		atMostOf("doubled", "", float64(all.doubled), 0),
		atMostOf("mixed with the human's keys", "", float64(all.mixed), 0),
		atMostOf("the human's lines lost, doubled or changed", "", float64(all.harmed), 0),
		atMostOf("said to be failed", "", float64(all.failed), 0),
	), nil
}

// typedCount is what became of texts and of a human's lines.
type typedCount struct{ texts, lines, lost, doubled, mixed, harmed, failed int }

func (c *typedCount) add(d typedCount) {
	c.texts += d.texts
	c.lines += d.lines
	c.lost += d.lost
	c.doubled += d.doubled
	c.mixed += d.mixed
	c.harmed += d.harmed
	c.failed += d.failed
}

// mingle injects texts into one agent, one after the other, while a human types.
func (s *runStage) mingle(ctx context.Context, name string, texts int) (count typedCount, err error) {
	w, err := s.agent(ctx, name, 4*texts)
	if err != nil {
		return count, err
	}
	var wanted atomic.Pointer[string]
	var reading, typing sync.WaitGroup
	reading.Go(func() { w.watch(&wanted, nil) })
	defer reading.Wait()
	defer w.close()
	done := make(chan struct{})
	var lines []string
	typing.Go(func() { lines = w.human(name, done) })
	var sent []string
	failed := map[string]bool{}
	for i := range texts {
		text := fmt.Sprintf("injected %s %d %s", name, i, strings.Repeat("word ", rand.IntN(20)))
		text = strings.TrimSpace(text)
		limit, cancel := context.WithTimeout(ctx, typedTime)
		state, _, ierr := w.remote.Inject(limit, text, true)
		cancel()
		if ierr != nil {
			err = ierr
			break
		}
		sent = append(sent, text)
		time.Sleep(time.Duration(rand.IntN(betweenTexts)) * time.Millisecond) // so that the human has begun the next line, or not
		failed[text] = state == "failed"
	}
	close(done)
	typing.Wait()
	if err != nil {
		return count, err
	}
	if err := w.rest(ctx, len(sent)+len(lines)); err != nil && ctx.Err() != nil {
		return count, err
	}
	got, err := faketui.Submitted(w.record)
	return tally(got, sent, failed, lines), err
}

// tally compares what the agent was told with what it should have been told.
func tally(got []faketui.Submission, sent []string, failed map[string]bool, lines []string) typedCount {
	c := typedCount{texts: len(sent), lines: len(lines)}
	times := map[string]int{}
	for _, entry := range got {
		prompt := strings.TrimSpace(entry.Prompt)
		times[prompt]++
		if !slices.Contains(sent, prompt) && !slices.Contains(lines, prompt) {
			c.mixed++
		}
	}
	for _, text := range sent {
		switch n := times[text]; {
		case n > 1:
			c.doubled++
		case failed[text]:
			c.failed++
		case n == 0:
			c.lost++
		}
	}
	for _, line := range lines {
		if times[line] != 1 {
			c.harmed++
		}
	}
	return c
}

// human types lines, with mistakes and pauses, until done, and gives them.
func (w *agentWindow) human(name string, done <-chan struct{}) (lines []string) {
	pause := func(most int) bool {
		select {
		case <-done:
			return false
		case <-time.After(time.Duration(1+rand.IntN(most)) * time.Millisecond):
			return true
		}
	}
	for pause(2000) {
		line := fmt.Sprintf("typed %s %d %s", name, len(lines), strings.Repeat("y", 1+rand.IntN(15)))
		for _, c := range line { // a line that was begun is finished, also after done
			keys := string(c)
			if rand.IntN(12) == 0 {
				keys = "q\x7f" + keys
			}
			if _, err := w.Write([]byte(keys)); err != nil {
				return lines
			}
			pause(40)
		}
		if _, err := w.Write([]byte("\r")); err != nil {
			return lines
		}
		lines = append(lines, line)
	}
	return lines
}
