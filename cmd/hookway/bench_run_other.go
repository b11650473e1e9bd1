//go:build !linux && !darwin

package main

import (
	"context"
	"errors"
	"fmt"
)

func measureRun(context.Context, benchRunPlan, func(string)) ([]runMeasure, error) {
	return nil, fmt.Errorf("hookway run is not available on this system: %w", errors.ErrUnsupported)
}
