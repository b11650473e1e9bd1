package hook_test

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// TestPatchedFiles: whichever way a patch names a file.
func TestPatchedFiles(t *testing.T) {
	for _, c := range []struct{ patch, want string }{
		{"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch", "write a, move a, write b, delete c"},
		{"*** Begin Patch\n***  update file:a\n  *** Add File: \"b c\"\n+*** Add File: d\n*** End Patch", "write a, write b c"},
		{"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "write x, write y, move x"},
		{"diff --git \"a/\\153eys\" \"b/\\153eys\"\n--- \"a/\\153eys\"\n+++ \"b/\\153eys\"\n", "write keys"},
		{"diff --git a/x b/y\ncopy from x\ncopy to y\n", "write x, write y, read x"},
		{"--- a/x\t2020-01-01\n+++ /dev/null\n@@ -1 +0,0 @@\n-k\n", "delete x"},
		{"--- x\n+++ x\n@@ -1 +1 @@\n-k\n+j\n", "write x"},
		{"diff --git a/my file b/my file\nnew file mode 100644\n", "write my file"},
		{"Index: x\n===\n--- x\n+++ x\n", "write x"},
		{"a text\n--- a rule\n", ""},
		{"", ""},
	} {
		var got []string
		for _, p := range hook.PatchedFiles(c.patch) {
			got = append(got, p.Does+" "+p.Name)
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%q\n  got %q, want %q", c.patch, got, c.want)
		}
	}
}
