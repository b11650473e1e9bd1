package install

import (
	"fmt"
	"strings"

	unified "github.com/rogpeppe/go-internal/diff"
)

// diff shows what happens to a file as a unified diff.
func diff(f *File) string {
	from, to, after := f.Path, f.Path, f.After
	if !f.Existed {
		from = "/dev/null"
	}
	if f.Remove {
		to, after = "/dev/null", nil
	}
	_, body, _ := strings.Cut(string(unified.Diff("", f.Before, "", after)), "+++ \n")
	return fmt.Sprintf("--- %s\n+++ %s\n%s", from, to, strings.ReplaceAll(body, "\r\n", "\n"))
}
