package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
)

// TestABombIsReadSoon has each sequence so often that a screen drawn or looked at
// for each of them would take minutes.
func TestABombIsReadSoon(t *testing.T) {
	for _, bomb := range []string{"a\x1b[65535b", "\x1b[2Jx", "\x1bc", "\x1b[H\x1b[J", "\x1b[?1049h\x1b[?1049l", "\x1b[?2026hx\x1b[H"} {
		size := 256 << 10
		if raced {
			size /= 4
		}
		tap := newTap(size)
		r := newReader(tap, newTyped())
		tap.write([]byte(strings.Repeat(bomb, size/len(bomb))))
		tap.end()
		before := eventually.Worked(t)
		r.finish()
		if took := eventually.Worked(t) - before; took > 20*time.Second {
			t.Errorf("%q: got %v, want took <= 20 * time.Second", bomb, took)
		}
	}
}

// TestScreenEndsWhileOutputComes prints on whenever the output is read.
func TestScreenEndsWhileOutputComes(t *testing.T) {
	tap := newTap(1 << 10)
	r := newReader(tap, newTyped())
	frame := []byte(strings.Repeat("\x1b[Habc\x1b[2;1Hdef", 70))
	over, flooding := make(chan struct{}), make(chan struct{})
	defer func() { close(over); <-flooding; tap.end(); r.finish() }()
	go func() {
		defer close(flooding)
		for {
			select {
			case <-over:
				return
			default:
				tap.write(frame)
			}
		}
	}()
	done := make(chan struct{})
	go func() { r.screen(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("Screen waits for a pause of the output")
	}
}

func TestAScreenOfAnySizeIsBounded(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {1, 65535}, {65535, 1}, {65535, 65535}} {
		tr := &tracker{cols: 80, rows: 24, typed: newTyped()}
		tr.resize(size[0], size[1], time.Now())
		tr.feed([]byte("\x1b[Habc 日本\r\n\x1b[999;999Hd"), time.Now(), nil)
		if s := tr.screen(); s.Width < 1 || s.Height < 1 || s.Width*s.Height > mostCells {
			t.Errorf("%v: %d columns, %d rows", size, s.Width, s.Height)
		}
		tr.end(time.Now())
		tr.close()
	}
}

func TestADocumentKnowsItsSizeWhenLinesGrow(t *testing.T) {
	var d document
	for range 1000 {
		d.grow(d.add("a", nil, true), strings.Repeat("a", 4<<10))
	}
	sum := 0
	for _, one := range d.lines {
		sum += len(one.text)
	}
	if sum != d.size || sum > documentBytes {
		t.Errorf("%d bytes, counted %d, at most %d", sum, d.size, documentBytes)
	}
}
