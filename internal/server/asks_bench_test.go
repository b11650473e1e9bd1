package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/fakentfy"
)

// BenchmarkAnswerOverNtfy is from the press of a button to the answered request, over an
// ntfy server on this machine; a call that is held goes on then.
func BenchmarkAnswerOverNtfy(b *testing.B) {
	s := &fakentfy.Server{}
	a := newPhoned(b, ntfyAt(serveNtfy(b, s), "phone"))
	a.mint()
	a.start()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		r := a.ask(fmt.Sprint("make ", i), 0)
		card := fakentfy.Message{}
		for len(card.Actions) == 0 {
			for _, m := range s.Messages("phone-asks") {
				if strings.HasPrefix(m.Title, r.Code+": claude asks") {
					card = m
				}
			}
		}
		b.StartTimer()
		press(b, card, "Allow")
		if r, err := a.store.Wait(b.Context(), r.Code); err != nil || r.State != approve.Allowed {
			b.Fatalf("got %s, %v, want err == nil and r.State == approve.Allowed", r.State, err)
		}
	}
}
