package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// play feeds output with its timing to a reader and returns the lines.
func play(t *testing.T, cols, rows int, steps ...any) (lines []Line) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newReader(newTap(1<<20), newTyped())
		r.tap.resize(cols, rows)
		go func() {
			for _, s := range steps {
				switch s := s.(type) {
				case string:
					r.tap.write([]byte(s))
				case time.Duration:
					time.Sleep(s)
				case [2]int:
					r.tap.resize(s[0], s[1])
				}
			}
			r.tap.end()
		}()
		for {
			got, err := r.next(context.Background(), 250*time.Millisecond)
			lines = append(lines, got...)
			if errors.Is(err, io.EOF) {
				break
			}
		}
		r.finish()
	})
	return lines
}

// whole leaves out what stood unfinished, echoes and blank lines.
func whole(lines []Line) (texts []string) {
	for _, l := range lines {
		if !l.Partial && !l.Echo && strings.TrimSpace(l.Text[l.Seen:]) != "" {
			texts = append(texts, l.Text[l.Seen:])
		}
	}
	return texts
}

const (
	home  = "\x1b[H"
	clear = "\x1b[H\x1b[2J"
	alt   = "\x1b[?1049h"
	back  = "\x1b[?1049l"
)

// again repeats steps.
func again(n int, steps ...any) (all []any) {
	for range n {
		all = append(all, steps...)
	}
	return all
}

// frames paints screens one after the other, each for the given time.
func frames(each time.Duration, screens ...string) (all []any) {
	for _, s := range screens {
		all = append(all, clear+strings.ReplaceAll(s, "\n", "\r\n"), each)
	}
	return all
}

