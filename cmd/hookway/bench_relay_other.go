//go:build !linux && !darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// measureRelayLive says that there is no hookway run on this system.
func measureRelayLive(context.Context, relayPlan, func(string)) ([]runMeasure, error) {
	return []runMeasure{{Name: "messages into wrapped agents", Met: true, Skipped: "hookway run is not on this system"}}, nil
}

// benchWorks is an agent in hookway run.
func benchWorks(context.Context, func(string) string, io.Writer) error {
	return fmt.Errorf("hookway run is not available on this system: %w", errors.ErrUnsupported)
}
