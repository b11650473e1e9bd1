package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// result is what the tests of one package did.
type result struct {
	program
	took   time.Duration
	cpu    time.Duration // of the program, and of what it waited for
	tests  []*test       // in the order in which they ended
	output string        // of no test of its own: the seed of the order, a panic
	failed bool
	passed int
}

// test is what one test did.
type test struct {
	name   string
	action string // run, pass, fail, skip
	took   time.Duration
	output strings.Builder
}

// runAll runs the packages in several lines of work. As many as there are
// processors compute: the first of them begins with packages that start many
// processes, so that as a rule one of those is under way beside others. One more
// line has the packages that mostly wait. A line that computes takes from the other
// queues when its own is empty.
func runAll(ctx context.Context, programs []program, o options) (results []result) {
	var (
		mu      sync.Mutex
		queues  = map[load][]program{}
		running sync.WaitGroup
	)
	for _, p := range programs {
		of := loadOf(p.ImportPath)
		queues[of] = append(queues[of], p)
	}
	next := func(from []load) (p program, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		for _, q := range from {
			if len(queues[q]) > 0 && ctx.Err() == nil {
				p, queues[q] = queues[q][0], queues[q][1:]
				return p, true
			}
		}
		return program{}, false
	}
	work := func(from ...load) {
		running.Go(func() {
			for p, ok := next(from); ok; p, ok = next(from) {
				r := run(ctx, p, o)
				mu.Lock()
				results = append(results, r)
				line(r)
				mu.Unlock()
			}
		})
	}
	work(starts, computes, waits)
	for range o.side - 1 {
		work(computes, starts, waits)
	}
	work(waits)
	running.Wait()
	return results
}

// run runs the tests of one package. The program is a child of this one: one of
// test2json would find interrupts ignored, and so would all that it starts.
func run(ctx context.Context, p program, o options) result {
	args := []string{"-test.v=test2json", "-test.paniconexit0", "-test.shuffle=on",
		fmt.Sprint("-test.timeout=", o.timeout), fmt.Sprint("-test.count=", o.count), fmt.Sprint("-test.short=", o.short)}
	if o.run != "" {
		args = append(args, "-test.run="+o.run)
	}
	began := time.Now()
	r := result{program: p}
	err := follow(ctx, p, args, &r)
	r.took = time.Since(began)
	if err != nil {
		r.failed = true
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
			r.output += err.Error() + "\n"
		}
	}
	return r
}

// follow runs a test program to its end, and reads what it prints.
func follow(ctx context.Context, p program, args []string, r *result) error {
	printed, prints, err := os.Pipe()
	if err != nil {
		return err
	}
	defer printed.Close()
	tests := exec.CommandContext(ctx, p.File, args...)
	// By default the race detector lets each process wait for a second at its end.
	tests.Dir, tests.Env = p.Dir, append(os.Environ(), "PWD="+p.Dir, "GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=10")
	tests.Stdout, tests.Stderr = prints, prints
	err = tests.Start()
	prints.Close()
	if err != nil {
		return err
	}
	// What the tests leave running may hold the pipe: it ends soon after them.
	ended := make(chan error, 1)
	go func() {
		err := tests.Wait()
		if state := tests.ProcessState; state != nil {
			r.cpu = state.UserTime() + state.SystemTime()
		}
		ended <- err
		_ = printed.SetReadDeadline(time.Now().Add(10 * time.Second))
	}()
	convert := exec.Command("go", "tool", "test2json", "-t")
	convert.Stderr = os.Stderr
	in, err := convert.StdinPipe()
	if err != nil {
		return err
	}
	events, err := convert.StdoutPipe()
	if err != nil {
		return err
	}
	if err := convert.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(in, printed) // it ends with the tests
		in.Close()
	}()
	r.read(bufio.NewReader(events))
	return errors.Join(convert.Wait(), <-ended)
}

// read follows the events that test2json prints.
func (r *result) read(events *bufio.Reader) {
	open := map[string]*test{}
	for d := json.NewDecoder(events); ; {
		var e struct {
			Action, Test, Output string
			Elapsed              float64
		}
		if d.Decode(&e) != nil {
			break
		}
		if e.Test == "" {
			r.output += e.Output
			r.failed = r.failed || e.Action == "fail"
			continue
		}
		t := open[e.Test]
		if t == nil {
			t = &test{name: e.Test, action: "run"}
			open[e.Test] = t
		}
		switch e.Action {
		case "output":
			t.output.WriteString(e.Output)
		case "pass", "fail", "skip":
			t.action, t.took = e.Action, time.Duration(e.Elapsed*float64(time.Second))
			r.tests = append(r.tests, t)
			delete(open, e.Test)
			if e.Action == "pass" {
				r.passed++
			}
		}
	}
	for _, t := range open { // the program ended in the middle of them
		r.tests = append(r.tests, t)
	}
}
