package bus_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay/bus"
)

// files are those of the server with a suffix.
func files(t testing.TB, dir, suffix string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "jetstream"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, suffix) {
			out = append(out, path)
		}
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("no %s in %s: %v", suffix, dir, err)
	}
	return out
}

// each changes the files of the server with a suffix.
func each(suffix string, change func(data []byte) []byte) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		for _, path := range files(t, dir, suffix) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if data = change(data); data == nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func flip(data []byte) []byte {
	out := bytes.Clone(data)
	for i := len(out) / 3; i < len(out)/3+20 && i < len(out); i++ {
		out[i] ^= 0x5a
	}
	return out
}

// TestDamagedFilesLoseNothing: whatever happens to the files of a server that is
// off, all messages come when it starts, in their order.
func TestDamagedFilesLoseNothing(t *testing.T) {
	t.Parallel()
	gone := func([]byte) []byte { return nil }
	empty := func([]byte) []byte { return []byte{} }
	half := func(data []byte) []byte { return data[:len(data)/2] }
	noise := func(data []byte) []byte { return bytes.Repeat([]byte{0xff, 0}, len(data)/2+1) }
	both := func(a, b func(testing.TB, string)) func(testing.TB, string) {
		return func(t testing.TB, dir string) { a(t, dir); b(t, dir) }
	}
	for name, damage := range map[string]func(testing.TB, string){
		"the stream's description is noise":     each("meta.inf", noise),
		"the stream's description is empty":     each("meta.inf", empty),
		"the stream's description is gone":      each("meta.inf", gone),
		"the checksum is gone":                  each("meta.sum", gone),
		"bytes of the messages are other bytes": each(".blk", flip),
		"the messages are cut off":              each(".blk", half),
		"the messages are noise":                each(".blk", noise),
		"the messages are gone":                 each(".blk", gone),
		"the messages are empty":                each(".blk", empty),
		"the index is noise":                    each("index.db", noise),
		"index and messages are cut off":        both(each("index.db", gone), each(".blk", half)),
		"index and messages have other bytes":   both(each("index.db", gone), each(".blk", flip)),
		"all is gone": func(t testing.TB, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "jetstream")); err != nil {
				t.Fatal(err)
			}
		},
		"what is known of the streams is noise": func(t testing.TB, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "streams.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m1 := listening(t, newBox("m1"), bus.Config{Log: nil})
			want := ids("m", 400)
			m1.send("m2", want[:300]...)
			m1.until(t, "the outbox", func() bool { return m1.rows[299].published })
			stop(t, m1.bus)
			damage(t, m1.c.Dir)
			m1.send("m2", want[300:]...)
			d := &hooktest.Log{}
			m1.c.Log = logline.New(d.Add)
			m1.again(t)
			m2 := newMachine(t, "m2", m1.joined())
			m2.gets(t, want)
			said := d.String()
			if lines := strings.Count(said, "\n"); lines > 0 {
				t.Errorf("more than one line:\n%s", said)
			}
			m1.send("m2", "after")
			m1.again(t)
			m2.gets(t, append(want, "after"))
			aside, _ := filepath.Glob(filepath.Join(m1.c.Dir, "broken-*"))
			if told := strings.Contains(said, "are now in "+m1.c.Dir); len(aside) > 1 || len(aside) > 0 != told {
				t.Errorf("set aside: %v; told: %s", aside, said)
			}
		})
	}
}

// TestOldDamageIsNotKeptForEver: what was set aside before goes when there is more.
func TestOldDamageIsNotKeptForEver(t *testing.T) {
	m := listening(t, newBox("m1"), bus.Config{Log: nil})
	for i := range 3 {
		m.again(t)
		m.send("m2", ids("m", i+1)[i])
		m.until(t, "the outbox", func() bool { return m.rows[i].published })
		stop(t, m.bus)
		each("meta.inf", func([]byte) []byte { return []byte("x") })(t, m.c.Dir)
	}
	if aside, _ := filepath.Glob(filepath.Join(m.c.Dir, "broken-*")); len(aside) != 1 {
		t.Errorf("set aside: %v", aside)
	}
}

// TestAFolderThatCannotBeUsedIsAnError has a file where the folder should be.
func TestAFolderThatCannotBeUsedIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nats")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bus.Start(context.Background(), newBox("m1"), bus.Config{Dir: path, Leaf: bus.Leaf{Listen: freeAddress(t)}}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want err != nil and strings.Contains(err.Error(), path)", err)
	}
}

// TestAFolderThatIsGoneLosesNothing: what was in the stream, and not taken in, is sent
// again, though nobody sends anything new.
func TestAFolderThatIsGoneLosesNothing(t *testing.T) {
	t.Parallel()
	m1 := newBox("m1")
	m1.send("m2", "one")
	m1.change(func() { m1.rows[0].published = true })
	newMachine(t, "m2", listening(t, m1, bus.Config{}).joined()).gets(t, []string{"one"})
}
