package script

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"modernc.org/quickjs"
)

var update = flag.Bool("update", false, "make the prelude anew")

// The prelude that is checked in is the one of the files beside it, and of the
// engine that go.mod names.
func TestThePreludeIsOfItsSources(t *testing.T) {
	made, err := makePrelude()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("prelude.bin", made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(made, madePrelude) {
		at := 0
		for at < min(len(made), len(madePrelude)) && made[at] == madePrelude[at] {
			at++
		}
		t.Logf("from byte %d of %d, and of %d, they differ: %.80q, %.80q", at, len(made), len(madePrelude), made[max(0, at-20):], madePrelude[max(0, at-20):])
		t.Error("prelude.bin is not what its sources make; run make prelude, and check it in")
	}
}

// An engine that the prelude was not made for compiles it itself.
func TestThePreludeCanBeCompiledHere(t *testing.T) {
	text, _, err := bundlePrelude()
	if err != nil {
		t.Fatal(err)
	}
	js, err := quickjs.NewVM()
	if err != nil {
		t.Fatal(err)
	}
	defer js.Close()
	code, err := js.Compile(text, quickjs.EvalGlobal)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ready()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(code, p.code[:p.Main]) {
		t.Error("compiled here it is another one")
	}
	if !strings.HasSuffix(text, "\n") || strings.Count(text, "\n") < beyond {
		t.Error("its lines are not beyond those of scripts")
	}
}
