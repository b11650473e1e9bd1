package terminal

import (
	"strings"
	"testing"
)

func TestWhatAProgramLeavesOnIsPutBack(t *testing.T) {
	const begin = "\x18\x1b\\"
	tests := []struct{ name, output, want string }{
		{"nothing", "plain \x1b[1mtext\x1b[0m\r\n", ""},
		{"switched off by itself", "\x1b[?1049h\x1b[?25l\x1b[?1000;1006hx\x1b[?1006;1000l\x1b[?25h\x1b[?1049l", ""},
		{"alternate screen", "\x1b[?1049h", begin + "\x1b[?1049l"},
		{"mouse", "\x1b[?1002h\x1b[?1006h", begin + "\x1b[?1002l\x1b[?1006l"},
		{"the alternate screen goes last", "\x1b[?1049;2004;25;1000h\x1b[?25l", begin + "\x1b[?1000l\x1b[?2004l\x1b[?25h\x1b[?1049l"},
		{"wrapping", "\x1b[?7l", begin + "\x1b[?7h"},
		{"an unknown mode", "\x1b[?4711h", ""},
		{"kitty keyboard", "\x1b[>1u\x1b[>3u\x1b[<u", begin + "\x1b[<1u"},
		{"kitty keyboard, popped", "\x1b[>1u\x1b[>3u\x1b[<2u", ""},
		{"kitty keyboard, asked", "\x1b[?u", ""},
		{"kitty keyboard, set", "\x1b[=5;1u", begin + "\x1b[=0u"},
		{"modifyOtherKeys", "\x1b[>4;2m", begin + "\x1b[>4;0m"},
		{"modifyOtherKeys off", "\x1b[>4;2m\x1b[>4m", ""},
		{"colour", "\x1b[31mred", begin + "\x1b[m"},
		{"region", "\x1b[2;5r", begin + "\x1b7\x1b[r\x1b8"},
		{"region, whole", "\x1b[2;5r\x1b[r", ""},
		{"keypad and lines", "\x1b=\x1b(0", begin + "\x1b>\x1b(B"},
		{"cursor's shape", "\x1b[5 q", begin + "\x1b[0 q"},
		{"insert", "\x1b[4h", begin + "\x1b[4l"},
		{"full reset", "\x1b[?1049h\x1b[31m\x1b[>1u\x1bc", ""},
		{"soft reset", "\x1b[?25l\x1b[?2004h\x1b[31m\x1b[!p", begin + "\x1b[?2004l"},
		{"in a title", "\x1b]0;\x1b\\[?1049h\x07 \x1b]0;[?1049h\x07", ""},
		{"after a title", "\x1b]0;title\x07\x1b[?2004h", begin + "\x1b[?2004l"},
		{"cut off in a title", "\x1b]52;c;aGVsb", begin},
		{"cut off in a sequence", "\x1b[?104", begin},
		{"much too long", "\x1b[" + strings.Repeat("1;", 100) + "h\x1b[?1000h", begin + "\x1b[?1000l"},
		{"a number beyond all", "\x1b[?99999999999999999999999;25l", begin + "\x1b[?25h"},
	}
	for _, tt := range tests {
		var whole, bytewise modes
		whole.see([]byte(tt.output))
		for i := range len(tt.output) {
			bytewise.see([]byte{tt.output[i]})
		}
		if got := whole.reset(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if got := bytewise.reset(); got != tt.want {
			t.Errorf("%s, byte by byte: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWhatIsPutBackIsSwitchedOnAgain(t *testing.T) {
	var m modes
	m.see([]byte("\x1b=\x1b[?1049h\x1b[?25l\x1b[?1000h"))
	if got, want := m.again(), "\x1b=\x1b[?1000h\x1b[?25l\x1b[?1049h"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheKeeperIsToldOfWhatLasts(t *testing.T) {
	s := newScreenModes()
	changed := func() bool {
		select {
		case <-s.changed:
			return true
		default:
			return false
		}
	}
	s.see([]byte("text \x1b[1mbold"))
	if changed() {
		t.Error("announced a colour")
	}
	s.see([]byte("\x1b[?1049h\x1b[?25l"))
	if want := "\x18\x1b\\\x1b[?25h\x1b[?1049l"; !changed() || s.lasting() != want {
		t.Errorf("%q, want %q", s.lasting(), want)
	}
	for range 10 { // every picture
		s.see([]byte("\x1b[?2026h\x1b[?25lpicture\x1b[?25h\x1b[?2026l"))
	}
	if changed() {
		t.Error("announced every picture")
	}
}

func FuzzModes(f *testing.F) {
	f.Add([]byte("\x1b[?1049h\x1b[>1u\x1b[4h\x1b(0\x1b]0;x"), 3)
	f.Add([]byte("\x1bP\x1b\x1b[?25l\x1b[!p\x1b[ q"), 1)
	f.Fuzz(func(t *testing.T, output []byte, cut int) {
		var whole, cutUp modes
		whole.see(output)
		cut = min(max(cut, 0), len(output))
		cutUp.see(output[:cut])
		cutUp.see(output[cut:])
		if whole.reset() != cutUp.reset() {
			t.Errorf("%q cut at %d: %q, whole %q", output, cut, cutUp.reset(), whole.reset())
		}
		back := whole.reset()
		if whole.see([]byte(back)); !whole.clean() {
			t.Errorf("%q: after %q there is still %q", output, back, whole.reset())
		}
	})
}

func BenchmarkModes(b *testing.B) {
	for name, line := range map[string]string{
		"plain": "plain text without anything in it, as compilers print it\r\n",
		"ansi":  "\x1b[32mok\x1b[0m \x1b[1m4711\x1b[22m\r\n",
	} {
		output := []byte(strings.Repeat(line, (32<<10)/len(line)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(output)))
			s := newScreenModes()
			for b.Loop() {
				s.see(output)
			}
		})
	}
}
