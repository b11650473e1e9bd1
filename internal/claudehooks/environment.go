package claudehooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/environ"
)

// envEvents are those at which hooks of Claude Code may set variables of a session.
var envEvents = []string{"SessionStart", "Setup", "CwdChanged", "FileChanged"}

// maxEnvFiles bounds how many sessions have a file of variables.
const maxEnvFiles = 256

// EnvFile gives a hook a file of its session, CLAUDE_ENV_FILE, into which it may
// write variables. Nothing reads it: an agent other than Claude Code has no shell
// that would.
type EnvFile struct {
	Dir  string
	Next hook.Handler
}

// Handle runs the hook.
func (w EnvFile) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if !slices.Contains(envEvents, ev.Info().Name) {
		return w.Next.Handle(ctx, ev)
	}
	if _, err := disk.Names(w.Dir, maxEnvFiles); err != nil && disk.Exists(w.Dir) { // those of sessions that are long over
		_ = os.RemoveAll(w.Dir)
	}
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return hook.Decision{}, fmt.Errorf("the folder for CLAUDE_ENV_FILE cannot be made: %w", err)
	}
	sum := sha256.Sum256([]byte(ev.Head().Session))
	path := filepath.Join(w.Dir, hex.EncodeToString(sum[:8])+".sh")
	return w.Next.Handle(environ.Add(ctx, "CLAUDE_ENV_FILE="+path), ev)
}

// Folder makes a folder before a hook runs that expects it.
type Folder struct {
	Path string
	Next hook.Handler
}

// Handle runs the hook.
func (w Folder) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if err := os.MkdirAll(w.Path, 0o700); err != nil {
		return hook.Decision{}, fmt.Errorf("the folder for its plugin's data cannot be made: %w", err)
	}
	return w.Next.Handle(ctx, ev)
}
