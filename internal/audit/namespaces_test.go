package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func namespacesIn(t *testing.T, path string) []Namespace {
	t.Helper()
	all, err := ReadNamespaces(path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestNamespacesAreCountedPerDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := NamespacesPath(filepath.Join(t.TempDir(), "state"))
		if all := namespacesIn(t, path); all != nil {
			t.Fatalf("no file holds %v", all)
		}
		began := time.Now().UTC()
		a := &Namespaces{Path: path, Dir: "/work/a", Agent: "Alice"}
		a.Note("deploi")
		if all := namespacesIn(t, path); len(all) != 1 || all[0] != (Namespace{"deploi", 1, began, "/work/a", "Alice"}) {
			t.Fatalf("the first is written at once; there is %+v", all)
		}
		a.Note("deploi")
		a.Note("sha256")
		if all := namespacesIn(t, path); len(all) != 1 {
			t.Fatalf("a flood is written at once: %+v", all)
		}
		time.Sleep(namespaceEvery)
		a.Note("deploi")
		time.Sleep(time.Minute)
		b := &Namespaces{Path: path, Dir: "/work/b", Agent: "Bob"}
		b.Note("deploi")
		c := &Namespaces{Path: path, Dir: "/work/a", Agent: "Eve"}
		c.Note("sha256")
		for _, book := range []*Namespaces{a, b, c, {Path: path}} {
			if err := book.Close(); err != nil {
				t.Fatal(err)
			}
		}
		last := began.Add(namespaceEvery + time.Minute)
		want := []Namespace{
			{"deploi", 1, last, "/work/b", "Bob"}, {"sha256", 2, last, "/work/a", "Eve"}, {"deploi", 3, began.Add(namespaceEvery), "/work/a", "Alice"},
		}
		if all := namespacesIn(t, path); !slices.Equal(all, want) {
			t.Errorf("\n got %+v\nwant %+v", all, want)
		}
	})
}

func TestTheFileIsSmallAndTheUsersOwn(t *testing.T) {
	path := NamespacesPath(t.TempDir())
	dir := strings.Repeat("/a long name\x01\xff", 1000)
	for round := range 3 {
		book := &Namespaces{Path: path, Dir: dir, Agent: dir}
		for i := range 2 * MostNamespaces {
			book.Note(fmt.Sprintf("ns-%d-%d", round, i))
		}
		book.Note("größe") // no namespace can have that name
		if err := book.Close(); err != nil {
			t.Fatal(err)
		}
	}
	all := namespacesIn(t, path)
	if len(all) != MostNamespaces || !strings.HasPrefix(all[0].Name, "ns-2-") || len(all[0].Dir) > namespaceMaxText {
		t.Errorf("%d are kept, the newest is %.40q in %d bytes", len(all), all[0].Name, len(all[0].Dir))
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > namespaceMaxFile || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%d bytes, mode %v", info.Size(), info.Mode())
	}
}

func TestSessionsNoteNamespacesTogether(t *testing.T) {
	path := NamespacesPath(t.TempDir())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				book := &Namespaces{Path: path, Dir: "/work"}
				book.Note("deploi")
				book.Note("deploi")
				if err := book.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := namespacesIn(t, path); len(got) != 1 || got[0].Count != 80 {
		t.Errorf("8 sessions noted 80 directives; there is %+v", got)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestWhatIsNoEntryIsPassedOver(t *testing.T) {
	path := NamespacesPath(t.TempDir())
	good, err := json.Marshal(Namespace{"deploi", 2, time.Now().UTC(), "/work", "Alice"})
	if err != nil {
		t.Fatal(err)
	}
	text := "{\n\n[]\nnull\n" + `{"namespace":"no time","count":1}` + "\n" + `{"namespace":"x","count":-1,"last":"2026-05-06T07:08:09Z"}` + "\n" +
		`{"namespace":"bad name","count":1,"last":"2026-05-06T07:08:09Z"}` + "\n" + string(good) + "\n" + string(good) + "\n" + string(good[:20])
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	book := &Namespaces{Path: path, Dir: "/work", Agent: "Bob"}
	book.Note("deploi")
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	if all := namespacesIn(t, path); len(all) != 1 || all[0].Count != 3 || all[0].Agent != "Bob" {
		t.Errorf("got %+v", all)
	}
}

func TestAFolderThatCannotBeWrittenIsAnErrorOfClose(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	book := &Namespaces{Path: NamespacesPath(file)}
	book.Note("deploi")
	if err := book.Close(); err == nil || !strings.Contains(err.Error(), "hookway doctor") {
		t.Errorf("error %v", err)
	}
}

// FuzzNamespaces holds that what is read is bounded and can be written again.
func FuzzNamespaces(f *testing.F) {
	f.Add([]byte(`{"namespace":"a","count":1,"last":"2026-05-06T07:08:09Z","dir":"/x","agent":"b"}` + "\n{}\n"))
	f.Add([]byte("\xff\n" + `{"namespace":"a","count":1e3,"last":"9999-12-31T23:59:59.999+23:59"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all := parseNamespaces(data)
		if len(all) > MostNamespaces {
			t.Fatalf("%d entries", len(all))
		}
		path := filepath.Join(t.TempDir(), "file")
		if err := writeNamespaces(path, all); err != nil {
			t.Fatal(err)
		}
		again := namespacesIn(t, path)
		if len(again) != len(all) {
			t.Fatalf("%d entries, read again %d", len(all), len(again))
		}
		for i := range all {
			if all[i].Name != again[i].Name || all[i].Count != again[i].Count || !all[i].Last.Equal(again[i].Last) {
				t.Fatalf("%+v, read again %+v", all[i], again[i])
			}
		}
	})
}
