//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// agentHome is a home of hookway with a workspace, in which an agent calls the real
// programs.
type agentHome struct {
	t     *testing.T
	dir   string
	env   []string
	tools int // that the agent has used
}

// newAgentHome makes one with these files besides hookway and hookway-hook.
func newAgentHome(t *testing.T, daemon bool, files map[string]string) *agentHome {
	t.Helper()
	dir, err := os.MkdirTemp("", "n") // a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	h := &agentHome{t: t, dir: dir}
	shim, err := shimOnce()
	h.must(err)
	h.place("bin/hookway-hook", shim)
	for name, text := range files {
		h.place(name, []byte(text))
	}
	placeSelf(t, filepath.Join(dir, "bin", "hookway"))
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "HOOKWAY_") && !strings.HasPrefix(kv, "PATH=") && !strings.HasPrefix(kv, "CLAUDE") {
			h.env = append(h.env, kv)
		}
	}
	h.env = append(h.env, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "HOOKWAY_HOME="+filepath.Join(dir, "home"),
		"HOME="+dir, "HOOKWAY_TRUST=1", "AGENT="+dir, "GORACE=atexit_sleep_ms=0")
	if !daemon {
		h.env = append(h.env, "HOOKWAY_DAEMON=off")
	}
	return h
}

func (h *agentHome) place(name string, text []byte) {
	h.t.Helper()
	file := filepath.Join(h.dir, name)
	h.must(os.MkdirAll(filepath.Dir(file), 0o700))
	h.must(writeProgram(file, text))
}

func (h *agentHome) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// program is a call of one of the programs in the workspace, not yet started.
func (h *agentHome) program(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(h.dir, "bin", name), args...)
	cmd.Dir, cmd.Env = filepath.Join(h.dir, "project"), h.env
	return cmd
}

func (h *agentHome) hookway(args ...string) *exec.Cmd { return h.program("hookway", args...) }