func TestLinesAreReportedOnceWhenTheyAreFinished(t *testing.T) {
	const ms = time.Millisecond
	join := func(parts ...[]any) (all []any) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	tests := map[string]struct {
		steps []any
		want  []string
	}{
		"plain":                {[]any{"a\r\nb\r\n"}, []string{"a", "b"}},
		"plain, the same":      {[]any{"a\r\na\r\n", ms * 500, "a\r\n"}, []string{"a", "a", "a"}},
		"in pieces":            {[]any{"a", ms * 900, "b", ms * 900, "c\r\n"}, []string{"c"}}, // the rest was shown unfinished
		"no end":               {[]any{"a\r\nb"}, []string{"a", "b"}},
		"a bar":                {[]any{"10%\r50%\r100%\r\ndone\r\n"}, []string{"100%", "done"}},
		"wrapped by the width": {[]any{strings.Repeat("x", 100) + "\r\n"}, []string{strings.Repeat("x", 100)}},
		"no UTF-8":             {[]any{"a\xff\xfe\xc3b\r\n"}, []string{"a���b"}},
		"a rune in two":        {[]any{"\xe4\xb8", ms, "\xad\r\n"}, []string{"中"}},

		"redrawn 50 times":              {again(50, clear+"title\r\n@deploy:x go\r\n", 50*ms), []string{"title", "@deploy:x go"}},
		"redrawn 50 times, slowly":      {again(50, clear+"title\r\n@deploy:x go\r\n", 600*ms), []string{"title", "@deploy:x go"}},
		"redrawn, blank in between":     {again(20, clear, 30*ms, "title\r\n@deploy:x go\r\n", 70*ms), []string{"title", "@deploy:x go"}},
		"drawn over":                    {again(30, home+"title\r\n@deploy:x go", 50*ms), []string{"title", "@deploy:x go"}},
		"twice in one frame":            {again(9, clear+"@a:x 1\r\n@a:x 1\r\n", 50*ms), []string{"@a:x 1", "@a:x 1"}},
		"said again":                    {frames(time.Second, "a\nhello\n> ", "a\nhello\nb\n> ", "a\nhello\nb\nhello\n> "), []string{"a", "hello", "b", "hello"}},
		"written word by word":          {frames(90*ms, "● I\n\n> ", "● I am\n\n> ", "● I am here\n\n> ", "● I am here\n  now\n\n> "), []string{"● I am here", "  now"}},
		"grown after a pause":           {frames(time.Second, "● I am\n\n> ", "● I am here\n\n> "), []string{"● I am", " here"}},
		"a spinner":                     {join(frames(80*ms, "- 1s\n> ", "\\ 1s\n> ", "| 2s\n> ", "/ 2s\n> "), frames(time.Second, "done\n> ")), []string{"done"}},
		"a moment":                      {[]any{clear + "a\r\nRunning", 100 * ms, home + "a\r\nDone.\x1b[K", 2 * time.Second}, []string{"a", "Done."}},
		"a dialog, and back":            {join(frames(time.Second, "a\nb\nc\n> ", "Sure?\n1. Yes\n2. No\n", "a\nb\nc\n> ", "a\nb\nc\nd\n> ")), []string{"a", "b", "c", "Sure?", "1. Yes", "2. No", "d"}},
		"the other screen, and back":    {[]any{"a\r\nb\r\n", alt + clear + "one\r\ntwo", time.Second, back, "c\r\n"}, []string{"a", "b", "one", "two", "c"}},
		"the other screen, shortly":     {[]any{alt + clear + "one\r\ntwo\r\n", back, "c\r\n"}, []string{"one", "two", "c"}},
		"a full screen scrolls":         {frames(500*ms, "1\n2\n3\n4\n> ", "2\n3\n4\n5\n> ", "4\n5\n6\n7\n> "), []string{"1", "2", "3", "4", "5", "6", "7", "> "}},
		"and is scrolled back":          {frames(500*ms, "3\n4\n5\n> ", "4\n5\n6\n> ", "3\n4\n5\n> ", "4\n5\n6\n> "), []string{"3", "4", "5", "6"}},
		"cleared, and printed to":       {[]any{"a\r\n$ ", ms * 600, clear + "$ ", ms * 600, "ls\r\na\r\n$ "}, []string{"a", "ls", "a", "$ "}},
		"cleared, and flooded":          {append([]any{clear}, again(100, "line\r\n")...), again2(100, "line")},
		"the cursor's line, at the end": {[]any{clear + "a\r\nb: ", time.Second}, []string{"a", "b:"}},

		"wrapped by an agent": {frames(time.Second, "● "+strings.Repeat("word ", 15)+"\n  "+strings.Repeat("more ", 3)+"\n  @a:x hello\n\n> "),
			[]string{"● " + strings.Repeat("word ", 15) + "more more more", "  @a:x hello"}},
		"wrapped in a box": {frames(time.Second, "│ "+strings.Repeat("word ", 5)+"│\n│ more and a                │\n│ - list                    │\n> "),
			[]string{"│ " + strings.Repeat("word ", 5) + "more and a", "│ - list                    │"}},
		"painted, over the width": {frames(time.Second, strings.Repeat("0123456789", 9)+"\nb\n> "), []string{strings.Repeat("0123456789", 9), "b"}},
		"painted, wide":           {frames(time.Second, "中文 e\u0301 👩‍👩‍👧 ok\n> "), []string{"中文 e\u0301 👩‍👩‍👧 ok"}},
		"ghost text":              {[]any{clear + "a\r\n> \x1b[2mtry this\x1b[m\x1b[3G", 4 * time.Second}, []string{"a"}},
		"a title of any size":     {[]any{clear + "a\x1b]0;" + strings.Repeat("x", 100000) + "\x07b\r\n\x1bPq" + strings.Repeat("y", 100000) + "\x1b\\", time.Second}, []string{"ab"}},
		"a scroll region": {[]any{alt + clear + "\x1b[24;1Hstatus\x1b[1;22r\x1b[22;1Hone", time.Second, "\r\ntwo", time.Second, "\r\nthree\x1b[r\x1b[24;1H", time.Second},
			[]string{"status", "one", "two", "three"}},
		"a region below a title":    {append([]any{alt + clear + "title\r\nmore\x1b[3;8r\x1b[3;1H"}, scrolls(40, 60*ms)...), append(append(entries(34), "title", "more"), entries(40)[34:]...)},
		"a directive below a title": {append([]any{alt + clear + "title\x1b[2;8r\x1b[2;1H@deploy:x go"}, scrolls(20, 60*ms)...), slices.Concat([]string{"@deploy:x go"}, entries(20)[:13], []string{"title"}, entries(20)[13:])},
		"rewritten seldom":          {[]any{clear + "step 1 of it\r\n> ", 2 * time.Second, home + "step 2 of it", 500 * ms, home + "\n"}, []string{"step 1 of it", "step 2 of it"}},
		"wrapped anew": {[]any{clear + "● " + strings.Repeat("word ", 11) + "\r\n  " + "more more\r\nlast\r\n> ", time.Second, [2]int{40, 24},
			clear + "● " + strings.Repeat("word ", 7) + "\r\n  " + strings.Repeat("word ", 4) + "more more\r\nlast\r\n> ", time.Second},
			[]string{"● " + strings.Repeat("word ", 11) + "more more", "last"}},
		"printed anew after a change of size": {append([]any{}, append(again(60, "some line of text\r\n"), "> ", time.Second, [2]int{70, 24},
			"\x1b[2J\x1b[3J\x1b[H"+strings.Repeat("some line of text\r\n", 60)+"> ", time.Second)...), again2(60, "some line of text")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			width := 80
			if strings.Contains(name, "anew") {
				width = 60
			}
			got := whole(play(t, width, 24, test.steps...))
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(test.want, "\n\t"))
			}
		})
	}
}

// scrolls prints entries at the end of a region that scrolls.
func scrolls(n int, each time.Duration) (steps []any) {
	for _, e := range entries(n) {
		steps = append(steps, "\r\n"+e, each)
	}
	return append(steps, time.Second)
}

func entries(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("entry %d of many", i))
	}
	return all
}

func again2(n int, s string) []string {
	return slices.Repeat([]string{s}, n)
}

// A window of rows in which the program scrolls a text, frame by frame.
func TestFramesThatComeAtOnceAreReadAsOneByOne(t *testing.T) {
	var want []string
	for i := range 60 {
		want = append(want, fmt.Sprintf("line %d of it", i))
	}
	var atOnce strings.Builder
	apart := []any{alt}
	for end := 1; end <= len(want); end++ {
		frame := "\x1b[?2026h" + home
		window := want[max(0, end-12):end]
		for i := range 12 {
			if i < len(window) {
				frame += window[i]
			}
			frame += "\x1b[K\r\n"
		}
		frame += "\x1b[K\r\n> \x1b[K\x1b[?2026l"
		atOnce.WriteString(frame)
		apart = append(apart, frame, 30*time.Millisecond)
	}
	for name, steps := range map[string][]any{
		"one by one": append(apart, 5*time.Second), "at once": {alt, time.Second, atOnce.String(), 5 * time.Second},
	} {
		if got := whole(play(t, 80, 24, steps...)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
