//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/bench/model"
)

const (
	prompt   = "Please run the command."
	deadline = 2 * time.Minute // of one run of an agent; it takes about a second, and many where others need the machine
)

// bin is the folder with the hookway programs under test; each world has its own.
var bin string

func TestMain(m *testing.M) { os.Exit(withPrograms(m)) }

// withPrograms builds hookway once for all tests, if there is an agent to run.
func withPrograms(m *testing.M) int {
	if len(asked()) == 0 {
		return m.Run()
	}
	if bin = os.Getenv("HOOKWAY_E2E_BIN"); bin != "" { // programs that are built already
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "hookway-e2e-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", "build", "-o", bin+"/", "../cmd/...") // as make test has compiled it
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "hookway cannot be built: %v\n", err)
		return 1
	}
	return m.Run()
}

// world is a user with a project, an agent and a model, all made for one test.
type world struct {
	agent   *agent
	model   *model.Server
	root    string
	home    string
	project string
	env     []string
}

// newWorld makes a world whose project has the hooks, trusted.
func newWorld(t *testing.T, a *agent, hooks string, script ...model.Turn) *world {
	t.Helper()
	w := untrustedWorld(t, a, hooks, script...)
	w.hookway(t, "trust", "--yes")
	return w
}

// untrustedWorld makes a world whose user has not trusted the project. Its folder
// has a short name: the path of a socket in it may not be long.
func untrustedWorld(t *testing.T, a *agent, hooks string, script ...model.Turn) *world {
	t.Helper()
	root, err := os.MkdirTemp("", "hw-e2e-")
	check(t, err)
	root, err = filepath.EvalSymlinks(root)
	check(t, err)
	t.Cleanup(func() { // a hook of an agent that was killed may still write there
		err := os.RemoveAll(root)
		for end := time.Now().Add(time.Minute); err != nil && time.Now().Before(end); err = os.RemoveAll(root) {
			time.Sleep(50 * time.Millisecond)
		}
		check(t, err)
	})
	server, err := model.Start(script...)
	check(t, err)
	t.Cleanup(func() { check(t, server.Close()) })
	w := &world{agent: a, model: server, root: root, home: filepath.Join(root, "home"), project: filepath.Join(root, "project")}
	for _, dir := range []string{w.home, filepath.Join(root, "tmp")} {
		check(t, os.MkdirAll(dir, 0o700))
	}
	w.write(t, filepath.Join(w.project, "victim", "file.txt"), "precious\n")
	w.write(t, filepath.Join(w.project, "hookway.yaml"), hooks)
	w.place(t, "hookway", "hookway-hook")
	// Beside the agent may be the node that it needs.
	agentDir := filepath.Dir(os.Getenv(a.program))
	// Nothing of the environment of whoever runs the tests; and through the proxy
	// nothing leaves the machine.
	w.env = []string{
		"PATH=" + strings.Join([]string{filepath.Dir(w.bin("hookway")), agentDir, nodeDir(), "/usr/local/bin", "/usr/bin", "/bin"}, ":"),
		"HOME=" + w.home, "HOOKWAY_HOME=" + filepath.Join(root, "hookway"), "TMPDIR=" + filepath.Join(root, "tmp"),
		"LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/sh",
		"HTTPS_PROXY=" + server.URL(), "HTTP_PROXY=" + server.URL(), "https_proxy=" + server.URL(), "http_proxy=" + server.URL(),
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
	w.env = append(w.env, a.settle(t, w)...)
	t.Cleanup(func() { w.stopDaemon(t) })
	return w
}

// place puts hookway's programs into the world, which may then lose them.
func (w *world) place(t *testing.T, names ...string) {
	t.Helper()
	check(t, os.RemoveAll(filepath.Join(w.root, "bin")))
	check(t, os.Mkdir(filepath.Join(w.root, "bin"), 0o700))
	for _, name := range names {
		from := filepath.Join(bin, name)
		if os.Link(from, w.bin(name)) == nil {
			continue
		}
		program, err := os.ReadFile(from)
		check(t, err)
		check(t, os.WriteFile(w.bin(name), program, 0o700))
	}
}

// bin is the path of one of hookway's programs.
func (w *world) bin(name string) string { return filepath.Join(w.root, "bin", name) }

// nodeDir is where node is: npm's launchers look for it on PATH.
func nodeDir() string {
	node, err := exec.LookPath("node")
	if err != nil {
		return "/usr/bin"
	}
	return filepath.Dir(node)
}

// result is what a program that has ended leaves.
type result struct {
	stdout, stderr string
	code           int
}

// start runs a program in the project to its end. It has until the deadline; then,
// or at its end, everything that it started is ended with it, unless it left its
// group.
func (w *world) start(argv ...string) (result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline) // not the test's: cleaning up needs programs as well
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.project, w.env, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	err := cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whoever is left; mostly nobody
	r := result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return r, fmt.Errorf("%s has not ended within %v\n%s\n%s", strings.Join(argv, " "), deadline, r.stdout, r.stderr)
	case err != nil && !errors.As(err, &exit):
		return r, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return r, nil
}

// run is start for what must at least end.
func (w *world) run(t *testing.T, argv ...string) result {
	t.Helper()
	r, err := w.start(argv...)
	check(t, err)
	return r
}

// runAgent runs the agent for one turn, which must succeed.
func (w *world) runAgent(t *testing.T, before ...string) result {
	t.Helper()
	r := w.run(t, append(append(before, os.Getenv(w.agent.program)), w.agent.argv...)...)
	if r.code != 0 {
		t.Errorf("%s ended with %d", w.agent.name, r.code)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		t.Logf("%s said:\n%s\n%s", w.agent.name, r.stdout, r.stderr)
		for i, q := range w.model.Requests() {
			t.Logf("request %d to the model, results of tools: %q", i+1, q.Results)
		}
		t.Logf("other requests: %q", w.model.Strays())
	})
	return r
}

// hookway runs hookway as the user, which must succeed.
func (w *world) hookway(t *testing.T, args ...string) string {
	t.Helper()
	r := w.run(t, append([]string{w.bin("hookway")}, args...)...)
	if r.code != 0 {
		t.Fatalf("hookway %s ended with %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// record is what the tests look at of a record of hookway log.
type record struct{ Event, Native, Agent, Tool, Action, By, Rule, Would, Reason, Failure string }

// log is what hookway has written down of an event.
func (w *world) log(t *testing.T, event string) []record {
	t.Helper()
	var all []record
	for d := json.NewDecoder(strings.NewReader(w.hookway(t, "log", "--json"))); ; {
		var r record
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("hookway log --json: %v", err)
		}
		if r.Event == event && r.Action != "repeat" { // of one event that was told twice
			all = append(all, r)
		}
	}
}

func (w *world) write(t *testing.T, file, text string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(file), 0o700))
	check(t, os.WriteFile(file, []byte(text), 0o600))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// proves says what a test has seen, for the table of make proof.
func proves(t *testing.T, format string, args ...any) {
	t.Helper()
	if !t.Failed() {
		t.Logf("proof: "+format, args...)
	}
}
