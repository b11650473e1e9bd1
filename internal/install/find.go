package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Program is an agent that is installed on this machine.
type Program struct {
	Path    string
	Version string // such as 2.1.329; "" if it does not say
}

// versionWait bounds how long an agent may take to tell its version.
const versionWait = 5 * time.Second

var versionForm = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

// Find finds an agent in PATH, and asks its version.
func Find(name string) (Program, error) {
	a, err := find(name)
	if err != nil {
		return Program{}, err
	}
	path, err := exec.LookPath(a.program)
	if err != nil {
		return Program{}, fmt.Errorf("%s (%s) is not in PATH", a.title, a.program)
	}
	if path, err = filepath.Abs(path); err != nil {
		return Program{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	alone(cmd)
	cmd.WaitDelay = time.Second // for what the agent leaves behind with our pipe
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "DISABLE_AUTOUPDATER=1", "COPILOT_AUTO_UPDATE=false")
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return Program{Path: path}, nil // it is there all the same
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return Program{Path: path, Version: versionForm.FindString(line)}, nil
}
