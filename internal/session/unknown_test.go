//go:build linux || darwin

package session_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// noted remembers what it is told.
type noted struct{ log[string] }

func (n *noted) Note(namespace string) { n.add(namespace) }

func TestUnknownNamespacesAreNotedAndLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	deploy := hook.New("deploy", hook.Static(hook.Inject("deployed")), hook.For("Directive"), hook.MatchNamespace("deploy"))
	if err := w.engine.Add(deploy); err != nil {
		t.Fatal(err)
	}
	w.hook("*", nil) // it watches, and takes nothing
	var unknown noted
	in, keys := keyboard(t)
	w.agent("@deploi:staging one\nplain\n@namespace:target text\n@deploi:staging two\n@relay:Bob hi\n@deploy:staging three", session.Config{
		Stdin: in, Unknown: &unknown,
	})
	w.screen.await(t, "got: deployed")
	write(t, keys, "bye\n")
	w.clean()

	if got, want := unknown.list(), []string{"deploi", "deploi", "relay"}; !slices.Equal(got, want) {
		t.Errorf("noted %q, want %q", got, want)
	}
	screen := w.screen.String()
	if !strings.Contains(screen, "@deploi:staging one\r\nplain\r\n@namespace:target text\r\n@deploi:staging two\r\n@relay:Bob hi\r\n") {
		t.Errorf("the text did not pass as it was: %q", screen)
	}
	if n := strings.Count(screen, "got: "); n != 1 {
		t.Errorf("%d texts were typed: %q", n, screen)
	}
	if lines := w.warnings.list(); len(lines) > 0 {
		t.Errorf("the user was shown %q", lines)
	}
}
