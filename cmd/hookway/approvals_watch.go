package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/owner"
	"github.com/hookway/hookway/internal/pin"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

func watchCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Show what is asked as it comes, and answer by single keys",
		Long: `Show what is asked as it comes, with a bell, and answer by single keys: a allows the
call that is shown, d refuses it, s shows more of it, n takes a note for the agent, Tab
goes to the next one, q ends. A session that asks about more than 5 calls is one
question about all of them.

Keys count in a terminal that no agent has a hand in. Elsewhere what comes is printed,
a line each, or with --json a document each.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return watchApprovals(cmd.Context(), a) },
	}
}

// watchApprovals watches until the context ends or the person does.
func watchApprovals(ctx context.Context, a *app) error {
	dir, err := a.home.ApprovalsDir()
	if err != nil {
		return err
	}
	store, err := approve.Open(ctx, dir, approve.Options{}) // also if nothing was asked yet
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changes, err := store.Changes(ctx)
	if err != nil {
		return err
	}
	w := &watcher{app: a, store: store, states: map[string]approve.State{}}
	out, isFile := a.out.(*os.File)
	if a.json || !isFile {
		return w.print(ctx, changes)
	}
	terminal, err := a.owner.Open(a.in, out)
	if err != nil {
		a.warn("no answers are taken here: %v", err)
		return w.print(ctx, changes)
	}
	defer terminal.Close()
	w.terminal = terminal
	if w.keys, err = terminal.Keys(); err != nil {
		return err
	}
	over := make(chan error, 1)
	go func() { over <- store.Present(ctx, "hookway approvals watch, in "+terminal.Name) }()
	err = errors.Join(w.serve(ctx, changes), w.keys.Close())
	stop()
	return errors.Join(err, <-over)
}

// readTime is how long a call stands there before a key can answer it: a key that was on
// its way was meant for what stood there before.
const readTime = 400 * time.Millisecond

// watcher shows what is asked, and takes keys.
type watcher struct {
	app      *app
	store    *approve.Store
	terminal *owner.Terminal
	keys     *owner.Keys

	states map[string]approve.State // as they were shown last
	open   []approve.Request        // oldest first
	shown  []approve.Request        // what a key answers; more than one are of one session
	later  []string                 // codes that the person has put off
	note   string
	ready  <-chan time.Time // when keys count
	asked  time.Time        // since when they do; zero: not yet
	idle   bool             // it stands there that nothing is asked
}

// print prints changes, a line each, for where nobody can be asked.
func (w *watcher) print(ctx context.Context, changes <-chan struct{}) error {
	for {
		news, err := w.look(ctx)
		if err != nil {
			return stopped(ctx, err)
		}
		for i := range news {
			if err := w.printOne(&news[i]); err != nil {
				return err
			}
		}
		if !w.wait(ctx, changes, nil) {
			return nil
		}
	}
}

func (w *watcher) printOne(r *approve.Request) error {
	if w.app.json {
		return w.app.print(r)
	}
	_, err := fmt.Fprintln(visible.Writer{To: w.app.out}, newsLine(r))
	return err
}

// stopped leaves out what only says that the context has ended.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// newsLine says what is new of a request.
func newsLine(r *approve.Request) string {
	if r.State == approve.Waiting {
		return fmt.Sprintf("%s  %s  %s", r.Code, field(r.Agent, 20), callLine(r, 100))
	}
	return outcome(r)
}

// look reads the requests, and gives those that are new or in another state, oldest first.
func (w *watcher) look(ctx context.Context) (news []approve.Request, err error) {
	all, err := w.store.List(ctx)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	w.open = nil
	seen := map[string]approve.State{}
	for _, r := range all {
		seen[r.Code] = r.State
		if r.State == approve.Waiting {
			w.open = append(w.open, r)
		}
		before, known := w.states[r.Code]
		if r.State != before && (known || r.State == approve.Waiting) {
			news = append(news, r)
		}
	}
	w.states = seen
	return news, nil
}

// wait waits for a change, for the time that one needs that nobody makes, or for a key.
func (w *watcher) wait(ctx context.Context, changes <-chan struct{}, key func([]byte) bool) bool {
	var pieces <-chan []byte
	if key != nil {
		pieces = w.keys.Pieces()
	}
	var expires <-chan time.Time
	if len(w.open) > 0 {
		expires = time.After(firstExpires(w.open, time.Now()))
	}
	select {
	case <-ctx.Done():
		return false
	case _, ok := <-changes:
		return ok
	case <-expires:
	case <-w.ready:
		w.ready = nil
		return w.prompt(ctx) == nil
	case piece, ok := <-pieces:
		return ok && key(piece)
	}
	return true
}

// firstExpires is when to look again, because the time of one of the requests is over then.
func firstExpires(open []approve.Request, now time.Time) time.Duration {
	left := time.Minute
	for i := range open {
		left = min(left, max(open[i].Until.Sub(now), 0)+10*time.Millisecond)
	}
	return left
}

// serve shows what is asked and takes keys.
func (w *watcher) serve(ctx context.Context, changes <-chan struct{}) error {
	var failed error
	for {
		news, err := w.look(ctx)
		if err == nil {
			err = w.tell(ctx, news)
		}
		if err != nil {
			return stopped(ctx, err)
		}
		if !w.wait(ctx, changes, func(piece []byte) (on bool) {
			on, failed = w.press(ctx, piece)
			return on
		}) {
			return failed
		}
	}
}

func (w *watcher) say(format string, args ...any) error {
	_, err := fmt.Fprintf(w.keys, format, args...)
	return err
}

// tell tells what is new, and shows the next call if none is shown.
func (w *watcher) tell(ctx context.Context, news []approve.Request) error {
	fresh := 0
	for i := range news {
		if news[i].State == approve.Waiting {
			fresh++
			continue
		}
		w.idle = false
		if err := w.say("\r\x1b[K%s\n", visible.Line(outcome(&news[i]))); err != nil {
			return err
		}
	}
	if fresh > 0 {
		if err := w.say("\a"); err != nil {
			return err
		}
	}
	over := slices.ContainsFunc(w.shown, func(r approve.Request) bool { return !w.isOpen(r.Code) })
	switch {
	case over, len(w.shown) == 0 && (len(w.open) > 0 || !w.idle):
		return w.next()
	case fresh > 0 && !w.asked.IsZero():
		return w.prompt(ctx)
	}
	return nil
}

func (w *watcher) isOpen(code string) bool {
	return slices.ContainsFunc(w.open, func(r approve.Request) bool { return r.Code == code })
}

// next shows the oldest call that is open and was not put off.
func (w *watcher) next() error {
	w.later = slices.DeleteFunc(w.later, func(code string) bool { return !w.isOpen(code) })
	if len(w.later) == len(w.open) {
		w.later = nil
	}
	w.shown, w.asked, w.ready, w.note = nil, time.Time{}, nil, ""
	for _, r := range w.open {
		if !slices.Contains(w.later, r.Code) {
			w.shown = w.together(r)
			break
		}
	}
	if w.idle = len(w.shown) == 0; w.idle {
		return w.say("\r\x1b[KNothing is asked; waiting (q ends) ")
	}
	w.ready = time.After(readTime)
	return w.card()
}

// together are the calls that are one question: those of a session that asks about many.
func (w *watcher) together(first approve.Request) []approve.Request {
	var same []approve.Request
	for _, r := range w.open {
		if r.Session == first.Session && r.Session != "" {
			same = append(same, r)
		}
	}
	if len(same) > server.MostApart {
		return same
	}
	return []approve.Request{first}
}

// card shows what is asked about, in short.
func (w *watcher) card() error {
	r := &w.shown[0]
	if len(w.shown) > 1 {
		if err := w.say("\r\x1b[K%s of %s (session %s) wait:\n", visible.Count(len(w.shown), "call"), field(r.Agent, 20), field(r.Session, 40)); err != nil {
			return err
		}
		for i := range w.shown {
			if err := w.say("  %s  %s\n", w.shown[i].Code, callLine(&w.shown[i], 100)); err != nil {
				return err
			}
		}
		return nil
	}
	return w.say("\r\x1b[K%s  %s  %s\n       %s (%s left)\n", r.Code, field(r.Agent, 20), callLine(r, 200), field(r.Reason, 300), time.Until(r.Until).Round(time.Second))
}

// prompt says what keys do, from now on.
func (w *watcher) prompt(ctx context.Context) error {
	if len(w.shown) == 0 {
		return nil
	}
	if w.asked.IsZero() {
		asked, err := w.terminal.Asks(ctx)
		if err == nil {
			err = w.keys.Discard()
		}
		if err != nil {
			return err
		}
		w.asked = asked
	}
	what := w.shown[0].Code
	if len(w.shown) > 1 {
		what = "all " + visible.Number(len(w.shown))
	}
	more := ""
	if n := len(w.open) - len(w.shown); n > 0 {
		more = fmt.Sprintf(", %d more", n)
	}
	return w.say("\r\x1b[K%s%s: a allow  d deny  s show  n note  Tab next  q quit ", what, more)
}

// press takes a key; on is false at the end.
func (w *watcher) press(ctx context.Context, piece []byte) (on bool, err error) {
	key, ok := w.keys.Key(piece)
	switch {
	case !ok:
		return true, nil
	case key == 'q' || key == 3 || key == 4: // ^C, ^D
		return false, w.say("\r\x1b[K")
	case w.asked.IsZero() || len(w.shown) == 0:
		return true, nil
	}
	switch key {
	case 'a', 'd':
		err = w.answer(ctx, key == 'a')
	case 's':
		err = w.show(ctx)
	case 'n':
		err = w.takeNote(ctx)
	case '\t':
		for _, r := range w.shown {
			w.later = append(w.later, r.Code)
		}
		err = w.next()
	}
	return err == nil, err
}

func (w *watcher) show(ctx context.Context) error {
	if err := w.say("\r\x1b[K"); err != nil {
		return err
	}
	for i := range w.shown {
		showRequest(w.keys, &w.shown[i])
	}
	return w.prompt(ctx)
}

func (w *watcher) takeNote(ctx context.Context) error {
	note, err := w.keys.Line(ctx, "\r\x1b[KNote for the agent: ", false)
	if err != nil && !errors.Is(err, owner.ErrInterrupted) {
		return err
	}
	if err == nil {
		w.note = note
	}
	w.asked = time.Time{} // what was typed answers nothing
	return w.prompt(ctx)
}

// answer answers what is shown. What keeps it from that is told, and the watching goes on.
func (w *watcher) answer(ctx context.Context, yes bool) error {
	all, err := w.settle(ctx, yes)
	if err != nil {
		if not := w.say("\r\x1b[K%s\n", visible.Line(err.Error())); not != nil {
			return not
		}
		w.app.home.Answered(ctx, approvalRecord(w.app, w.command(yes), answeredNow(&w.shown[0]), err))
	}
	for i := range all {
		r := &all[i]
		w.states[r.Code] = r.State
		w.app.home.Answered(ctx, approvalRecord(w.app, w.command(yes), answeredNow(r), nil))
		if err := w.say("\r\x1b[K%s: %s\n", r.Code, saidNow(r)); err != nil {
			return err
		}
	}
	if _, err := w.look(ctx); err != nil {
		return stopped(ctx, err)
	}
	return w.next()
}

func (w *watcher) command(yes bool) string {
	if yes {
		return "hookway approvals watch: allow " + w.shown[0].Code
	}
	return "hookway approvals watch: deny " + w.shown[0].Code
}

// settle checks that the key is the owner's, and their PIN, and answers.
func (w *watcher) settle(ctx context.Context, yes bool) ([]approve.Request, error) {
	if err := w.terminal.Typed(w.asked); err != nil {
		return nil, err
	}
	for i := range w.shown {
		if err := w.app.mayAnswer(&w.shown[i], yes); err != nil {
			return nil, fmt.Errorf("%s was not allowed: %w", w.shown[i].Code, err)
		}
	}
	if required, err := w.app.home.RequiresPIN(ctx); err != nil || required && yes {
		if err != nil {
			return nil, err
		}
		if err := w.pin(ctx); err != nil {
			return nil, err
		}
	}
	by, from := personAt(w.app, w.terminal.Name)
	return w.store.AnswerAll(ctx, w.shown, approve.Answer{Yes: yes, Scope: approve.ScopeOnce, Note: w.note, By: by, From: from})
}

func (w *watcher) pin(ctx context.Context) error {
	return w.app.home.WithPIN(ctx, func(store *pin.Store) error {
		asked, err := w.terminal.Asks(ctx)
		if err != nil {
			return err
		}
		text, err := w.keys.Line(ctx, "\r\x1b[KPIN: ", true)
		if err == nil {
			err = w.app.home.CheckPIN(ctx, store, text)
		}
		if err == nil {
			err = w.terminal.Typed(asked)
		}
		return err
	})
}
