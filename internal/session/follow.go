package session

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/directive"
	"github.com/hookway/hookway/internal/transcript"
)

const (
	// followEvery is how often the record is looked at while the program shows
	// something or the record grows, and for followAfter after that; followIdle how
	// often else. For searchAfter after the last output is looked for new records.
	followEvery = 20 * time.Millisecond
	followAfter = 30 * time.Second
	followIdle  = 250 * time.Millisecond
	searchAfter = 5 * time.Second

	// recordWait is how long a directive on the screen waits for the record that
	// has it. Once that was in vain, others wait for recordAgain.
	recordWait  = 15 * time.Second
	recordAgain = time.Second

	sightingsBound = 1024 // how many directives on the screen may wait
	textsKept      = 1 << 14
)

// follow takes directives from the agent's own record of the session, each once for
// each text in which the agent has written it. The screen shows the same, but not as
// it was written: without fences, wrapped, drawn again. So while a record is known,
// the screen says nothing; while several may be the session's, it says which of
// their directives are; and when there is none, it is all there is.
type follow struct {
	*session
	records *transcript.Follower
	grown   time.Time // when there was news on record
	known   bool      // there is a record
	without bool      // a directive has waited for one in vain
	refused bool      // the user was warned of one that cannot be read
	held    map[transcript.Source][]*wrote
	texts   map[textID][]*wrote
	shows   []sighting // on the screen, and not in a record yet
	fired   []sighting // because of the screen alone; at is when

	mu    sync.Mutex
	news  []sighting // from the listener
	ended bool
	woken chan struct{} // holds one token while there is news
}

// textID names one text of the agent.
type textID struct {
	source  transcript.Source
	message string
	block   int
}

// wrote is a directive that the agent has written.
type wrote struct {
	directive.Directive
	done bool // it was fired, or is not to be
}

// sighting is a directive on the screen.
type sighting struct {
	directive.Directive
	painted bool
	at      time.Time
}

// newFollow is nil for a program of which no record is known.
func newFollow(s *session) *follow {
	agent := s.typist.profile.name
	if !slices.Contains(transcript.Agents(), agent) {
		return nil
	}
	records, err := transcript.Follow(agent, transcript.Where{
		Getenv: s.getenv, Dir: s.env.CWD, Began: s.began, PID: s.program.PID(),
	})
	if err != nil {
		s.warnings.addf("the agent's own record is not read: %v", err)
		return nil
	}
	return &follow{
		session: s, records: records, woken: make(chan struct{}, 1),
		held: map[transcript.Source][]*wrote{}, texts: map[textID][]*wrote{},
	}
}

