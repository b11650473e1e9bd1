package memory

import "testing"

// TestAnIndexThatIsNotCompleteIsKept: a search that ends before all is read, as by
// its deadline, must not leave the next one all of that to do again. Where each has
// less time than it takes, none would ever find anything.
func TestAnIndexThatIsNotCompleteIsKept(t *testing.T) {
	s := fresh(t)
	view := View{Workspace: "/w"}
	for _, text := range []string{"An apple a day", "A walnut a day", "A peach a day"} {
		save(t, s, Memory{Text: text, Workspace: "/w"})
	}
	tags := func(is string) {
		t.Helper()
		if _, err := s.db.ExecContext(t.Context(), "UPDATE memory SET tags = ? WHERE seq = 3", is); err != nil {
			t.Fatal(err)
		}
	}
	tags("no JSON") // which ends the reading there
	if found, err := s.Search(t.Context(), "apple", 9, view); err == nil {
		t.Fatalf("found %q, and no error", texts(found))
	}
	if len(s.indexes) != 1 || s.indexes[0].rows != 2 || s.indexes[0].live != 2 {
		t.Fatalf("after it there are %d indexes: %+v", len(s.indexes), s.indexes)
	}
	kept := s.indexes[0]
	tags("[]")
	if found, err := s.Search(t.Context(), "peach", 1, view); err != nil || texts(found) != "A peach a day" {
		t.Errorf("found %q, %v", texts(found), err)
	}
	if s.indexes[0] != kept || kept.live != 3 {
		t.Errorf("the next search has begun anew, or has read again: %d texts", kept.live)
	}
}
