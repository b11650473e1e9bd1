//go:build !linux && !darwin

package main

import (
	"context"
	"errors"
	"fmt"
)

func (*program) measureRun(context.Context, runPlan) ([]row, error) {
	return nil, fmt.Errorf("hookway run is not available on this system: %w", errors.ErrUnsupported)
}
