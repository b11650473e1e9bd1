package script

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestWhatGoesWrongIsToldWithItsPlace: each is the text of hook.ts, and how its
// error begins.
func TestWhatGoesWrongIsToldWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"then is never called back":  {"export default () => ({ then() {} });", "hook.ts: the handler's promise can never be settled"},
		"then gives itself":          {"export default () => ({ then(r: any) { r(this); } });", "hook.ts:1:40: TypeError: its promise comes to itself"},
		"then throws":                {"export default () => ({ get then() { throw new Error('x'); } });", "hook.ts:1:48: Error: x"},
		"a promise gives itself":     {"export default () => { const p: any = new Promise((r) => setTimeout(() => r(p), 1)); return p; };", "hook.ts:1:16: TypeError: "},
		"thenables in a circle":      {"export default () => { const a = { then(r: any) { r(b); } }, b: any = { then(r: any) { r(a); } }; return a; };", "hook.ts: it was stopped"},
		"a message that throws":      {"export default () => { throw { get message() { throw 1; } }; };", "hook.ts:1:16: it threw something that cannot be shown"},
		"the same, later":            {"export default async () => { throw { get message() { throw 1; } }; };", "hook.ts:1:16: it threw something that cannot be shown"},
		"an error's own message":     {"export default () => {\n  const e = new Error();\n  Object.defineProperty(e, 'message', { get() { throw 1; } });\n  throw e;\n};", "hook.ts:2:17: it threw something that cannot be shown"},
		"a message that is not text": {"export default () => { throw { message: Symbol() }; };", "hook.ts:1:16: it threw something that cannot be shown"},
		"a proxy":                    {"const no = () => { throw 1; };\nexport default () => { throw new Proxy({}, { get: no, has: no, getPrototypeOf: no }); };", "hook.ts:2:16: it threw something that cannot be shown"},
		"null":                       {"export default () => { throw null; };", "hook.ts:1:16: it threw null, or it needs more than 64 MiB"},
		"null, later":                {"export default async () => { throw null; };", "hook.ts:1:16: it threw null, or it needs more than 64 MiB"},
		"null in a timer":            {"export default () => new Promise(() => { setTimeout(() => { throw null; }, 1); });", "hook.ts: it threw null, or it needs more than 64 MiB"},
		"null at load":               {"throw null;\nexport default () => {};", "hook.ts: it threw null, or it needs more than 64 MiB"},
		"a circle":                   {"\nexport default () => { const a: any = {}; a.a = a; return a; };", "hook.ts:2:16: TypeError: circular reference"},
		"a circle, later":            {"\nexport default async () => { await null; const a: any = {}; a.a = a; return a; };", "hook.ts:2:16: TypeError: circular reference"},
		"an answer that is none":     {"\nexport default () => 17;", "hook.ts:2:16: the answer is not a decision"},
		"an unknown action":          {"\nexport default async () => ({ action: 'blok' });", "hook.ts:2:16: the answer is not a decision: action: unknown action"},
		"exec without its grant":     {"export default async () => {\n  await exec('ls');\n};", "hook.ts:2:9: Error: exec needs the grant exec"},
		"fetch without its grant":    {"export default async () => {\n  await fetch('http://example.com');\n};", "hook.ts:2:9: Error: fetch needs the grant net"},
		"a file without its grant":   {"import fs from 'fs';\nexport default () => {\n  fs.readFileSync('/x');\n};", "hook.ts:3:6: Error: readFile needs the grant read"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, c.text)
			limit, times := time.Minute, 2       // it is the same at the next event
			if name == "thenables in a circle" { // it may go round until its time is over
				limit, times = 10*time.Second, 1
			}
			for range times {
				d, err := limited(r, limit, "ls")
				if times == 1 && errors.Is(err, context.DeadlineExceeded) {
					continue // a slow machine is stopped a moment after it should have said so itself
				}
				if err == nil || !strings.HasPrefix(err.Error(), c.want) {
					t.Errorf("it gave %v and the error %v, want %s", d.Action, err, c.want)
				}
			}
		})
	}
}

func TestAThenableIsAwaited(t *testing.T) {
	r := run(t, "export default () => ({ then(r: any) { r({ action: 'block', reason: 'no' }); r(undefined); throw 1; } });")
	if d, err := limited(r, time.Minute, "ls"); err != nil || d.Reason != "no" {
		t.Errorf(`got %+v, %v, want err == nil and d.Reason == "no"`, d, err)
	}
}

func TestTheFirstEventOfAnEndlessLoopAtLoadSaysTheFile(t *testing.T) {
	r := run(t, "let i = 0;\nfor (;;) i++;\nexport default () => {};")
	for range 2 {
		if _, err := limited(r, time.Second, "ls"); err == nil || !strings.Contains(err.Error(), "hook.ts:") {
			t.Errorf("it gave %v", err)
		}
	}
}

// TestAScriptThatSpoilsTheBuiltInsKeepsItsAnswers: what it does at its first
// event does not turn the refusal of the second one into a pass.
func TestAScriptThatSpoilsTheBuiltInsKeepsItsAnswers(t *testing.T) {
	for _, spoil := range []string{
		"JSON.parse = () => ({})", "JSON.stringify = () => undefined", "globalThis.JSON = undefined",
		"Promise.prototype.then = () => {}", "Promise.resolve = () => {}", "globalThis.Promise = undefined",
		"Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => {}", "Array.prototype[Symbol.iterator] = () => ({ next: () => ({ done: true }) })",
		"Array.prototype.join = () => ''", "Object.defineProperty = Object.assign = Object.create = () => ({})", "Reflect.apply = () => {}",
		"try { Object.prototype.toJSON = () => undefined } catch {}", "try { Object.prototype.then = (r: any) => r() } catch {}",
		"try { ({} as any).__proto__.inject = 'x' } catch {}", "try { Object.setPrototypeOf(Object.prototype, { toJSON: () => undefined }) } catch {}",
	} {
		for _, async := range []string{"", "async "} {
			r := run(t, "declare const Object: any, Map: any, Promise: any, JSON: any;\nexport default "+async+"(event: any, ctx: any) => {\n"+
				"  if (event.tool_input.command === 'spoil') { "+spoil+"; return; }\n"+
				"  if (event.tool_input.command !== 'rm') return;\n  ctx.inject('one'); ctx.inject('two');\n  return { action: 'block', reason: 'no' };\n};")
			for _, command := range []string{"spoil", "rm", "ls", "rm"} {
				d, err := r.Handle(context.Background(), bash(command))
				switch want := command == "rm"; {
				case err != nil:
					t.Errorf("%s%s: %s: %+v, %v", async, spoil, command, d, err)
				case (d.Reason == "no") != want:
					t.Errorf("%v: %v: %v: (d.Reason == \"no\"): got %v, want %v", async, spoil, command, (d.Reason == "no"), want)
				case want && d.Inject != "one\n\ntwo":
					t.Errorf("%s%s: %s: %+v, %v", async, spoil, command, d, err)
				}
			}
		}
	}
}
