package script

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

const fireHead = `import { HookEngine, Hook, HookMatcher, HookEventType, HookResponse } from "@a3s-lab/box";
const engine = new HookEngine();
const on = (id: string, config: any, handle: any, matcher?: any, event = "pre_tool_use") => {
  engine.register({ id, event_type: event, config: { timeout_ms: 60000, ...config }, matcher });
  engine.register_handler(id, { handle });
};
const asked: string[] = [];
const sees = (id: string, answer: any = { action: "Continue" }) => () => { asked.push(id); return answer; };
const tool = (name: string, args: any = {}, more: any = {}) => ({ event_type: "pre_tool_use", session_id: "s1", payload: { tool: name, args, working_directory: "/w", ...more } });
`

func TestFireAsksAsAnEngineDoes(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"in order of priority", `on("b", { priority: 20 }, sees("b")); on("a", { priority: 10 }, sees("a")); on("c", { priority: 20 }, sees("c"));
			const r = await engine.fire(tool("Bash")); return block([r.action, asked.join("")].join());`, "Continue,abc"},
		{"matchers", `on("t", {}, sees("t"), { tool: "Write" }); on("p", {}, sees("p"), { path_pattern: "*.rs" }); on("c", {}, sees("c"), { command_pattern: "rm\\s+-rf" });
			on("s", {}, sees("s"), { session_id: "s2" }); on("both", {}, sees("both"), { tool: "Bash", command_pattern: "^git" }); on("none", {}, sees("none"), {});
			await engine.fire(tool("Bash", { command: "rm -rf x" })); asked.push("/");
			await engine.fire(tool("Write", { file_path: "/w/src/a.rs" })); asked.push("/");
			await engine.fire({ ...tool("Bash", { command: "git push" }), session_id: "s2" });
			return block(asked.join(" "));`, "c none / t p none / s both none"},
		{"paths from where the event is", `on("a", {}, sees("a"), { path_pattern: "src/**/*.ts" }); for (const p of ["src/a/b.ts", "/w/src/c.ts", "/else/src/d.ts", "b.ts"]) { await engine.fire(tool("Write", { file_path: p })); asked.push("/"); }
			return block(asked.join(""));`, "a/a///"},
		{"a block ends", `on("a", { priority: 1 }, sees("a", { action: "Block", reason: "no" })); on("b", { priority: 2 }, sees("b"));
			return block([JSON.stringify(await engine.fire(tool("Bash"))), asked.join("")].join());`, `{"action":"Block","reason":"no"},a`},
		{"a retry ends", `on("a", { priority: 1 }, sees("a", { action: "Retry", retry_delay_ms: 70 })); on("b", { priority: 2 }, sees("b"));
			return block([JSON.stringify(await engine.fire(tool("Bash"))), asked.join("")].join());`, `{"action":"Retry","retry_delay_ms":70},a`},
		{"a skip ends, and drops what was changed", `on("a", { priority: 1 }, () => ({ action: "Continue", modified: { x: 1 } })); on("b", { priority: 2 }, sees("b", HookResponse.skip())); on("c", { priority: 3 }, sees("c"));
			return block([JSON.stringify(await engine.fire(tool("Bash"))), asked.join("")].join());`, `{"action":"Continue"},b`},
		{"a change of arguments", `on("a", {}, (e: any) => ({ action: "Continue", modified: { ...e.payload.args, timeout: 30000 } }));
			return block((await engine.fire(tool("Bash", { command: "ls" }))).modified);`, `{"command":"ls","timeout":30000}`},
		{"a change of a result", `on("a", {}, (e: any) => ({ action: "Continue", modified: { ...e.payload.result, output: "***" } }), undefined, "post_tool_use");
			return block((await engine.fire({ event_type: "post_tool_use", payload: { tool: "Bash", args: {}, result: { success: true, output: "key", duration_ms: 3 } } })).modified);`, `{"success":true,"output":"***","duration_ms":3}`},
		{"a change of a prompt", `on("a", {}, (e: any) => ({ action: "Continue", modified: { prompt: e.payload.prompt + "!" } }), undefined, "generate_start");
			return block((await engine.fire({ event_type: "generate_start", payload: { session_id: "s", prompt: "hi" } })).modified);`, `{"prompt":"hi!"}`},
		{"the event as it was fired", `let seen: any; on("a", {}, (e: any) => { seen = [e.event_type, e.session_id, e.timestamp, e.payload.tool, e.payload.args.command, e.payload.working_directory, e.payload.extra, e.payload.recent_tools]; });
			await engine.fire({ ...tool("Bash", { command: "ls" }, { extra: 5, recent_tools: ["Read"] }), timestamp: 7 }); return block(seen);`, `["pre_tool_use","s1",7,"Bash","ls","/w",5,["Read"]]`},
		{"a handler that throws is passed over", `on("a", { priority: 1 }, () => { throw new Error("bad luck"); }); on("b", { priority: 2 }, sees("b", { action: "Block", reason: "b" }));
			return block((await engine.fire(tool("Bash"))).reason);`, "b"},
		{"a handler that rejects is tried again", `let n = 0; on("a", { max_retries: 2 }, async () => { if (++n < 3) throw new Error("not yet"); return { action: "Block", reason: "try " + n }; });
			return block((await engine.fire(tool("Bash"))).reason);`, "try 3"},
		{"an unknown answer is a failure", `on("a", {}, () => ({ action: "Explode" })); return block((await engine.fire(tool("Bash"))).action);`, "Continue"},
		{"a handler that never answers", `on("a", { timeout_ms: 20 }, () => new Promise(() => {})); return block((await engine.fire(tool("Bash"))).action);`, "Continue"},
		{"a handler that computes without end", `on("a", { timeout_ms: 50 }, () => { for (;;); }); const r = await engine.fire(tool("Bash")); await new Promise((go) => setTimeout(go, 1)); return block(r.action + " and goes on");`, "Continue and goes on"},
		{"one that computes without end behind an await", `on("a", { timeout_ms: 50 }, async () => { await null; for (;;); }); return block((await engine.fire(tool("Bash"))).action + " and goes on");`, "Continue and goes on"},
		{"one that waits", `on("a", {}, async () => { await new Promise((go) => setTimeout(go, 5)); return HookResponse.block("waited"); }); return block((await engine.fire(tool("Bash"))).reason);`, "waited"},
		{"async hooks are not waited for", `let go: any; const gate = new Promise((ok) => { go = ok; }); let done: any; const ended = new Promise((ok) => { done = ok; });
			on("a", { async_execution: true }, async () => { await gate; done("told"); return { action: "Block", reason: "too late" }; });
			const r = await engine.fire(tool("Bash")); go(); return block(r.action + " " + await ended);`, "Continue told"},
		{"async hooks hear events in order", `const seen: number[] = []; let done: any; const ended = new Promise((ok) => { done = ok; });
			on("a", { async_execution: true }, async (e: any) => { if (e.payload.args.n < 2) await new Promise((go) => setTimeout(go, 3)); seen.push(e.payload.args.n); if (seen.length === 3) done(); });
			for (const n of [1, 2, 3]) await engine.fire(tool("Bash", { n })); await ended; return block(seen);`, "[1,2,3]"},
		{"hooks without a handler have no opinion", `engine.register(Hook.new("a", "pre_tool_use")); return block((await engine.fire(tool("Bash"))).action);`, "Continue"},
		{"an engine without hooks", `return block((await engine.fire(tool("Bash"))).action);`, "Continue"},
		{"changes count from the next firing", `on("a", { priority: 1 }, () => { engine.unregister("b"); on("c", { priority: 3 }, sees("c")); asked.push("a"); }); on("b", { priority: 2 }, sees("b"));
			await engine.fire(tool("Bash")); asked.push("/"); await engine.fire(tool("Bash")); return block(asked.join(""));`, "ab/ac"},
		{"as they were when it was fired", `on("a", {}, sees("a")); const p = engine.fire(tool("Bash")); engine.unregister_handler("a"); await p; await engine.fire(tool("Bash")); return block(asked);`, `["a"]`},
		{"a handler that only prints", `on("a", { max_retries: 1 }, (e: any) => console.log(asked.push("a"))); await engine.fire(tool("Bash")); return block(asked);`, `["a"]`},
		{"two at once", `on("a", {}, async (e: any) => { await null; return HookResponse.block(e.payload.args.n); });
			return block((await Promise.all([1, 2, 3].map((n) => engine.fire(tool("Bash", { n: String(n) }))))).map((r: any) => r.reason));`, `["1","2","3"]`},
		{"a hook that fires another event", `on("a", {}, async () => (await engine.fire({ event_type: "session_end", payload: {} }))); on("e", {}, () => HookResponse.block("x"), undefined, "session_end");
			return block((await engine.fire(tool("Bash"))).action);`, "Continue"},
		{"a hook that fires its own event without end", `let deep = 0; on("a", {}, async (e: any) => { deep++; try { return await engine.fire(e); } catch (why: any) { return HookResponse.block(why.message); } });
			const r = await engine.fire(tool("Bash")); return block(deep + " " + r.reason);`, "8 fire: PreToolUse is fired by its own handlers 9 deep; the limit is 8"},
		{"other engines are not asked", `const other = HookEngine.new(); other.register(Hook.new("o", "pre_tool_use")); other.register_handler("o", { handle: sees("o") }); on("a", {}, sees("a"));
			await engine.fire(tool("Bash")); await other.fire(tool("Bash")); return block(asked.join());`, "a,o"},
		{"names of ours", `on("a", {}, (e: any) => HookResponse.block(e.payload.tool + e.payload.tool_input.command)); return block((await engine.fire({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } } as any)).reason);`, "Bashls"},
		{"no event", `return block(await (engine as any).fire().catch((e: any) => e.name + ": " + e.message));`, "TypeError: fire needs an event: {event_type, session_id, payload}"},
		{"an unknown event", `return block(await engine.fire({ event_type: "pre_tool_usage" }).catch((e: any) => e.message.split(";")[0]));`, `fire: hook_event_name: unknown event "pre_tool_usage"`},
		{"no tool", `return block(await engine.fire({ event_type: "pre_tool_use", payload: { args: {} } }).catch((e: any) => e.message.split(",")[0]));`, "fire: tool_name: it is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := saysWith(t, fireHead, tt.body); got != tt.want {
				t.Errorf("it says %s, want %s", got, tt.want)
			}
		})
	}
}

