//go:build linux || darwin

package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// TestALongFencedBodyArrivesWhole prints more than the screen and the scrollback
// of most terminals hold.
func TestALongFencedBodyArrivesWhole(t *testing.T) {
	t.Parallel()
	const lines = 5000
	w := newWrapped(t)
	w.hook("Directive", nil)
	w.run(session.Config{Command: sh(fmt.Sprintf(
		`echo '@relay:Bob <<<'; i=0; while [ $i -lt %d ]; do i=$((i+1)); echo "line $i of the body"; done; echo '>>>'; echo after`, lines))})
	w.clean()
	var body strings.Builder
	for i := range lines {
		fmt.Fprintf(&body, "\nline %d of the body", i+1)
	}
	want := hook.DirectiveCall{Namespace: "relay", Target: "Bob", Body: body.String()[1:]}
	got := now[hook.DirectiveCall](w.events.list())
	if len(got) != 1 {
		t.Fatalf("%d directives", len(got))
	}
	if got[0].Line = ""; got[0] != want {
		t.Errorf("the body has %d bytes, want %d", len(got[0].Body), len(want.Body))
	}
}
