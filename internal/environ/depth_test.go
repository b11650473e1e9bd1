package environ_test

import (
	"testing"

	"github.com/hookway/hookway/internal/environ"
)

func TestADepthIsReadInOneWay(t *testing.T) {
	for value, want := range map[string]int{
		"": 0, "0": 0, "1": 1, "8": 8, "+3": 3, "-1": 0, "-99999999999999999999": 0, "x": 0, "1x": 0, " 1": 0, "0x10": 0, "1e3": 0,
		"2000000": 1 << 20, "99999999999999999999": 1 << 20,
	} {
		if got := environ.Depth(value); got != want {
			t.Errorf("%q: %d, want %d", value, got, want)
		}
	}
	if got := environ.Deeper(environ.Depth("2")); got != "HOOKWAY_DEPTH=3" {
		t.Errorf(`got %v, want "HOOKWAY_DEPTH=3"`, got)
	}
}
