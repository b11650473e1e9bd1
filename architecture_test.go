package hookway_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the picture of the rooms into docs/architecture.md")

// TestThePictureOfTheRoomsIsTrue holds the picture and the table of the rooms in
// docs/architecture.md to what the rooms import, and to their package comments.
func TestThePictureOfTheRoomsIsTrue(t *testing.T) {
	const page, begin, end = "docs/architecture.md", "<!-- rooms -->\n", "<!-- /rooms -->\n"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	got, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no part between %q and %q", page, begin, end)
	}
	h := houseOf(packages(t, "linux"))
	want := h.picture() + h.table()
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("%s shows other rooms than there are: go test . -run Picture -update writes it anew", page)
	}
	if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTheHouseHasSevenFloors: who reads one room has few others below it to know.
func TestTheHouseHasSevenFloors(t *testing.T) {
	h := houseOf(packages(t, "linux"))
	for room := range h.uses {
		if floor := h.floor(room); floor > 7 {
			t.Errorf("%s stands on floor %d; want at most 7 imports below each other", room, floor)
		}
	}
}

// house is the product's rooms with the rooms that each imports, sorted.
type house struct {
	uses map[string][]string
	docs map[string]string // first sentences of the package comments
}

// houseOf leaves out what is not part of the product.
func houseOf(all map[string]pkg) house {
	h := house{map[string][]string{}, map[string]string{}}
	for room, p := range all {
		top, _, _ := strings.Cut(room, "/")
		if len(p.GoFiles) == 0 || slices.Contains([]string{"e2e", "tools", "examples", "sdk", "docs", "proto"}, top) {
			continue
		}
		h.uses[room], h.docs[room] = nil, p.Doc
	}
	for room := range h.uses {
		for _, imported := range all[room].Imports {
			to, _ := strings.CutPrefix(imported, module)
			if _, ours := h.uses[to]; ours {
				h.uses[room] = append(h.uses[room], to)
			}
		}
		slices.Sort(h.uses[room])
	}
	return h
}

// floor is the longest way down from a room.
func (h house) floor(room string) int {
	floor := 0
	for _, to := range h.uses[room] {
		floor = max(floor, h.floor(to)+1)
	}
	return floor
}

// reaches reports whether a room imports another, also through others.
func (h house) reaches(room, other string) bool {
	return slices.ContainsFunc(h.uses[room], func(to string) bool { return to == other || h.reaches(to, other) })
}

// picture draws the arrows that do not follow from others.
func (h house) picture() string {
	var b strings.Builder
	b.WriteString("\n```mermaid\nflowchart TD\n")
	for _, room := range slices.Sorted(maps.Keys(h.uses)) {
		for _, to := range h.uses[room] {
			follows := slices.ContainsFunc(h.uses[room], func(other string) bool { return h.reaches(other, to) })
			if !follows {
				fmt.Fprintf(&b, "  %s --> %s\n", room, to)
			}
		}
	}
	return b.String() + "```\n"
}

// table lists the rooms from the top floor down.
func (h house) table() string {
	rows := slices.SortedFunc(maps.Keys(h.uses), func(a, b string) int {
		if by := h.floor(b) - h.floor(a); by != 0 {
			return by
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	b.WriteString("\n| floor | room | in one line | imports |\n|---|---|---|---|\n")
	for _, room := range rows {
		doc := strings.TrimSuffix(strings.ReplaceAll(h.docs[room], "|", `\|`), ".")
		for _, lead := range []string{"Package ", "Command "} {
			if _, rest, ok := strings.Cut(strings.TrimPrefix(doc, lead), " "); ok && strings.HasPrefix(doc, lead) {
				doc = rest
			}
		}
		uses := strings.ReplaceAll(strings.Join(h.uses[room], ", "), "internal/", "")
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", h.floor(room), room, doc, uses)
	}
	return b.String()
}
