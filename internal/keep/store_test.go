package keep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// entryOf is an entry as a daemon would write it, and its number.
func entryOf(seq int64) []byte {
	return fmt.Appendf(nil, `{"v":1,"event":{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo %d"},"event_id":"%032x"}}`, seq, seq)
}

func put(t testing.TB, s *Store, seq int64) {
	t.Helper()
	if _, err := s.Ready(); err != nil {
		t.Fatal(err)
	}
	text := entryOf(seq)
	if !s.Reserve(len(text)) {
		t.Fatalf("no room for entry %d", seq)
	}
	s.Put(seq, text)
}

func closed(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// fill makes a store with entries from one number up to another, a block for each so many.
func fill(t testing.TB, c Config, from, to, together int64) {
	t.Helper()
	for seq := from; seq <= to; {
		s := Open(c)
		for range together {
			if seq <= to {
				put(t, s, seq)
				seq++
			}
		}
		closed(t, s)
	}
}

// read gives the numbers of all entries that are as they were written, and the damages.
func read(t testing.TB, dir string, from int64) (seqs []int64, damages []*Damage) {
	t.Helper()
	for e, err := range Entries(dir, from) {
		var d *Damage
		switch {
		case errors.As(err, &d):
			damages = append(damages, d)
		case err != nil:
			t.Fatal(err)
		case !bytes.Equal(e.Text, entryOf(e.Seq)):
			t.Errorf("entry %d is %q", e.Seq, e.Text)
		default:
			seqs = append(seqs, e.Seq)
		}
	}
	return seqs, damages
}

func only(t testing.TB, dir string) string {
	t.Helper()
	all, err := files(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	return filepath.Join(dir, all[0].name)
}

func count(from, to int64) (out []int64) {
	for ; from <= to; from++ {
		out = append(out, from)
	}
	return out
}

func TestEntriesComeBackInTheirOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "events")
	fill(t, Config{Dir: dir}, 1, 40, 7)
	if seqs, damages := read(t, dir, 0); !slices.Equal(seqs, count(1, 40)) || len(damages) > 0 {
		t.Errorf("got %v, %v", seqs, damages)
	}
	if seqs, _ := read(t, filepath.Join(dir, "none"), 0); len(seqs) > 0 {
		t.Errorf("got %v", seqs)
	}
}

// A process that dies over a block loses that block alone, wherever it died.
func TestATornBlockCostsNoOther(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 1, 2, 1)
	path := only(t, dir)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.LastIndex(whole, []byte(magic))
	for cut := second + 1; cut < len(whole); cut += 7 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		for _, after := range []bool{false, true} {
			want := []int64{1}
			if after { // another process goes on behind it
				fill(t, Config{Dir: dir}, 3, 4, 1)
				want = []int64{1, 3, 4}
			}
			seqs, damages := read(t, dir, 0)
			if !slices.Equal(seqs, want) || len(damages) != 1 {
				t.Fatalf("cut at %d of %d, after %v: got %v, %v", cut, len(whole), after, seqs, damages)
			}
			if d := damages[0]; !d.Torn || d.At != int64(second) {
				t.Fatalf("cut at %d of %d, after %v: got %+v", cut, len(whole), after, d)
			}
		}
	}
	if err := os.WriteFile(path, append(slices.Clone(whole), make([]byte, 100)...), 0o600); err != nil { // as after a power cut
		t.Fatal(err)
	}
	if seqs, damages := read(t, dir, 0); len(seqs) != 2 || len(damages) != 1 || !damages[0].Torn {
		t.Errorf("got %v, %v", seqs, damages)
	}
}

