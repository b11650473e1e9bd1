package relay_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hookway/hookway/internal/relay"
)

// TestWhatASeatThatEndedHasGivenIsConfirmedByAnother: who was given it comes back.
func TestWhatASeatThatEndedHasGivenIsConfirmedByAnother(t *testing.T) {
	s := open(t, "", relay.Options{})
	before, now := join(t, s, "Bob", "one"), join(t, s, "Bob", "one")
	id, typed, waits := say(t, s, "Alice", "Bob", "a"), say(t, s, "Carol", "Bob", "b"), say(t, s, "Dora", "Bob", "c")
	take(t, before)
	must(t, before.Begin(t.Context(), id, "a", "http"))
	must(t, before.Begin(t.Context(), typed, "b", "typed"))
	if err := now.Confirm(t.Context(), id, "http"); !errors.Is(err, relay.ErrTaken) {
		t.Errorf("while the other seat has it: %v", err)
	}
	must(t, before.Close())
	for range 2 {
		must(t, now.Confirm(t.Context(), id, "http"))
	}
	for what, id := range map[string]string{"what was typed": typed, "what nobody was given": waits} {
		if err := now.Confirm(t.Context(), id, "http"); !errors.Is(err, relay.ErrTaken) {
			t.Errorf("%s: got %v, want errors.Is(err, relay.ErrTaken)", what, err)
		}
	}
	var unknown *relay.UnknownError
	if err := now.Confirm(t.Context(), "none", "http"); !errors.As(err, &unknown) {
		t.Errorf("no message: %v", err)
	}
	must(t, now.Seen(t.Context()))
	if got := states(t, s, id); got != "Bob seen" {
		t.Errorf(`got %v, want "Bob seen"`, got)
	}
	if left := take(t, now); len(left) != 2 || left[0].Message.ID != typed || left[0].Again == nil {
		t.Errorf("it is given out again: %+v", left)
	}
}

// TestAnAnswerMayBeFasterThanItsConfirmation: all four facts are there in the end.
func TestAnAnswerMayBeFasterThanItsConfirmation(t *testing.T) {
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob", "one")
	join(t, s, "Alice")
	id := say(t, s, "Alice", "Bob", "a")
	take(t, bob)
	must(t, bob.Begin(t.Context(), id, "a", "http"))
	send(t, s, relay.Message{From: "Bob", ReplyTo: id, Content: "b"})
	must(t, bob.Confirm(t.Context(), id, "http"))
	if _, all, err := s.Receipts(t.Context(), id); err != nil || all[0].State != relay.StateReplied {
		t.Errorf("got %+v, %v, want err == nil and all[0].State == relay.StateReplied", all, err)
	} else if all[0].Injected.IsZero() || all[0].Seen.IsZero() {
		t.Errorf("got %+v, %v, want !all[0].Injected.IsZero() and !all[0].Seen.IsZero()", all, err)
	}
}

func TestKnown(t *testing.T) {
	s := open(t, "", relay.Options{})
	consumer := join(t, s, "Zoë", "one")
	say(t, s, "Alice", "zoë", "a")
	for _, name := range []string{"ZOË", "zoe\u0308", "Zoë@m1"} {
		if one, err := s.Known(t.Context(), name); err != nil {
			t.Errorf("%s: %+v, %v", name, one, err)
		} else if got, want := fmt.Sprint([]any{one.Name, one.Kind, one.Session, one.Waiting, one.Machine}), fmt.Sprint([]any{"Zoë", "wrapped", "one", 1, "m1"}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	must(t, consumer.Close())
	if one, err := s.Known(t.Context(), "Zoë"); err != nil || one.Session != "" || one.Kind != "wrapped" {
		t.Errorf("afterwards: %+v, %v", one, err)
	}
	var unknown *relay.UnknownError
	if _, err := s.Known(t.Context(), "Zoé"); !errors.As(err, &unknown) || len(unknown.Near) != 1 || unknown.Near[0] != "Zoë" {
		t.Errorf("nobody: %v", err)
	}
}
