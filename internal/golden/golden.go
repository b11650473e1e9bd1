// Package golden compares what tests make with files that are checked in. No product links
// this package.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Compare fails a test if a file does not hold got. With -update it writes the file first.
func Compare(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v; go test -update writes it:\n%s", err, got)
	} else if string(want) != got && strings.ReplaceAll(string(want), "\r\n", "\n") != got { // git may write line ends of Windows
		t.Errorf("%s differs; look at it, and if it is right, run go test -update\n got:\n%s\nwant:\n%s", path, got, want)
	}
}
