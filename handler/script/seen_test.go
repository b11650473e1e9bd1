package script

import (
	"fmt"
	"path/filepath"
	"testing"
)

// What a script needs a grant for is seen where it is written plainly, also in what it
// imports; what has the name alone is not taken for it.
func TestWhatAScriptUsesIsSeenInItsText(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":               {`export default () => block("no");`, "[]"},
		"exec":                  {`export default async () => { await exec("ls"); };`, "[exec]"},
		"fetch":                 {`export default async () => { await fetch("http://x"); };`, "[net]"},
		"both":                  {`export default async () => { await exec("ls"); await fetch("http://x"); };`, "[exec net]"},
		"of the global object":  {`export default () => globalThis.fetch("x");`, "[net]"},
		"by a plain index":      {`export default () => globalThis["exec"]("x");`, "[exec]"},
		"handed on":             {`const f = fetch; export default () => f("x");`, "[net]"},
		"a type check":          {`export default () => typeof fetch;`, "[net]"},
		"regular expressions":   {`export default (e) => /rm/.exec(e.tool_name);`, "[]"},
		"a function of its own": {`const exec = (x) => x; export default () => exec("fetch(1)");`, "[]"},
		"a parameter":           {`export default (e, { fetch }) => fetch("x");`, "[]"},
		"a word in a text":      {`export default () => block("do not fetch( or exec( here"); // fetch("x")`, "[]"},
		"child_process":         {`import { execSync } from "node:child_process"; export default () => execSync("ls");`, "[exec]"},
		"required":              {`const cp = require("child_process"); export default () => cp.execSync("ls");`, "[exec]"},
		"imported when it runs": {`export default async () => (await import("node:child_process")).execSync("ls");`, "[exec]"},
		"by createRequire":      {`import { createRequire } from "module"; const ask = createRequire(import.meta.url); export default () => ask("child_process").execSync("ls");`, "[exec]"},
		"http":                  {`import https from "https"; export default () => https.get("https://x");`, "[net]"},
		"a type alone":          {`import type { ExecOptions } from "child_process"; export default (o: ExecOptions) => undefined;`, "[]"},
		"in a file of its own":  {`import { run } from "./lib/run"; export default () => run("ls");`, "[exec]"},
		"in a package":          {`import { run } from "runs"; export default () => run("ls");`, "[exec]"},
		"what is left out":      {`import { pure } from "./lib/run"; export default () => pure("ls");`, "[]"},
		"in what awaits first":  {`const x = await fetch("http://x"); export default () => x;`, "[net]"},
		"in a program":          {`const { execSync } = require("child_process"); process.stdin.resume(); process.exit(0);`, "[exec]"},
		"a name that is made":   {`export default () => globalThis["fe" + name]("x"); const name = Date.now() ? "tch" : "";`, "[]"},
		"files are not":         {`import fs from "fs"; export default () => fs.readFileSync("/etc/passwd");`, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, map[string]string{
				"hook.ts": c.text, "lib/run.ts": "export const run = (c) => exec(c);\nexport const pure = (c) => c;\n",
				"node_modules/runs/package.json": `{"name": "runs", "main": "index.js"}`, "node_modules/runs/index.js": `exports.run = (c) => require("child_process").execSync(c);`,
			})
			b, err := Build(filepath.Join(dir, "hook.ts"), dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(b.Uses()); got != c.want {
				t.Errorf("seen %s, want %s", got, c.want)
			}
		})
	}
}

func TestWhatAScriptWrapsIsSeenInItsText(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a line":            {`relay.wrap('claude --model opus');`, "[[claude --model opus]] false"},
		"words":             {`relay.wrap("claude", ["--model", "opus"]);`, "[[claude --model opus]] false"},
		"a list":            {`relay.wrap(["claude", "-c"]);`, "[[claude -c]] false"},
		"in a row":          {`new Relay({ name: "A" }).on("idle", () => {}).wrap("codex");`, "[[codex]] false"},
		"computed":          {`relay.wrap(process.env.AGENT ?? "claude");`, "[] true"},
		"by a call":         {`relay.wrap(["cl", "aude"].join(""));`, "[] true"},
		"as an object":      {`relay.wrap({ command: "claude" });`, "[] true"},
		"nothing":           {`relay.on("idle", () => {});`, "[] false"},
		"hidden, so unseen": {`relay["wr" + "ap"]("claude");`, "[] false"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, map[string]string{"relay.config.ts": "import { Relay } from 'agent-relay';\nconst relay = new Relay({ name: 'MyAgent' });\n" + c.text})
			b, err := Build(filepath.Join(dir, "relay.config.ts"), dir)
			if err != nil {
				t.Fatal(err)
			}
			commands, computed := b.Wraps()
			if got := fmt.Sprint(commands, computed); got != c.want {
				t.Errorf("seen %s, want %s", got, c.want)
			}
		})
	}
	dir := files(t, map[string]string{"hook.ts": `_.wrap("x"); export default () => {};`})
	b, err := Build(filepath.Join(dir, "hook.ts"), dir)
	if err != nil {
		t.Fatal(err)
	}
	if commands, computed := b.Wraps(); commands != nil || computed {
		t.Errorf("what does not import agent-relay wraps %v %v", commands, computed)
	}
}
