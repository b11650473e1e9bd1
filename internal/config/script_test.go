package config

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/trust"
)

const scriptGuard = `import { reason } from "./lib/reason";
export default (event: { tool_input: { command: string } }) =>
  event.tool_input.command.startsWith("rm") ? { action: "block", reason } : undefined;
`

func TestAScriptIsNamedInTheFile(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: ts, on: PreToolUse, script: hooks/guard.ts}\n")
	w.write(w.work("hooks/guard.ts"), scriptGuard)
	w.write(w.work("hooks/lib/reason.ts"), `export const reason: string = "not here";`)
	w.want(w.load(), "ts untrusted")
	status := w.trust()
	for _, file := range []string{"hookway.yaml", "hooks/guard.ts", "hooks/lib/reason.ts"} {
		if !slices.Contains(status.Files, file) {
			t.Errorf("%s is not pinned: %v", file, status.Files)
		}
	}
	s := w.load()
	w.want(s, "ts active")
	if h := s.Hooks[0]; h.Kind != "script" || h.Command != "hooks/guard.ts" {
		t.Errorf("it is listed as %s %q", h.Kind, h.Command)
	}
	e := fill(t, s)
	if out := bash(t, e, w.ws, "rm x"); out.Action != hook.ActionBlock || out.Reason != "not here" {
		t.Errorf("rm: %+v", out.Verdict)
	}
	if out := bash(t, e, w.ws, "ls"); out.Action != hook.ActionContinue || out.Steps[0].Err != nil {
		t.Errorf("ls: %+v", out.Verdict)
	}

	w.write(w.work("hooks/lib/reason.ts"), `export const reason: string = "changed";`)
	if out := bash(t, e, w.ws, "rm x"); out.Steps[0].Err == nil || !strings.Contains(out.Steps[0].Err.Error(), "changed since the workspace was trusted") {
		t.Errorf("a file that was changed after the trust runs: %+v", out.Verdict)
	}
	w.want(w.load(), "ts untrusted")
}

func TestScriptsAreFoundAndSayWhatTheyWant(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work(".hookway/hooks/a.ts"), "export const on = 'PreToolUse', lane = 'guard', priority = 7, timeout = 250;\nexport default () => ({ action: 'block', reason: 'a' });\n")
	w.write(w.work(".hookway/hooks/types.d.ts"), "export type A = string;\n")
	w.write(w.work("hookway.config.ts"), "import { on } from 'hookway';\non(['PreToolUse', 'Stop'], () => {}, { id: 'mine', match: { tool: 'Bash' } });\n")
	w.write(w.work("relay.config.ts"), "export default { patterns: { deploy: async () => {} }, hooks: { onIdle: async () => {} }, options: { idleThreshold: 60000 } };\n")
	s := w.load()
	w.want(s, "mine active, relay.config/@deploy active, relay.config/onIdle active, a active")
	if len(s.Problems)+len(s.Warnings) > 0 {
		t.Errorf("problems %s, warnings %s", s.Problems, s.Warnings)
	}
	a := s.Hooks[3]
	if a.Lane != hook.Guard || a.Priority != 7 || a.Timeout.Milliseconds() != 250 {
		t.Errorf("a is %+v", a.Hook)
	}
	if got := s.Settings.IdleThreshold.Seconds(); got != 60 {
		t.Errorf("the idle threshold is %v s", got)
	}
	if got := s.Hooks[1].Match.Namespace; !slices.Equal(got, []string{"deploy"}) {
		t.Errorf("the pattern matches %v", got)
	}
}

func TestAScriptsHooksBehindOneLineOfYAML(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: relay, script: relay.config.ts, allow: [exec, net]}\n")
	w.write(w.work("relay.config.ts"), "export default { hooks: { onIdle: () => {}, onSessionStart: () => {} } };\n")
	s := w.load()
	w.want(s, "relay/onIdle active, relay/onSessionStart active")
	if got := s.Hooks[0].Grants; len(got) != 2 {
		t.Errorf("it was granted %v", got)
	}
}

func TestMistakesOfScriptsHaveTheirPlaces(t *testing.T) {
	for name, c := range map[string]struct{ yaml, text, want string }{
		"syntax":        {"on: PreToolUse", "export default () => {\n  retrun 1 2;\n};\n", "guard.ts:2:"},
		"import":        {"on: PreToolUse", "import x from './nowhere';\nexport default () => x;\n", "guard.ts:1:15: Could not resolve \"./nowhere\"; there is no such file"},
		"package":       {"on: PreToolUse", "import x from 'left-pad';\nexport default () => x;\n", "no node_modules folder"},
		"unknown event": {"", "import { on } from 'hookway';\non('PreToolUze', () => {});\n", "PreToolUze"},
		"option":        {"", "import { on } from 'hookway';\non('PreToolUse', () => {}, { lnae: 'guard' } as any);\n", "guard.ts:2:1: TypeError: a hook has no option lnae; it may have id, match, lane"},
		"throws":        {"", "const a: any = undefined;\nexport const b = a.b.c;\n", "guard.ts:2:18: TypeError"},
		"no hook":       {"", "export const a = 1;\n", "it registers no hook"},
		"no events":     {"", "export default () => {};\n", "which events it wants"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env["HOOKWAY_TRUST"] = "1"
			on := c.yaml
			if on != "" {
				on = ", " + on
			}
			w.write(w.work("hookway.yaml"), "hooks:\n  - {id: ts, script: guard.ts"+on+"}\n")
			w.write(w.work("guard.ts"), c.text)
			s := w.load()
			w.wantProblem(s, c.want)
		})
	}
}

