//go:build unix

package command

import (
	"strings"
	"testing"
	"time"
)

// TestWhatAProgramSaidCountsHoweverLateItIsRead: a machine may be so busy that
// nothing was read before the time to settle was over.
func TestWhatAProgramSaidCountsHoweverLateItIsRead(t *testing.T) {
	nothingLeft(t)
	for name, c := range map[string]struct {
		script, stdout, stderr string
		more                   bool // children go on writing
	}{
		"an answer":                               {script: "echo yes; echo why >&2", stdout: "yes\n", stderr: "why\n"},
		"nothing":                                 {script: "exit 0"},
		"an answer, while a child lives on":       {script: "sleep 1000 & echo yes; echo why >&2", stdout: "yes\n", stderr: "why\n"},
		"nothing, while a child lives on":         {script: "sleep 1000 & exit 0"},
		"much, while a child lives on":            {script: "sleep 1000 & head -c 40000 /dev/zero | tr '\\0' y", stdout: strings.Repeat("y", 40000)},
		"an answer, while a child goes on and on": {script: "echo yes; yes no & exit 0", stdout: "yes\n", more: true},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := start(t.Context(), spec{argv: shellArgv(c.script), env: []string{"PATH=/usr/bin:/bin"}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.release()
			p.feed(nil)
			<-p.exited
			for _, pipe := range []*outPipe{p.stdout, p.stderr} {
				if err := pipe.SetReadDeadline(time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			out, errs := newCapture(), newHeadTail()
			out.read(p.stdout)
			errs.read(p.stderr)
			if got := string(out.bytes()); got != c.stdout && !(c.more && strings.HasPrefix(got, c.stdout)) {
				t.Errorf("of stdout came %.80q (%d bytes)", got, len(got))
			}
			if got := string(errs.bytes()); got != c.stderr {
				t.Errorf("of stderr came %.80q", got)
			}
		})
	}
}
