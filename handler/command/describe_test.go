//go:build unix

package command

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

func ptr[T any](v T) *T { return &v }

func TestProgramsDescribeThemselves(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		name, json string
		want       Description
	}{
		{"all fields", `{"name":"guard","description":"keeps main","events":["PreToolUse","Stop"],"priority":0,"timeout_ms":500,
			"max_retries":2,"lane":"guard","async":false,"on_failure":"block","mode":"worker","profile":"acai","match":{"tool":"Bash"},"colour":"blue"}`,
			Description{
				Name: "guard", Description: "keeps main", Events: []string{"PreToolUse", "Stop"}, Priority: ptr(0),
				Timeout: ptr(500 * time.Millisecond), MaxRetries: ptr(2), Lane: "guard", OnFailure: "block",
				Mode: "worker", Profile: "acai", Match: []byte(`{"tool":"Bash"}`),
			}},
		{"one event", `{"event":"tool-call-start"}`, Description{Events: []string{"tool-call-start"}}},
		{"a stage and its timing, and what is the program's own", `{"event":"tool-call","timing":"after","version":"1","author":"me","enabled":true}`, Description{Events: []string{"tool-call"}, Timing: "after"}},
		{"events as a text", `{"events":"PreToolUse"}`, Description{Events: []string{"PreToolUse"}}},
		{"matcher, and a timeout with a unit", `{"event":"PreToolUse","matcher":{"path":"*.go"},"timeout":"2s","async":true}`,
			Description{Events: []string{"PreToolUse"}, Match: []byte(`{"path":"*.go"}`), Timeout: ptr(2 * time.Second), Async: true}},
		{"a timeout of none", `{"event":"PreToolUse","timeout":0}`, Description{Events: []string{"PreToolUse"}, Timeout: ptr(time.Duration(0))}},
		{"byte order mark and blank lines", "\ufeff\n{\"event\":\"PreToolUse\"}\n\n", Description{Events: []string{"PreToolUse"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := script(t, `[ "$HOOK_ACTION" = describe ] && [ -z "$(cat)" ] && cat <<'END'`, c.json, "END")
			got, err := Describe(t.Context(), Config{Argv: []string{path}})
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func TestDescriptionsThatMeanNothingNameTheFile(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct{ name, script, want string }{
		{"garbage", `echo hello world`, `"hello world" instead of a JSON object`},
		{"broken JSON", `echo '{"event":'`, "not JSON"},
		{"a list", `echo '[1]'`, "instead of a JSON object"},
		{"nothing", `exit 0`, "printed nothing"},
		{"a lane that is misspelt", `echo '{"event":"Stop","lanes":"guard"}'`, `its description has "lanes"; did you mean "lane"?`},
		{"a matcher that is misspelt", `echo '{"event":"Stop","macher":{"tool":"Bash"}}'`, `did you mean "matcher"?`},
		{"a priority that is misspelt", `echo '{"event":"Stop","priorty":1}'`, `did you mean "priority"?`},
		{"events that are misspelt", `echo '{"evnts":["Stop"]}'`, `did you mean "events"?`},
		{"no event", `echo '{"name":"x"}'`, "names no event"},
		{"an event that is a number", `echo '{"events":[7]}'`, `"events" has the entry 7`},
		{"events that are an object", `echo '{"events":{}}'`, `must be a list of names`},
		{"a priority that is a text", `echo '{"event":"Stop","priority":"high"}'`, `"priority" is a string; it must be of the type int`},
		{"a timeout without a unit", `echo '{"event":"Stop","timeout":"soon"}'`, `"timeout" is "soon"`},
		{"a negative timeout", `echo '{"event":"Stop","timeout_ms":-1}'`, "impossible"},
		{"a match that is a text", `echo '{"event":"Stop","match":"Bash"}'`, "must be an object"},
		{"an unknown mode", `echo '{"event":"Stop","mode":"daemon"}'`, `"mode" is "daemon"`},
		{"two mistakes", `echo '{"timeout":"soon","mode":"daemon","event":"Stop"}'`, `or "30s"; "mode" is`},
		{"a failure", `echo 'bad luck' >&2; exit 4`, "exit status 4: bad luck"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := script(t, c.script)
			_, err := Describe(t.Context(), Config{Argv: []string{path}})
			for _, part := range []string{path, c.want} {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("error %v does not have %q", err, part)
				}
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is more than one line: %v", err)
			}
		})
	}
}

func TestDescribeEndsAProgramThatHangs(t *testing.T) {
	nothingLeft(t)
	pid := t.TempDir() + "/pid"
	ctx := newExpiring()
	result := make(chan error, 1)
	go func() {
		_, err := Describe(ctx, Config{Shell: `echo $$ >"$PID"; sleep 1000`, Env: []string{"PID=" + pid}, Grace: 100 * time.Millisecond})
		result <- err
	}()
	group := readPID(t, pid)
	ctx.expire()
	if err := <-result; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	groupGone(t, group)
}

func TestInterpreterOfAHooksFile(t *testing.T) {
	found := t.TempDir() // the only programs on PATH
	for _, name := range []string{"sh", "bash", "python3", "ruby", "perl", "node", "tsx"} {
		if err := os.WriteFile(found+"/"+name, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", found)
	for _, c := range []struct {
		name, file string
		mode       os.FileMode
		first      string
		want       []string // the last entry is the file
	}{
		{"first line, executable", "a.py", 0o755, "#!/bin/sh", []string{}},
		{"first line, not executable", "a.py", 0o644, "#!/bin/sh -e", []string{"/bin/sh", "-e"}},
		{"first line that asks env", "hook", 0o644, "#!/usr/bin/env python3", []string{"/usr/bin/env", "python3"}},
		{"sh", "a.sh", 0o644, "exit 0", []string{found + "/sh"}},
		{"bash", "a.bash", 0o644, "exit 0", []string{found + "/bash"}},
		{"python, though executable", "a.py", 0o755, "pass", []string{found + "/python3"}},
		{"ruby", "a.rb", 0o644, "1", []string{found + "/ruby"}},
		{"perl", "a.pl", 0o644, "1", []string{found + "/perl"}},
		{"javascript", "a.js", 0o644, "1", []string{found + "/node"}},
		{"javascript module", "a.mjs", 0o644, "1", []string{found + "/node"}},
		{"old javascript module, upper case", "a.CJS", 0o644, "1", []string{found + "/node"}},
		{"typescript", "a.ts", 0o644, "1", []string{found + "/tsx"}},
		{"executable without a hint", "hook", 0o755, "\x7fELF", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, c.file, c.mode, c.first)
			argv, err := Interpreter(t.Context(), path)
			if want := append(c.want, path); err != nil || !reflect.DeepEqual(argv, want) {
				t.Errorf("got %q, %v; want %q", argv, err, want)
			}
		})
	}
}

func TestHooksFileThatNothingRunsSaysWhatToDo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		name, path string
		want       []string
	}{
		{"no hint", file(t, "notes.txt", 0o644, "hello"), []string{"notes.txt", "chmod +x", "#!/bin/sh"}},
		{"empty", file(t, "hook", 0o644), []string{"hook", "chmod +x"}},
		{"python is missing", file(t, "a.py", 0o644, "pass"), []string{"a.py", "install python3"}},
		{"nothing for typescript", file(t, "a.ts", 0o644, "1"), []string{"a.ts", "tsx, bun, node", "install tsx, or Node 22.18"}},
		{"the first line's interpreter is missing", file(t, "a", 0o755, "#!/opt/none"), []string{"/a ", "/opt/none", "install it"}},
		{"env's interpreter is missing", file(t, "a", 0o644, "#!/usr/bin/env ruby"), []string{"/a ", "ruby is not on PATH"}},
		{"Windows line ends", file(t, "a.sh", 0o644, "#!/bin/sh\r"), []string{"a.sh", "Unix line ends"}},
		{"a folder", t.TempDir(), []string{"is not a file"}},
		{"missing", "/nowhere/hook.sh", []string{"/nowhere/hook.sh", "no such file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			argv, err := Interpreter(t.Context(), c.path)
			for _, part := range c.want {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%q, error %v does not have %q", argv, err, part)
				}
			}
		})
	}
}
