// Command testall runs the tests of all packages with the race detector, in a
// way that two slow cores with nothing cached bear: it compiles and links every
// test first, and runs them when no compiler is beside them: on two cores two
// packages that compute, of which as a rule one starts processes, and one that waits.
//
//	go run ./tools/testall [-race=false] [-stories] [-short] [-run REGEXP] [-count N] [-keep FOLDER] [PACKAGE...]
//
// It prints a line for each package, the tests that were skipped and why, and
// what took longest. What fails is said once more at the end, with what it said
// itself, so that the last lines of a log tell.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.BoolVar(&o.race, "race", true, "with the race detector")
	flag.BoolVar(&o.stories, "stories", false, "with the race detector also stories, whose commands start it anew each time")
	flag.BoolVar(&o.short, "short", false, "leave out what takes long")
	flag.StringVar(&o.run, "run", "", "only tests that match")
	flag.IntVar(&o.count, "count", 1, "how often each test runs")
	flag.IntVar(&o.side, "p", runtime.GOMAXPROCS(0), "how many packages that compute run side by side")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Minute, "of one package")
	flag.StringVar(&o.keep, "keep", "", "a `folder` that keeps the test programs")
	flags := flag.Bool("flags", false, "print what the go command is told for the race detector, for others to use what is compiled so")
	flag.Parse()
	if *flags {
		fmt.Println(strings.Join(raceFlags(), " "))
		return
	}
	o.packages = flag.Args()
	if len(o.packages) == 0 {
		o.packages = []string{"./..."}
	}
	heed()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := all(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testall:", err)
	}
	if err != nil || failed {
		os.Exit(1)
	}
}

// heed sees to it that tests find the signals as they are at a terminal: one that
// is ignored, as under nohup, would be ignored by all that they start.
func heed() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// options is what the command line says.
type options struct {
	race, stories, short bool
	run, keep            string
	count, side          int
	timeout              time.Duration
	packages             []string
}

// all builds and runs the tests, and reports whether one failed.
func all(ctx context.Context, o options) (failed bool, err error) {
	programs, clean, err := build(ctx, o)
	defer clean()
	if err != nil {
		return false, err
	}
	began := time.Now()
	results := runAll(ctx, programs, o)
	summary(results, time.Since(began))
	return tell(results), ctx.Err()
}

// raced reports whether a package is tested with the race detector. Stories of commands
// start a program a thousand times, three times as slowly with it; what runs in those
// programs has tests of its own.
func (o options) raced(importPath string) bool {
	return o.race && (o.stories || !strings.HasSuffix(importPath, "/cmd/hookway"))
}

// load is what the tests of a package mostly do.
type load int

const (
	computes load = iota
	starts        // many processes or terminals
	waits         // for processes and deadlines; they compute less than half of the time
)

func loadOf(importPath string) load {
	_, room, _ := strings.Cut(importPath, "hookway/hookway/")
	switch room {
	case "cmd/hookway", "cmd/hookway-hook", "internal/relay", "internal/server", "internal/terminal":
		return starts
	case "handler/command", "handler/rpc", "handler/web", "hooktest", "internal/daemon", "internal/doctor",
		"internal/relay/bus", "internal/roster", "internal/session", "internal/tmux":
		return waits
	}
	return computes
}
