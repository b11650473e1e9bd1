package diff

import (
	"fmt"
	"strings"
	"testing"
)

func flat(all []Edit) string {
	var out []string
	for _, e := range all {
		out = append(out, string(e.Mark)+e.Line)
	}
	return strings.Join(out, " ")
}

func TestADifferenceIsShownWithThreeLinesAroundIt(t *testing.T) {
	long := strings.Fields("a b c d e f g h i j k l m n o p")
	changed := strings.Fields("a b c d e f G h i j k l m n o p q")
	for _, tt := range []struct{ name, want, got, diff, hunks string }{
		{"nothing in common", "a", "b", "-a +b", "@@ -1 +1 @@"},
		{"a line more", "a", "a b", " a +b", "@@ -1 +1,2 @@"},
		{"a line less", "a b", "b", "-a  b", "@@ -1,2 +1 @@"},
		{"one in the middle", "a b c", "a x c", " a -b +x  c", "@@ -1,3 +1,3 @@"},
		{"moved", "a b c", "b c a", "-a  b  c +a", "@@ -1,3 +1,3 @@"},
		{"nothing to compare", "", "", "", ""},
		{"all is new", "", "a b", "+a +b", "@@ -0,0 +1,2 @@"},
		{"all is gone", "a b", "", "-a -b", "@@ -1,2 +0,0 @@"},
		{"far from the change", strings.Join(long, " "), strings.Join(changed, " "),
			"~… 3 lines are equal  d  e  f -g +G  h  i  j ~… 3 lines are equal  n  o  p +q", "@@ -4,7 +4,7 @@ @@ -14,3 +14,4 @@"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := Compare(strings.Fields(tt.want), strings.Fields(tt.got))
			if got := flat(Around(all, 3)); got != tt.diff {
				t.Errorf("got  %s\nwant %s", got, tt.diff)
			}
			var hunks []string
			for _, h := range Near(all, 3) {
				hunks = append(hunks, h.Header())
			}
			if got := strings.Join(hunks, " "); got != tt.hunks {
				t.Errorf("got  %s\nwant %s", got, tt.hunks)
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
	all := Compare(want, got)
	if len(all) != 6001 || all[0].Mark != '-' || all[3000].Mark != '+' || all[6000].Line != "end" {
		t.Errorf("%d lines", len(all))
	}
}

// FuzzCompare: the edits lead from the one text to the other.
func FuzzCompare(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\nd\n")
	f.Add("", "\n\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		old, now := Lines(a), Lines(b)
		var from, to []string
		all := Compare(old, now)
		for _, e := range all {
			if e.Mark != '+' {
				from = append(from, e.Line)
			}
			if e.Mark != '-' {
				to = append(to, e.Line)
			}
		}
		if fmt.Sprintf("%q", from) != fmt.Sprintf("%q", old) || fmt.Sprintf("%q", to) != fmt.Sprintf("%q", now) {
			t.Fatalf("%q to %q by %v", a, b, all)
		}
		changes := 0
		for _, h := range Near(all, 1) {
			changes += strings.Count(flat(h.Edits), "")
		}
		if fmt.Sprintf("%q", old) != fmt.Sprintf("%q", now) && changes == 0 {
			t.Fatalf("no hunk between %q and %q", a, b)
		}
	})
}
