//go:build unix

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/trust"
)

// TestANameThatStaysRelativeIsWhatWasTrusted: an agent works in a folder that has other
// files of the names that a hook takes from where it runs. None of them runs.
func TestANameThatStaysRelativeIsWhatWasTrusted(t *testing.T) {
	for _, c := range []struct{ name, hook, evil string }{
		{"sourced by a variable", `command: '. $X', env: {X: ./lib.sh}`, "lib.sh"},
		{"run by a variable", `command: 'D=tools; sh $D/x.sh'`, "tools/x.sh"},
		{"each of a pattern", `command: 'for f in ./*.sh; do . "$f"; done'`, "lib.sh"},
		{"one more of a pattern", `command: 'for f in ./*.sh; do . "$f"; done'`, "more.sh"},
		{"sourced by a script", `command: sh outer.sh`, "lib.sh"},
		{"run by a script", `command: ./tools/runs.sh`, "tools/x.sh"},
		{"by a script in a list", `command: [./outer.sh]`, "lib.sh"},
		{"two scripts deep", `command: ./tools/deep.sh`, "lib.sh"},
		{"in quotes", `command: 'sh "tools"/x.sh'`, "tools/x.sh"},
		{"by cd", `command: 'cd tools && ./x.sh'`, "tools/x.sh"},
		{"by eval", `command: 'eval ". ./lib.sh"'`, "lib.sh"},
		{"by sh -c", `command: [sh, -c, '. ./lib.sh']`, "lib.sh"},
		{"by a here document", "command: \"sh <<E\\n. './lib.sh'\\nE\\n\"", "lib.sh"},
		{"by find", `command: 'find tools -name "x*.sh" -exec sh {} \;'`, "tools/x.sh"},
		{"one more by find", `command: 'find tools -name "x*.sh" -exec sh {} \;'`, "tools/x2.sh"},
		{"by xargs", `command: 'echo "./lib.sh" | xargs sh'`, "lib.sh"},
		{"by PATH", `command: 'PATH=tools:$PATH; x.sh'`, "tools/x.sh"},
		{"by $PWD", `command: '. "$PWD/lib.sh"'`, "lib.sh"},
		{"by pwd", `command: '. "$(pwd)/lib.sh"'`, "lib.sh"},
		{"by ..", `command: 'X=tools/..; . $X/lib.sh'`, "lib.sh"},
		{"by .. after a link", `command: 'X=up/..; . $X/lib.sh'`, "lib.sh"},
		{"from where it came", `command: 'cd "$HOOKWAY_PROJECT_DIR"; . "$OLDPWD/lib.sh"'`, "lib.sh"},
		{"by a module of Python", `command: 'python3 -c "import lib" 2>/dev/null; exit 0'`, "lib.py"},
		{"by a module that Python's own load", `command: 'python3 -c "import json" 2>/dev/null; exit 0'`, "enum.py"},
		{"if it is there", `command: 'test -f extra.sh && . ./extra.sh; exit 0'`, "extra.sh"},
		{"by another shell", `command: 'bash ./outer.sh'`, "lib.sh"},
		{"data of the line", `command: 'grep -q ok "list" || exit 2'`, "list"},
		{"by a trap", `command: 'trap ". ./lib.sh" EXIT'`, "lib.sh"},
		{"by a function", `command: 'f() { . "./lib.sh"; }; cd "$HOOKWAY_PROJECT_DIR/tools"; cd "$OLDPWD"; f'`, "lib.sh"},
		{"after a cd that may not be", `command: 'test -n "$NO" && cd "$HOOKWAY_PROJECT_DIR"; . "./lib.sh"'`, "lib.sh"},
		{"after a cd in a subshell", `command: '(cd "$HOOKWAY_PROJECT_DIR"); . "./lib.sh"'`, "lib.sh"},
		{"after a cd of another process", `command: 'sh -c "cd $HOOKWAY_PROJECT_DIR"; . "./lib.sh"'`, "lib.sh"},
		{"before a cd in a loop", `command: 'for i in 1 2; do . "./lib.sh"; cd "$HOOKWAY_PROJECT_DIR"; done'`, "lib.sh"},
		{"of a folder's hook", "", "lib.sh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			trace := filepath.Join(w.home, "trace")
			w.write(w.work("lib.sh"), "true\n")
			w.write(w.work("list"), "ok\n")
			w.write(w.work("tools/x.sh"), "#!/bin/sh\ntrue\n")
			w.write(w.work("outer.sh"), "#!/bin/sh\n. ./lib.sh\n")
			w.write(w.work("tools/runs.sh"), "#!/bin/sh\nD=tools\nsh $D/x.sh\n")
			w.write(w.work("tools/deep.sh"), "#!/bin/sh\nsh \"$HOOKWAY_PROJECT_DIR/outer.sh\"\n")
			if c.hook != "" {
				w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, "+c.hook+"}]\n")
			} else {
				w.write(w.work(".hookway/hooks/h"), "#!/bin/sh\nif [ \"$HOOK_ACTION\" = describe ]; then echo '{\"event\":\"PreToolUse\"}'; exit 0; fi\n. ./lib.sh\n")
			}
			w.trust()
			e := fill(t, w.load())
			same := w.work("same")
			for _, dir := range []string{w.ws, same} { // up/.. is that folder
				w.must(os.MkdirAll(filepath.Join(dir, "tools"), 0o755))
				w.must(os.Symlink("tools", filepath.Join(dir, "up")))
			}
			for _, name := range []string{"lib.sh", "list", "tools/x.sh", "tools/runs.sh", "outer.sh"} {
				w.write(filepath.Join(same, name), w.read(name))
			}
			if out := bash(t, e, w.ws, "ls"); out.Action != hook.ActionContinue {
				t.Errorf("in the workspace: %s %q", out.Action, out.Reason)
			}
			if out := bash(t, e, same, "ls"); out.Action != hook.ActionContinue {
				t.Errorf("in a folder with the same files: %s %q", out.Action, out.Reason)
			}
			evil := filepath.Join(w.work("sub"), c.evil)
			w.must(os.MkdirAll(w.work("sub"), 0o755))
			w.must(os.MkdirAll(w.work("sub/tools"), 0o755))
			w.must(os.Symlink("tools", w.work("sub/up")))
			for range 2 { // also when the folder has been looked at before
				w.write(evil, "#!/bin/sh\necho ran >>"+trace+"\nexit 0\n")
				if out := bash(t, e, w.work("sub"), "ls"); out.Action != hook.ActionBlock || !strings.Contains(out.Reason, filepath.Base(c.evil)) {
					t.Errorf("got %s %q, want out.Action == hook.ActionBlock and strings.Contains(out.Reason, filepath.Base(c.evil))", out.Action, out.Reason)
				}
				if disk.Exists(trace) {
					t.Fatal("what nobody trusted ran")
				}
				w.must(os.Remove(evil))
				bash(t, e, w.work("sub"), "ls")
			}
		})
	}
}

