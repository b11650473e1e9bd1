package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"*.rs", []string{"src/main.rs", "src/a/b/main.rs", "main.rs", "/elsewhere/x.rs"}, []string{"main.rsx", "main.rs/x", "rs"}},
		{"src/**/*.rs", []string{"src/file.rs", "src/a/b/f.rs", "src/a/f.rs"}, []string{"x/src/f.rs", "src/f.go", "srcx/f.rs", "/src/f.rs"}},
		{"src/*.rs", []string{"src/a.rs"}, []string{"src/a/f.rs", "x/src/a.rs", "src/a.rsx"}},
		{"**/*.ts", []string{"a.ts", "x/a.ts", "x/y/a.ts", "/abs/a.ts"}, []string{"a.tsx", "ts"}},
		{"**", []string{"a", "a/b/c", ".env", "/etc/passwd"}, nil},
		{"src/**", []string{"src/a", "src/a/b"}, []string{"src2/a", "x/src/a"}},
		{"**/test/**", []string{"test/a", "x/test/a/b"}, []string{"tests/a"}},
		{"a/**/b/**/c", []string{"a/b/c", "a/x/b/y/z/c", "a/b/b/c/c"}, []string{"a/c", "a/b"}},
		{".env", []string{"app/.env", ".env", "/etc/.env"}, []string{".envrc", "app/x.env", ".env/x"}},
		{"*.env", []string{"app/.env", ".env", "app/prod.env"}, []string{"env", "prod.env.txt"}},
		{"*test*", []string{"my_test_file", "test", "a/b/contest"}, []string{"tes", "test/a"}},
		{"?", []string{"a", "x/b", "é"}, []string{"ab", "a/bc"}},
		{"a?c", []string{"abc"}, []string{"ac", "a/c", "abbc"}},
		{"a+b.txt", []string{"a+b.txt", "x/a+b.txt"}, []string{"aab.txt", "ab.txt", "a+bxtxt"}},
		{"a(b)$.^", []string{"a(b)$.^"}, []string{"ab"}},
		{"{a,b}.go", []string{"a.go", "x/b.go"}, []string{"c.go", "ab.go", "{a,b}.go"}},
		{"{src,lib}/**/*.{c,h}", []string{"src/a.c", "lib/x/y.h"}, []string{"src/a.go", "bin/a.c"}},
		{"a{b,{c,d}e}", []string{"ab", "ace", "ade"}, []string{"ac", "abe"}},
		{"{*.go,docs/*.md}", []string{"x/a.go", "docs/a.md"}, []string{"a.md", "x/docs/a.md"}},
		{"[ab].go", []string{"a.go", "x/b.go"}, []string{"c.go", "ab.go", "[ab].go"}},
		{"[!ab].go", []string{"c.go"}, []string{"a.go"}},
		{"[a-c]x", []string{"bx"}, []string{"dx"}},
		{"./src/*.rs", []string{"src/a.rs"}, []string{"x/src/a.rs"}},
		{"src/", []string{"src/a", "src/a/b"}, []string{"srcx", "x/src/a"}},
		{"/etc/*", []string{"/etc/passwd"}, []string{"etc/passwd", "/etc/ssh/key", "/x/etc/passwd"}},
		{"/etc/**", []string{"/etc/passwd", "/etc/ssh/key"}, []string{"etc/passwd"}},
		{"{/etc,src}/**", []string{"/etc/passwd", "src/a"}, []string{"etc/passwd", "/src/a"}},
		{"größe/*", []string{"größe/ü"}, []string{"grösse/a"}},
	} {
		g, err := hook.CompileGlob(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, p := range c.yes {
			if !g.Match(p) {
				t.Errorf("%s does not match %s", c.pattern, p)
			}
		}
		for _, p := range c.no {
			if g.Match(p) {
				t.Errorf("%s matches %q", c.pattern, p)
			}
		}
	}
}

func TestGlobOfTheHomeFolder(t *testing.T) {
	t.Setenv("HOME", "/home/alice")
	t.Setenv("USERPROFILE", "/home/alice")
	g, err := hook.CompileGlob("~/.ssh/**")
	if err != nil {
		t.Fatal(err)
	}
	if !g.Match("/home/alice/.ssh/id_rsa") || g.Match("/home/bob/.ssh/id_rsa") || g.Match("~/.ssh/id_rsa") {
		t.Error("~/ is not the home folder")
	}
}

func TestBadGlobsSayWhatIsWrong(t *testing.T) {
	for pattern, word := range map[string]string{
		"": "empty", "!*.go": "not:", "[ab": "[ab", "src/[": "src/[", "{a,b": "{", "a}": "}", "a{b,{c}": "{",
		"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}": "64",
	} {
		if _, err := hook.CompileGlob(pattern); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v; want an error about %q", pattern, err, word)
		}
	}
}

