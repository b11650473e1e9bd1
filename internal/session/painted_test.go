//go:build linux || darwin

package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// painter prints a shell program that shows the text in a window of rows, scrolled
// by one row after the other as an agent does that writes it.
func painter(text []string, rows int, pause string) string {
	var b strings.Builder
	b.WriteString("printf '\\033[?1049h'\n")
	for end := 1; end <= len(text); end++ {
		window := text[max(0, end-rows):end]
		fmt.Fprintf(&b, "cat <<'EOS'\n\x1b[?2026h\x1b[H")
		for i := range rows {
			line := ""
			if i < len(window) {
				line = window[i]
			}
			fmt.Fprintf(&b, "%s\x1b[K\r\n", line)
		}
		fmt.Fprintf(&b, "\x1b[K\r\n> \x1b[K\x1b[?2026l\nEOS\nsleep %s\n", pause)
	}
	b.WriteString("sleep 1; printf '\\033[?1049l'\n")
	return b.String()
}

func TestAFencedBodyIsWholeAcrossScreens(t *testing.T) {
	t.Parallel()
	var body []string
	for i := range 60 {
		if i%7 == 3 {
			body = append(body, "")
		} else {
			body = append(body, fmt.Sprintf("line %d", i))
		}
	}
	text := append([]string{"● I tell Bob.", "", "● @relay:Bob <<<"}, body...)
	text = append(text, ">>>", "", "● Done.")
	w := newWrapped(t)
	w.hook("Directive", nil)
	w.run(session.Config{Command: sh(painter(text, 12, "0.03"))})
	w.clean()
	got := now[hook.DirectiveCall](w.events.list())
	if len(got) != 1 {
		t.Fatalf("got %+v, want one directive", got)
	}
	if want := strings.Join(body, "\n"); got[0].Body != want {
		t.Errorf("the body is\n%s\nwant\n%s", got[0].Body, want)
	}
}