// What fails is said, with the hook that failed.
func TestFireTellsWhatFails(t *testing.T) {
	r := run(t, fireHead+`export default async () => { on("shaky", {}, () => { throw new Error("bad luck"); }); await engine.fire(tool("Bash")); };`)
	if _, err := r.Handle(context.Background(), bash("ls")); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(r.logged(), "hook shaky, which the script fired: ") || !strings.Contains(r.logged(), "bad luck") {
		select {
		case <-r.printed:
		case <-time.After(time.Minute):
			t.Fatalf("the log has %s", r.logged())
		}
	}
}

// The file's top level may fire, also while others wait for it to be read.
func TestFireAtTheTopLevel(t *testing.T) {
	r := run(t, fireHead+`
on("a", {}, async () => { await null; return HookResponse.block("from the top"); });
const first = await engine.fire(tool("Bash"));
export default () => ({ action: "block", reason: first.reason });`)
	d, err := r.Handle(context.Background(), bash("ls"))
	if err != nil || d.Reason != "from the top" {
		t.Errorf("it says %q, %v", d.Reason, err)
	}
}

// A caller that gives up ends what was fired, and the script serves the next event.
func TestFireEndsWithItsCaller(t *testing.T) {
	r := run(t, fireHead+`
on("a", {}, (e: any) => (e.payload.args.command === "hang" ? new Promise(() => { console.log("hangs"); }) : HookResponse.block("next")));
export default async (e: any) => { const r = await engine.fire(tool("Bash", e.tool_input)); return { action: "block", reason: r.reason }; };`)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := r.Handle(ctx, bash("hang"))
		ended <- err
	}()
	<-r.printed
	cancel()
	if err := <-ended; err == nil {
		t.Error("a canceled call must fail")
	}
	if d, err := r.Handle(context.Background(), bash("ls")); err != nil || d.Reason != "next" {
		t.Errorf("the next event: %q, %v", d.Reason, err)
	}
}

