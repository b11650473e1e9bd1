package memory

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/memory/exam"
)

// asking is a query and the memory that answers it.
type asking = exam.Question

// ask gives the ids that answer a query, the best first.
type ask = func(query string, k int) []string

// recallSet reads the sets that every hookway has.
func recallSet(t testing.TB, pattern string) ([]Memory, []asking) {
	t.Helper()
	return readSet(t, "exam/set", pattern)
}

// readSet reads the sets of a folder, all into one workspace.
func readSet(t testing.TB, dir, pattern string) (all []Memory, asked []asking) {
	t.Helper()
	notes, asked, err := exam.Read(os.DirFS(dir), pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range notes {
		all = append(all, Memory{ID: n.ID, Text: n.Text, Agent: n.Agent, Session: n.Session, Time: n.Time, Tags: n.Tags, Workspace: "/w", Scope: ScopeWorkspace})
	}
	return all, asked
}

func rankBy(all []Memory, w weights) ask {
	x := newIndex("/w", false)
	for i := range all {
		x.add(int64(i+1), &all[i])
	}
	see := View{Workspace: "/w"}.sees()
	return func(query string, k int) (ids []string) {
		for _, h := range x.score(query, k, see, w) {
			ids = append(ids, all[x.docs[h.doc].seq-1].ID)
		}
		return ids
	}
}

// TestRecall holds how much is found of what was asked in other words.
func TestRecall(t *testing.T) {
	all, asked := recallSet(t, "*.txt")
	if len(asked) != 900 {
		t.Fatalf("%d queries; there are 300 memories with three each", len(asked))
	}
	ours, by := exam.Recall(10, asked, rankBy(all, tuned))
	t.Logf("%d memories, %d queries, recall@10: %.1f %%", len(all), len(asked), ours)
	if ours < 75 {
		t.Errorf("recall@10 is %.1f %%; it was 75 and more: %v", ours, by)
	}
}

// TestRecallOfALongConversation holds it for a set by which no weight was set, though
// the table of related words grew with it: ten sessions of two friends.
func TestRecallOfALongConversation(t *testing.T) {
	all, asked := readSet(t, "testdata/long", "*.txt")
	ours, _ := exam.Recall(10, asked, rankBy(all, tuned))
	plain, _ := exam.Recall(10, asked, fullText(t, all))
	t.Logf("%d turns, %d questions, recall@10: full text %.1f %%, hookway %.1f %%", len(all), len(asked), plain, ours)
	if ours < plain+15 {
		t.Errorf("recall@10 is %.1f %%, and full text has %.1f %%", ours, plain)
	}
}

// TestRecallBesideFullText holds that it is much more than what SQLite's own
// full-text search finds, on every set, and on conversations also without the
// table of related words: that one was written by the same hand as the questions.
func TestRecallBesideFullText(t *testing.T) {
	all, asked := recallSet(t, "*.txt")
	if raced { // full-text search would take a minute: all sets together, and few questions
		var few []asking
		for i := 0; i < len(asked); i += 9 {
			few = append(few, asking{Text: asked[i].Text, IDs: asked[i].IDs, Set: "talk and notes"})
		}
		asked = few
	}
	alone := tuned
	alone.concept = 0
	_, plain := exam.Recall(10, asked, fullText(t, all))
	_, ours := exam.Recall(10, asked, rankBy(all, tuned))
	_, less := exam.Recall(10, asked, rankBy(all, alone))
	for _, file := range slices.Sorted(maps.Keys(ours)) {
		t.Logf("%-12s recall@10: full text %4.1f %%, hookway %4.1f %%, without concepts %4.1f %%", file, plain[file], ours[file], less[file])
		if ours[file] < plain[file]+10 {
			t.Errorf("%s: recall@10 is %.1f %%, and full text has %.1f %%", file, ours[file], plain[file])
		}
		if strings.HasPrefix(file, "talk") && less[file] < plain[file]+10 {
			t.Errorf("%s: recall@10 without concepts is %.1f %%, and full text has %.1f %%", file, less[file], plain[file])
		}
	}
}
