package delivery

import (
	"slices"
	"testing"
)

// TestPartsInAnyOrder: the agent does not wait until a part of a text is reported, so a later one
// may come first.
func TestPartsInAnyOrder(t *testing.T) {
	w := folder{dir: t.TempDir()}
	for _, s := range []written{
		{ID: "a", Index: 1, Text: "two "}, {ID: "a", Text: "one "}, {ID: "b", Index: 1, Text: "B2"}, {ID: "a", Index: 2, Text: "three"},
		{ID: "b", Text: "B1 "}, {Text: "at the stop"}, {Text: "at the stop"}, {ID: "c", Text: "x"}, {ID: "c", Text: "y"},
	} {
		if err := w.keep(s); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"one two three", "B1 B2", "at the stop", "at the stop", "xy"}
	if got := (&Shared{folder: w}).Written(); !slices.Equal(got, want) {
		t.Errorf("it said %q, want %q", got, want)
	}
}
