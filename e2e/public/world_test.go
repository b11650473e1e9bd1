//go:build unix

package public

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// world is a user, with a project that has one hook: in the settings of Claude Code,
// which hookway imports under other agents, and as a command of hookway's own, for
// the agent that reads these settings itself.
type world struct {
	t       *testing.T
	bin     string // hookway's programs
	root    string
	home    string
	project string
	origin  string // what the project is made of, each time
	env     []string
	entry   entry
}

func newWorld(t *testing.T, bin, cache string, e entry) *world {
	root, err := os.MkdirTemp("", "hw-")
	check(t, err)
	root, err = filepath.EvalSymlinks(root)
	check(t, err)
	w := &world{t: t, bin: bin, root: root, home: filepath.Join(root, "home"), project: filepath.Join(root, "project"), origin: filepath.Join(root, "origin"), entry: e}
	w.env = []string{
		"PATH=" + strings.Join([]string{filepath.Join(cache, "venv", "bin"), bin, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}, ":"),
		"HOME=" + w.home, "HOOKWAY_HOME=" + filepath.Join(root, "hookway"), "TMPDIR=" + filepath.Join(root, "tmp"), "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/sh",
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0",
	}
	if e.pack.root != "" {
		w.env = append(w.env, "CLAUDE_PLUGIN_ROOT="+e.pack.root, "CLAUDE_PLUGIN_DATA="+filepath.Join(w.home, "data"))
	}
	w.make()
	w.reset()
	if out, err := w.run(w.project, "trust", "--yes"); err != nil {
		t.Fatalf("hookway trust: %v\n%s", err, out)
	}
	t.Cleanup(func() {
		_, _ = w.run("/", "stop")
		check(t, os.RemoveAll(root))
	})
	return w
}

// make makes what the project is made of.
func (w *world) make() {
	w.t.Helper()
	for name, text := range map[string]string{
		"README.md": "# A project\n\nIt is for tests.\n", ".env": "API_KEY=abc\n", "package.json": "{\n  \"name\": \"project\",\n  \"scripts\": {\"test\": \"true\"}\n}\n",
		"src/app.ts": "export const one = 1;\n", "src/app.py": "one = 1\n", "victim/file.txt": "precious\n", "CLAUDE.md": "# Rules\n\nBe kind.\n",
	} {
		w.write(filepath.Join(w.origin, name), text)
	}
	if w.entry.pack.lay != "" {
		check(w.t, os.CopyFS(filepath.Join(w.origin, ".claude"), os.DirFS(w.entry.pack.lay)))
		check(w.t, filepath.WalkDir(filepath.Join(w.origin, ".claude"), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return os.Chmod(path, 0o755)
		}))
	}
	group := object{"hooks": []any{w.entry.fields}}
	if w.entry.matcher != "" {
		group["matcher"] = w.entry.matcher
	}
	settings, err := json.MarshalIndent(object{"hooks": object{w.entry.event: []any{group}}}, "", "  ")
	check(w.t, err)
	w.write(filepath.Join(w.origin, ".claude", "settings.json"), string(settings))
	w.write(filepath.Join(w.origin, "hookway.yaml"), w.own())
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-q", "-m", "begin"}} {
		git := exec.Command("git", append([]string{"-C", w.origin}, args...)...)
		git.Env = w.env
		if out, err := git.CombinedOutput(); err != nil {
			w.t.Fatalf("git: %v\n%s", err, out)
		}
	}
}

// own is hookway.yaml: the import, and the hook as one of hookway's own under Claude
// Code.
func (w *world) own() string {
	command := any(text(w.entry.fields, "command"))
	if args, ok := w.entry.fields["args"].([]any); ok {
		command = append([]any{command}, args...)
	}
	line, err := json.Marshal(command)
	check(w.t, err)
	lane := ""
	if w.entry.aside() {
		lane = ", async: true"
	}
	return fmt.Sprintf("version: 1\nimport: claude\nhooks:\n  - {id: own, on: %s, match: {agent: claude}, command: %s%s}\n", w.entry.event, line, lane)
}

// reset makes the project and the user's home anew.
func (w *world) reset() {
	w.t.Helper()
	for _, dir := range []string{w.project, w.home, filepath.Join(w.root, "tmp")} {
		check(w.t, removeAll(dir))
		check(w.t, os.MkdirAll(dir, 0o700))
	}
	if out, err := exec.Command("cp", "-a", w.origin+"/.", w.project).CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	if os.Getenv("HOOKWAY_PUBLIC_BIN") == "/mnt" { // /tmp is ours alone
		others, _ := filepath.Glob("/tmp/*")
		for _, path := range others {
			if path != w.root {
				_ = os.RemoveAll(path)
			}
		}
	}
}

