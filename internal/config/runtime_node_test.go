package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// TestAScriptIsRunByNode: hooks as a worker, with the package hookway, and programs for
// each event, in TypeScript too; trust pins their files as a command's.
func TestAScriptIsRunByNode(t *testing.T) {
	if out, err := exec.Command("node", "-p", "typeof require('module').register").Output(); err != nil || strings.TrimSpace(string(out)) != "function" {
		t.Skip("SKIPPED: no script is run by Node, because node is not installed, or is older than 20.6")
	}
	for name, text := range map[string]string{
		"default.mjs": "import { AsyncLocalStorage } from 'node:async_hooks';\nconst s = new AsyncLocalStorage();\nexport default async (event) => s.run(event.tool_input.command, async () => { await null; return s.getStore().startsWith('rm') ? { action: 'block', reason: 'not here' } : undefined; });\n",
		"on.ts":       "import { on, block } from 'hookway';\nimport { why } from './lib/why';\nenum Is { Bad = 'rm' }\non('PreToolUse', (event): any => (event.tool_input.command as string).startsWith(Is.Bad) ? block(why) : undefined);\n",
		"program.cjs": "const e = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nif (require.main === module && /^rm/.test(e.tool_input.command)) { console.error('not here'); process.exit(2); }\n",
		"program.ts":  "import { readFileSync } from 'node:fs';\nconst e: { tool_input: { command: string } } = JSON.parse(readFileSync(0, 'utf8'));\nif (/^rm/.test(e.tool_input.command)) { console.error('not here'); process.exit(2); }\n",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "on.ts" && stripsTypes() {
				text = strings.Replace(text, "enum Is { Bad = 'rm' }", "const Is = { Bad: 'rm' };", 1)
				text = strings.Replace(text, "./lib/why", "./lib/why.ts", 1)
			}
			w := newWorld(t)
			w.write(w.work("hookway.yaml"), "hooks:\n  - {id: n, on: PreToolUse, lane: guard, timeout: 5m, script: hooks/"+name+", runtime: node}\n")
			w.write(w.work("hooks/"+name), text)
			w.write(w.work("hooks/lib/why.ts"), "export const why: string = 'not here';\n")
			w.want(w.load(), "n untrusted")
			if status := w.trust(); !slices.Contains(status.Files, "hooks/"+name) {
				t.Errorf("it is not pinned: %v", status.Files)
			}
			s := w.load()
			w.want(s, "n active")
			if h := s.Hooks[0]; h.Kind != "command" || !strings.Contains(h.Command, name) {
				t.Errorf("it is listed as %+v", h)
			} else if !h.ByNode || len(h.Grants) > 0 {
				t.Errorf("it is listed as %+v", h)
			}
			e := fill(t, s)
			for range 2 {
				if out := bash(t, e, w.ws, "rm x"); out.Action != hook.ActionBlock || out.Reason != "not here" {
					t.Fatalf("rm: %+v %v", out.Verdict, out.Steps[0].Err)
				}
				if out := bash(t, e, w.ws, "ls"); out.Action != hook.ActionContinue || out.Steps[0].Err != nil {
					t.Fatalf("ls: %+v %v", out.Verdict, out.Steps[0].Err)
				}
			}
			w.write(w.work("hooks/"+name), text+"\n")
			if out := bash(t, e, w.ws, "ls"); out.Action != hook.ActionBlock {
				t.Errorf("a changed file runs: %+v", out.Verdict)
			}
		})
	}
}

func stripsTypes() bool {
	out, err := exec.Command("node", "-p", "!!process.features.typescript").Output()
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// TestAFileThatCannotBeBundledIsLeftToNode: one that reads TypeScript itself may run it.
func TestAFileThatCannotBeBundledIsLeftToNode(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: n, on: PreToolUse, lane: guard, timeout: 5m, script: n.ts, runtime: node}\n")
	w.write(w.work("n.ts"), "const name: string = 'why';\nconst { why } = await import(`./lib/${name}.ts`);\nexport default () => ({ action: 'block', reason: why });\n")
	w.write(w.work("lib/why.ts"), "export const why: string = 'by Node';\n")
	s := w.load()
	w.want(s, "n active")
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, "only Node 22.18 or newer") || !strings.Contains(s.Warnings[0].Message, "by a name that is computed") {
		t.Errorf("warnings: %v", s.Warnings)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("SKIPPED: it is not run, because node is not installed")
	}
	want := "reads no TypeScript"
	if stripsTypes() {
		want = "by Node"
	}
	if out := bash(t, fill(t, s), w.ws, "ls"); out.Action != hook.ActionBlock || !strings.Contains(out.Reason, want) {
		t.Errorf("got %+v, want out.Action == hook.ActionBlock and strings.Contains(out.Reason, want)", out.Verdict)
	}
}

