//go:build unix

package script

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Opening a pipe waits for the other side, and nothing could stop the script then.
func TestAScriptWaitsForNoPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ask := range []string{"readFileSync(P)", "writeFileSync(P, 'x')", "appendFileSync(P, 'x')"} {
		got := saysWith(t, "import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';\nconst P = "+strconv.Quote(pipe)+";",
			"try { "+ask+"; return block('done'); } catch (e: any) { return block(e.message); }", Read, Write)
		if !strings.Contains(got, "is not a file") {
			t.Errorf(`%s: got %s, want strings.Contains(got, "is not a file")`, ask, got)
		}
	}
}