// TestHooksThatDoNotDependOnTheFolderRunEverywhere: a folder may hold what it likes.
func TestHooksThatDoNotDependOnTheFolderRunEverywhere(t *testing.T) {
	for _, c := range []struct{ name, hook string }{
		{"a script of the workspace", `command: ./tools/guard.sh`},
		{"a script in a list", `command: [sh, tools/guard.sh]`},
		{"a script in a line", `command: 'sh tools/guard.sh || exit 2'`},
		{"from the project's folder", `command: '"$HOOKWAY_PROJECT_DIR"/tools/guard.sh'`},
		{"a script that goes to its folder", `command: ./tools/home.sh`},
		{"a script that goes to the project", `command: ./tools/project.sh`},
		{"a line that goes to the project", `command: 'cd "$CLAUDE_PROJECT_DIR" && . tools/lib.sh'`},
		{"a line that must go there", "command: \"cd \\\"$CLAUDE_PROJECT_DIR\\\" || exit 2\\n. tools/lib.sh\""},
		{"with its own folder", `cwd: ., command: '. ./tools/lib.sh'`},
		{"words that are no files", `command: 'echo lib.sh guard tools > /dev/null'`},
		{"programs", `command: 'cat > /dev/null; true'`},
		{"a worker", `mode: worker, command: ./tools/worker.sh`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.work("tools/guard.sh"), "#!/bin/sh\ncat >/dev/null\nexit 0\n")
			w.write(w.work("tools/lib.sh"), "exit 0\n")
			w.write(w.work("tools/home.sh"), "#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit 2\nROOT=$(cd .. && pwd)\n. ./lib.sh\n")
			w.write(w.work("tools/project.sh"), "#!/bin/sh\nset -e\ncd \"$HOOKWAY_PROJECT_DIR\"\n. tools/lib.sh\n")
			w.write(w.work("tools/worker.sh"), "#!/bin/sh\nwhile read -r line; do id=${line#*\\\"id\\\":}; id=${id%%[,\\}]*}; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\\n' \"$id\"; done\n")
			w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, lane: guard, "+c.hook+"}]\n")
			w.trust()
			e := fill(t, w.load())
			for _, name := range []string{"tools/guard.sh", "tools/lib.sh", "lib.sh", "guard", "tools/tools/lib.sh", "cat", "true"} {
				w.write(filepath.Join(w.work("sub"), name), "#!/bin/sh\nexit 2\n")
			}
			for _, dir := range []string{w.ws, w.work("sub"), w.work("tools"), w.work("sub")} {
				if out := bash(t, e, dir, "ls"); out.Action != hook.ActionContinue || out.Steps[0].Err != nil {
					t.Errorf("in %s: %s %q %v", dir, out.Action, out.Reason, out.Steps[0].Err)
				}
			}
		})
	}
}

