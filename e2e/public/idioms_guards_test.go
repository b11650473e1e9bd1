//go:build unix

package public

// guards are hooks that decide by their exit code, as most do.
var guards = []idiom{
	{name: "a pattern in the raw JSON, exit 2",
		hook: pre("Bash", `if grep -q 'rm -rf'; then echo 'BLOCKED: use trash' >&2; exit 2; fi`),
		on:   bash("rm -rf ./victim"), want: verdict{Decision: "deny", Reason: "BLOCKED: use trash"}},
	{name: "the same guard lets others pass",
		hook: pre("Bash", `if grep -q 'rm -rf'; then echo 'BLOCKED: use trash' >&2; exit 2; fi`), on: bash("ls")},
	{name: "a script beside the settings, run by sh",
		hook: pre("Bash", `sh .claude/hooks/guard.sh`), on: bash("git push --force"), want: verdict{Decision: "deny", Reason: "no force\ntwo lines"},
		files: map[string]string{"guard.sh": "input=$(cat)\ncase $input in *--force*) echo 'no force' >&2; echo 'two lines' >&2; exit 2;; esac\n"}},
	{name: "a script by its name, with CLAUDE_PROJECT_DIR in quotes",
		hook: pre("Bash", `"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh`), on: bash("ls"), want: verdict{Decision: "deny", Reason: "always"},
		files: map[string]string{"guard.sh": "#!/bin/sh\necho always >&2\nexit 2\n"}},
	{name: "a script by its name, with braces and no quotes",
		hook: pre("Bash", `${CLAUDE_PROJECT_DIR}/.claude/hooks/guard.sh arg`), on: bash("ls"), want: verdict{Decision: "deny", Reason: "arg"},
		files: map[string]string{"guard.sh": "#!/bin/sh\necho $1 >&2\nexit 2\n"}},
	{name: "cd to the project first",
		hook: pre("Bash", `cd "$CLAUDE_PROJECT_DIR" && sh .claude/hooks/guard.sh`), on: bash("ls"), want: verdict{Decision: "deny", Reason: "here"},
		files: map[string]string{"guard.sh": "test -f README.md && echo here >&2\nexit 2\n"}},
	{name: "exit 1 with a message is an error that does not block",
		hook: pre("Bash", `echo 'I would rather not' >&2; exit 1`), on: bash("rm -rf ./victim")},
	{name: "a script that is not there", hook: pre("Bash", `"$CLAUDE_PROJECT_DIR"/.claude/hooks/gone.sh`), on: bash("ls")},
	{name: "an interpreter that is not there", hook: pre("Bash", `no-such-interpreter .claude/hooks/guard.py`), on: bash("ls")},
	{name: "a script that fails on its way", hook: pre("Bash", `set -e; false; exit 2`), on: bash("ls")},
	{name: "exit 2 without a word", hook: pre("Bash", `exit 2`), on: bash("ls"), want: verdict{Decision: "deny"}},
	{name: "exit 2 with the reason on stdout, which is not read", hook: pre("Bash", `echo 'not here'; exit 2`), on: bash("ls"), want: verdict{Decision: "deny"}},
	{name: "text on stdout and exit 0", hook: pre("Bash", `echo '✅ checked'`), on: bash("rm -rf ./victim")},
	{name: "text on stderr and exit 0", hook: pre("Bash", `echo 'warning: be careful' >&2`), on: bash("ls")},
	{name: "a variable that nobody sets", hook: pre("Bash", `if echo "$CLAUDE_TOOL_INPUT" | grep -q 'rm -rf'; then exit 2; fi`), on: bash("rm -rf ./victim")},
	{name: "a hook that reads nothing", hook: pre("Bash", `exec 0<&-; echo closed >&2; exit 2`), on: bash("ls"), want: verdict{Decision: "deny", Reason: "closed"}},
	{name: "a message with quotes, tabs and other letters", hook: pre("Bash", `printf 'a "b"\t<c> — ü 🚫 \\n\n' >&2; exit 2`), on: bash("ls"), want: verdict{Decision: "deny", Reason: "a \"b\"\t<c> — ü 🚫 \\n"}},
	{name: "JSON on stderr with exit 2", hook: pre("Edit|Write", `echo '{"block": true, "message": "not on main"}' >&2; exit 2`), on: write("notes.md", "x\n"), want: verdict{Decision: "deny", Reason: `{"block": true, "message": "not on main"}`}},
	{name: "a branch guard", hook: pre("Edit|MultiEdit|Write", `[ "$(cat .branch)" != "main" ] || { echo 'make a branch first' >&2; exit 2; }`),
		files: map[string]string{"../../.branch": "main\n"}, on: write("notes.md", "x\n"), want: verdict{Decision: "deny", Reason: "make a branch first"}},
	{name: "a protected file by a case", hook: pre("Write|Edit", `case $(cat) in *'/.env"'*) echo 'secrets stay' >&2; exit 2;; esac`),
		on: write(".env", "K=1\n"), want: verdict{Decision: "deny", Reason: "secrets stay"}},
	{name: "the same for a file that is none", hook: pre("Write|Edit", `case $(cat) in *'/.env"'*) echo 'secrets stay' >&2; exit 2;; esac`), on: write("env.md", "K=1\n")},
	{name: "a protected file of an edit", hook: pre("Edit", `grep -q package.json && { echo 'ask first' >&2; exit 2; }; exit 0`),
		on: edit("package.json", "one", "two"), want: verdict{Decision: "deny", Reason: "ask first"}},
	{name: "the file's new content", hook: pre("Write", `grep -q 'console.log' && { echo 'no logging' >&2; exit 2; }; exit 0`),
		on: write("src/a.ts", "console.log(1)\n"), want: verdict{Decision: "deny", Reason: "no logging"}},
	{name: "a line of python in the settings", need: "python3",
		hook: pre("Edit|MultiEdit|Write", `python3 -c "import json, sys; p = json.load(sys.stdin).get('tool_input', {}).get('file_path', ''); sys.exit(2 if any(x in p for x in ['.env', 'lock.json', '.git/']) else 0)"`),
		on:   write("package-lock.json", "{}\n"), want: verdict{Decision: "deny"}},
	{name: "a python guard of commands", need: "python3", hook: pre("Bash", `python3 .claude/hooks/guard.py`), on: bash("sudo rm -fr /"), want: verdict{Decision: "deny", Reason: "🚫 dangerous: rm -fr"},
		files: map[string]string{"guard.py": pythonGuard}},
	{name: "a python guard with its own line", need: "python3", hook: pre("", `.claude/hooks/guard.py`), on: bash("git status"),
		files: map[string]string{"guard.py": pythonGuard}},
	{name: "a python guard of files", need: "python3", hook: pre("", `python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.py"`), on: tool("Read .env", "Read", object{"file_path": "PROJECT/.env"}), want: verdict{Decision: "deny", Reason: "no secrets"},
		files: map[string]string{"guard.py": pythonGuard}},
	{name: "a python guard that dies of a mistake", need: "python3", hook: pre("Bash", `python3 .claude/hooks/guard.py`), on: bash("ls"),
		files: map[string]string{"guard.py": "import json, sys\nraise ValueError(json.load(sys.stdin)['nothing'])\n"}},
	{name: "a node guard of commands", need: "node", hook: pre("Bash", `node .claude/hooks/guard.js`), on: bash("git reset --hard"), want: verdict{Decision: "deny", Reason: "[guard] loses work"},
		files: map[string]string{"guard.js": nodeGuard}},
	{name: "a node guard that has nothing against it", need: "node", hook: pre("Bash", `node .claude/hooks/guard.js`), on: bash("git log"),
		files: map[string]string{"guard.js": nodeGuard}},
	{name: "a line of node in the settings, which repeats its input", need: "node",
		hook: pre("Bash", `node -e "let d='';process.stdin.on('data',c=>d+=c);process.stdin.on('end',()=>{const i=JSON.parse(d);if(/npm run dev/.test(i.tool_input.command)){console.error('[Hook] BLOCKED: use tmux');process.exit(2)}console.log(d)})"`),
		on:   bash("npm run dev"), want: verdict{Decision: "deny", Reason: "[Hook] BLOCKED: use tmux"}},
	{name: "and lets others pass by repeating its input", need: "node",
		hook: pre("Bash", `node -e "let d='';process.stdin.on('data',c=>d+=c);process.stdin.on('end',()=>{console.log(d)})"`), on: bash("ls")},
	{name: "cat: the input is the answer", hook: pre("*", `cat`), on: bash("ls")},
	{name: "a script of bash", need: "bash", hook: pre("Bash", `bash .claude/hooks/guard.sh`), on: bash("git push origin main"), want: verdict{Decision: "deny", Reason: "Error: pushing to main"},
		files: map[string]string{"guard.sh": "#!/bin/bash\nset -euo pipefail\nINPUT=$(cat)\nif [[ \"$INPUT\" =~ git\\ push.*main ]]; then\n  echo \"Error: pushing to main\" >&2\n  exit 2\nfi\nexit 0\n"}},
	{name: "an exit code above", hook: pre("Bash", `exit 255`), on: bash("ls")},
	{name: "a hook that is killed", hook: pre("Bash", `kill -9 $$`), on: bash("ls")},
	{name: "the name of a tool", hook: pre("", `grep -q '"tool_name":"Write"' && { echo 'writes' >&2; exit 2; }; exit 0`), on: write("a.md", "a\n"), want: verdict{Decision: "deny", Reason: "writes"}},
	{name: "where it runs", hook: pre("Bash", `test "$(pwd -P)" = "$CLAUDE_PROJECT_DIR" && grep -q "\"cwd\":\"$(pwd -P)\"" && { echo 'as said' >&2; exit 2; }; exit 0`), on: bash("ls"), want: verdict{Decision: "deny", Reason: "as said"}},
	{name: "a call of an MCP server", hook: pre("mcp__tickets__.*", `echo 'no tickets' >&2; exit 2`), on: tool("mcp", "mcp__tickets__create", object{"title": "a"}), want: verdict{Decision: "deny", Reason: "no tickets"}},
	{name: "another MCP server", hook: pre("mcp__github__.*", `echo 'no' >&2; exit 2`), on: tool("mcp", "mcp__tickets__create", object{"title": "a"})},
}

const pythonGuard = `#!/usr/bin/env python3
import json, re, sys

try:
    data = json.load(sys.stdin)
except json.JSONDecodeError:
    sys.exit(0)
given = data.get("tool_input", {})
if data.get("tool_name") == "Bash":
    found = re.search(r"\brm\s+-(rf|fr)", given.get("command", ""))
    if found:
        print("🚫 dangerous: " + found.group(0), file=sys.stderr)
        sys.exit(2)
elif ".env" in given.get("file_path", ""):
    print("no secrets", file=sys.stderr)
    sys.exit(2)
sys.exit(0)
`

const nodeGuard = `const fs = require('fs');
const input = JSON.parse(fs.readFileSync(0, 'utf8'));
const command = (input.tool_input && input.tool_input.command) || '';
if (/git\s+reset\s+--hard/.test(command)) {
  process.stderr.write('[guard] loses work\n');
  process.exit(2);
}
process.exit(0);
`