func TestAScriptOfAFolderThatCannotSayItsHooksIsAMistake(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"throws":        {"export const on = 'PreToolUse', lane = 'guard';\nconst a: any = undefined;\na.b();\n", "guard.ts:3:"},
		"unknown lane":  {"export const on = 'PreToolUse', lane = 'gard';\nexport default () => {};\n", "did you mean guard?"},
		"without hooks": {"export const a = 1;\n", "it registers no hook"},
	} {
		t.Run(name, func(t *testing.T) { // its guard is missed, so calls must not pass in silence
			w := newWorld(t)
			w.env["HOOKWAY_TRUST"] = "1"
			w.write(w.work(".hookway/hooks/guard.ts"), c.text)
			s := w.load()
			w.wantProblem(s, c.want)
		})
	}
}

// TestAPlaceIsToldOnce: errors of scripts and programs begin with their file, and
// so does a problem.
func TestAPlaceIsToldOnce(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"a wrong hook":       {"x.ts", "\nexport const on = 'PreToolUse', lane = 'gard';\nexport default () => {};\n", `FILE:3:16: its hook x is wrong: `},
		"code that throws":   {"x.ts", "export const on = 'PreToolUse';\nconst a: any = undefined;\na.b();\n", "FILE:3:1: TypeError: "},
		"a mistyped option":  {"x.ts", "export const on = 'Stop', lane = 'guard';\nexport const timout = 500;\nexport default () => {};\n", "FILE:2:14: it exports timout, "},
		"an unknown grant":   {"x.ts", "export const allow = ['network'];\nexport default () => {};\n", `FILE: allow: there is no grant "network"`},
		"a syntax error":     {"x.ts", "export default () => {\n  return x +;\n};\n", "FILE:2:13: "},
		"a broken program":   {"g.sh", "#!/bin/sh\nexit 3\n", "FILE: it cannot be asked for its events"},
		"an unknown lane":    {"g.sh", "#!/bin/sh\necho '{\"events\":[\"PreToolUse\"],\"lane\":\"gard\"}'\n", "FILE: "},
		"its interpreter":    {"g.py", "raise SystemExit(3)\n", "FILE: it cannot be asked for its events"},
		"an imported script": {"x.ts", "import './lib/y';\nexport const on = 'Stop';\nexport default () => {};\n", "FILE: .hookway/hooks/lib/y.ts:1:11: Error: from within"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("python3"); err != nil && c.file == "g.py" {
				t.Skip("there is no python3 here")
			}
			w := newWorld(t)
			w.env["HOOKWAY_TRUST"] = "1"
			w.write(w.work(".hookway/hooks/lib/y.ts"), "throw new Error('from within');\n")
			path := w.work(".hookway/hooks/" + c.file)
			w.write(path, c.text)
			w.must(os.Chmod(path, 0o755))
			s := w.load()
			got := s.Problems.String() + s.Warnings.String()
			if want := strings.Replace(c.want, "FILE", path, 1); !strings.HasPrefix(got, want) || strings.Count(got, c.file) != 1 {
				t.Errorf("it reads %q, want %q", got, want)
			}
		})
	}
}

func TestAGrantBelongsToAScript(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: a, on: PreToolUse, block: no, allow: [exec]}\n  - {id: b, on: PreToolUse, script: x.ts, allow: [root]}\n")
	s := w.load()
	for _, want := range []string{"allow is a list only beside script", `there is no grant "root"`} {
		if !strings.Contains(s.Problems.String(), want) {
			t.Errorf("%q is not among %s", want, s.Problems)
		}
	}
}

func TestAScriptThatBreaksKeepsItsLastGoodVersion(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hooks/a.ts"), "export const on = 'PreToolUse';\nexport default () => ({ action: 'block', reason: 'good' });\n")
	e := new(hook.Engine)
	l, err := Open(context.Background(), w.options(), e)
	w.must(err)
	defer l.Close()
	blocked := func(when, reason string) {
		t.Helper()
		if out := bash(t, e, w.ws, "ls"); out.Reason != reason {
			t.Errorf("%s: got %+v, want out.Reason == reason", when, out.Verdict)
		}
	}
	reload := func() { _, err := l.Reload(context.Background()); w.must(err) }
	blocked("first", "good")
	w.write(w.user("hooks/a.ts"), "export const on = 'PreToolUse';\nexport default () => ({\n")
	reload()
	blocked("broken", "good")
	w.write(w.user("hooks/a.ts"), "export const on = 'PreToolUse';\nexport default () => ({ action: 'block', reason: 'better' });\n")
	reload()
	blocked("mended", "better")
	w.must(os.Remove(w.user("hooks/a.ts")))
	reload()
	blocked("removed", "")
}