// TestALinkToAFolderIsLookedAtAgainWhenItLeadsElsewhere holds what is remembered of a
// folder to the folder, and not to its name.
func TestALinkToAFolderIsLookedAtAgainWhenItLeadsElsewhere(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("lib.sh"), "true\n")
	w.write(w.work("good/lib.sh"), "true\n")
	w.write(w.work("evil/lib.sh"), "echo evil >&2\nexit 2\n")
	w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, command: '. $X', env: {X: ./lib.sh}}]\n")
	w.trust()
	e := fill(t, w.load())
	link := w.work("link")
	for _, c := range []struct {
		to   string
		want hook.Action
	}{{"good", hook.ActionContinue}, {"evil", hook.ActionBlock}, {"good", hook.ActionContinue}, {".", hook.ActionContinue}} {
		_ = os.Remove(link)
		w.must(os.Symlink(w.work(c.to), link))
		if out := bash(t, e, link, "ls"); out.Action != c.want || strings.Contains(out.Reason, "evil\n") {
			t.Errorf("to %s: %s %q", c.to, out.Action, out.Reason)
		}
	}
}

// BenchmarkAway is what a decision pays for knowing that a command means in a folder
// what was trusted: with a name that stays relative, and with none.
func BenchmarkAway(b *testing.B) {
	for name, line := range map[string]string{"none": "./guard.sh", "relative": ". $X", "pattern": `for f in ./*.sh; do . "$f"; done`} {
		b.Run(name, func(b *testing.B) {
			root, err := filepath.EvalSymlinks(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			files := map[string]string{"guard.sh": guard("no"), "lib.sh": "true\n", "sub/lib.sh": "true\n", "hookway.yaml": "hooks: [{id: a, on: PreToolUse, command: '" + line + "', env: {X: ./lib.sh}}]\n"}
			for name, text := range files {
				path := filepath.Join(root, "ws", name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
					b.Fatal(err)
				}
			}
			opts := Options{Dir: filepath.Join(root, "ws"), Getenv: func(name string) string { return map[string]string{"HOOKWAY_HOME": filepath.Join(root, "home")}[name] }}
			if _, err := Trust(opts); err != nil {
				b.Fatal(err)
			}
			set, err := Load(b.Context(), opts)
			if err != nil {
				b.Fatal(err)
			}
			defer set.Close()
			p := set.Hooks[0].Handler.(*trust.Handler)
			for b.Loop() {
				if err := errors.Join(p.Check(), p.Away.Check(filepath.Join(root, "ws", "sub"))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestCallsSideBySideFromManyFolders: each is looked at on its own.
func TestCallsSideBySideFromManyFolders(t *testing.T) {
	pins := &trust.Pins{Root: t.TempDir(), Home: t.TempDir()}
	away := trust.NewAway(pins, hook.Guard, map[string]string{"X": "./lib.sh"}, []string{pins.Root}, func(r shell.Reader) shell.Reading { return r.Line(`. $X`) })
	if away == nil {
		t.Fatal("the line means the same everywhere")
	}
	var calls sync.WaitGroup
	for range 8 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "lib.sh"), []byte("true"), 0o600); err != nil {
			t.Fatal(err)
		}
		calls.Go(func() {
			if err := away.Check(dir); err == nil {
				t.Errorf("what %s has was not trusted, and would be taken", dir)
			}
		})
	}
	calls.Wait()
}
