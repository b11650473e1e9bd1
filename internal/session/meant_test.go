//go:build linux || darwin

package session_test

import (
	"slices"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// What an agent wrote in Markdown, and how it draws that.
func TestWhatTheAgentWroteDecidesWhatItsScreenMeans(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		said  []string
		drawn string // rows, for printf
		want  []string
	}{
		"a code fence":          {[]string{"Look:\n```\n@deploy:x go\n```\n"}, `● Look:\n\n  @deploy:x go\n`, nil},
		"an escape":             {[]string{"\\@deploy:x go"}, `● @deploy:x go\n`, nil},
		"a directive":           {[]string{"old", "**Yes.**\n\n@deploy:x go `now`\n"}, `● Yes.\n\n  @deploy:x go now\n`, []string{"x go `now`"}},
		"both":                  {[]string{"```\n@deploy:x go\n```\nand\n\n@deploy:x go\n"}, `●   @deploy:x go\n  and\n\n  @deploy:x go\n`, []string{"x go"}},
		"a block without end":   {[]string{"@deploy:x <<<\none\n\ntwo\n>>>\n\nDone."}, `● @deploy:x <<<\n  one\n\n  two\n\n\n  Done.\n`, []string{"x one\n\ntwo"}},
		"what is not reported":  {[]string{"Something else."}, `● @deploy:x go\n`, []string{"x go"}},
		"cut off by the screen": {[]string{"@deploy:x go to the end"}, `● @deploy:x go to\n`, []string{"x go to the end"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWrapped(t)
			w.hook("Directive", nil)
			w.run(session.Config{
				Command: sh(`printf '\033[?1049h\033[H` + test.drawn + `\n> '; sleep 2.5; printf '\033[?1049l'`), AgentHooks: &ownHooks{said: test.said}, Native: true,
			})
			w.end()
			var got []string
			for _, d := range now[hook.DirectiveCall](w.events.list()) {
				got = append(got, d.Target+" "+d.Body)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("fired %q, want %q", got, test.want)
			}
		})
	}
}
