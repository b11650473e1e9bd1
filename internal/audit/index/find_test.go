package index_test

import (
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/audit/index"
)

// TestWhatIsFoundIsWhatPagesHave, with an index and without one.
func TestWhatIsFoundIsWhatPagesHave(t *testing.T) {
	dir := newLog(t, 2500, 256<<10)
	x := whole(t, open(t, dir))
	for _, q := range []index.Query{{Text: "event-77"}, {Text: "köln"}, {Text: `"rm -rf" nobody`}, {Rule: "git/force-push", Text: "git"}, {Filter: filter("block", "codex"), Limit: 1, After: "1-1"}} {
		seqs := func(x *index.Index) (list []int64) {
			for r, err := range x.Find(t.Context(), q) {
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, r.Seq)
			}
			return list
		}
		bounded := q
		bounded.Limit, bounded.After, bounded.Oldest = index.MostLimit, "", true
		page, err := x.Page(t.Context(), bounded)
		if err != nil {
			t.Fatal(err)
		}
		var want []int64
		for _, r := range page.Records {
			want = append(want, r.Seq)
		}
		got := seqs(x)
		if got = got[:min(len(got), index.MostLimit)]; !slices.Equal(got, want) {
			t.Errorf("%+v finds %v, want %v", q, got, want)
		}
		closed := open(t, dir)
		if err := closed.Close(); err != nil {
			t.Fatal(err)
		}
		if plain := seqs(closed); !slices.Equal(plain[:min(len(plain), index.MostLimit)], want) {
			t.Errorf("%+v finds %v without an index, want %v", q, plain, want)
		}
	}
}