func TestAScriptIsNamedInPlaceOfTheFile(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), blockRM)
	w.write(w.work("conf/relay.config.ts"), "export default { hooks: { onIdle: () => ({ inject: 'named' }) } };\n")
	o := w.options()
	o.File = w.work("conf/relay.config.ts")
	s, err := Load(context.Background(), o)
	w.must(err)
	defer s.Close()
	w.want(s, "relay.config/onIdle active")
	out, err := hook.Fire(context.Background(), fill(t, s), hook.Idle, nil, hook.Silence{})
	if err != nil || out.Inject != "named" {
		t.Errorf(`got %+v, %v, want err == nil and out.Inject == "named"`, out, err)
	}
}

func TestTheUsersRelayConfigIsFoundWhereAgentRelayHasIt(t *testing.T) {
	w := newWorld(t)
	delete(w.env, "HOOKWAY_HOME")
	w.env["XDG_CONFIG_HOME"], w.env["XDG_STATE_HOME"] = w.home, w.home
	path := w.home + "/agent-relay/relay.config.ts"
	w.write(path, "export default { hooks: { onIdle: () => {} } };\n")
	s := w.load()
	w.want(s, "relay.config/onIdle active")
	if s.Hooks[0].Layer != LayerUser || s.Hooks[0].File != path {
		t.Errorf("it is from %s, %s", s.Hooks[0].Layer, s.Hooks[0].File)
	}
}

// What a script imports from outside of its workspace runs as well, so it is
// shown and pinned as the rest is.
func TestFilesOutsideThatAScriptImportsArePinned(t *testing.T) {
	w := newWorld(t)
	outside := filepath.Join(filepath.Dir(w.work("x")), "..", "shared", "rules.ts")
	w.write(outside, "export const reason = 'one';\n")
	link := filepath.ToSlash(filepath.Join("..", "shared", "rules.ts"))
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: ts, on: PreToolUse, script: guard.ts}\n")
	w.write(w.work("guard.ts"), "import { reason } from '"+link+"';\nexport default () => ({ action: 'block', reason });\n")
	w.trust()
	s := w.load()
	w.want(s, "ts active")
	if !slices.ContainsFunc(s.Trust.Files, func(f string) bool { return strings.HasSuffix(f, "/shared/rules.ts") }) {
		t.Errorf("%q are pinned", s.Trust.Files)
	}
	w.write(outside, "export const reason = 'another';\n")
	if s := w.load(); s.Trust.State != trust.Changed {
		t.Errorf("the trust is %q after a change outside", s.Trust.State)
	}
}

// TestTrustTellsWhatAScriptSees: the variables that it names; env and needs widen that,
// and a change of them is one of the hooks that the script registers.
func TestTrustTellsWhatAScriptSees(t *testing.T) {
	w := newWorld(t)
	for name, value := range map[string]string{"A_TOKEN": "a", "OTHER_KEY": "o", "NEEDED": "n", "UNSEEN": "u"} {
		t.Setenv(name, value)
	}
	entry := "  - {id: s, script: s.ts%s}\n"
	w.write(w.work("hookway.yaml"), "hooks:\n"+fmt.Sprintf(entry, ""))
	w.write(w.work("s.ts"), `import { on } from "hookway";
const { ONE, TWO: two = "2", ...rest } = process.env;
const name = (...parts: string[]) => parts.join("");
on("PreToolUse", (_: any, ctx: any) => ({ action: "block", reason: [process.env.A_TOKEN, ctx.env["OTHER_KEY"], process.env[name("NEED", "ED")], process.env[name("GIV", "EN")], process.env[name("UNS", "EEN")]].map((v) => v ?? "-").join() }));
`)
	status := w.trust()
	if len(status.Sees) != 1 || status.Sees[0].File != "s.ts" {
		t.Errorf("it sees %+v", status.Sees)
	} else if status.Sees[0].All || strings.Join(status.Sees[0].Variables, " ") != "A_TOKEN ONE OTHER_KEY TWO" {
		t.Errorf("it sees %+v", status.Sees)
	}
	s := w.load()
	if out := bash(t, fill(t, s), w.ws, "ls"); out.Reason != "a,o,-,-,-" {
		t.Errorf("it saw %+v, %s", out.Verdict, s.Problems)
	}
	w.write(w.work("hookway.yaml"), "hooks:\n"+fmt.Sprintf(entry, ", env: {GIVEN: g, A_TOKEN: mine}, needs: [NEEDED]"))
	if status = w.trust(); strings.Join(status.Sees[0].Variables, " ") != "A_TOKEN GIVEN NEEDED ONE OTHER_KEY TWO" {
		t.Errorf("it sees %+v", status.Sees)
	}
	wide := w.load()
	if out := bash(t, fill(t, wide), w.ws, "ls"); out.Reason != "mine,o,n,g,-" {
		t.Errorf("it saw %+v, %s", out.Verdict, wide.Problems)
	}
	if s.Hooks[0].mark == wide.Hooks[0].mark {
		t.Error("a change of env is no change of the hook")
	}
}
