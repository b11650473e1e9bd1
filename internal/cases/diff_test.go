package cases

import (
	"fmt"
	"strings"
	"testing"
)

func TestADifferenceIsShownWithThreeLinesAroundIt(t *testing.T) {
	long := strings.Fields("a b c d e f g h i j k l m n o p")
	changed := strings.Fields("a b c d e f G h i j k l m n o p q")
	for _, tt := range []struct{ name, want, got, diff string }{
		{"nothing in common", "a", "b", "-a +b"},
		{"a line more", "a", "a b", " a +b"},
		{"a line less", "a b", "b", "-a  b"},
		{"one in the middle", "a b c", "a x c", " a -b +x  c"},
		{"moved", "a b c", "b c a", "-a  b  c +a"},
		{"nothing to compare", "", "", ""},
		{"all is new", "", "a b", "+a +b"},
		{"far from the change", strings.Join(long, " "), strings.Join(changed, " "),
			"~… 3 lines are equal  d  e  f -g +G  h  i  j ~… 3 lines are equal  n  o  p +q"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out []string
			for _, l := range diff(strings.Fields(tt.want), strings.Fields(tt.got)) {
				out = append(out, string(l.mark)+l.text)
			}
			if got := strings.Join(out, " "); got != tt.diff {
				t.Errorf("got  %s\nwant %s", got, tt.diff)
			}
		})
	}
}

func TestTextsTooLargeToCompareAreOneChange(t *testing.T) {
	var want, got []string
	for i := range 3000 {
		want, got = append(want, fmt.Sprint("w", i)), append(got, fmt.Sprint("g", i))
	}
	want, got = append(want, "end"), append(got, "end")
	all := diff(want, got)
	if len(all) != 6001 || all[0].mark != '-' || all[3000].mark != '+' || all[6000].text != "end" {
		t.Errorf("%d lines", len(all))
	}
}

func TestWhatATerminalWouldObeyIsMadeVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain ä 漢 🎉":      "plain ä 漢 🎉",
		"\x1b[31mred":      `\x1b[31mred`,
		"a\tb\r\nc":        `a\tb\r\nc`,
		"\u202etfel\u200b": `\u202etfel\u200b`,
		"\u009b31m\x7f":    `\u009b31m\x7f`,
	} {
		if got := visible(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}