// A program waits for the hooks that it does not await.
func TestFireInAProgram(t *testing.T) {
	dir := files(t, map[string]string{"p.ts": fireHead + `
on("a", {}, () => { throw new Error("x"); });
on("b", { async_execution: true }, async () => { await null; console.log("told"); });
const r = await engine.fire(tool("Bash", { command: "ls" }));
console.log(r.action);
on("c", { timeout_ms: 50, priority: 1 }, () => { for (;;); });
on("d", {}, () => HookResponse.block("stopped"));
console.log((await engine.fire(tool("Bash"))).reason);`})
	b, err := BuildProgram(dir+"/p.ts", dir)
	if err != nil {
		t.Fatal(err)
	}
	p := Open(b, Config{})
	defer p.Close()
	var out bytes.Buffer
	code, err := p.Run(context.Background(), Run{Stdout: &out, Stderr: &out})
	switch {
	case err != nil:
		t.Errorf("code %d, %v: %s", code, err, out.String())
	case code != 0:
		t.Errorf("code: got %v, want %v", code, 0)
	case strings.Count(out.String(), "told") != 2 || !strings.Contains(out.String(), "Continue\n") || !strings.Contains(out.String(), "stopped\n"):
		t.Errorf("code %d, %v: %s", code, err, out.String())
	}
}

// A program waits for the hooks that it does not await also when their engine has been
// changed since, or so many engines have fired that it is forgotten.
func TestAProgramWaitsForWhatAChangedEngineTold(t *testing.T) {
	for name, change := range map[string]string{
		"registered": `engine.unregister("slow"); engine.unregister("hold"); on("x", {}, () => undefined); await engine.fire(tool("Bash"));`,
		"many":       `for (let i = 0; i < 70; i++) { const e = new HookEngine(); e.register(Hook.new("n", "pre_tool_use")); e.register_handler("n", () => undefined); await e.fire(tool("Bash")); }`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, map[string]string{"p.ts": fireHead + `
let go: any, release: any;
const gate = new Promise((ok) => { go = ok; }), held = new Promise((ok) => { release = ok; });
on("hold", {}, async () => { await held; });
on("slow", { async_execution: true }, async () => { await gate; for (let i = 0; i < 20; i++) await new Promise((r) => setTimeout(r, 1).unref()); console.log("told"); });
const first = engine.fire(tool("Bash"));
` + change + `
release();
await first;
go();
`})
			b, err := BuildProgram(dir+"/p.ts", dir)
			if err != nil {
				t.Fatal(err)
			}
			p := Open(b, Config{})
			defer p.Close()
			var out bytes.Buffer
			if code, err := p.Run(context.Background(), Run{Stdout: &out, Stderr: &out}); err != nil || code != 0 || !strings.Contains(out.String(), "told\n") {
				t.Errorf("code %d, %v: %s", code, err, out.String())
			}
		})
	}
}
