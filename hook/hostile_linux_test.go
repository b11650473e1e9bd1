package hook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// What a guard of paths makes of a call.
const (
	passes  = "passes"
	matched = "matched"
	unclear = "unclear" // it cannot be known which file is meant
)

// judged asks a guard of keys/** and of the home's .ssh about a call.
func judged(t *testing.T, cwd string, input map[string]any) string {
	t.Helper()
	var e hook.Engine
	add(t, &e, "keys", says(hook.Block("no")), hook.As(hook.Guard), hook.MatchPath("keys/**", "~/.ssh/**"))
	out, err := e.Fire(t.Context(), hook.PreToolUse.New(hook.Envelope{CWD: cwd}, hook.ToolUse{ToolName: "Read", ToolInput: input}))
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(out.Steps) == 0 && out.Action == hook.ActionContinue:
		return passes
	case out.Action == hook.ActionBlock && out.Reason == "no":
		return matched
	case out.Action == hook.ActionBlock && out.Steps[0].Err != nil:
		return unclear
	}
	t.Fatalf("%+v", out)
	return ""
}

// hostileTree is a workspace with keys, and with links that lead to them through
// processes; its links by name, and where home is.
func hostileTree(t *testing.T) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	t.Setenv("HOME", home)
	for _, dir := range []string{"keys", "src/deep", "home/.ssh", "odd %41 name"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"mine": "/proc/self/cwd/keys/a", "thread": "/proc/thread-self/cwd/keys", "descriptors": "/dev/fd", "process": "/proc/self",
		"all": "/proc/self/root", "number": fmt.Sprintf("/proc/%d/cwd", os.Getpid()), "loop": "/proc/self/cwd/loop", "in": "/dev/stdin",
		"ring": "/proc/self/cwd/ring/x", "src/up": "../keys",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestHostilePathsAreWhatTheAgentsProcessWouldOpen(t *testing.T) {
	root := hostileTree(t)
	for path, want := range map[string]string{
		// The agent's working directory.
		"/proc/self/cwd/keys/a":                                                matched,
		"/proc/self/cwd/./src/../keys/a":                                       matched,
		"/proc/thread-self/cwd/keys/a":                                         matched,
		"//proc//self///cwd/keys/a":                                            matched,
		"/proc/../proc/self/cwd/keys/a":                                        matched,
		"/proc/self/../self/cwd/keys/a":                                        matched,
		"/proc/self/fd/../cwd/keys/a":                                          matched,
		"/dev/fd/../cwd/keys/a":                                                matched,
		"/dev/../dev/fd/../cwd/keys/a":                                         matched,
		"/proc/thread-self/fd/../cwd/keys/a":                                   matched,
		"/proc/thread-self/../../cwd/keys/a":                                   matched,
		"/proc/self/cwd/src/up/a":                                              matched,
		"/proc/self/cwd/mine":                                                  matched,
		"/proc/self/cwd/home/.ssh/id":                                          matched,
		"src/../../../../../../../../../proc/self/cwd":                         passes,
		"../../../../../../../../../../../../../../../../proc/self/cwd/keys/a": matched,
		" /proc/self/cwd/keys/a":                                               matched,
		"/proc/self/cwd/keys/a\n":                                              matched,
		"/proc/self/cwd/src/a":                                                 passes,
		"/proc/self/cwd/../x":                                                  passes,
		"/proc/self/cwd/loop":                                                  unclear,
		"/proc/self/cwdkeys/a":                                                 passes,
		"/proc/self/cwd/keys\x00/a":                                            unclear,
		"src/a\x00.png":                                                        unclear,
		"mine":                                                                 matched,
		"thread/a":                                                             matched,
		"process/cwd/keys/a":                                                   matched,
		"descriptors/../cwd/keys/a":                                            matched,
		"src/../process/cwd/keys/a":                                            matched,
		"ring":                                                                 passes,
		"keys/../process/cwd/src/a":                                            passes,
		"process/cwd/process/cwd/a":                                            passes,
		"process/../self/cwd/keys/a":                                           matched,

		// Other links of a process.
		"/proc/self/root/etc/passwd":                 unclear,
		"/proc/self/root" + root + "/keys/a":         unclear,
		"/proc/self/exe":                             unclear,
		"/proc/self/fd/7":                            unclear,
		"/proc/self/fd/7/keys/a":                     unclear,
		"/proc/self/fd/0/keys/a":                     unclear,
		"/proc/self/fd/63/keys/a":                    unclear,
		"/dev/fd/9":                                  unclear,
		"/dev/fd/064":                                unclear,
		"/proc/self/task/1/cwd/keys/a":               unclear,
		"/proc/thread-self/../1/cwd/keys/a":          unclear,
		"/proc/thread-self/root/etc/passwd":          unclear,
		"/proc/thread-self/../../root/etc/passwd":    unclear,
		"/proc/self/map_files/00400000-00401000":     unclear,
		"/proc/self/ns/mnt":                          unclear,
		"all/etc/passwd":                             unclear,
		"process/root/etc/passwd":                    unclear,
		"descriptors/9":                              unclear,
		"/proc/1/root/etc/passwd":                    unclear,
		"/proc/1/fd/3":                               unclear,
		"/proc/1/task/1/cwd":                         unclear,
		fmt.Sprintf("/proc/%d/fd/0", os.Getpid()):    unclear,
		fmt.Sprintf("/proc/%d/cwd/a", os.Getpid()):   passes, // neither here nor there
		fmt.Sprintf("/proc/%d/cwd/key", os.Getpid()): passes,

		// A working directory by number: the agent's, or that of the process.
		fmt.Sprintf("/proc/%d/cwd/keys/a", os.Getpid()): matched,
		"number/keys/a": matched,
		fmt.Sprintf("/proc/%d/cwd/../../%s/keys/a", os.Getpid(), ".."): passes,
		"/proc/4194304999/cwd/keys/a":                                  matched,

		// What is let through.
		"/dev/stdin": passes, "/dev/stdout": passes, "/dev/stderr": passes, "/dev/fd/0": passes, "/dev/fd/2": passes,
		"/dev/fd/63": passes, "/proc/self/fd/63": passes, "/dev/fd/62": passes, "/proc/self/fd/1": passes, "in": passes,
		"/proc/self/status": passes, "/proc/self": passes, "/proc/cpuinfo": passes, "/proc/mounts": passes, "/dev/null": passes, "/proc/self/fd": passes,
		"/procedure/self/cwd/keys/a": passes, "proc/self/cwd/keys/a": passes,

		// URLs.
		"file://" + root + "/keys/a":              matched,
		"file:" + root + "/keys/a":                matched,
		"FILE://localhost" + root + "/keys/a":     matched,
		"file://" + root + "/%6b%65ys/a":          matched,
		"file://" + root + "/src/%2e%2e/keys%2Fa": matched,
		"file://" + root + "/keys/a?x#y":          matched,
		"file:///proc/self/cwd/keys/a":            matched,
		"file:\\\\\\" + root[1:] + "\\keys\\a":    matched,
		" fi\nle://" + root + "/keys/a":           matched,
		"file://" + root + "/bad%zz/../keys/a":    matched,
		"file:///proc/self/root/etc/passwd":       unclear,
		"file://" + root + "/src/a":               passes,
		"https://example.com/keys/a":              passes,
		"file:":                                   passes,
		"file://host":                             passes,
		"file:keys/a":                             matched,
	} {
		if got := judged(t, root, map[string]any{"file_path": path}); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}

// The names are found wherever in the arguments they stand.
func TestFilesAreFoundInListsObjectsAndUnderKeysInOtherWords(t *testing.T) {
	root := hostileTree(t)
	deep := map[string]any{"path": "keys/a"}
	for range 20 {
		deep = map[string]any{"more": []any{deep}}
	}
	tooDeep := map[string]any{"path": "src/a"}
	for range 100 {
		tooDeep = map[string]any{"more": tooDeep}
	}
	many := make([]any, 100_000)
	names := make([]any, 5_000)
	for i := range names {
		names[i] = fmt.Sprintf("src/%d", i)
	}
	type m = map[string]any
	for _, c := range []struct {
		name  string
		input m
		want  string
	}{
		{"a list", m{"path": []any{"keys/a"}}, matched},
		{"a list in a list", m{"path": []any{[]any{"src/a", "keys/a"}}}, matched},
		{"a list of Go's", m{"path": []string{"src/a", "keys/a"}}, matched},
		{"an object", m{"path": m{"value": "keys/a"}}, matched},
		{"an object of Go's", m{"path": map[string]string{"value": "keys/a"}}, matched},
		{"another case", m{"Path": "keys/a"}, matched},
		{"upper case", m{"FILE_PATH": "keys/a"}, matched},
		{"beside a harmless one", m{"file_path": "src/a", "filePath": "keys/a"}, matched},
		{"letters that fold", m{"noteboo\u212aPath": "keys/a"}, matched},
		{"below", m{"options": m{"path": "keys/a"}}, matched},
		{"in edits", m{"edits": []any{m{"path": "src/a"}, m{"path": "keys/a"}}}, matched},
		{"deep", deep, matched},
		{"too deep to look", tooDeep, unclear},
		{"too many values to look", m{"path": "src/a", "z": many}, unclear},
		{"too many names", m{"paths": names}, unclear},
		{"a name without end", m{"path": string(slices.Repeat([]byte("a/"), 1<<20))}, unclear},
		{"several", m{"paths": []any{"src/a", "keys/a"}}, matched},
		{"what is moved", m{"source": "keys/a", "destination": "src/a"}, matched},
		{"where to", m{"source": "src/a", "destination": "keys/a"}, matched},
		{"read_many_files", m{"include": []any{"src/a", "keys/a"}}, matched},
		{"a folder", m{"target_directory": "keys/a"}, matched},
		{"a path of some kind", m{"imagePath": "keys/a"}, matched},
		{"files", m{"files": []any{m{"path": "keys/a", "content": "x"}}}, matched},
		{"contents of files are not names", m{"files": []any{m{"path": "src/a", "content": "keys/a"}}}, passes},
		{"a list that is written as a text", m{"path": `["src/a", "keys/a"]`}, matched},
		{"an object that is written as a text", m{"path": ` {"value": "keys/a"}`}, matched},
		{"arguments that are written as a text", m{"arguments": `{"file_path": "keys/a"}`}, matched},
		{"such in such", m{"input": `{"args": "{\"edits\": [{\"path\": \"keys/a\"}]}"}`}, matched},
		{"files by their names", m{"files": m{"keys/a": m{"content": "x"}}}, matched},
		{"such as a text", m{"files": `{"keys/a": "x"}`}, matched},
		{"words beside files are none", m{"files": m{"content": "x", "path": "src/a"}}, passes},
		{"a text of arguments without end", m{"args": "{" + strings.Repeat(" ", 1<<20) + "}"}, unclear},
		{"contents that look like arguments", m{"path": "src/a.json", "content": `{"path": "keys/a"}`}, passes},
		{"brackets in a name", m{"path": "[keys]/a"}, passes},
		{"a URL of a file", m{"url": "file://" + root + "/keys/a"}, matched},
		{"another URL", m{"url": "https://example.com/keys/a"}, passes},
		{"no name", m{"content": "keys/a", "n": 1, "path": 7}, passes},
		{"nothing", nil, passes},
	} {
		if got := judged(t, root, c.input); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A guard whose failures do not block is not asked about an unclear path, unless
// it matches whatever file that is.
func TestAnUnclearPathIsAFailureOfTheGuardsThatItMayConcern(t *testing.T) {
	root := hostileTree(t)
	path := hook.Match{Path: []string{"keys/**"}}
	read, write := hook.Match{Tool: []string{"Read"}}, hook.Match{Tool: []string{"Write"}}
	for _, c := range []struct {
		name     string
		match    hook.Match
		failure  hook.Failure
		want     hook.Action
		steps    int
		answered bool // the hook itself
	}{
		{"closed", path, hook.FailDefault, hook.ActionBlock, 1, false},
		{"open", path, hook.FailOpen, hook.ActionContinue, 1, false},
		{"another tool", hook.Match{Path: path.Path, Tool: write.Tool}, hook.FailDefault, hook.ActionContinue, 0, false},
		{"any that matches for sure", hook.Match{Any: []hook.Match{path, read}}, hook.FailOpen, hook.ActionBlock, 1, true},
		{"any that may match", hook.Match{Any: []hook.Match{path, write}}, hook.FailDefault, hook.ActionBlock, 1, false},
		{"all but one", hook.Match{All: []hook.Match{path, write}}, hook.FailDefault, hook.ActionContinue, 0, false},
		{"what is not listed", hook.Match{Not: &path}, hook.FailOpen, hook.ActionBlock, 1, true},
		{"not not", hook.Match{Not: &hook.Match{Not: &path}}, hook.FailDefault, hook.ActionBlock, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e hook.Engine
			add(t, &e, "h", says(hook.Block("no")), hook.As(hook.Guard), hook.Matching(c.match), hook.OnFailure(c.failure))
			add(t, &e, "other", says(hook.Continue()), hook.As(hook.Guard), hook.MatchTool("Write"))
			ev := hook.PreToolUse.New(hook.Envelope{CWD: root}, hook.ToolUse{ToolName: "Read", ToolInput: map[string]any{"path": "/proc/self/root/x"}})
			out, err := e.Fire(t.Context(), ev)
			if err != nil {
				t.Errorf("%+v, %v", out, err)
			}
			is(t, "out.Action", out.Action, c.want)
			is(t, "len(out.Steps)", len(out.Steps), c.steps)
			is(t, "c.answered", c.answered, (out.Reason == "no"))
		})
	}
}

// Hooks of the transform lane see paths as text: the agent's folder is one of them.
func TestTheAgentsFolderIsKnownWithoutAGuard(t *testing.T) {
	root := hostileTree(t)
	for path, want := range map[string]bool{"/proc/self/cwd/keys/a": true, "/proc/thread-self/cwd/keys/a": true, "/proc/self/cwd/src/a": false, "/proc/self/root/x": false} {
		if got := pathMatches(t, hook.Transform, hook.Match{Path: []string{"keys/**"}}, "", root, map[string]any{"path": path}); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

// FuzzPathsOfGuards: no path makes a guard of everything pass, nor hang or panic.
func FuzzPathsOfGuards(f *testing.F) {
	for _, seed := range []string{"/proc/self/cwd/a", "/dev/fd/../cwd", "file://localhost/%2e%2e/", "~/x", "/proc/1/cwd/../../proc/1/cwd/x", "a\x00b", "/proc/thread-self/../../root", "mine"} {
		f.Add(seed, "path")
	}
	f.Fuzz(func(t *testing.T, path, key string) {
		var e hook.Engine
		add(t, &e, "all", says(hook.Block("no")), hook.As(hook.Guard), hook.MatchPath("**"))
		input := map[string]any{"path": path, key: []any{path, map[string]any{key: path}}}
		out, err := e.Fire(t.Context(), hook.PreToolUse.New(hook.Envelope{CWD: "/proc/self/cwd"}, hook.ToolUse{ToolName: "Read", ToolInput: input}))
		if err != nil || (out.Action == hook.ActionBlock) != (path != "") {
			t.Errorf(`%q: got %+v, %v, want err == nil and (out.Action == hook.ActionBlock) == (path != "")`, path, out, err)
		}
	})
}
