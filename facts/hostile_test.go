package facts

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// filled is a text of about so many bytes of the same lines.
func filled(line string, size int) string { return strings.Repeat(line, size/len(line)) }

// inWorld is a world of files, which notes how much is alive while they are read.
type inWorld struct {
	files map[string]string
	reads int
	alive uint64 // at most
}

func (w *inWorld) read(path string, n int) ([]byte, error) {
	text, ok := w.files[path]
	if !ok {
		return nil, os.ErrNotExist
	}
	if w.reads++; w.reads%8 == 1 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.alive = max(w.alive, m.HeapAlloc)
	}
	return []byte(text[:min(len(text), n)]), nil
}

// TestWhatACallHoldsCostsLittle: the work for a call is bounded, and so is what is held for
// it, whatever its line and the scripts that it runs are made of. The rest is unknown.
func TestWhatACallHoldsCostsLittle(t *testing.T) {
	chain := map[string]string{}
	for i := range 200 {
		chain[fmt.Sprintf("/p/c%d.sh", i)] = filled("x=$y; ", 30<<10) + fmt.Sprintf("\n. ./c%d.sh\n", i+1) + filled("y=$x; ", 30<<10)
		chain[fmt.Sprintf("/p/f%d.sh", i)] = filled(fmt.Sprintf("echo %d $x | grep a > b\n", i), 60<<10)
	}
	fan := ""
	for i := range 200 {
		fan += fmt.Sprintf("sh f%d.sh; ", i)
	}
	each := filled(". ./x.sh\nsh ./y.sh\n", 60<<10)
	for name, c := range map[string]struct {
		line      string
		files     map[string]string
		allocated uint64 // MiB at most
	}{
		"scripts that source each other": {"sh x.sh", map[string]string{"/p/x.sh": each, "/p/y.sh": each}, 64},
		"a chain of scripts":             {". ./c0.sh", chain, 64},
		"a fan of scripts":               {fan, chain, 128},
		"a list that grows":              {"a=(" + filled("x y z ", 30<<10) + ")\n" + filled("b+=(\"${a[@]}\")\nrm \"${b[@]}\"\n", 30<<10), nil, 64},
		"a value that doubles":           {"a=xxxxxxxxxxxxxxxx\n" + filled("a=$a$a$a\nrm $a\n", 20<<10), nil, 32},
		"long words, many times":         {"a=" + strings.Repeat("x/", 30<<10) + "\n" + filled("rm $a $a $a $a\n", 3<<10), nil, 64},
		"functions that call each other": {"f() { g; g; f; }; g() { f; f; g; rm x; }\n" + filled("f; g\n", 32<<10), nil, 32},
		"words joined into one":          {"a=" + strings.Repeat("x ", 30<<10) + "\neval " + filled("\"$a\" ", 2<<10), nil, 64},
	} {
		t.Run(name, func(t *testing.T) {
			at := &inWorld{files: c.files}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			found := Shell(c.line, World{Dir: "/p", Home: "/home/u", ReadFile: at.read})
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > c.allocated {
				t.Errorf("%d MiB were allocated, want at most %d", got, c.allocated)
			}
			if got := int64(at.alive-before.HeapAlloc) >> 20; at.alive > before.HeapAlloc && got > 16 {
				t.Errorf("%d MiB were held at once, want at most 16", got)
			}
			told, rest := 0, false
			for _, f := range found {
				told += size(&f)
				rest = rest || f.Does == "unknown" && f.Many
			}
			if !rest || told > maxTold+maxText*maxFields {
				t.Errorf("%d facts with %d bytes, of the rest: %t; want a bounded number, and that there is more", len(found), told, rest)
			}
		})
	}
}

// TestAPathLongerThanTheSystemTakesIsNotLookedUp: it would take as many questions as it has
// parts, each of its whole length. It is still judged by what it says.
func TestAPathLongerThanTheSystemTakesIsNotLookedUp(t *testing.T) {
	asked := 0
	w := World{Dir: "/home/u/p" + strings.Repeat("/d", 3000), Home: "/home/u", Readlink: func(string) (string, error) { asked++; return "", os.ErrInvalid }}
	found := Shell("rm -rf "+strings.Repeat("../", 3001), w)
	if asked > 0 {
		t.Errorf("the disk was asked %d times, want never", asked)
	}
	deletes, unknown := hook.Fact{}, false
	for _, f := range found {
		if f.Does == "delete" {
			deletes = f
		}
		unknown = unknown || f.Does == "unknown"
	}
	if deletes.Path != "/home/u" || deletes.Scope != "root" || !unknown {
		t.Errorf("got %+v, unknown %t; want that the home is deleted, and that something is unknown", deletes, unknown)
	}
}

// TestDeepPathsAreWork: the disk is asked for each of their parts, but not for ever.
func TestDeepPathsAreWork(t *testing.T) {
	asked := 0
	w := World{Dir: "/p" + strings.Repeat("/d", 1500), Home: "/home/u", Readlink: func(string) (string, error) { asked++; return "", os.ErrInvalid }}
	Shell(filled("cat a; ", 60<<10), w)
	if most := 8 * maxSteps; asked == 0 || asked > most {
		t.Errorf("the disk was asked %d times, want some and at most %d", asked, most)
	}
}

// TestALongScriptIsUnknown: what stands behind as much as is read may be anything. What was
// installed, and what only computers read, is not asked about.
func TestALongScriptIsUnknown(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	comments := filled("# so it goes\n", 70<<10) + "rm -rf ~\n"
	for name, text := range map[string]string{
		dir + "/x.sh": "#!/bin/sh\n" + comments, dir + "/x": "#!/usr/bin/env bash\n" + comments, dir + "/program": "\x7fELF" + filled("\x00\x01", 70<<10),
		dir + "/huge.sh": filled("# so it goes\n", 300<<10), elsewhere + "/x.sh": comments, dir + "/y.py": comments,
	} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string, n int) ([]byte, error) {
		text, err := os.ReadFile(name)
		if err == nil && len(text) > n {
			return nil, os.ErrInvalid
		}
		return text, err
	}
	w := World{Dir: dir, Project: dir, Home: elsewhere, Lstat: func(name string) (os.FileInfo, error) { return os.Lstat(name) }, ReadFile: read}
	for line, want := range map[string]bool{
		"sh x.sh": true, "./x.sh": true, "./x": true, ". ./x.sh": true, "source x.sh": true, "bash -e < x.sh": true, "cat x.sh | bash": true, "./huge.sh": true, "cd / && sh " + dir + "/x.sh": true,
		"./program": false, "python3 y.py": false, ". ~/x.sh": false, "grep so x.sh": false, "sh missing.sh": false,
	} {
		got := slices.ContainsFunc(Shell(line, w), func(f hook.Fact) bool { return f.Does == "unknown" && f.Many })
		if got != want {
			t.Errorf("%s: got unknown: %t, want %t", line, got, want)
		}
	}
}
