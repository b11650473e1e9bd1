//go:build !linux && !darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// relayLive says that there is no hookway run on this system.
func (*program) relayLive(context.Context, relayPlan) ([]row, error) {
	return []row{{Name: "messages into wrapped agents", Met: true, Skipped: "hookway run is not on this system"}}, nil
}

// works is an agent in hookway run.
func works(context.Context, func(string) string, io.Writer) error {
	return fmt.Errorf("hookway run is not available on this system: %w", errors.ErrUnsupported)
}
