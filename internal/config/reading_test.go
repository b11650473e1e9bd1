//go:build unix

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/trust"
)

// TestTrustPinsWhatWillRun: hooks whose files are named in ways that only a shell
// resolves; each file that is named may not change, and what cannot be resolved is told.
func TestTrustPinsWhatWillRun(t *testing.T) {
	for _, c := range []struct{ name, hook, pinned, unknown string }{
		{"by the environment", "env: {X: ./lib.sh}, command: '. $X'", "lib.sh", ""},
		{"by a variable", "command: 'D=sub; sh $D/x.sh'", "sub/x.sh", ""},
		{"by a pattern", "command: 'for f in d/*.sh; do . \"$f\"; done'", "d/a.sh d/b.sh", ""},
		{"by find", "command: 'find d -exec sh {} \\;'", "d/a.sh d/b.sh", ""},
		{"by printf", "command: 'sh $(printf sub/x.sh)'", "sub/x.sh", ""},
		{"by a script", "command: sh outer.sh", "outer.sh sub/x.sh", ""},
		{"in its folder", "command: 'cd sub && ./x.sh'", "sub/x.sh", ""},
		{"by a folder", "command: [run-parts, ./d]", "d/a.sh d/b.sh", ""},
		{"outside", "command: sh ../outside.sh", "@outside.sh", ""},
		{"from outside, as a program", "command: ../outside.sh", "@outside.sh", ""},
		{"only written", "command: tee -a events.log", "", ""},
		{"written and run", "command: 'tee -a sub/x.sh; sh sub/x.sh'", "sub/x.sh", ""},
		{"by what is not known", "command: 'sh $NOBODY/x.sh'", "", "a $NOBODY/x.sh"},
		{"by a command", "command: 'eval \"$(cat list)\"'", "list", "a \"$(cat list)\""},
		{"by any file", "command: 'find . -exec sh {} +'", "", "a ."},
		{"beside a script of Python", "command: python3 sub/p.py", "sub/helper.py sub/p.py", ""},
		{"of a user's own", "command: python3 list", "list", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for name, text := range map[string]string{"lib.sh": "", "sub/x.sh": "", "d/a.sh": "", "d/b.sh": "", "outer.sh": ". sub/x.sh\n", "events.log": "", "sub/p.py": "import json, helper\n", "sub/helper.py": "", "list": "", "../outside.sh": "#!/bin/sh\n"} {
				w.write(w.work(name), text)
			}
			w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, lane: guard, "+c.hook+"}]\n")
			status := w.trust()
			var files, unknown []string
			for _, f := range status.Files {
				if f == "hookway.yaml" {
					continue
				}
				if filepath.IsAbs(f) {
					f = "@" + filepath.Base(f)
				}
				files = append(files, f)
			}
			for _, u := range status.Unknown {
				unknown = append(unknown, u.Hook+" "+u.Word)
			}
			if got := strings.Join(files, " "); got != c.pinned {
				t.Errorf("pinned %q, want %q", got, c.pinned)
			}
			if got := strings.Join(unknown, "; "); got != c.unknown {
				t.Errorf("unknown %q, want %q", got, c.unknown)
			}
			for _, f := range strings.Fields(c.pinned) {
				path := w.work(f)
				if name, outside := strings.CutPrefix(f, "@"); outside {
					path = w.work("../" + name)
				}
				before, err := os.ReadFile(path)
				w.must(err)
				w.write(path, "echo changed\n")
				if set := w.load(); set.Trust.State != trust.Changed || len(set.Trust.Changes) == 0 {
					t.Errorf("%s changed: %s %v", f, set.Trust.State, set.Trust.Changes)
				}
				w.write(path, string(before))
			}
			if set := w.load(); set.Trust.State != trust.Given {
				t.Errorf("got %s %v, want %s", set.Trust.State, set.Trust.Changes, trust.Given)
			}
			w.write(w.work("events.log"), "more\n")
			if set := w.load(); set.Trust.State != trust.Given {
				t.Errorf("events.log changed: %s %v", set.Trust.State, set.Trust.Changes)
			}
		})
	}
}

func TestAFileThatAppearsWhereOneIsRunIsAChange(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("d/a.sh"), "")
	w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, command: 'sh d/*.sh; . later.sh'}]\n")
	w.trust()
	live := must(Open(t.Context(), w.options(), new(hook.Engine)))
	defer live.Close()
	for _, name := range []string{"d/b.sh", "later.sh"} {
		if set := must(live.Refresh(t.Context())); set.Trust.State != trust.Given {
			t.Fatalf("before %s: %s %v", name, set.Trust.State, set.Trust.Changes)
		}
		w.write(w.work(name), "")
		if set := must(live.Refresh(t.Context())); fmt.Sprint(set.Trust.Changes) != "[{"+name+" added}]" {
			t.Errorf(`%s: got %s %v, want fmt.Sprint(set.Trust.Changes) == "[{" + name + " added}]"`, name, set.Trust.State, set.Trust.Changes)
		}
		w.must(os.Remove(w.work(name)))
	}
}