// A pattern of many stars must not take time without end: one that tries all ways would
// not come back from this before the test binary is stopped.
func TestGlobsAreNotSlow(t *testing.T) {
	g, err := hook.CompileGlob(strings.Repeat("**/a*a*a*a*/", 12) + "b")
	if err != nil {
		t.Fatal(err)
	}
	if g.Match(strings.TrimSuffix(strings.Repeat(strings.Repeat("a", 60)+"/", 60), "/")) {
		t.Error("matched")
	}
}

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"*.rs", "src/**/*.rs", "{a,b}.go", "[!ab]", "~/x", "/etc/**", "a{b,{c,d}e}", `\*`} {
		f.Add(s, "src/main.rs")
	}
	f.Fuzz(func(t *testing.T, pattern, p string) {
		g, err := hook.CompileGlob(pattern)
		if err != nil {
			return
		}
		g.Match(p) // must end, and not panic
		plain := !strings.ContainsAny(p, `*?[]{}\!~`) && !strings.Contains(p, "..") && p == filepath.ToSlash(filepath.Clean(p))
		if plain && p == pattern && !g.Match(p) {
			t.Errorf("%q does not match itself", p)
		}
	})
}

// pathMatches reports whether a hook sees a call with this file.
func pathMatches(t *testing.T, lane hook.Lane, m hook.Match, root, cwd string, input map[string]any) bool {
	t.Helper()
	var e hook.Engine
	add(t, &e, "h", says(hook.Decision{}), hook.As(lane), hook.Matching(m), hook.Root(root))
	out, err := hook.Fire(t.Context(), &e, hook.PreToolUse, &hook.Envelope{CWD: cwd}, hook.ToolUse{ToolName: "Write", ToolInput: input})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Steps) == 1
}

func TestPathsAreTakenFromTheCall(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, pattern, root, cwd string
		key                      string
		path                     any
		want                     bool
	}{
		{"file_path", "src/*.go", "", "/w", "file_path", "/w/src/a.go", true},
		{"path", "src/*.go", "", "/w", "path", "/w/src/a.go", true},
		{"notebook_path", "src/*.go", "", "/w", "notebook_path", "/w/src/a.go", true},
		{"one of several", ".env", "", "/w", "file_paths", []any{"src/a.go", "app/.env"}, true},
		{"none of several", ".env", "", "/w", "file_paths", []any{"src/a.go", 7, "app/env"}, false},
		{"another argument", "**", "", "/w", "url", "/w/src/a.go", false},
		{"no text", "**", "", "/w", "path", 7, false},
		{"empty", "**", "", "/w", "path", "", false},
		{"relative to cwd", "src/*.go", "", "/w", "path", "src/a.go", true},
		{"relative with dot", "src/*.go", "", "/w", "path", "./src//a.go", true},
		{"cwd below the root", "app/src/*.go", "/w", "/w/app", "path", "src/a.go", true},
		{"cwd below the root, other folder", "src/*.go", "/w", "/w/app", "path", "src/a.go", false},
		{"dots cleaned", "src/*.go", "", "/w", "path", "/w/x/../src/a.go", true},
		{"dots lead out of the folder", "src/**", "", "/w", "path", "src/../../etc/passwd", false},
		{"dots lead elsewhere", "/etc/*", "", "/w", "path", "src/../../etc/passwd", true},
		{"outside of the root", "src/**", "", "/w", "path", "/other/src/a.go", false},
		{"a sibling with the same beginning", "**/a.go", "", "/w", "path", "/workspace/a.go", true},
		{"a sibling is outside", "space/*", "", "/w", "path", "/wspace/a.go", false},
		{"base name outside of the root", ".env", "", "/w", "path", "/other/.env", true},
		{"absolute pattern, file outside", "/etc/**", "", "/w", "path", "/etc/passwd", true},
		{"absolute pattern, file inside", "/w/src/**", "", "/w", "path", "/w/src/a.go", true},
		{"absolute pattern, relative file", "/w/src/**", "", "/w", "path", "src/a.go", true},
		{"absolute pattern, root above", "/w/app/*.go", "/w", "/w/app", "path", "a.go", true},
		{"home, file inside", "~/.ssh/**", "", home, "path", ".ssh/id_rsa", true},
		{"home, file outside", "~/.ssh/**", "", "/w", "path", filepath.Join(home, ".ssh/id_rsa"), true},
		{"no cwd", "src/*.go", "", "", "path", "src/a.go", true},
		{"no cwd, dots", "src/*.go", "", "", "path", "x/../src/a.go", true},
		{"without a folder", "*.go", "", "/w", "path", "x.go", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
				m := hook.Match{Path: []string{"never/*.x", c.pattern}}
				if got := pathMatches(t, lane, m, c.root, c.cwd, map[string]any{c.key: c.path}); got != c.want {
					t.Errorf("%v: got %v", lane, got)
				}
			}
		})
	}
}
