package guards

import (
	"path"
	"testing"
)

// Stars alone are matched without path.Match, and just as it does.
func TestStarsMatchAsPathMatchDoes(t *testing.T) {
	texts := func(letters string, most int) (all []string) {
		all = []string{""}
		for from := 0; most > 0; most-- {
			till := len(all)
			for _, text := range all[from:till] {
				for _, c := range letters {
					all = append(all, text+string(c))
				}
			}
			from = till
		}
		return all
	}
	for _, pattern := range texts("ab*", 5) {
		for _, s := range texts("ab", 5) {
			if want, _ := path.Match(pattern, s); glob(pattern, s) != want {
				t.Fatalf("glob(%q, %q): got %t, want %t", pattern, s, !want, want)
			}
		}
	}
	if !glob("release/*", "release/1/2") {
		t.Error("a star does not take slashes")
	}
}
