//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// works is the agent that works without end: every tool it calls is an event
// for its hooks, and what they inject is in its transcript.
func works(ctx context.Context, getenv func(string) string, out io.Writer) error {
	transcript, err := os.OpenFile(getenv("BENCH_TRANSCRIPT"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("works is the agent of bench relay, and nothing by itself: %w", err)
	}
	defer transcript.Close()
	for n := 0; ctx.Err() == nil; n++ {
		event := "PostToolUse"
		if n < 2 {
			event = []string{"SessionStart", "UserPromptSubmit"}[n]
		}
		text, err := askShim(ctx, getenv("BENCH_SHIM"), agentEvent(event, transcript.Name(), n))
		if err != nil {
			return err
		}
		entry, err := json.Marshal(map[string]string{"type": "attachment", "timestamp": time.Now().UTC().Format(time.RFC3339Nano), "content": text})
		if err != nil {
			return err
		}
		if _, err := transcript.Write(append(entry, '\n')); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s %d\r", strings.Repeat("·", 1+n%3), n)
	}
	return ctx.Err()
}

// agentEvent is an event of an agent that goes on where it was.
func agentEvent(name, transcript string, n int) []byte {
	event := map[string]any{"session_id": "bench-worker", "transcript_path": transcript, "hook_event_name": name}
	switch name {
	case "SessionStart":
		event["source"] = "resume"
	case "UserPromptSubmit":
		event["prompt"] = "go on"
	default:
		event["tool_name"], event["tool_use_id"] = "Bash", fmt.Sprintf("toolu_%d_%d", os.Getpid(), n)
		event["tool_input"] = map[string]string{"command": "true"}
		event["tool_response"] = map[string]any{"stdout": "", "stderr": "", "interrupted": false}
	}
	text, _ := json.Marshal(event) // it cannot fail
	return text
}

// askShim has the hooks judge an event, and gives what they inject.
func askShim(ctx context.Context, shim string, event []byte) (string, error) {
	cmd := exec.CommandContext(ctx, shim, "claude")
	cmd.Stdin = bytes.NewReader(event)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", err
	}
	var answer struct {
		Nested struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if len(out) > 0 && json.Unmarshal(out, &answer) != nil {
		return "", fmt.Errorf("the hooks answered %.200q", out)
	}
	return answer.Nested.Context, nil
}
