package script

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// emptied has the next compilation look on the disk.
func emptied() {
	bytecodes.Lock()
	defer bytecodes.Unlock()
	bytecodes.list = nil
}

func TestBytecodeOfLargeScriptsIsKept(t *testing.T) {
	text := "export const on = 'PreToolUse';\nexport const big = \"" + strings.Repeat("x", worthKeeping) + "\";\nexport default () => ({ action: 'block', reason: String(big.length) });\n"
	b, err := Build(filepath.Join(files(t, map[string]string{"hook.ts": text}), "hook.ts"), "")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "state", "script")
	compiled := func() []byte {
		t.Helper()
		emptied()
		code, err := compile(b, dir)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	first := compiled()
	if !bytes.Equal(kept(dir, b), first) {
		t.Fatal("it was not kept")
	}
	name, err := keptName(dir, b)
	if err != nil {
		t.Fatal(err)
	}
	for what, damage := range map[string]func([]byte) []byte{
		"changed": func(d []byte) []byte { d[len(d)-1] ^= 1; return d },
		"cut":     func(d []byte) []byte { return d[:len(d)/2] },
		"empty":   func([]byte) []byte { return nil },
	} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, damage(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if kept(dir, b) != nil {
			t.Errorf("%s: it is used", what)
		}
		if !bytes.Equal(compiled(), first) || !bytes.Equal(kept(dir, b), first) {
			t.Errorf("%s: it was not made anew", what)
		}
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("its mode is %v, %v", info.Mode(), err)
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if kept(dir, b) != nil {
			t.Error("it is used, though others can write to the folder")
		}
	}
}

func TestKeptBytecodeIsThinnedOut(t *testing.T) {
	dir := t.TempDir()
	for i := range maxKept + 1 {
		if err := os.WriteFile(filepath.Join(dir, strings.Repeat("a", i+1)+".qjs"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := thin(dir); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.qjs")); len(left) != maxKept/2 {
		t.Errorf("%d are left", len(left))
	}
}
