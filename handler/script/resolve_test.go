package script

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestImportsAreFound(t *testing.T) {
	dir := files(t, map[string]string{
		"hooks/hook.ts": `import a from '@lib/a';
import b from 'based/b';
import c from 'pkg/deep/c';
import d from '@scope/own';
import e from 'plain/lib/e';
import f from './folder';
import g from '#g';
import h from './file.mjs';
let i = 'none';
try { require('not-there'); } catch { i = 'optional'; }
export default () => ({ action: 'block', reason: [a, b, c, d, e, f, g, h, i].join() });`,
		"hooks/tsconfig.json":                  "{ // as TypeScript has it\n\"extends\": \"../base\", \"compilerOptions\": {\"paths\": {\"@lib/*\": [\"../none/*\", \"../lib/*\"],}, /* or */ \"baseUrl\": \".\"} }",
		"base.json":                            `{"compilerOptions": {"target": "ES2022", "strict": true}}`,
		"lib/a.ts":                             "export default 'a';",
		"hooks/based/b.ts":                     "export default 'b';",
		"node_modules/pkg/package.json":        `{"exports": {"./deep/*": {"types": "./none.d.ts", "import": [{"node": "./none.js"}, "./src/*.js"]}}}`,
		"node_modules/pkg/src/c.js":            "export default 'c';",
		"node_modules/@scope/own/package.json": `{"name": "@scope/own", "exports": "./main.js"}`,
		"node_modules/@scope/own/main.js":      "import d from '@scope/own'; export default 'd' + (d === undefined ? '' : '');",
		"node_modules/plain/package.json":      `{"main": "none"}`,
		"node_modules/plain/lib/e/index.js":    "module.exports = 'e';",
		"hooks/folder/package.json":            `{"module": "./m"}`,
		"hooks/folder/m/index.ts":              "export default 'f';",
		"package.json":                         `{"imports": {"#g": "./lib/g.ts"}}`,
		"lib/g.ts":                             "export default 'g';",
		"hooks/file.mts":                       "export default 'h';",
	})
	r := runIn(t, filepath.Join(dir, "hooks"))
	d, err := r.Handle(context.Background(), bash("x"))
	if err != nil || d.Reason != "a,b,c,d,e,f,g,h,optional" {
		t.Errorf(`got %+v, %v, want err == nil and d.Reason == "a,b,c,d,e,f,g,h,optional"`, d, err)
	}
}

// Code is found by its absolute path and by a URL too, and pinned wherever it lies.
func TestAbsolutePathsAndURLsAreFound(t *testing.T) {
	other := files(t, map[string]string{"a b.mjs": "export const a = 'a';", "c.cjs": "exports.c = 'c';"})
	at := filepath.ToSlash(other)
	if !strings.HasPrefix(at, "/") {
		at = "/" + at
	}
	dir := files(t, map[string]string{"hook.ts": "import { a } from 'file://" + at + "/a%20b.mjs';\nimport { c } from " + strconv.Quote(filepath.Join(other, "c.cjs")) + ";\nexport default async () => ({ action: 'block', reason: a + c + (await import('file://localhost" + at + "/c.cjs')).c });"})
	r := runIn(t, dir)
	d, err := r.Handle(context.Background(), bash("x"))
	if err != nil || d.Reason != "acc" {
		t.Errorf(`got %+v, %v, want err == nil and d.Reason == "acc"`, d, err)
	}
	if n := len(r.p.b.Files); n != 3 {
		t.Errorf("it is made of %v", r.p.b.Files)
	}
	for path, want := range map[string]string{
		"file:///none/x.mjs":      `Could not resolve "file:///none/x.mjs"; there is no such file`,
		"/none/x.mjs":             `Could not resolve "/none/x.mjs"; there is no such file`,
		"file://elsewhere/x.mjs":  `"file://elsewhere/x.mjs" names no file of this machine; write file:///folder/file.js, or a path`,
		"https://host.test/x.mjs": `Could not resolve "https://host.test/x.mjs"`,
	} {
		dir := files(t, map[string]string{"hook.ts": "import x from '" + path + "';\nexport default () => x;"})
		if _, err := Build(filepath.Join(dir, "hook.ts"), dir); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "hook.ts:1:") {
			t.Errorf(`%s: got %v, want err != nil and strings.Contains(err.Error(), want) and strings.HasPrefix(err.Error(), "hook.ts:1:")`, path, err)
		}
	}
}

func TestWhatAPackageKeepsForItselfIsNotFound(t *testing.T) {
	for name, path := range map[string]string{
		"no such export": "pkg/hidden", "up": "pkg/open/../../../secret", "a pattern up": "pkg/open/%2e%2e/x", "no package": "none", "no file": "./none",
	} {
		dir := files(t, map[string]string{
			"hook.ts":                       "import x from '" + path + "';\nexport default () => x;",
			"node_modules/pkg/package.json": `{"exports": {"./open/*": "./src/*.js"}}`,
			"node_modules/pkg/hidden.js":    "export default 1", "secret.js": "export default 2",
		})
		if _, err := Build(filepath.Join(dir, "hook.ts"), dir); err == nil || !strings.Contains(err.Error(), "Could not resolve") || !strings.HasPrefix(err.Error(), "hook.ts:1:") {
			t.Errorf(`%s: got %v, want err != nil and strings.Contains(err.Error(), "Could not resolve") and strings.HasPrefix(err.Error(), "hook.ts:1:")`, name, err)
		}
	}
}

// An import by a computed name is left to fail when it runs; esbuild would list folders for it.
func TestComputedImportsAreNotLookedFor(t *testing.T) {
	r := runIn(t, files(t, map[string]string{"hook.ts": `const name = [() => 'a'][0]();
export default async () => {
  const said: string[] = ['é', "import('./' + x)"]
  for (const one of [() => import(` + "`./rules/${name}.ts`" + `), () => import('../../../' + name), async () => require('./' + name)]) {
    try { said.push((await one()).default) } catch (e) { said.push(e.message.includes('computed') || e.message.includes('require') ? 'no' : e.message) }
  }
  said.push((await import('./rules/a')).default, require('./rules/a').default)
  return { action: 'block', reason: said.join() }
}`, "rules/a.ts": "export default 'found'"}))
	d, err := r.Handle(context.Background(), bash("x"))
	if err != nil || d.Reason != "é,import('./' + x),no,no,no,found,found" {
		t.Errorf(`got %+v, %v, want err == nil and d.Reason == "é,import('./' + x),no,no,no,found,found"`, d, err)
	}
	if n := len(r.p.b.Files); n != 2 {
		t.Errorf("it is made of %v", r.p.b.Files)
	}
}

// The name of a source map is not followed.
func TestSourceMapsOfOthersAreNotRead(t *testing.T) {
	dir := files(t, map[string]string{"hook.js": "export default () => {};\n//# sourceMappingURL=file:///dev/zero", "more.js": ""})
	if _, err := Build(filepath.Join(dir, "hook.js"), dir); err != nil {
		t.Error(err)
	}
}
