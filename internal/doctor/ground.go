package doctor

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/internal/config"
)

// Sessions of ours, so that they are known in the audit log.
const (
	selfTestSession = "hookway-selftest-"
	canarySession   = "hookway-canary-"
)

// refusal is why the marked command is refused. Agents tell it to their model.
const refusal = "hookway doctor refuses this command, to see that it can. All is well: do not try again."

// mendGround is what to do if no ground can be made.
const mendGround = "mend what is said of the folders above; temporary files need room, too"

// ground is a fresh folder, a trusted workspace with a hook that refuses the
// marked command.
type ground struct {
	dir  string
	id   string // different for each
	mark string // in the command that is refused
	opts config.Options
}

// newGround makes a ground. Remove must be called.
func (c *Checkup) newGround() (*ground, error) {
	dir, err := os.MkdirTemp("", "hookway-doctor-")
	if err != nil {
		return nil, fmt.Errorf("there is no place to try things: %w", err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil { // as agents see it
		dir = real
	}
	g := &ground{dir: dir, id: strings.ToLower(rand.Text()[:12]), opts: c.Config}
	g.mark = "hookway-doctor-" + g.id
	text := "# Made by hookway doctor.\nhooks:\n  - id: hookway-doctor\n    on: PreToolUse\n    lane: guard\n" +
		"    match: {command: " + g.mark + "}\n    block: '" + refusal + "'\n"
	g.opts.Dir, g.opts.File = dir, ""
	err = os.WriteFile(filepath.Join(dir, "hookway.yaml"), []byte(text), 0o600)
	if err == nil {
		_, err = config.Trust(g.opts)
	}
	if err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

// remove takes the trust back, and the folder away.
func (g *ground) remove() error {
	_, _, err := config.Untrust(g.opts)
	return errors.Join(err, os.RemoveAll(g.dir))
}

// environ is this process's environment for a process of a session that works in
// the ground.
func (g *ground) environ(session string, more ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "HOOKWAY_SESSION", "HOOKWAY_PROJECT_DIR", "HOOKWAY_DEPTH", "CLAUDE_PROJECT_DIR", "PWD", "OLDPWD":
		default:
			env = append(env, kv)
		}
	}
	return append(env, append([]string{"PWD=" + g.dir, "HOOKWAY_SESSION=" + session, "HOOKWAY_PROJECT_DIR=" + g.dir}, more...)...)
}
