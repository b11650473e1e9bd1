package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// Program is an agent that is installed on this machine.
type Program struct {
	Path    string
	Version string // such as 2.1.329; "" if it does not say
}

// versionWait bounds how long an agent may take to tell its version.
const versionWait = 5 * time.Second

var versionForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+\.\d+(\.\d+)?`) })

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
	if a.packaged {
		if version := packaged(path, a.program); version != "" {
			return Program{Path: path, Version: version}, nil
		}
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
	return Program{Path: path, Version: versionForm().FindString(line)}, nil
}

// AsksVersion reports whether what is installed for an agent depends on its
// version. Of others it is not asked: some unpack half of themselves for that.
func AsksVersion(name string) bool {
	a, err := find(name)
	return err == nil && (a.leave != nil || a.name == copilot.name)
}

// packaged reads the version of a program out of the npm package that it is in; ""
// if it is in none.
func packaged(path, program string) string {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, err := disk.Read(filepath.Join(dir, "package.json"), maxConfig)
		if err != nil {
			continue
		}
		var about struct {
			Version string
			Bin     map[string]string
		}
		if json.Unmarshal(text, &about) != nil || about.Bin[program] == "" {
			return ""
		}
		return versionForm().FindString(about.Version)
	}
	return ""
}
