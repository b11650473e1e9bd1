package config

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// wasmGuard is the example of handler/wasm: it blocks "rm -rf".
func wasmGuard(t *testing.T) string {
	t.Helper()
	module, err := os.ReadFile("../../handler/wasm/testdata/guests/wat/guard.wasm")
	if err != nil {
		t.Fatal(err)
	}
	return string(module)
}

func TestAModuleIsNamedInTheFile(t *testing.T) {
	w := newWorld(t)
	guard := wasmGuard(t)
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: w, on: PreToolUse, lane: guard, wasm: hooks/guard.wasm, allow: [read], env: {A: b}}\n")
	w.write(w.work("hooks/guard.wasm"), guard)
	w.want(w.load(), "w untrusted")
	if status := w.trust(); !slices.Contains(status.Files, "hooks/guard.wasm") {
		t.Errorf("the module is not pinned: %v", status.Files)
	}
	s := w.load()
	w.want(s, "w active")
	if h := s.Hooks[0]; h.Kind != "wasm" || h.Command != "hooks/guard.wasm" {
		t.Errorf("it is listed as %+v", h)
	} else if len(h.Grants) != 1 || h.Fixed() {
		t.Errorf("it is listed as %+v", h)
	}
	e := fill(t, s)
	if out := bash(t, e, w.ws, "rm -rf x"); out.Action != hook.ActionBlock || out.Reason != "rm -rf is not for agents" {
		t.Errorf("rm: %+v", out.Verdict)
	}
	if out := bash(t, e, w.ws, "ls"); out.Action != hook.ActionContinue || out.Steps[0].Err != nil {
		t.Errorf("ls: %+v", out.Verdict)
	}

	w.write(w.work("hooks/guard.wasm"), guard+"\x00\x03\x01xy") // a section of its own
	out := bash(t, e, w.ws, "ls")
	if out.Action != hook.ActionBlock || out.Steps[0].Err == nil || !strings.Contains(out.Steps[0].Err.Error(), "changed since the workspace was trusted") {
		t.Errorf("a module that was changed after the trust runs: %+v", out.Verdict)
	}
	w.want(w.load(), "w untrusted")
}

func TestAModuleThatIsNoneHasItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ yaml, module, want string }{
		"missing":       {"wasm: nowhere.wasm", "", "hookway.yaml:2:48: hook \"w\": there is no module"},
		"no module":     {"wasm: guard.wasm", "#!/bin/sh\n", "not WebAssembly"},
		"no exports":    {"wasm: guard.wasm", "\x00asm\x01\x00\x00\x00", "it does not export its memory"},
		"too large":     {"wasm: guard.wasm", "\x00asm\x01\x00\x00\x00" + strings.Repeat("\x00", 17<<20), "more than 16 MiB"},
		"grant":         {"wasm: guard.wasm, allow: [exec]", "", "a WebAssembly module cannot run programs"},
		"other handler": {"wasm: guard.wasm, command: x", "", "a second handler"},
		"no events":     {"wasm: guard.wasm", "", "the hook has no on"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env["HOOKWAY_TRUST"] = "1"
			on := "on: PreToolUse, "
			if name == "no events" {
				on = ""
			}
			w.write(w.work("hookway.yaml"), "hooks:\n  - {id: w, "+on+"lane: guard, "+c.yaml+"}\n")
			if c.module != "" {
				w.write(w.work("guard.wasm"), c.module)
			}
			s := w.load()
			w.wantProblem(s, c.want)
		})
	}
}

func TestTheUsersModuleKeepsItsCompiledCodePrivate(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: w, on: PreToolUse, wasm: guard.wasm}\n")
	w.write(w.user("guard.wasm"), wasmGuard(t))
	s := w.load()
	if out := bash(t, fill(t, s), w.ws, "rm -rf x"); out.Action != hook.ActionBlock {
		t.Errorf("got %+v, want out.Action == hook.ActionBlock", out.Verdict)
	}
	info, err := os.Stat(s.stateDir + "/wasm")
	w.must(err)
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read the cache: %v", info.Mode())
	}
}
