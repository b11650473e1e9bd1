//go:build unix

package config

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestWordsThatNameFilesBesideTheConfigurationMeanThose writes @@ for the
// folder of the configuration, which has guard.sh, b.py, hooks/g.sh and "my dir/g.sh".
func TestWordsThatNameFilesBesideTheConfigurationMeanThose(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"guard.sh", "b.py", "build", "log", "hooks/g.sh", "my dir/g.sh"} {
		w.write(w.work(name), "")
	}
	for _, c := range []struct{ line, want, files string }{
		{"./guard.sh --flag", "@@/guard.sh --flag", "guard.sh"},
		{"hooks/g.sh", "@@/hooks/g.sh", "hooks/g.sh"},
		{"guard.sh", "guard.sh", ""}, // a bare name is looked up on PATH
		{"make build", "make build", ""},
		{"python3 b.py", "python3 @@/b.py", "b.py"},
		{"python3 -u b.py b.py", "python3 -u @@/b.py b.py", "b.py"},
		{"env A=1 ./guard.sh", "env A=1 @@/guard.sh", "guard.sh"},
		{"A=1 sh guard.sh", "A=1 sh @@/guard.sh", "guard.sh"},
		{"cat | ./guard.sh|sh hooks/g.sh;./guard.sh&", "cat | @@/guard.sh|sh @@/hooks/g.sh;@@/guard.sh&", "guard.sh hooks/g.sh guard.sh"},
		{"(./guard.sh)", "(@@/guard.sh)", "guard.sh"},
		{"./guard.sh <./b.py", "@@/guard.sh <@@/b.py", "guard.sh b.py"},
		{"./guard.sh > ./log 2>>./log", "@@/guard.sh > ./log 2>>./log", "guard.sh"}, // what it writes is no part of it
		{"./missing.sh", "./missing.sh", ""},
		{"cd hooks && ./g.sh && ./guard.sh", "cd hooks && ./g.sh && ./guard.sh", ""},
		{`cd hooks && "$HOOKWAY_PROJECT_DIR/guard.sh"`, `cd hooks && "$HOOKWAY_PROJECT_DIR/guard.sh"`, "guard.sh"},
		{`"$CLAUDE_PROJECT_DIR"/hooks/g.sh`, `"$CLAUDE_PROJECT_DIR"/hooks/g.sh`, "hooks/g.sh"},
		{`${CLAUDE_PROJECT_DIR}/hooks/g.sh x`, `${CLAUDE_PROJECT_DIR}/hooks/g.sh x`, "hooks/g.sh"},
		{`'./my dir/g.sh'`, `'./my dir/g.sh'`, "my dir/g.sh"},
		{`echo './guard.sh`, `echo './guard.sh`, "guard.sh"}, // not closed: the shell will say so
		{`echo $(./guard.sh)`, `echo $(@@/guard.sh)`, "guard.sh"},
		{"", "", ""},
	} {
		h := hookSpec{handler: handlerSpec{shell: &entry{text: c.line}}}
		got := h.command(w.ws, w.ws)
		if want := strings.ReplaceAll(c.want, "@@", w.ws); got.shell != want {
			t.Errorf("%s\n got %s\nwant %s", c.line, got.shell, want)
		}
		var files []string
		for _, f := range got.files {
			rel, err := filepath.Rel(w.ws, f)
			w.must(err)
			files = append(files, rel)
		}
		if got := strings.Join(files, " "); got != c.files {
			t.Errorf("%s: files %q, want %q", c.line, got, c.files)
		}
	}
	for _, c := range []struct{ words, want []string }{
		{[]string{"./guard.sh", "b.py", "./b.py"}, []string{"@@/guard.sh", "b.py", "@@/b.py"}},
		{[]string{"/usr/bin/python3", "-u", "b.py", "build"}, []string{"/usr/bin/python3", "-u", "@@/b.py", "build"}},
		{[]string{"./missing", "./missing"}, []string{"@@/missing", "./missing"}},
		{[]string{"hooks", "hooks/"}, []string{"hooks", "hooks/"}}, // folders are left alone
	} {
		h := hookSpec{}
		for _, text := range c.words {
			h.handler.argv = append(h.handler.argv, entry{text: text})
		}
		var want []string
		for _, text := range c.want {
			want = append(want, strings.ReplaceAll(text, "@@", w.ws))
		}
		if got := h.command(w.ws, w.ws).argv; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", c.words, got, want)
		}
	}
}

func TestAPathWithBlanksIsQuotedForTheShell(t *testing.T) {
	w := newWorld(t)
	dir := w.work("it's mine")
	w.write(filepath.Join(dir, "guard.sh"), "")
	h := hookSpec{handler: handlerSpec{shell: &entry{text: "./guard.sh"}}}
	if got, want := h.command(dir, dir).shell, `'`+w.ws+`/it'\''s mine/guard.sh'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAFileInCwdIsFoundToo(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("sub/guard.sh"), "")
	h := hookSpec{cwd: "sub", handler: handlerSpec{shell: &entry{text: "./guard.sh"}}}
	if got := h.command(w.ws, w.ws); got.shell != w.work("sub/guard.sh") || len(got.files) != 1 {
		t.Errorf("%+v", got)
	}
}

func FuzzShellWords(f *testing.F) {
	for _, line := range []string{"./a 'b c' \"d\\\"\" e\\ f|g>h;i&&j", "'", "\\", "a\\", "\"\\", "$(x)`y`"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		at := 0
		for _, w := range shellWords(line) {
			if w.start < at || w.end <= w.start || w.end > len(line) {
				t.Fatalf("word %d–%d after %d in %q", w.start, w.end, at, line)
			}
			at = w.end
		}
		r := resolver{dirs: []string{"/nonexistent"}, project: "/nonexistent"}
		if got := r.shell(line); got.shell != line && len(got.files) == 0 {
			t.Fatalf("%q became %q without a file", line, got.shell)
		}
	})
}
