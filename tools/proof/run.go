package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// logs is where the whole output of each row goes; git ignores it.
const logs = "bin/proof"

// What became of a row.
const (
	good    = "holds"
	bad     = "FAILED"
	skipped = "skipped"
)

// result is what became of a row.
type result struct {
	row
	state  string
	saw    string
	took   time.Duration
	commit string
	tail   string
}

// run runs one row, and kills all of it at its deadline.
func run(ctx context.Context, r row) result {
	ctx, cancel := context.WithTimeoutCause(ctx, r.deadline, fmt.Errorf("its deadline of %s is over", r.deadline))
	defer cancel()
	cmd := exec.CommandContext(ctx, r.command[0], r.command[1:]...)
	cmd.Env = append(os.Environ(), r.env...)
	cmd.WaitDelay = 10 * time.Second
	group(cmd)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	result := judge(r, string(out), err)
	result.took = time.Since(began).Round(100 * time.Millisecond)
	if cause := context.Cause(ctx); cause != nil {
		result.state, result.saw = bad, cause.Error()
	}
	if err := keep(r.name, out); err != nil {
		result.state, result.saw = bad, err.Error()
	}
	return result
}

var (
	said    = regexp.MustCompile(`(?m)proof: (.+)$`)
	passed  = regexp.MustCompile(`(?m)^--- PASS: `)
	without = regexp.MustCompile(`(?mi)^(?:.*_test\.go:\d+: |e2e: )?skipped: (.+)$`)
	skips   = regexp.MustCompile(`(?m)^\s*--- SKIP: (\S+)`)
	failing = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
)

// judge reads a row's state out of what it printed.
func judge(r row, out string, err error) result {
	result := result{row: r, state: good, tail: tail(out)}
	for _, m := range said.FindAllStringSubmatch(out, -1) {
		result.saw = join(result.saw, strings.TrimSpace(m[1]))
	}
	if r.shows != "" {
		for _, line := range regexp.MustCompile("(?m)^.*(?:"+r.shows+").*$").FindAllString(out, -1) {
			result.saw = join(result.saw, strings.Join(strings.Fields(line), " "))
		}
	}
	ran := len(passed.FindAllString(out, -1))
	if ran > 0 {
		result.saw = join(fmt.Sprintf("%d tests", ran), result.saw)
	}
	if names := skips.FindAllStringSubmatch(out, -1); len(names) > 0 {
		result.saw = join(result.saw, fmt.Sprintf("%d skipped, %s first", len(names), names[0][1]))
	}
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		result.state, result.saw = bad, err.Error()
	case err != nil:
		result.state, result.saw = bad, exit.Error()
		if m := failing.FindStringSubmatch(out); m != nil {
			result.saw = m[1]
		}
	case r.against != "" && regexp.MustCompile(r.against).MatchString(out):
		result.state = bad
	case ran > 0 || r.plain && !without.MatchString(out):
		if result.saw == "" {
			result.saw = "it ended well"
		}
	default:
		result.state, result.saw = skipped, "no test ran"
		if m := without.FindStringSubmatch(out); m != nil {
			result.saw = m[1]
		} else if !skips.MatchString(out) {
			result.state = bad
		}
	}
	return result
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// tail is the end of what a row printed.
func tail(out string) string {
	const most = 4 << 10
	if len(out) > most {
		return "…" + out[len(out)-most:]
	}
	return out
}

func keep(name string, out []byte) error {
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(logs, name+".log"), out, 0o644)
}
