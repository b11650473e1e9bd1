package memory

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// asking is a query and the memory that answers it.
type asking struct{ query, id, file string }

// recallSet reads the sets of testdata: conversations, a line a turn, and notes.
// Below a memory are the questions that it answers. Lines without any are there
// to be in the way.
func recallSet(t testing.TB, pattern string) (all []Memory, asked []asking) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "recall", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		var session string
		var at time.Time
		for lines := bufio.NewScanner(f); lines.Scan(); {
			kind, rest, _ := strings.Cut(lines.Text(), " ")
			switch kind {
			case "==":
				var day string
				session, day, _ = strings.Cut(rest, " ")
				if at, err = time.Parse(time.DateOnly, day); err != nil {
					t.Fatal(err)
				}
			case "?":
				for q := range strings.SplitSeq(rest, " | ") {
					asked = append(asked, asking{q, all[len(all)-1].ID, name})
				}
			default:
				m := Memory{ID: fmt.Sprintf("%s-%d", name, len(all)), Workspace: "/w", Scope: ScopeWorkspace, Time: at.Add(time.Duration(len(all)) * time.Second)}
				if kind == "-" {
					for i, part := range strings.Split(rest, " #") {
						if i == 0 {
							m.Text = part
						} else {
							m.Tags = append(m.Tags, part)
						}
					}
				} else {
					m.Agent, m.Text, m.Session = strings.TrimSuffix(kind, ":"), rest, name+"-"+session
				}
				all = append(all, m)
			}
		}
		f.Close()
	}
	return all, asked
}

// ask gives the ids that answer a query, the best first.
type ask func(query string, k int) []string

// recallAt is the share of queries whose memory is among the first k.
func recallAt(k int, asked []asking, by ask) (share float64, byFile map[string]float64) {
	found, of, in := 0, map[string]int{}, map[string]int{}
	for _, a := range asked {
		of[a.file]++
		for _, id := range by(a.query, k) {
			if id == a.id {
				found++
				in[a.file]++
			}
		}
	}
	byFile = map[string]float64{}
	for f, n := range of {
		byFile[f] = 100 * float64(in[f]) / float64(n)
	}
	return 100 * float64(found) / float64(len(asked)), byFile
}

func rankBy(all []Memory, w weights) ask {
	x := newIndex("/w", false)
	for i := range all {
		x.add(int64(i+1), &all[i])
	}
	see := View{Workspace: "/w"}.sees(x)
	return func(query string, k int) (ids []string) {
		for _, h := range x.rank(query, k, see, w) {
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
	ours, by := recallAt(10, asked, rankBy(all, tuned))
	t.Logf("%d memories, %d queries, recall@10: %.1f %%", len(all), len(asked), ours)
	if ours < 75 {
		t.Errorf("recall@10 is %.1f %%; it was 75 and more: %v", ours, by)
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
			few = append(few, asking{asked[i].query, asked[i].id, "talk and notes"})
		}
		asked = few
	}
	alone := tuned
	alone.concept = 0
	_, plain := recallAt(10, asked, fullText(t, all))
	_, ours := recallAt(10, asked, rankBy(all, tuned))
	_, less := recallAt(10, asked, rankBy(all, alone))
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
