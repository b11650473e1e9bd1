package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFileForNodeIsBundledOnce checks that what was made is used again until one of the
// files, or the tsconfig.json, has changed.
func TestAFileForNodeIsBundledOnce(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hook := write("hook.ts", `import { word } from "./lib"; import { more } from "more"; export default () => word + more;`)
	write("lib.ts", `export const word: string = "first";`)
	write("a.ts", `export const more = "of a";`)
	write("b.ts", `export const more = "of b";`)
	write("tsconfig.json", `{"compilerOptions": {"paths": {"more": ["./a.ts"]}}}`)
	made := func(want string) []byte {
		t.Helper()
		code, err := PlainForNode(hook, FilesForNode(hook))
		if err != nil || !strings.Contains(string(code), want) {
			t.Fatalf("got %s, %v; want %q in it", code, err, want)
		}
		return code
	}
	first := made("first")
	if again := made("of a"); &again[0] != &first[0] {
		t.Error("the same files were bundled twice")
	}
	write("lib.ts", `export const word: string = "second";`)
	made("second")
	write("tsconfig.json", `{"compilerOptions": {"paths": {"more": ["./b.ts"]}}}`)
	made("of b")
}
