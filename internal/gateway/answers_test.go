package gateway

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHalfALineTakesNoOtherWithIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	a := &answers{path: path}
	id := func() string { return "id" }
	answered := func(key string) {
		t.Helper()
		k, mine, err := a.claim(t.Context(), "ci", key, nil, id)
		if err != nil || !mine {
			t.Fatalf("got %v, %v, want err == nil and mine", mine, err)
		}
		if err := a.settle(k, 202, []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	answered("first")
	// A disk that is full takes some bytes, and then no more.
	if _, err := a.file.WriteString(`{"k":"half`); err != nil {
		t.Fatal(err)
	}
	a.file.Close()
	var err error
	if a.file, err = os.Open(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.claim(t.Context(), "ci", "second", nil, id); err == nil {
		t.Fatal("what could not be written is not an error")
	}
	answered("second")
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	a = &answers{path: path}
	defer a.close()
	for _, key := range []string{"first", "second"} {
		if k, mine, err := a.claim(t.Context(), "ci", key, nil, id); err != nil || mine || k.Status != 202 {
			t.Errorf("%s: got %+v, %v, %v, want err == nil and !mine and k.Status == 202", key, k, mine, err)
		}
	}
}
