//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bare is a workspace of Claude Code's hooks, on a machine without Node.
type bare struct {
	t           *testing.T
	dir, self   string
	environment []string
}

func newBare(t *testing.T, files map[string]string) *bare {
	t.Helper()
	self, err := exec.LookPath("hookway")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	b := &bare{t: t, dir: filepath.Join(home, "project"), self: self, environment: []string{
		"PATH=" + filepath.Join(home, "bin"), "HOME=" + home, "HOOKWAY_HOME=" + filepath.Join(home, "hookway"), "HOOKWAY_DAEMON=off", "NO_COLOR=",
		"GORACE=atexit_sleep_ms=0",
	}}
	for name, text := range files {
		path := filepath.Join(b.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// run runs hookway, and gives its exit code and all that it printed.
func (b *bare) run(stdin string, args ...string) (int, string) {
	b.t.Helper()
	c := exec.Command(b.self, args...)
	var out bytes.Buffer
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = b.dir, b.environment, strings.NewReader(stdin), &out, &out
	if err := c.Run(); err != nil && c.ProcessState == nil {
		b.t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String()
}

// TestImportedHooksNeedNoNode: lines that call Node are run by hookway, with the same
// decision and code, and trust pins what it pins where Node is installed.
func TestImportedHooksNeedNoNode(t *testing.T) {
	t.Parallel()
	const guard = `
const event = JSON.parse(readFileSync(0, "utf8"));
if (event.tool_input.command.startsWith(process.argv[2])) { console.error("not " + event.tool_input.command); process.exit(2); }
`
	b := newBare(t, map[string]string{
		"hookway.yaml":      "import: claude\n",
		"hooks/plain.js":    `const { readFileSync } = require("fs");` + guard,
		"hooks/module.mjs":  `import { readFileSync } from "node:fs";` + guard,
		"hooks/context.mjs": "for await (const piece of process.stdin) console.log('seen ' + JSON.parse(piece).prompt);\n",
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "node hooks/plain.js plain"},
  {"type": "command", "command": "node --no-warnings \"$CLAUDE_PROJECT_DIR/hooks/module.mjs\" module && echo ok"},
  {"type": "command", "command": "node", "args": ["${CLAUDE_PROJECT_DIR}/hooks/plain.js", "args"]},
  {"type": "command", "command": "node -e \"process.exit(JSON.parse(fs.readFileSync(0)).tool_input.command === 'code' ? 2 : 0)\""}]}],
  "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "node hooks/context.mjs"}]}]}}`,
	})
	if code, out := b.run("", "trust"); code != 0 {
		t.Fatalf("got %v, want code == 0", out)
	}
	if code, out := b.run("", "list"); code != 0 || strings.Count(out, "Node is not installed") != 1 {
		t.Errorf("list: %d\n%s", code, out)
	}
	for command, want := range map[string]string{"plain x": "not plain x", "module x": "not module x", "args x": "not args x", "code": "", "ls": ""} {
		code, out := b.run(`{"tool_name": "Bash", "tool_input": {"command": "`+command+`"}}`, "fire", "PreToolUse", "-")
		exit := 2
		if command == "ls" {
			exit = 0
		}
		if code != exit || !strings.Contains(out, want) || strings.Contains(out, "not found") {
			t.Errorf("%s: got %d, want %d and %q\n%s", command, code, exit, want, out)
		}
	}
	if code, out := b.run(`{"prompt": "this"}`, "fire", "UserPromptSubmit", "-"); code != 0 || !strings.Contains(out, "seen this") {
		t.Errorf("%d\n%s", code, out)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "hooks/plain.js"), []byte("// changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out := b.run("", "list"); !strings.Contains(out, "changed") && !strings.Contains(out, "untrusted") {
		t.Errorf("a changed file is not seen:\n%s", out)
	}
}

// TestNodesCommandLine: what stands before the file is read as Node reads it.
func TestNodesCommandLine(t *testing.T) {
	t.Parallel()
	b := newBare(t, map[string]string{"lib.js": "module.exports = 'lib';\n", "main.ts": "const a: string[] = process.argv.slice(2);\nconsole.log(a.join());\n"})
	for _, c := range []struct {
		stdin, want string
		code        int
		args        []string
	}{
		{want: "v22.12.0\n", args: []string{"--version"}},
		{want: "2\n", args: []string{"-p", "1+1;"}},
		{want: "lib 1 true\n", args: []string{"-e", "console.log(require('./lib.js'), process.argv.length - 1, fs.existsSync('main.ts'))", "x"}},
		{want: "-a,b\n", args: []string{"--no-warnings", "--experimental-strip-types", "main.ts", "-a", "b"}},
		{want: "-a\n", args: []string{"--import", "tsx", "main", "-a"}},
		{want: "function\n", args: []string{"--input-type=module", "-e", "import fs from 'fs'; console.log(await Promise.resolve(typeof fs.readFileSync))"}},
		{want: "from stdin\n", stdin: "console.log('from stdin')", args: []string{"-"}},
		{want: "hookway: hookway node does not have Node's option --inspect; take it out, or install Node\n", code: 1, args: []string{"--inspect", "main.ts"}},
		{want: "hookway: hookway node reads no --require ./lib.js; import it in the file itself\n", code: 1, args: []string{"--require", "./lib.js", "main.ts"}},
	} {
		if code, out := b.run(c.stdin, append([]string{"node"}, c.args...)...); code != c.code || out != c.want {
			t.Errorf("%q: %d %q, want %d %q", c.args, code, out, c.code, c.want)
		}
	}
}