// What somebody changed is not a torn block: it is told as a damage, with its place.
func TestAChangedBlockIsNotTakenForATornOne(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 1, 3, 1)
	path := only(t, dir)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := headerSize + bytes.Index(whole[headerSize:], []byte(magic))
	for at := second; at < bytes.LastIndex(whole, []byte(magic)); at++ {
		text := slices.Clone(whole)
		text[at] ^= 0x55
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		seqs, damages := read(t, dir, 0)
		if !slices.Equal(seqs, []int64{1, 3}) || len(damages) != 1 {
			t.Fatalf("byte %d: got %v, %v", at, seqs, damages)
		}
		if d := damages[0]; d.Torn || d.At != int64(second) {
			t.Fatalf("byte %d: got %+v", at, d)
		}
	}
}

func TestOldFilesAreRemovedBySizeAndAge(t *testing.T) {
	dir := t.TempDir()
	c := Config{Dir: dir, Size: 16 << 10} // a file ends at 1 KiB
	fill(t, c, 1, 300, 3)
	all, err := files(dir)
	if err != nil || len(all) < 3 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	s := Open(c)
	if err := s.sweep(time.Now()); err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	all, _ = files(dir)
	for _, f := range all {
		info, err := os.Stat(filepath.Join(dir, f.name))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	seqs, damages := read(t, dir, 0)
	if total > c.Size || len(damages) > 0 || len(seqs) == 0 {
		t.Fatalf("%d bytes in %d files, entries %v, %v", total, len(all), seqs, damages)
	}
	if !slices.Equal(seqs, count(seqs[0], 300)) {
		t.Errorf("the last entries are %v", seqs)
	}
	if late, _ := read(t, dir, 300+behind); len(late) == 0 || len(late) >= len(seqs) || late[len(late)-1] != 300 {
		t.Errorf("from a late record on there are %d of %d entries", len(late), len(seqs))
	}
	if err := s.sweep(time.Now().Add(2 * DefaultAge)); err != nil {
		t.Fatal(err)
	}
	if seqs, _ := read(t, dir, 0); len(seqs) > 0 {
		t.Errorf("%d entries are there after their time", len(seqs))
	}
}

// Several processes write one store; each has a Store of its own.
func TestSeveralWritersShareAStore(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for w := range int64(4) {
		wait.Go(func() {
			for round := range int64(5) {
				s := Open(Config{Dir: dir, Size: 64 << 10})
				for i := range int64(10) {
					put(t, s, 1+w+4*(10*round+i))
				}
				closed(t, s)
			}
		})
	}
	wait.Wait()
	seqs, damages := read(t, dir, 0)
	slices.Sort(seqs)
	if !slices.Equal(seqs, count(1, 200)) || len(damages) > 0 {
		t.Errorf("got %v, %v", seqs, damages)
	}
	keys := map[string]bool{}
	for range 3 {
		p, err := NewPlaceholders(dir)
		if err != nil {
			t.Fatal(err)
		}
		keys[string(p.key)] = true
	}
	if len(keys) != 1 {
		t.Errorf("there are %d keys", len(keys))
	}
}

func TestTheFirstOfSeveralKeysWins(t *testing.T) {
	dir := t.TempDir()
	keys := make([]string, 16)
	var wait sync.WaitGroup
	for i := range keys {
		wait.Go(func() {
			p, err := NewPlaceholders(dir)
			if err != nil {
				t.Error(err)
				return
			}
			keys[i] = p.For("the same secret")
		})
	}
	wait.Wait()
	if slices.Sort(keys); keys[0] != keys[len(keys)-1] {
		t.Errorf("got %q", keys)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("files are left: %v, %v", names, err)
	}
	if err := os.WriteFile(filepath.Join(dir, keyName), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewPlaceholders(dir); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("got %v", err)
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	s := Open(Config{Dir: t.TempDir()})
	n := 0
	for s.Reserve(MaxEvent) {
		n++
	}
	if n != maxQueueBytes/MaxEvent {
		t.Errorf("%d large entries wait", n)
	}
	s.Release(MaxEvent)
	if !s.Reserve(100) {
		t.Error("room that was given back is not free")
	}
	closed(t, s)
	if s.Reserve(1) {
		t.Error("a closed store takes more")
	}
}

// A disk that hangs is told from one that answers, and nobody has to wait for it.
func TestAStoreThatDoesNotOpen(t *testing.T) {
	s := Open(Config{Dir: t.TempDir()})
	goOn := make(chan struct{})
	s.open = func(dir string) (*Placeholders, error) {
		<-goOn
		return openFolder(dir)
	}
	select {
	case <-s.Opened():
		t.Error("it is open before the disk has answered")
	default:
	}
	close(goOn)
	if p, err := s.Ready(); p == nil || err != nil {
		t.Errorf("got %v, %v", p, err)
	}
	closed(t, s)
}

// A folder that cannot be written costs events, and nothing else.
func TestWhatCannotBeWrittenIsCounted(t *testing.T) {
	dir := t.TempDir()
	s := Open(Config{Dir: dir})
	if _, err := s.Ready(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file in its place
		t.Fatal(err)
	}
	put(t, s, 2)
	if err := s.Close(); err == nil || s.Lost() == 0 {
		t.Errorf("lost %d, %v", s.Lost(), err)
	}
}

func TestNothingIsKeptWhenItIsOff(t *testing.T) {
	s := Open(Config{Dir: filepath.Join(t.TempDir(), "events"), Off: true})
	if !s.Off() {
		t.Error("it is on")
	}
	closed(t, s)
	if _, err := os.Stat(s.config.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
}

func FuzzReader(f *testing.F) {
	var p packer
	one, err := p.pack(appendEntry(nil, entry{1, entryOf(1)}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(one)
	f.Add(append(one[:len(one)/2:len(one)/2], one...))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := &blocks{path: "x", in: bytes.NewReader(text), size: int64(len(text))}
		for turns := 0; r.at < r.size; turns++ {
			before := r.at
			list, err := r.next()
			for _, e := range list {
				_, _ = Parse(e.text) // whatever it is
			}
			var d *Damage
			if err != nil && !errors.As(err, &d) {
				t.Fatalf("at %d: %v", r.at, err)
			}
			if r.at <= before || turns > len(text) {
				t.Fatalf("at %d after %d, turn %d", r.at, before, turns)
			}
		}
	})
}

// What cannot be looked at while old files are removed loses no event that is written.
func TestAFileThatIsGoneMeanwhileLosesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, fileName(1, time.Now()))); err != nil {
		t.Skip(err)
	}
	s := Open(Config{Dir: dir})
	text := []byte(`{"v":1,"event":{}}`)
	if !s.Reserve(len(text)) {
		t.Fatal("no room")
	}
	s.Put(5, text)
	if err := s.Close(); err != nil || s.Lost() != 0 {
		t.Errorf("%d events count as lost: %v", s.Lost(), err)
	}
}

// TestWhoReadsFindsWhatWasPut: an event is written a moment after its record, and who asks
// for it then waits for that.
func TestWhoReadsFindsWhatWasPut(t *testing.T) {
	dir := t.TempDir()
	s := Open(Config{Dir: dir})
	s.Settle(t.Context()) // there is nothing to wait for
	for seq := int64(1); seq <= 20; seq++ {
		put(t, s, seq)
		s.Settle(t.Context())
		if seqs, damages := read(t, dir, 1); len(seqs) != int(seq) || len(damages) > 0 {
			t.Fatalf("after %d were put, %v are there, %v", seq, seqs, damages)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	s.Settle(gone)
	closed(t, s)
	s.Settle(t.Context())
}

// TestAnEmptyKeyIsReplaced: a machine that stopped may have left one.
func TestAnEmptyKeyIsReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, keyName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if why := fails(dir); why != "" {
		t.Errorf(`got %v, want ""`, why)
	}
	p, err := NewPlaceholders(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := NewPlaceholders(dir)
	if err != nil || again.For("a secret") != p.For("a secret") {
		t.Errorf("the next one has another key: %v", err)
	}
}