// TestWhatNodeRunsIsThinned: what is not used for long goes, but never what is in use.
func TestWhatNodeRunsIsThinned(t *testing.T) {
	dir := t.TempDir()
	make := func(name string, age time.Duration) {
		t.Helper()
		at := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(filepath.Join(dir, name), nil, 0o600), os.Chtimes(filepath.Join(dir, name), at, at)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * nodeStales {
		make(fmt.Sprintf("fresh%d.mjs", i), nodeFresh/2)
		make(fmt.Sprintf("stale%d.mjs", i), 2*nodeFresh+time.Duration(i)*time.Hour)
	}
	make("old.mjs", 2*nodeStays)
	make("bin", 2*nodeStays)
	n := nodeFiles{dir: dir, plain: []byte("export default 1;\n")}
	driver, bundle, err := n.write()
	if err != nil {
		t.Fatal(err)
	}
	thinNode(dir)
	for name, want := range map[string]int{"fresh*.mjs": 3 * nodeStales, "stale*.mjs": nodeStales, "stale0.mjs": 1, "old.mjs": 0, "bin": 1} {
		if found, _ := filepath.Glob(filepath.Join(dir, name)); len(found) != want {
			t.Errorf("%d of %s, not %d", len(found), name, want)
		}
	}
	long := time.Now().Add(-2 * nodeStays)
	for _, path := range []string{filepath.Dir(driver), bundle} {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	thinNode(dir)
	if disk.Exists(driver) || disk.Exists(bundle) {
		t.Error("what nobody used for long is there")
	}
	asked := newByNode(hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) { return hook.Decision{}, nil }), n)
	asked.wrote.Store(long.UnixNano())
	if _, err := asked.Handle(t.Context(), hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{})); err != nil || !disk.Exists(driver) || !disk.Exists(bundle) {
		t.Errorf("a hook that was not asked for long has lost its files: %v", err)
	}
}

// TestWithoutNodeAGuardIsClosed: where there is no Node, one line says so.
func TestWithoutNodeAGuardIsClosed(t *testing.T) {
	w := newWorld(t)
	t.Setenv("PATH", t.TempDir())
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: n, on: PreToolUse, lane: guard, script: n.mjs, runtime: node}\n")
	w.write(w.work("n.mjs"), "export default () => {};\n")
	s := w.load()
	w.want(s, "n active")
	if out := bash(t, fill(t, s), w.ws, "ls"); out.Action != hook.ActionBlock || out.Steps[0].Err == nil || !strings.Contains(out.Steps[0].Err.Error(), `"node" is not on PATH`) {
		t.Errorf("got %+v %v, want out.Action == hook.ActionBlock and out.Steps[0].Err != nil and strings.Contains(out.Steps[0].Err.Error(), `\"node\" is not on PATH`)", out.Verdict, out.Steps[0].Err)
	}
}

