package terminal

import (
	"context"
	"io"
	"sync"
	"time"
)

const (
	atOnce     = 32 << 10             // bytes that become lines in one step
	floodPiece = 64 << 10             // a piece of that many is of a flood
	floodEvery = 5 * time.Millisecond // between two of its pieces

	aheadOf = 20000 // lines that Screen may read ahead of Next

	finishMost = 2 * time.Second // for what is left at the end of the output
)

// reader makes lines of what a tap holds and knows which of them are echo. Next
// and Screen may be called by two goroutines.
type reader struct {
	tap   *tap
	typed *typed
	again chan struct{} // holds one token after Screen has read lines

	mu    sync.Mutex
	track tracker
	piece piece // taken from the tap
	took  time.Time
	read  int    // bytes of the piece that were read
	taken int    // how often a piece was taken
	lines []Line // read ahead
	room  int    // how many lines there were last
	echo  bool   // the partial line that was reported last was echo
	ended bool   // all was read
}

func newReader(tap *tap, typed *typed) *reader {
	return &reader{tap: tap, typed: typed, again: make(chan struct{}, 1), track: tracker{cols: 80, rows: 24, typed: typed}}
}

// next returns the next finished lines. See Program.Next.
func (r *reader) next(ctx context.Context, still time.Duration) ([]Line, error) {
	var quiet <-chan time.Time
	restart := func() {}
	if still > 0 {
		t := time.NewTimer(still)
		defer t.Stop()
		quiet, restart = t.C, func() { t.Reset(still) }
	}
	look := time.NewTimer(time.Hour)
	defer look.Stop()
	for {
		if wait := r.lag(); wait > 0 {
			time.Sleep(wait)
		}
		lines, any, again := r.step()
		switch {
		case len(lines) > 0:
			return lines, nil
		case any:
			restart()
			if ctx.Err() == nil {
				continue
			}
		case r.over():
			return nil, io.EOF
		}
		if again > 0 {
			look.Reset(again)
		} else {
			look.Stop()
		}
		select {
		case <-r.tap.wake:
		case <-r.again:
		case <-look.C:
		case <-quiet:
			return r.flush(), ErrStill
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// step reads the next piece of output. It returns lines, whether there was
// output, and when to look again if there is none.
func (r *reader) step() (lines []Line, any bool, again time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) == 0 {
		if any = r.pump(); !any && !r.ended {
			var rested []Line
			rested, again = r.track.rest(time.Now())
			r.lines = append(r.lines, r.judge(rested)...)
		}
	}
	lines = r.lines
	r.lines, r.room = nil, len(lines)
	return lines, any, again
}

// lag is how long to wait until the next piece of a flood is taken: to be woken for
// each of its writes would cost the user more than all that is done with them.
func (r *reader) lag() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.used() || len(r.piece.bytes) < floodPiece || len(r.lines) > 0 {
		return 0
	}
	return floodEvery - time.Since(r.took)
}

func (r *reader) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended && len(r.lines) == 0
}

// flush returns the unfinished line, if it was not reported.
func (r *reader) flush() []Line {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.track.painting {
		return nil
	}
	line, ok := r.track.lines.Flush()
	if !ok {
		return nil
	}
	return r.judge([]Line{line})
}

// used reports whether all of the piece was read.
func (r *reader) used() bool {
	return r.read == len(r.piece.bytes) && !r.piece.lost && len(r.piece.resized) == 0
}

// pump reads the next piece and reports whether there was one.
func (r *reader) pump() bool {
	p := &r.piece
	if r.used() {
		ended := p.ended
		*p = r.tap.take()
		r.took = time.Now()
		r.taken++
		r.read = 0
		p.ended = p.ended || ended
	}
	now := r.tap.lastWrite()
	if p.lost {
		r.track.lose()
		p.lost = false
		return true
	}
	if len(p.resized) > 0 && p.resized[0].after <= r.read {
		r.track.resize(p.resized[0].cols, p.resized[0].rows, time.Now())
		p.resized = p.resized[1:]
		return true
	}
	n := min(len(p.bytes)-r.read, atOnce)
	if len(p.resized) > 0 {
		n = min(n, p.resized[0].after-r.read)
	}
	if n > 0 {
		if r.lines == nil {
			r.lines = make([]Line, 0, r.room)
		}
		had := len(r.lines)
		r.lines = r.track.feed(p.bytes[r.read:r.read+n], now, r.lines)
		r.judge(r.lines[had:])
		r.read += n
		return true
	}
	if p.ended && !r.ended {
		r.ended = true
		r.lines = append(r.lines, r.judge(r.track.end(now))...)
		return true
	}
	return false
}

// screen is what the program shows, all output so far drawn.
func (r *reader) screen() Screen {
	r.mu.Lock()
	defer r.mu.Unlock()
	read := false
	// What was written before this call is in the piece and in what is taken next;
	// a program that prints on and on would keep us here.
	for until := r.taken + 1; !r.ended && len(r.lines) < aheadOf && (r.taken < until || !r.used()) && r.pump(); {
		read = true
	}
	if read {
		select {
		case r.again <- struct{}{}:
		default:
		}
	}
	return r.track.screen()
}

// changed is when what the program shows has last changed.
func (r *reader) changed() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.track.changed()
}

// finish reads what is left after the end of the output, and gives the emulator
// back. Next returns the lines, and Screen the last state.
func (r *reader) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for began := time.Now(); r.pump(); {
		if r.read < len(r.piece.bytes) && time.Since(began) > finishMost { // it is made to keep us busy
			r.abandon()
		}
	}
	r.track.screen()
	r.track.close()
}

// abandon drops what is not read.
func (r *reader) abandon() {
	r.tap.drop(len(r.piece.bytes) - r.read)
	r.piece.bytes, r.read, r.piece.resized, r.piece.lost = nil, 0, nil, true
}

// judge sets Echo. The end of a line makes no echo of what was none, nor the
// other way round; but the line still uses up its echo.
func (r *reader) judge(lines []Line) []Line {
	for i := range lines {
		line := &lines[i]
		if line.Painted {
			line.Echo = r.typed.shown(*line)
			continue
		}
		line.Echo = r.typed.echo(*line)
		if line.Seen > 0 && line.Seen == len(line.Text) {
			line.Echo = r.echo
		}
		r.echo = line.Echo
	}
	return lines
}
