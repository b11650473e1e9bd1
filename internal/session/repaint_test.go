//go:build linux || darwin

package session_test

import (
	"context"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// TestAProgramThatDrawsTheSameIsIdle draws it until the hooks have seen it.
func TestAProgramThatDrawsTheSameIsIdle(t *testing.T) {
	var engine hook.Engine
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	idle := false
	err := hook.On(&engine, hook.Idle, func(context.Context, *hook.Event[hook.Silence]) (hook.Decision, error) {
		idle = true
		cancel()
		return hook.Decision{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = session.Run(ctx, session.Config{Engine: &engine, IdleThreshold: time.Second,
		Command: []string{"sh", "-c", `while :; do printf '\033[Hsame\033[2;1Htext'; sleep 0.1; done`}})
	if !idle {
		t.Error("it was never idle")
	}
}
