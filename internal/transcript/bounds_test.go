package transcript_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/transcript"
)

// small is what one line may have in these tests.
var small = transcript.Most{Bytes: 1 << 20, Values: 1000}

// read reads a record to its end: how many entries it has, how many bytes were allocated
// meanwhile, the longest step, and what is told of it.
func read(t *testing.T, source transcript.Source, most transcript.Most) (entries int, allocated uint64, step int64, lost []string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := transcript.OpenWhole(source, most, func(err error) { lost = append(lost, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for more := true; more; {
		at := r.Bytes()
		var found []transcript.Entry
		if found, more, err = r.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		entries += len(found)
		step = max(step, r.Bytes()-at)
	}
	runtime.ReadMemStats(&after)
	return entries, after.TotalAlloc - before.TotalAlloc, step, lost
}

// TestAHostileLineCostsItsSize: a line may be made so that each of its bytes becomes a
// hundred. It is left out, with a word, and what stands around it is read.
func TestAHostileLineCostsItsSize(t *testing.T) {
	const size = 800 << 10
	for what, line := range map[string]string{
		"parts":    `{"type":"user","uuid":"u","message":{"content":[` + strings.Repeat("{},", size/3) + "{}]}}",
		"depth":    `{"type":"user","uuid":"u","message":{"content":` + strings.Repeat("[", size),
		"members":  `{"type":"user","uuid":"u","x":{` + strings.Repeat(`"":1,`, size/5) + `"":1}}`,
		"texts":    `{"type":"user","uuid":"u","message":{"content":[` + strings.Repeat(`"",`, size/3) + `""]}}`,
		"too long": `{"type":"user","uuid":"u","message":{"content":"` + strings.Repeat("x", 3*size) + `"}}`,
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			write(t, path, claudeSays("m1", "a", "one")+strings.Repeat(line+"\n", 4)+claudeSays("m2", "b", "two"))
			entries, allocated, _, lost := read(t, transcript.Source{Agent: "claude", Path: path}, small)
			if entries != 2 || len(lost) != 4 {
				t.Errorf("got %d entries and %q, want 2 and 4 lines that are told", entries, lost)
			}
			if most := uint64(16 * size); allocated > most {
				t.Errorf("%d bytes were allocated, want at most %d", allocated, most)
			}
		})
	}
}

// TestAMarkBeforeTheFirstLineIsNoPartOfIt: an editor may put a byte order mark there.
func TestAMarkBeforeTheFirstLineIsNoPartOfIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, "\ufeff"+claudeSays("m1", "a", "one")+claudeSays("m2", "b", "two"))
	entries, _, _, lost := read(t, transcript.Source{Agent: "claude", Path: path}, small)
	if entries != 2 || len(lost) != 0 {
		t.Errorf("got %d entries and %q, want 2 and nothing lost", entries, lost)
	}
	records, problems, ok := transcript.Recognise(t.Context(), func(string) string { return t.TempDir() }, path)
	if !ok || len(records) != 1 || records[0].Agent != "claude" {
		t.Errorf("got %v, %v, %t; want one record of claude", records, problems, ok)
	}
}

// TestCommasInTextsAreNoValues: what stands in a text does not count.
func TestCommasInTextsAreNoValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := strings.Repeat(`,[{ \" \\`, 5000)
	write(t, path, claudeSays("m1", "a", text))
	if entries, _, _, lost := read(t, transcript.Source{Agent: "claude", Path: path}, small); entries != 1 || len(lost) != 0 {
		t.Errorf("got %d entries and %q, want 1 and nothing lost", entries, lost)
	}
}

// TestLargeRowsComeInSteps: rows of a database are read in steps of a bounded size, not in
// steps of a number, and those that are too large are left out.
func TestLargeRowsComeInSteps(t *testing.T) {
	do, source := database(t)
	do(`INSERT INTO message VALUES ('msg_b', ?, 1, 1, '{"role":"assistant","modelID":"x"}')`, source.Session)
	do(`INSERT INTO message VALUES ('large', ?, 1, 1, '{"role":"assistant","x":"' || hex(zeroblob(1000000)) || '"}')`, source.Session)
	call := func(id string, size int) string {
		return fmt.Sprintf(`{"type":"tool","tool":"bash","callID":%q,"state":{"status":"completed","input":{},"output":%q}}`, id, strings.Repeat("x", size))
	}
	for i := range 64 {
		do(`INSERT INTO part VALUES (?, 'msg_b', ?, 9, 9, ?)`, fmt.Sprintf("prt_l%02d", i), source.Session, call(fmt.Sprint("large-", i), 200<<10))
	}
	do(`INSERT INTO part VALUES ('prt_m', 'msg_b', ?, 9, 9, ?)`, source.Session, call("huge", 2<<20))
	do(`INSERT INTO part VALUES ('prt_n', 'large', ?, 9, 9, ?)`, source.Session, call("last", 10))
	entries, _, step, lost := read(t, source, small)
	if want := 2 * 65; entries != want {
		t.Errorf("got %d entries, want %d", entries, want)
	}
	if step > 1<<20 {
		t.Errorf("a step had %d bytes", step)
	}
	if !slices.ContainsFunc(lost, func(s string) bool { return strings.Contains(s, "prt_m") && strings.Contains(s, "longer than 1 MiB") }) ||
		!slices.ContainsFunc(lost, func(s string) bool { return strings.Contains(s, "message large") }) || len(lost) != 2 {
		t.Errorf("lost %q, want the part and the message that are too large", lost)
	}
}
