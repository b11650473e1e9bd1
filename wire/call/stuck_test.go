package call_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/wire/call"
)

func TestADaemonThatHangsIsRemembered(t *testing.T) {
	p := call.Places{Dir: t.TempDir()}
	path := filepath.Join(p.Dir, "stuck")
	holds := func(when string, wantLately, wantEver bool) {
		t.Helper()
		if lately, ever := p.Stuck(); lately != wantLately || ever != wantEver {
			t.Errorf("%s: lately %v, ever %v", when, lately, ever)
		}
	}
	age := func(d time.Duration) {
		t.Helper()
		at := time.Now().Add(-d)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	holds("before", false, false)
	p.MarkStuck()
	age(-time.Second) // so that a slow machine has longer
	holds("just now", true, true)
	age(time.Minute)
	holds("a minute ago", false, true)
	age(-time.Minute) // the clock was set back
	holds("in a minute", false, true)
	p.MarkStuck()
	age(-time.Second)
	holds("again", true, true)
	p.ClearStuck()
	holds("after it was well", false, false)
	call.Places{Dir: filepath.Join(p.Dir, "none")}.MarkStuck() // it cannot be noted
}
