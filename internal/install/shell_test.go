package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestCommandLineIsRead: a shell, and we, read a line as the words it was made of.
func TestCommandLineIsRead(t *testing.T) {
	for _, shim := range []string{"/opt/bin/hookway-hook", "/my programs/it's $HOME `x` \"here\" \\/hookway-hook", "/ä/hookway-hook"} {
		line := commandLine(shim, arguments("claude", "PreToolUse", "60s", "continue"))
		want := []string{shim, "claude", "--event", "PreToolUse", "--timeout", "60s", "--on-failure", "continue"}
		if got := shellWords(line); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
		if sh, err := exec.LookPath("sh"); err == nil && filepath.Separator == '/' {
			out, err := exec.Command(sh, "-c", "printf '%s\\n' "+line).Output()
			if err != nil || string(out) != join(want) {
				t.Errorf("sh reads %s as %q, %v", line, out, err)
			}
		}
		c, ok := readCall(shellWords(line), []string{"claude"})
		switch {
		case !ok:
			t.Errorf("%s: %+v", line, c)
		case c.program != shim:
			t.Errorf("c.program: got %v, want %v", c.program, shim)
		case c.flags["timeout"] != "60s":
			t.Errorf("c.flags[\"timeout\"]: got %v, want %v", c.flags["timeout"], "60s")
		case c.flags["on-failure"] != "continue":
			t.Errorf("c.flags[\"on-failure\"]: got %v, want %v", c.flags["on-failure"], "continue")
		}
	}
}

func join(words []string) string {
	var out string
	for _, w := range words {
		out += w + "\n"
	}
	return out
}

// TestLineIsStable: agents have their users approve this very line, so it must
// never change.
func TestLineIsStable(t *testing.T) {
	if got := commandLine("/usr/local/bin/hookway-hook", arguments("codex", "PreToolUse", "60s", "")); got != "/usr/local/bin/hookway-hook codex --event PreToolUse --timeout 60s" {
		t.Errorf(`got %v, want "/usr/local/bin/hookway-hook codex --event PreToolUse --timeout 60s"`, got)
	}
}

func TestOthersAreNotOurs(t *testing.T) {
	for _, line := range []string{"", "hookway", "hookway-hook gemini --event X", "hookway list", "echo hookway-hook claude", "my-hookway-hook claude", "hookway hook"} {
		if c, ok := readCall(shellWords(line), []string{"claude"}); ok {
			t.Errorf("%q is taken for %+v", line, c)
		}
	}
	for _, line := range []string{`"C:/Program Files/hookway-hook.exe" claude`, `& 'C:\x\hookway-hook.exe' claude --event=Stop`, "hookway hook claude", "/opt/hookway-hook"} {
		if _, ok := readCall(shellWords(line), []string{"claude"}); !ok {
			t.Errorf("%q is not known as ours", line)
		}
	}
	if c, ok := readCall([]string{"/opt/hookway-hook"}, []string{"codex"}); ok {
		t.Errorf("without arguments it is Claude Code's, and not %+v", c)
	}
}

// TestFindShim: beside hookway, else in PATH, else it is said how to get it.
func TestFindShim(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("executables are told by their names here")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	make := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("PATH", filepath.Join(dir, "path"))
	if path, err := FindShim(make("alone/hookway")); err == nil {
		t.Errorf("found %s", path)
	}
	inPath := make("path/hookway-hook")
	if path, err := FindShim(filepath.Join(dir, "alone", "hookway")); err != nil || path != inPath {
		t.Errorf("got %s, %v, want err == nil and path == inPath", path, err)
	}
	beside := make("1.2.3/hookway-hook")
	if path, err := FindShim(make("1.2.3/hookway")); err != nil || path != beside {
		t.Errorf("got %s, %v, want err == nil and path == beside", path, err)
	}
	if err := os.Remove(inPath); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(beside, inPath); err != nil {
		t.Fatal(err)
	}
	if path, err := FindShim(filepath.Join(dir, "1.2.3", "hookway")); err != nil || path != inPath {
		t.Errorf("%s, %v: not the link in PATH, which outlives the version", path, err)
	}
}
