package doctor

import (
	"context"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/install"
)

// shell runs an installed command line without a shell: which one an agent takes
// on Windows differs.
func shell(ctx context.Context, e install.EventState) *exec.Cmd {
	return exec.CommandContext(ctx, filepath.FromSlash(e.Program), arguments(e)...)
}

// runGroup runs a program.
func runGroup(cmd *exec.Cmd) error {
	cmd.WaitDelay = 2 * time.Second
	return cmd.Run()
}
