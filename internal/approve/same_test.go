package approve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// texts are what inputs are made of here: what readers of JSON get wrong, in pairs that are
// easily taken for one another.
var texts = []string{`""`, `"a"`, `"A"`, `"a "`, `"\u0000"`, `"\\u0000"`, `"\ud800"`, `"\udc00"`, `"\ufffd"`, "\"\xff\"", "\"\xed\xa0\x80\"", `"\ud83d\ude00"`, `"é"`, `"e\u0301"`, `"1"`, `"null"`, `"[]"`, `"\u202e"`,
	`1`, `1.0`, `1e0`, `-0`, `0`, `1e400`, `-1e400`, `1e-400`, `12345678901234567890`, `12345678901234567891`, `9007199254740993`, `9007199254740992`, `true`, `false`, `null`}

// drawn is a JSON text by chance, and its parts one by one, in an order that does not depend
// on that of members.
func drawn(r *rand.Rand, depth int) (text, meaning string) {
	n := r.IntN(3)
	switch kind := r.IntN(4); {
	case depth > 0 && kind == 0:
		var all, mean []string
		for range n {
			one, m := drawn(r, depth-1)
			all, mean = append(all, one), append(mean, m)
		}
		return "[" + strings.Join(all, " , ") + "]", "[" + strings.Join(mean, ",") + "]"
	case depth > 0 && kind == 1:
		var all []string
		mean := ""
		for i := range n {
			one, m := drawn(r, depth-1)
			key := fmt.Sprintf("%q", strings.Repeat("k", i+1))
			all, mean = append(all, key+": "+one), mean+key+":"+m+";"
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return "{" + strings.Join(all, ",") + "}", "{" + mean + "}"
	}
	text = texts[r.IntN(len(texts))]
	return text, text
}

// Inputs by chance, each against each: what is written differently but for order and blanks
// has another key, or none; and what is not has the same.
func TestOneKeyIsOneInput(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	byKey, byMeaning := map[string]string{}, map[string]string{}
	bound := 0
	for range 20_000 {
		text, meaning := drawn(r, 3)
		d := json.NewDecoder(bytes.NewReader([]byte(`{"command":"ls","x":` + text + `}`)))
		d.UseNumber()
		c := Call{Tool: "Bash"}
		if err := d.Decode(&c.Input); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		key, err := c.key()
		if unbound := (*UnboundError)(nil); errors.As(err, &unbound) {
			key = "none for " + meaning
		} else if err != nil {
			t.Fatal(err)
		} else {
			bound++
		}
		if other, ok := byKey[key]; ok && other != meaning {
			t.Fatalf("seed %d: %s and %s have one key", seed, other, meaning)
		}
		if other, ok := byMeaning[meaning]; ok && other != key {
			t.Fatalf("seed %d: %s has two keys", seed, meaning)
		}
		byKey[key], byMeaning[meaning] = meaning, key
	}
	if bound < 5000 {
		t.Errorf("got %d inputs with a key, want most of them", bound)
	}
}

// What the file of a runner names elsewhere is not searched through for all that may be
// there: it would be the whole disk.
func TestARunnerIsNotLookedForAllOverTheDisk(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "in")
	for name, text := range map[string]string{"in/Makefile": "all:\n\tcd / && go test ./... " + outer + " ..\n\tgo build ./sub\n", "in/sub/a.go": "package a", "beside/b.go": "package b"} {
		path := filepath.Join(outer, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c := Call{Workspace: dir, Input: map[string]any{"command": "make all"}}
	files, known, err := c.runs()
	if err != nil || known {
		t.Fatalf("got %v, %v; want files that are not all", known, err)
	}
	var inside []string
	for _, file := range files {
		if rel, err := filepath.Rel(c.folder(), file); err == nil && filepath.IsLocal(rel) {
			inside = append(inside, filepath.ToSlash(rel))
		} else if strings.HasSuffix(file, ".go") {
			t.Errorf("got %s, which lies outside", file)
		}
	}
	for _, want := range []string{"Makefile", "sub/a.go"} {
		if !slices.Contains(inside, want) {
			t.Errorf("got %v, want %s among them", inside, want)
		}
	}
}
