package terminal

import (
	"context"
	"io"
	"time"
)

// atOnce is how many bytes become lines in one call, which bounds what a call
// returns.
const atOnce = 32 << 10

// reader makes lines of what a tap holds and knows which of them are echo.
type reader struct {
	tap   *tap
	typed *typed
	lines Lines
	rest  []byte // taken from the tap, not yet read
	lost  bool   // output is missing after rest
	echo  bool   // the partial line that was reported last was echo
	ended bool
}

// next returns the next finished lines. See Program.Next.
func (r *reader) next(ctx context.Context, still time.Duration) ([]Line, error) {
	var quiet <-chan time.Time
	heard := func() {}
	if still > 0 {
		t := time.NewTimer(still)
		defer t.Stop()
		quiet, heard = t.C, func() { t.Reset(still) }
	}
	for {
		lines, any := r.read()
		switch {
		case len(lines) > 0:
			return lines, nil
		case any:
			heard()
			if ctx.Err() == nil {
				continue
			}
		case r.ended:
			if line, ok := r.lines.end(); ok {
				return []Line{r.judged(line)}, nil
			}
			return nil, io.EOF
		}
		select {
		case <-r.tap.wake:
		case <-quiet:
			if line, ok := r.lines.Flush(); ok {
				return []Line{r.judged(line)}, ErrStill
			}
			return nil, ErrStill
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// read makes lines of the next piece and reports whether there was one.
func (r *reader) read() (lines []Line, any bool) {
	if len(r.rest) == 0 && !r.lost {
		p := r.tap.take()
		r.rest, r.lost, r.ended = p.bytes, p.lost, p.ended
	}
	if len(r.rest) == 0 && !r.lost {
		return nil, false
	}
	n := min(len(r.rest), atOnce)
	lines = r.lines.Feed(r.rest[:n])
	if r.rest = r.rest[n:]; len(r.rest) == 0 && r.lost {
		r.lines.Lose()
		r.lost = false
	}
	for i, line := range lines {
		lines[i] = r.judged(line)
	}
	return lines, true
}

// judged is the line with Echo set. The end of a line makes no echo of what
// was none, nor the other way round; but the line still uses up its echo.
func (r *reader) judged(line Line) Line {
	line.Echo = r.typed.echo(line)
	if line.Seen > 0 && line.Seen == len(line.Text) {
		line.Echo = r.echo
	}
	r.echo = line.Echo
	return line
}
