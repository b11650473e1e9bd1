package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// linked is all that the shim may link, beside the runtime's own parts. Each
// costs every event of every agent: a JSON or network package more than the rest
// together.
var linked = []string{
	"cmp", "context", "errors", "io", "io/fs", "iter", "math", "math/bits", "math/rand/v2", "os", "os/signal", "path", "runtime", "slices", "strconv", "strings",
	"sync", "sync/atomic", "syscall", "time", "unicode", "unicode/utf8", "unsafe",
	"github.com/hookway/hookway/cmd/hookway-hook", "github.com/hookway/hookway/internal/backoff", "github.com/hookway/hookway/wire/call",
}

// TestSourcesAreWatched tells go test what the results hang on. The binary is
// built by another process, so a change of it alone would leave them cached.
func TestSourcesAreWatched(t *testing.T) {
	for _, pattern := range []string{"*.go", "../../wire/call/*.go", "../../internal/backoff/*.go", "../../go.mod"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			if _, err := os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestNothingHeavyIsLinked(t *testing.T) {
	list := exec.Command("go", "list", "-deps", ".")
	list.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if !strings.HasPrefix(name, "internal/") && !strings.HasPrefix(name, "runtime/internal/") {
			got = append(got, name)
		}
	}
	want := slices.Sorted(slices.Values(linked))
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the shim links other packages than it may; measure what the new ones cost before they go on the list\ngot  %v\nwant %v", got, want)
	}
	if strings.Contains(string(out), "internal/fmtsort") {
		t.Error("something brought fmt along")
	}
}

func TestTheBinaryIsSmall(t *testing.T) {
	const most = 3 << 20
	for _, system := range []string{"linux", "darwin", "windows"} {
		out := filepath.Join(t.TempDir(), "hookway-hook")
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, ".")
		build.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+runtime.GOARCH, "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		info, err := os.Stat(out)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most {
			t.Errorf("%s: the binary has %d bytes, more than %d", system, info.Size(), most)
		}
		t.Logf("%s: %d bytes", system, info.Size())
	}
}
