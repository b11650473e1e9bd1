package chance

import (
	"bytes"
	"context"
	"testing"
)

// A source that is made again gives each who draws the same, whoever draws beside it.
func TestASourceIsMadeAgain(t *testing.T) {
	draw := func(s *Source, who string, n int) []byte {
		p := make([]byte, n)
		s.Read(who, p)
		return p
	}
	s := new(Source)
	if s.Seed() != nil {
		t.Errorf("there is a seed %x before anybody draws", s.Seed())
	}
	a, b := append(draw(s, "a", 3), draw(s, "a", 61)...), draw(s, "b", 64)
	if len(s.Seed()) != SeedSize || bytes.Equal(a, b) || bytes.Equal(a, draw(new(Source), "a", 64)) {
		t.Errorf("of the seed %x come %x and %x", s.Seed(), a, b)
	}
	again := From(s.Seed())
	if gotB, gotA := draw(again, "b", 64), append(draw(again, "a", 3), draw(again, "a", 61)...); !bytes.Equal(gotA, a) || !bytes.Equal(gotB, b) {
		t.Errorf("got %x and %x again, want %x and %x", gotA, gotB, a, b)
	}
	if got := Of(With(context.Background(), s)); got != s || Of(context.Background()) != nil {
		t.Errorf("the context has %v, want %v", got, s)
	}
	if none := draw(Of(context.Background()), "a", 16); bytes.Equal(none, make([]byte, 16)) {
		t.Error("without a source nothing is random")
	}
}
