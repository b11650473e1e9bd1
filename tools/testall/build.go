package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// program is the compiled tests of one package.
type program struct {
	ImportPath string
	Dir        string
	File       string
}

// unwatched are packages of others that the race detector makes four times as slow,
// and in which it finds nothing of ours. What was translated from C (SQLite,
// QuickJS, the C library below them) has memory of its own, outside of Go's heap,
// which the detector does not watch. wazero's compiler shares nothing but its result.
// The Go that drives them is watched. A package that uses generics of sync must not be
// here: its copy of them may be the one that is linked, for everybody.
var unwatched = []string{
	"modernc.org/libc/...", "modernc.org/libquickjs", "modernc.org/memory", "modernc.org/sqlite/lib",
	"github.com/tetratelabs/wazero/internal/engine/wazevo/backend/...",
	"github.com/tetratelabs/wazero/internal/engine/wazevo/frontend",
	"github.com/tetratelabs/wazero/internal/engine/wazevo/ssa",
}

// raceFlags are those of the go command that compile with the race detector.
func raceFlags() []string {
	flags := []string{"-race"}
	for _, p := range unwatched {
		flags = append(flags, "-gcflags="+p+"=-race=false")
	}
	return flags
}

// build compiles the tests of all packages and links them; clean removes them.
func build(ctx context.Context, o options) (programs []program, clean func(), err error) {
	clean = func() {}
	began := time.Now()
	found, err := withTests(ctx, o.packages)
	if err != nil {
		return nil, clean, err
	}
	folder := o.keep
	if folder == "" {
		if folder, err = os.MkdirTemp("", "hookway-tests-"); err != nil {
			return nil, clean, err
		}
		clean = func() { _ = os.RemoveAll(folder) }
	}
	for i, batch := range batches(found, o) {
		to := filepath.Join(folder, fmt.Sprint(i))
		if err := os.MkdirAll(to, 0o755); err != nil {
			return nil, clean, err
		}
		// Nobody debugs them: without what debuggers read, linking costs a third less.
		args := []string{"test", "-c", "-vet=off", "-ldflags=-w", "-o", to + string(filepath.Separator)}
		environ := roomy(os.Environ())
		if o.raced(batch[0].ImportPath) {
			args = append(args, raceFlags()...)
			environ = append(environ, "CGO_ENABLED=1") // the detector is written in C
		}
		for _, p := range batch {
			args = append(args, p.ImportPath)
		}
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Env = environ
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, clean, fmt.Errorf("the tests do not compile: %w", err)
		}
		for _, p := range batch {
			p.File = filepath.Join(to, path.Base(p.ImportPath)+".test")
			programs = append(programs, p)
		}
	}
	fmt.Printf("the tests of %d packages compiled in %s\n", len(programs), time.Since(began).Round(time.Second))
	slices.SortFunc(programs, func(a, b program) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return programs, clean, nil
}

// roomy lets compilers and linkers collect their garbage from 2 GiB on only, which saves a
// sixth of their time, unless the environment says when.
func roomy(environ []string) []string {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return environ
	}
	return append(environ, "GOGC=off", "GOMEMLIMIT=2GiB")
}

// withTests lists the packages that have tests.
func withTests(ctx context.Context, patterns []string) (found []program, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			found = append(found, program{ImportPath: p.ImportPath, Dir: p.Dir})
		}
	}
}

// batches splits packages such that those of a batch are compiled in one way, and no two
// of them end in the same name: the go command names test programs by it.
func batches(found []program, o options) (split [][]program) {
	type kind struct {
		raced bool
		nth   int
	}
	taken, of := map[string]int{}, map[kind]int{}
	for _, p := range found {
		k := kind{o.raced(p.ImportPath), taken[path.Base(p.ImportPath)]}
		taken[path.Base(p.ImportPath)]++
		i, ok := of[k]
		if !ok {
			i, split = len(split), append(split, nil)
			of[k] = i
		}
		split[i] = append(split[i], p)
	}
	return split
}
