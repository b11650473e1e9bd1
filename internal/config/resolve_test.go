//go:build unix

package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
)

// TestWordsThatNameFilesBesideTheConfigurationMeanThose writes @@ for the
// folder of the configuration, which has guard.sh, b.py, hooks/g.sh and "my dir/g.sh".
func TestWordsThatNameFilesBesideTheConfigurationMeanThose(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"guard.sh", "b.py", "build", "log", "hooks/g.sh", "my dir/g.sh"} {
		w.write(w.work(name), "")
	}
	for _, c := range []struct{ line, want string }{
		{"./guard.sh --flag", "@@/guard.sh --flag"},
		{"hooks/g.sh", "@@/hooks/g.sh"},
		{"guard.sh", "guard.sh"}, // a bare name is looked up on PATH
		{"make build", "make build"},
		{"python3 b.py", "python3 @@/b.py"},
		{"python3 -u b.py b.py", "python3 -u @@/b.py b.py"},
		{"env A=1 ./guard.sh", "env A=1 @@/guard.sh"},
		{"A=1 sh guard.sh", "A=1 sh @@/guard.sh"},
		{"cat | ./guard.sh|sh hooks/g.sh;./guard.sh&", "cat | @@/guard.sh|sh @@/hooks/g.sh;@@/guard.sh&"},
		{"(./guard.sh)", "(@@/guard.sh)"},
		{"./guard.sh <./b.py", "@@/guard.sh <@@/b.py"},
		{"./guard.sh > ./log 2>>./log", "@@/guard.sh > ./log 2>>./log"}, // what it writes is not part of it
		{"./missing.sh", "@@/missing.sh"},                               // so that an agent's folder cannot supply it
		{"cd hooks && ./g.sh && ./guard.sh", "cd hooks && ./g.sh && ./guard.sh"},
		{`cd hooks && "$HOOKWAY_PROJECT_DIR/guard.sh"`, `cd hooks && "$HOOKWAY_PROJECT_DIR/guard.sh"`},
		{`"$CLAUDE_PROJECT_DIR"/hooks/g.sh`, `"$CLAUDE_PROJECT_DIR"/hooks/g.sh`},
		{`${CLAUDE_PROJECT_DIR}/hooks/g.sh x`, `${CLAUDE_PROJECT_DIR}/hooks/g.sh x`},
		{`'./my dir/g.sh'`, `'./my dir/g.sh'`},
		{`echo './guard.sh`, `echo './guard.sh`}, // not closed: the shell will say so
		{`echo $(./guard.sh)`, `echo $(@@/guard.sh)`},
		{"", ""},
	} {
		h := hookSpec{handler: handlerSpec{shell: &strict.Entry{Text: c.line}}}
		got := h.command(w.ws)
		if want := strings.ReplaceAll(c.want, "@@", w.ws); got.shell != want {
			t.Errorf("%s\n got %s\nwant %s", c.line, got.shell, want)
		}
	}
	for _, c := range []struct{ words, want []string }{
		{[]string{"./guard.sh", "b.py", "./b.py"}, []string{"@@/guard.sh", "b.py", "@@/b.py"}},
		{[]string{"/usr/bin/python3", "-u", "b.py", "build"}, []string{"/usr/bin/python3", "-u", "@@/b.py", "build"}},
		{[]string{"./missing", "./missing"}, []string{"@@/missing", "@@/missing"}},
		{[]string{"hooks", "hooks/"}, []string{"hooks", "hooks/"}}, // folders are left alone
	} {
		h := hookSpec{}
		for _, text := range c.words {
			h.handler.argv = append(h.handler.argv, strict.Entry{Text: text})
		}
		var want []string
		for _, text := range c.want {
			want = append(want, strings.ReplaceAll(text, "@@", w.ws))
		}
		if got := h.command(w.ws).argv; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", c.words, got, want)
		}
	}
}