// removeAll removes a folder that a child left behind may still write to.
func removeAll(dir string) (err error) {
	for range 50 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
	}
	return err
}

// run runs hookway.
func (w *world) run(dir string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(w.bin, "hookway"), args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// process is what a program leaves.
type process struct {
	stdout, stderr []byte
	code           int
}

// start runs a program with stdin, and ends its group afterwards if it was late.
func (w *world) start(env []string, stdin []byte, argv ...string) process {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = w.project, env, bytes.NewReader(stdin), &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second // a child that holds stdout
	err := cmd.Run()
	exited := errors.As(err, new(*exec.ExitError))
	if late := errors.Is(err, exec.ErrWaitDelay) || errors.Is(err, syscall.EPIPE); err != nil && !exited && !late {
		w.t.Fatalf("%v: %v", argv, err)
	}
	return process{stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()}
}

// natively runs the hook as Claude Code does.
func (w *world) natively(h happening) verdict {
	w.t.Helper()
	_, stdin, _ := h.native(w.t, "claude", w.project, session())
	argv := []string{"/bin/sh", "-c", text(w.entry.fields, "command")}
	if args, ok := w.entry.fields["args"].([]any); ok {
		argv = []string{"/usr/bin/env", text(w.entry.fields, "command")}
		for _, a := range args {
			argv = append(argv, fmt.Sprint(a))
		}
	}
	p := w.start(append(slices.Clone(w.env), "CLAUDE_PROJECT_DIR="+w.project), stdin, argv...)
	if w.entry.aside() {
		return verdict{}
	}
	return asClaude(h.event, p.stdout, p.stderr, p.code)
}

// through has an agent tell hookway what happens; it gives what the agent takes from
// the answer. Where the text comes later, it is what comes then.
func (w *world) through(agent string, h happening, id string) (v verdict, raw string, ok bool) {
	w.t.Helper()
	event, stdin, ok := h.native(w.t, agent, w.project, id)
	if !ok {
		return verdict{}, "", false
	}
	p := w.start(w.env, stdin, filepath.Join(w.bin, "hookway-hook"), agent, "--event", event, "--timeout", "100s")
	return hears[agent](h.event, p.stdout, p.stderr, p.code), fmt.Sprintf("%s%s", p.stdout, p.stderr), true
}

// session is an id of a session that there was not before.
func session() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// files are the files of the project and of the user, by what is in them, without what
// differs from run to run.
func (w *world) files() map[string]string {
	all := map[string]string{}
	for _, dir := range []string{w.project, w.home} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // it is gone
			case d.IsDir() && (d.Name() == ".git" || d.Name() == "__pycache__" || d.Name() == "node-compile-cache"):
				return fs.SkipDir
			case d.Type().IsRegular():
				text, _ := os.ReadFile(path)
				name, _ := filepath.Rel(w.root, path)
				if ext := filepath.Ext(name); ext == ".jsonl" || ext == ".log" {
					// A log holds ids and the agent's own words: what counts is that it grew by as much.
					text = bytes.Repeat([]byte("line\n"), bytes.Count(text, []byte("\n")))
				}
				all[plain(name)] = fmt.Sprintf("%x", sha256.Sum256([]byte(plain(string(text)))))[:12]
			}
			return nil
		})
	}
	return all
}

// varies is what stands for a file that a hook writes differently each time.
const varies = "varies"

// agreed are the files of two runs; those that differ vary.
func agreed(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	for name := range b {
		all[name] = b[name]
	}
	for name := range all {
		if a[name] != b[name] {
			all[name] = varies
		}
	}
	return all
}

// settled waits until the files are these: a hook may have left a child that writes.
func (w *world) settled(want map[string]string) string {
	for end := time.Now().Add(3 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		got := w.files()
		for name, text := range want {
			if text == varies {
				got[name] = varies
			}
		}
		if maps.Equal(want, got) {
			return ""
		}
		if time.Now().After(end) {
			var diff []string
			for name := range want {
				if want[name] != got[name] {
					diff = append(diff, "not as natively: "+name)
				}
			}
			for name := range got {
				if want[name] == "" {
					diff = append(diff, "only through hookway: "+name)
				}
			}
			slices.Sort(diff)
			return strings.Join(diff, "; ")
		}
	}
}

func (w *world) write(path, text string) {
	w.t.Helper()
	check(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	check(w.t, os.WriteFile(path, []byte(text), 0o644))
}
