package relay_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/relay"
)

// passNone passes over no machine.
func passNone(string) bool { return false }

// TestAMachineThatWasForgottenIsToldNothing, until it is there again: what it had sent
// is injected all the same.
func TestAMachineThatWasForgottenIsToldNothing(t *testing.T) {
	m1, m2 := two(t, relay.Options{})
	zoe := join(t, m1, "Zoe")
	meet(t, m1, m2)
	say(t, m2, "Bob", "Zoe@m1", "hello")
	carry(t, m1, m2)
	must(t, m1.ForgetMachine(t.Context(), "m2", false)) // nothing waits for it
	if all, err := m1.Machines(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("the machines are %v, %v", all, err)
	}
	if got := inject(t, zoe); got != "hello" {
		t.Errorf("Zoe got %q", got)
	}
	if out, err := m1.Outgoing(t.Context(), 10); err != nil || len(out) > 0 {
		t.Errorf("the outbox has %v, %v", out, err)
	}
	if _, err := m1.Send(t.Context(), relay.Message{From: "Zoe", To: "*", Content: "x"}); err != nil {
		t.Error(err) // Alice is here
	}

	late := say(t, m2, "Bob", "Zoe@m1", "and again") // it is there, and was not heard of yet
	carry(t, m1, m2)
	if got := inject(t, zoe); got != "and again" {
		t.Errorf("Zoe got %q", got)
	}
	carry(t, m1, m2)
	if got := states(t, m2, late); got != "Zoe@m1 injected" {
		t.Errorf(`got %v, want "Zoe@m1 injected"`, got)
	}
}

// TestWhatAForgottenMachineHadIsKnownWhenItComesBack, although its sender was told that
// it was given up.
func TestWhatAForgottenMachineHadIsKnownWhenItComesBack(t *testing.T) {
	m1, m2 := open(t, "", relay.Options{Machine: "m1"}), open(t, "", relay.Options{Machine: "m2"})
	join(t, m1, "Alice")
	bob := join(t, m2, "Bob")
	meet(t, m1, m2)
	id := say(t, m1, "Alice", "Bob@m2", "hello")
	carry(t, m1, m2)
	if err := m1.ForgetMachine(t.Context(), "m2", false); err == nil {
		t.Error("it waits there")
	}
	must(t, m1.ForgetMachine(t.Context(), "m2", true))
	if got := states(t, m1, id); got != "Bob@m2 refused (the machine was forgotten)" {
		t.Errorf(`got %v, want "Bob@m2 refused (the machine was forgotten)"`, got)
	}
	meet(t, m1, m2)
	if got := inject(t, bob); got != "hello" {
		t.Fatalf("Bob got %q", got)
	}
	carry(t, m1, m2)
	if got := states(t, m1, id); got != "Bob@m2 injected" {
		t.Errorf(`got %v, want "Bob@m2 injected"`, got)
	}
}

// TestForgottenMachinesAreWaitedFor until their streams are dropped, or they are back.
func TestForgottenMachinesAreWaitedFor(t *testing.T) {
	m1, m2 := two(t, relay.Options{})
	m3 := open(t, "", relay.Options{Machine: "m3"})
	join(t, m3, "Carol")
	meet(t, m1, m2, m3)
	must(t, m1.ForgetMachine(t.Context(), "m2", false))
	must(t, m1.ForgetMachine(t.Context(), "m3", false))
	all, err := m1.Forgotten(t.Context(), passNone)
	if err != nil || !slices.Equal(all, []string{"m2", "m3"}) {
		t.Errorf(`got %v, %v, want err == nil and slices.Equal(all, []string{"m2", "m3"})`, all, err)
	}
	must(t, m1.Dropped(t.Context(), "m2"))
	if all, err = m1.Forgotten(t.Context(), passNone); err != nil || !slices.Equal(all, []string{"m3"}) {
		t.Errorf("after one: %v, %v", all, err)
	}
	meet(t, m1, m3)
	must(t, m1.Dropped(t.Context(), "m3")) // late
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if all, err = m1.Forgotten(ended, passNone); !errors.Is(err, context.Canceled) || len(all) > 0 {
		t.Errorf("at the end: %v, %v", all, err)
	}
}

// TestNoMachineIsForgottenWithoutAName, which stands for this one.
func TestNoMachineIsForgottenWithoutAName(t *testing.T) {
	m1 := open(t, "", relay.Options{Machine: "m1"})
	join(t, m1, "Bob")
	say(t, m1, "Alice", "Bob", "hello")
	for _, name := range []string{"", " \t"} {
		if err := m1.ForgetMachine(t.Context(), name, true); !relay.Refused(err) {
			t.Errorf("%q: got %v, want relay.Refused(err)", name, err)
		}
	}
	if all, err := m1.Inbox(t.Context(), "Bob", relay.Query{}); err != nil || len(all) != 1 {
		t.Errorf("the inbox has %v, %v", all, err)
	}
}
