//go:build !linux && !darwin

package terminal

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// Start returns an error: there is no pseudo-terminal here yet.
func Start(context.Context, Config) (*Program, error) {
	system := runtime.GOOS
	if system == "windows" {
		system = "Windows"
	}
	return nil, fmt.Errorf("hookway run is not available on %s yet; use the agent's own hooks (hookway install AGENT), or run both in WSL: %w",
		system, errors.ErrUnsupported)
}

func (p *Program) writeSome(context.Context, []byte) (int, error) { return 0, ErrEnded }