// TestTrustPinsEachFileThatACommandNames goes through the ways to run a file.
func TestTrustPinsEachFileThatACommandNames(t *testing.T) {
	for command, want := range map[string]string{
		"bash -o pipefail guard.sh":                      "guard.sh",
		"env python3 guard.py":                           "guard.py",
		"python3.12 guard.py":                            "guard.py",
		"exec sh guard.sh":                               "guard.sh",
		"nice sh guard.sh":                               "guard.sh",
		"time sh guard.sh":                               "guard.sh",
		"if true; then sh guard.sh; fi":                  "guard.sh",
		"deno run guard.ts":                              "guard.ts",
		"uv run guard.py":                                "guard.py",
		`["bash","-c","./guard.sh --x"]`:                 "guard.sh",
		`["env","-S","python3 guard.py"]`:                "guard.py",
		"node -r ./lib/a guard.ts":                       "guard.ts lib/a.js",
		"node -r./lib/a guard.ts":                        "guard.ts lib/a.js",
		"node --require=./lib/a.js x":                    "lib/a.js",
		"sub/../guard.sh":                                "guard.sh",
		"sh link/../inner.sh":                            "deep/inner.sh",
		`sh -c "sh -c 'sh guard.sh'"`:                    "guard.sh",
		`sh -c "sh 'my dir/g.sh'"`:                       "my dir/g.sh",
		`sh my\ dir/g.sh`:                                "my dir/g.sh",
		"eval `cat guard.sh`":                            "guard.sh",
		`$(pwd)/guard.sh`:                                "guard.sh",
		`"$PWD"/guard.sh`:                                "guard.sh",
		`${PWD}/guard.sh`:                                "guard.sh",
		`sh <>guard.sh`:                                  "guard.sh",
		`grep '>' guard.sh`:                              "guard.sh",
		`["sh","-c","./guard.sh > log 2>>log"]`:          "guard.sh",
		`bash -c 'tool "$HOOKWAY_PROJECT_DIR/guard.sh"'`: "guard.sh",
		"python3 -c 'import runpy'":                      "",
	} {
		w := newWorld(t)
		for _, name := range []string{"guard.sh", "guard.py", "guard.ts", "lib/a.js", "deep/inner.sh", "deep/er/x", "my dir/g.sh", "log", "unrelated.sh"} {
			w.write(w.work(name), "")
		}
		w.must(os.Symlink(w.work("deep/er"), w.work("link")))
		text := command
		if !strings.HasPrefix(text, "[") {
			text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
		w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, command: "+text+"}]\n")
		files := slices.DeleteFunc(w.trust().Files, func(f string) bool { return f == "hookway.yaml" })
		if got := strings.Join(files, " "); got != want {
			t.Errorf("%s: pinned %q, want %q", command, got, want)
		}
		if set := w.load(); len(set.Warnings) > 0 && strings.Contains(set.Warnings.String(), "pinned") {
			t.Errorf("%s: %s", command, set.Warnings)
		}
	}
}

func TestACommandWhoseFilesCannotBeKnownIsAWarning(t *testing.T) {
	for command, want := range map[string]string{
		"make guard": "make", "env A=1 npx guard": "npx", "npm run guard": "npm", "yarn guard": "yarn", "pnpm guard": "pnpm",
		"go run ./cmd/guard": "go run", "cargo run": "cargo run", "python3 -m guard": "python -m", "python3.12 -Im guard": "python -m",
		`["bash","-c","cd x; make g"]`: "make", `echo "$(cd x && ./g)"`: "", "if true; then make x; fi": "make",
		`echo "please make it so"`: "", "./guard.sh -m x": "", "go version": "", "git commit -m make": "",
	} {
		w := newWorld(t)
		text := command
		if !strings.HasPrefix(text, "[") {
			text = "'" + text + "'"
		}
		w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, command: "+text+"}]\n")
		got := w.load().Warnings.String()
		if has := strings.Contains(got, "this command runs files that are not pinned by trust: "+want); has != (want != "") || want == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", command, got, want)
		}
	}
}

func TestAPathWithBlanksIsQuotedForTheShell(t *testing.T) {
	w := newWorld(t)
	dir := w.work("it's mine")
	w.write(filepath.Join(dir, "guard.sh"), "")
	h := hookSpec{handler: handlerSpec{shell: &strict.Entry{Text: "./guard.sh"}}}
	if got, want := h.command(dir).shell, `'`+w.ws+`/it'\''s mine/guard.sh'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAFileInCwdIsFoundToo(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("sub/guard.sh"), "")
	h := hookSpec{cwd: "sub", handler: handlerSpec{shell: &strict.Entry{Text: "./guard.sh"}}}
	if got := h.command(w.ws); got.shell != w.work("sub/guard.sh") {
		t.Errorf(`got %+v, want got.shell == w.work("sub/guard.sh")`, got)
	}
}

func FuzzShellWords(f *testing.F) {
	for _, line := range []string{"./a 'b c' \"d\\\"\" e\\ f|g>h;i&&j", "'", "\\", "a\\", "\"\\", "$(x)`y`"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		at := 0
		for _, w := range shell.Words(line) {
			if w.Start < at || w.End <= w.Start || w.End > len(line) {
				t.Fatalf("word %d–%d after %d in %q", w.Start, w.End, at, line)
			}
			at = w.End
		}
		r := resolver{dirs: []string{"/nonexistent"}}
		got := r.shell(line)
		word := !strings.Contains(line, "./") && !strings.ContainsAny(line, " \t")
		if word && len(got.files) == 0 && got.shell != line {
			t.Fatalf("%q became %q without a path or a script", line, got.shell)
		}
	})
}
