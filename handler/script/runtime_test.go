package script

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

func TestRuntime(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"await":           {"const a = await Promise.all([1, Promise.resolve(2)]); return block(a);", "[1,2]"},
		"timers":          {"const t = setTimeout(() => { throw new Error('cleared'); }, 5); clearTimeout(t); const order: string[] = []; queueMicrotask(() => order.push('micro')); await new Promise((r) => setTimeout(r, 2, order.push('a'))); order.push('b'); return block(order);", `["a","micro","b"]`},
		"interval":        {"let n = 0; await new Promise<void>((r) => { const t = setInterval(() => { if (++n === 3) { clearInterval(t); r(); } }, 1); }); return block(n);", "3"},
		"for await":       {"async function* g() { yield 1; yield 2; } let s = 0; for await (const x of g()) s += x; return block(s);", "3"},
		"url":             {"const u = new URL('../b?x=1&y=a%20b#h', 'https://Example.com:443/a/c/d'); u.searchParams.set('z', 'ä'); return block([u.href, u.host, u.pathname, u.searchParams.get('y'), u.origin, URL.canParse('nope')]);", `["https://example.com/a/b?x=1&y=a+b&z=%C3%A4#h","example.com","/a/b","a b","https://example.com",false]`},
		"encoding":        {"const b = new TextEncoder().encode('ä€😀'); return block([b.length, new TextDecoder().decode(b), btoa('hello'), atob('aGVsbG8=')]);", `[9,"ä€😀","aGVsbG8=","hello"]`},
		"structuredClone": {"const a: any = { d: new Date(5), m: new Map([[1, { x: [1] }]]), s: new Set([2]) }; a.self = a; const c = structuredClone(a); return block([c !== a, c.self === c, c.d.getTime(), c.m.get(1).x[0], c.s.has(2)]);", "[true,true,5,1,true]"},
		"uuid":            {"return block(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()) && crypto.randomUUID() !== crypto.randomUUID() && crypto.getRandomValues(new Uint8Array(4)).length === 4);", "true"},
		"abort":           {"const c = new AbortController(); const seen: string[] = []; c.signal.addEventListener('abort', () => seen.push('heard')); c.abort(); try { c.signal.throwIfAborted(); } catch (e: any) { seen.push(e.name); } return block([...seen, AbortSignal.any([c.signal]).aborted]);", `["heard","AbortError",true]`},
		"env":             {"process.env.MINE = 'set'; return block([process.env.SCRIPT_TEST, process.env.NOPE === undefined, 'SCRIPT_TEST' in process.env, process.env.MINE]);", `["yes",true,true,"set"]`},
		"no grant":        {"try { await fetch('http://127.0.0.1:1'); } catch (e: any) { return block(e.message); }", "fetch needs the grant net, which the hook does not have; write allow: [net] beside its script:, or export const allow = [\"net\"] in the file"},
		"enum and class":  {"enum E { A = 1, B } class C { #p = E.B; get v() { return this.#p; } static s = new C(); } return block(C.s.v);", "2"},
		"inject":          {"ctx.inject('one'); return { action: 'block', reason: ctx.sessionId + ctx.agentName, inject: 'two' };", "sa"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SCRIPT_TEST", "yes")
			if got := says(t, c.body); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestConsoleGoesToTheLog(t *testing.T) {
	r := run(t, "export default () => { console.log('a %s %d', 'b', 3, { x: [1, 'y'], e: new Error('no') }); console.error('two\\nlines'); for (let i = 0; i < 300; i++) console.warn(i); };")
	if _, err := r.Handle(context.Background(), bash("x")); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(r.logged(), "\n")
	if lines[0] != `a b 3 {x: [1, "y"], e: Error: no}` || lines[1] != "two" || lines[2] != "lines" {
		t.Errorf("printed %q", lines[:3])
	}
	if len(lines) != maxPrinted+1 || !strings.Contains(lines[maxPrinted], "the rest is left out") {
		t.Errorf("of 303 lines %d were logged; the last is %q", len(lines), lines[len(lines)-1])
	}
}

func TestFetch(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/json":
			fmt.Fprintf(w, `{"method":%q,"type":%q,"body":%q}`, r.Method, r.Header.Get("Content-Type"), body)
		case "/bytes":
			_, _ = w.Write([]byte{0xff, 0, 1})
		case "/moved":
			http.Redirect(w, r, "/json", http.StatusFound)
		case "/slow":
			<-r.Context().Done()
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	defer s.Close()
	for name, c := range map[string]struct{ body, want string }{
		"json":     {"const r = await fetch(U + '/json', { method: 'PUT', headers: { 'Content-Type': 'text/x' }, body: 'hi' }); return block([r.ok, await r.json()]);", `[true,{"method":"PUT","type":"text/x","body":"hi"}]`},
		"post":     {"return block(await (await fetch(U + '/json', { body: new URLSearchParams({ a: 'b c' }) })).json());", `{"method":"POST","type":"application/x-www-form-urlencoded;charset=UTF-8","body":"a=b+c"}`},
		"bytes":    {"return block([...new Uint8Array(await (await fetch(U + '/bytes')).arrayBuffer())]);", "[255,0,1]"},
		"redirect": {"const r = await fetch(U + '/moved'); const m = await fetch(U + '/moved', { redirect: 'manual' }); return block([r.redirected, r.url.endsWith('/json'), m.status]);", "[true,true,302]"},
		"status":   {"const r = await fetch(new Request(U)); return block([r.ok, r.status]);", "[false,418]"},
		"refused":  {"try { await fetch('http://127.0.0.1:1/'); } catch (e: any) { return block([e.name, e.message.includes('refused')]); }", `["TypeError",true]`},
		"timeout":  {"try { await fetch(U + '/slow', { signal: AbortSignal.timeout(5) }); } catch (e: any) { return block(e.name); }", "TimeoutError"},
		"abort":    {"const c = new AbortController(); const p = fetch(U + '/slow', { signal: c.signal }); c.abort(); try { await p; } catch (e: any) { return block(e.name); }", "AbortError"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := says(t, fmt.Sprintf("const U = %q;\n", s.URL)+c.body, Net); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestFilesAndPrograms(t *testing.T) {
	dir := t.TempDir()
	body := fmt.Sprintf("const D = %q;\n", dir)
	for name, c := range map[string]struct {
		head, body, want string
		grants           []Grant
	}{
		"files": {"import { readFile, writeFile, appendFile, readdir } from 'node:fs/promises';\nimport { existsSync, readFileSync, rmSync } from 'fs';\nimport path from 'node:path';",
			"const f = path.join(D, 'x', '..', 'a.txt'); await writeFile(f, 'ä'); await appendFile(f, '!'); const r = [await readFile(f, 'utf8'), readFileSync(f).length, existsSync(f), await readdir(D)]; rmSync(f); return block([...r, existsSync(f)]);",
			`["ä!",3,true,["a.txt"],false]`, []Grant{Read, Write}},
		"missing":   {"import { readFile } from 'node:fs/promises';", "try { await readFile(D + '/none'); } catch (e: any) { return block(e.code); }", "ENOENT", []Grant{Read}},
		"may write": {"import { writeFileSync } from 'node:fs';", "try { writeFileSync(D + '/x', ''); } catch (e: any) { return block(e.message.slice(0, 30)); }", "writeFile needs the grant writ", []Grant{Read}},
		"exec":      {"", "const r = await exec('echo \"$A\" && cat && pwd', { env: { A: 'x y' }, input: 'in\\n', cwd: D }); return block(r.stdout.replace(D, 'D'));", "x y\nin\nD\n", []Grant{Exec}},
		"exit code": {"", "try { await exec('echo no >&2; exit 3'); } catch (e: any) { return block([e.code, e.stderr, e.message]); }", `[3,"no\n","echo no >&2; exit 3 failed with exit code 3: no"]`, []Grant{Exec}},
		"late":      {"", "try { await exec('sleep 60 & wait', { timeout: 20 }); } catch (e: any) { return block(e.name); }", "TimeoutError", []Grant{Exec}},
		"left over": {"", "return block((await exec('sleep 60 & echo here')).stdout);", "here\n", []Grant{Exec}},
		"promisify": {"import { exec as run, execFile } from 'child_process';\nimport { promisify } from 'node:util';", "return block([(await promisify(run)('echo a')).stdout, (await promisify(execFile)('echo', [\"b'c\"])).stdout]);", `["a\n","b'c\n"]`, []Grant{Exec}},
		"may exec":  {"", "try { await exec('true'); } catch (e: any) { return block(e.message.slice(0, 27)); }", "exec needs the grant exec, ", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := saysWith(t, c.head, body+c.body, c.grants...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestStateIsKeptBetweenEvents(t *testing.T) {
	r := run(t, "let n = 0;\nexport default async () => ({ action: 'block', reason: String(++n) });")
	for i := range 5 {
		d, err := r.Handle(context.Background(), bash("x"))
		if err != nil || d.Reason != fmt.Sprint(i+1) {
			t.Fatalf("call %d: %+v, %v", i+1, d, err)
		}
	}
}

func TestModules(t *testing.T) {
	r := runIn(t, files(t, map[string]string{
		"hook.ts":                       "import pkg, { named } from 'pkg';\nimport data from './data.json';\nimport { deep } from './lib/deep';\nimport type { Nothing } from './nothing';\nexport default () => ({ action: 'block', reason: [pkg(), named, data.list[1], deep].join() });",
		"data.json":                     `{"list":[1,"two"]}`,
		"lib/deep.ts":                   "export { deep } from './deeper.js';",
		"lib/deeper.ts":                 "export const deep: string = 'deep';",
		"node_modules/pkg/package.json": `{"name":"pkg","main":"./index.cjs","exports":{".":{"import":"./index.mjs","require":"./index.cjs"}}}`,
		"node_modules/pkg/index.mjs":    "export { default, named } from './inner.cjs';",
		"node_modules/pkg/inner.cjs":    "module.exports = () => 'cjs';\nmodule.exports.default = module.exports;\nmodule.exports.named = 'named';\nmodule.exports.__esModule = true;",
	}))
	d, err := r.Handle(context.Background(), bash("x"))
	if err != nil || d.Reason != "cjs,named,two,deep" {
		t.Errorf(`got %+v, %v, want err == nil and d.Reason == "cjs,named,two,deep"`, d, err)
	}
	if n := len(r.p.b.Files); n != 6 {
		t.Errorf("it is made of %d files: %v", n, r.p.b.Files)
	}
}

func TestAThousandEventsAtOnce(t *testing.T) {
	r := run(t, "export default async (e) => { await null; if (e.tool_input.command.endsWith('7')) await new Promise((r) => setTimeout(r, 1)); return { action: 'block', reason: e.tool_input.command }; };")
	errs := make(chan error, 1000)
	for i := range cap(errs) {
		go func() {
			command := fmt.Sprint(i)
			d, err := r.Handle(context.Background(), bash(command))
			if err == nil && d.Reason != command {
				err = fmt.Errorf("%s was answered with %s", command, d.Reason)
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	for _, c := range []struct{ event, answer, want string }{
		{`{"a":9007199254740993}`, `{"modified":{"a":9007199254740992}}`, `{"modified":{"a":9007199254740993}}`},
		{`{"a":{"b":[1e400]}}`, `{"modified":{"a":{"b":[null]}}}`, `{"modified":{"a":{"b":[1e400]}}}`},
		{`{"a":9007199254740993}`, `{"modified":{"a":5}}`, `{"modified":{"a":5}}`},
		{`{"a":1}`, `{"modified":{"a":1}}`, `{"modified":{"a":1}}`},
		{`{"a":1.50}`, `{"modified":{"a":1.5,"b":"1.50"}}`, `{"modified":{"a":1.50,"b":"1.50"}}`},
	} {
		if got := strings.TrimSpace(string(exact(c.event, c.answer))); got != c.want {
			t.Errorf("%s answered with %s: %s, want %s", c.event, c.answer, got, c.want)
		}
	}
}

// BenchmarkScriptCall is one event of 2 KiB to a script and back.
func BenchmarkScriptCall(b *testing.B) {
	for name, text := range map[string]string{
		"sync":  "export default (e) => e.tool_input.command.includes('rm -rf') ? { action: 'block', reason: 'no' } : undefined;",
		"async": "export default async (e) => { await null; return { action: 'block', reason: e.tool_name }; };",
	} {
		b.Run(name, func(b *testing.B) {
			r := run(b, text)
			ask := func() error {
				_, err := r.Handle(context.Background(), bash(strings.Repeat("x", 1800)))
				return err
			}
			if err := ask(); err != nil {
				b.Fatal(err)
			}
			hooktest.Median(b, ask)
		})
	}
	b.Run("engine", func(b *testing.B) {
		r := run(b, "export default (e) => { if (e.tool_input.command.includes('rm -rf')) return { action: 'block', reason: 'no' }; };")
		var e hook.Engine
		if err := e.Add(hook.New("s", r, hook.For("PreToolUse"))); err != nil {
			b.Fatal(err)
		}
		use := hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": strings.Repeat("x", 1800)}}
		hooktest.Median(b, func() error {
			_, err := hook.Fire(context.Background(), &e, hook.PreToolUse, &hook.Envelope{Session: "s"}, use)
			return err
		})
	})
}