// TestWhatNodeDoesNotHaveIsSaid: each in one line, at its place, and a guard stays closed.
func TestWhatNodeDoesNotHaveIsSaid(t *testing.T) {
	for name, c := range map[string]struct{ more, text, want string }{
		"no events":   {"", "", "for the events that on names"},
		"grants":      {", on: Stop, allow: [net]", "", "grants are not enforced by Node"},
		"settings":    {", on: Stop, config: {a: 1}", "", "only the built-in runtime has"},
		"a mode":      {", on: Stop, mode: worker", "", "mode: worker belongs to command"},
		"agent-relay": {", on: PreToolUse, lane: guard", "import { Relay } from 'agent-relay';\n", "written for agent-relay"},
		"OpenClaw":    {", on: PreToolUse, lane: guard", "import { x } from 'openclaw/plugin-sdk';\n", "written for openclaw/plugin-sdk"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env["HOOKWAY_TRUST"] = "1"
			w.write(w.work("hookway.yaml"), "hooks:\n  - {id: n, script: n.mjs, runtime: node"+c.more+"}\n")
			w.write(w.work("n.mjs"), c.text+"export default () => {};\n")
			s := w.load()
			if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Message, c.want) {
				t.Errorf("problems: %v", s.Problems)
			}
			if strings.Contains(c.more, "guard") {
				if out := bash(t, fill(t, s), w.ws, "ls"); out.Action != hook.ActionBlock {
					t.Errorf("the guard is open: %+v", out.Verdict)
				}
			}
		})
	}
}

// TestTrustPinsWhatNodeTakesIn: a file that is named as TypeScript or Node allow is
// pinned as one that is named in full. When it changes, the guard is closed.
func TestTrustPinsWhatNodeTakesIn(t *testing.T) {
	const code = "export const bad = (c: string): boolean => c.startsWith('rm');\n"
	for name, c := range map[string]struct {
		hook, text, file string
		more             map[string]string
	}{
		"js for ts":      {"on.ts", "./lib/why.js", "hooks/lib/why.ts", nil},
		"mjs for mts":    {"on.ts", "./lib/why.mjs", "hooks/lib/why.mts", nil},
		"no ending":      {"on.ts", "./lib/why", "hooks/lib/why.mts", nil},
		"paths":          {"on.ts", "@lib/why", "hooks/lib/why.ts", map[string]string{"tsconfig.json": `{"extends": "./base.json"}`, "base.json": `{"compilerOptions": {"paths": {"@lib/*": ["./hooks/lib/*"]}}}`}},
		"#imports":       {"on.mjs", "#why", "hooks/lib/why.js", map[string]string{"package.json": `{"imports": {"#why": {"node": "./hooks/lib/why.js", "default": "./x.js"}}}`}},
		"a package":      {"on.mjs", "why", "node_modules/why/b.mjs", map[string]string{"node_modules/why/package.json": `{"exports": {"module": "./a.mjs", "import": "./b.mjs"}}`, "node_modules/why/a.mjs": ""}},
		"for newer Node": {"on.mjs", "why", "node_modules/why/s.mjs", map[string]string{"node_modules/why/package.json": `{"exports": {"module-sync": "./s.mjs", "import": "./b.mjs"}}`, "node_modules/why/b.mjs": ""}},
	} {
		for _, line := range []string{"script: hooks/" + c.hook + ", runtime: node", "command: node hooks/" + c.hook} {
			if !strings.HasPrefix(line, "script") && !strings.HasPrefix(c.text, "./") {
				continue // a command's names of packages are not followed
			}
			t.Run(name+" "+line, func(t *testing.T) {
				w := newWorld(t)
				w.write(w.work("hookway.yaml"), "hooks:\n  - {id: n, on: PreToolUse, lane: guard, "+line+"}\n")
				w.write(w.work("hooks/"+c.hook), "import { bad } from '"+c.text+"';\nexport default (e) => bad(e.tool_input.command) ? { action: 'block' } : undefined;\n")
				w.write(w.work(c.file), code)
				for name, text := range c.more {
					w.write(w.work(name), text)
				}
				if status := w.trust(); !slices.Contains(status.Files, c.file) {
					t.Fatalf("%s is not pinned: %v", c.file, status.Files)
				}
				e := fill(t, w.load())
				w.write(w.work(c.file), strings.Replace(code, "c.startsWith('rm')", "false", 1))
				if out := bash(t, e, w.ws, "rm x"); out.Action != hook.ActionBlock || out.Steps[0].Err == nil || !strings.Contains(out.Steps[0].Err.Error(), "changed since the workspace was trusted") {
					t.Errorf("the changed file runs: %+v %v", out.Verdict, out.Steps[0].Err)
				}
				s := w.load()
				if s.Trust.State != trust.Changed {
					t.Errorf("the workspace is %s", s.Trust.State)
				}
			})
		}
	}
}
