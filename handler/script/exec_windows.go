package script

import (
	"context"
	"os/exec"
)

func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd.exe", "/c", line)
	cmd.WaitDelay = execGrace
	return cmd
}

// runGroup runs a program to its end.
func runGroup(cmd *exec.Cmd) error { return cmd.Run() }