// getenv looks into the program's environment.
func (s *session) getenv(name string) (value string) {
	for _, entry := range s.view.environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// wake says that the program has shown something. It does not wait.
func (f *follow) wake() {
	if f == nil {
		return
	}
	select {
	case f.woken <- struct{}{}:
	default:
	}
}

// sees takes a directive from the screen. It does not wait.
func (f *follow) sees(d directive.Directive, painted bool) {
	f.mu.Lock()
	full := len(f.news) >= sightingsBound
	if !full {
		f.busy.Add(1)
		f.news = append(f.news, sighting{d, painted, time.Now()})
	}
	f.mu.Unlock()
	if full {
		f.drop(d, "too many others wait")
	}
	f.wake()
}

// end says that the program has ended.
func (f *follow) end() {
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
	f.wake()
}

// run follows the record to the program's end.
func (f *follow) run(ctx context.Context) {
	defer f.calls.close()
	defer f.records.Close() // they were read only
	look := time.NewTimer(0)
	defer look.Stop()
	for last := false; !last && ctx.Err() == nil; {
		select {
		case <-look.C:
		case <-f.woken:
		case <-ctx.Done():
		}
		f.mu.Lock()
		last = f.ended
		f.shows = append(f.shows, f.news...)
		f.news = nil
		f.mu.Unlock()
		look.Reset(f.step(ctx, last))
		if !last { // what is drawn comes in many pieces
			wait(ctx, followEvery)
		}
	}
	for _, d := range f.shows {
		f.busy.Add(-1)
		f.drop(d.Directive, "the session ended before its turn")
	}
}

// wait waits a little.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// step takes what is new, and says when to look again.
func (f *follow) step(ctx context.Context, last bool) (again time.Duration) {
	if f.hooks != nil {
		f.records.Told(f.hooks.Activity().Transcript)
	}
	quiet := time.Since(f.program.LastOutput())
	batches, standing := f.records.Poll(ctx, len(f.shows) > 0 || quiet < searchAfter, last)
	if len(batches) > 0 {
		f.grown = time.Now()
	}
	for _, batch := range batches {
		for _, e := range batch.Entries {
			f.note(batch.Source, e)
		}
	}
	if standing.Refused != nil && !f.refused {
		f.refused = true
		f.warnings.addf("directives are taken from the agent's screen, not from its own record: %v", standing.Refused)
	}
	if len(standing.Sure) > 0 {
		f.known = true
		f.obey(ctx, standing.Sure)
	} else {
		f.compare(ctx, standing, last)
	}
	if len(f.shows) > 0 || min(quiet, time.Since(f.grown)) < followAfter {
		return followEvery
	}
	return followIdle
}

// note notes the directives in a text of the agent. Texts of before the session are
// history, also where they were copied; those of sub-agents are not the agent's.
func (f *follow) note(source transcript.Source, e transcript.Entry) {
	began := f.began.Truncate(time.Millisecond)
	if e.Kind != transcript.Agent || e.Sub || e.Hidden || e.Time.Before(began) || !e.Turn.IsZero() && e.Turn.Before(began) {
		return
	}
	name := textID{source, e.Message, e.Block}
	before := slices.Clone(f.texts[name])
	if len(f.texts) >= textsKept {
		f.texts = map[textID][]*wrote{} // a text so old is not written again
	}
	var now []*wrote
	for _, d := range directive.Parse(e.Text) {
		at := slices.IndexFunc(before, func(w *wrote) bool { return w.Namespace == d.Namespace && w.Target == d.Target && w.Body == d.Body })
		if at >= 0 {
			now = append(now, before[at])
			before = slices.Delete(before, at, at+1)
			continue
		}
		w := &wrote{Directive: d, done: f.was(d, e.Time)}
		now = append(now, w)
		f.held[source] = append(f.held[source], w)
	}
	for _, w := range before { // it is not there any more
		w.done = true
	}
	f.texts[name] = now
}

// obey fires what stands in the session's records. What the screen shows is there,
// or was never written.
func (f *follow) obey(ctx context.Context, sure []transcript.Source) {
	for _, source := range sure {
		for _, w := range f.held[source] {
			if !w.done {
				w.done = true
				f.putWaiting(ctx, call{directive: w.Directive})
			}
		}
		delete(f.held, source)
	}
	f.busy.Add(-int64(len(f.shows)))
	f.shows = nil
}

// compare fires what the screen shows and one of the possible records has, and after
// a while, if there is no record, what the screen shows.
func (f *follow) compare(ctx context.Context, standing transcript.Standing, last bool) {
	var left []sighting
	for _, d := range f.shows {
		w := f.find(standing.Possible, d.Directive)
		switch {
		case w != nil:
			w.done = true
			f.putWaiting(ctx, call{directive: w.Directive})
		case !last && standing.Ever && standing.Refused == nil && time.Since(d.at) < f.patience():
			left = append(left, d)
			continue
		case f.known || len(standing.Possible) > 0: // it stands in a fence, or is drawn again
		default:
			f.without = true
			f.fired = append(f.fired[max(0, len(f.fired)-textsKept):], sighting{Directive: d.Directive, at: time.Now()})
			f.putWaiting(ctx, call{directive: d.Directive, painted: d.painted, shown: true})
		}
		f.busy.Add(-1)
	}
	f.shows = left
}

// was reports whether a directive that was written then was fired because the screen
// showed it, when no record was known yet.
func (f *follow) was(d directive.Directive, then time.Time) bool {
	at := slices.IndexFunc(f.fired, func(s sighting) bool { return s.at.After(then) && looksLike(d, s.Directive) })
	if at >= 0 {
		f.fired = slices.Delete(f.fired, at, at+1)
	}
	return at >= 0
}

// looksLike reports whether a screen may show a directive that was written like that.
func looksLike(written, shown directive.Directive) bool {
	if written.Namespace != shown.Namespace || written.Target != shown.Target {
		return false
	}
	body, _, _ := strings.Cut(written.Body, "\n")
	first, _, _ := strings.Cut(shown.Body, "\n")
	return body == first || begins(signs(body), signs(first))
}

func (f *follow) patience() time.Duration {
	if f.without {
		return recordAgain
	}
	return recordWait
}

// find is the first directive of the records that a screen may show like that.
func (f *follow) find(sources []transcript.Source, shown directive.Directive) (found *wrote) {
	for _, source := range sources {
		f.held[source] = slices.DeleteFunc(f.held[source], func(w *wrote) bool { return w.done })
		for _, w := range f.held[source] {
			if !looksLike(w.Directive, shown) {
				continue
			}
			if w.Body == shown.Body {
				return w
			}
			if found == nil {
				found = w
			}
		}
	}
	return found
}
