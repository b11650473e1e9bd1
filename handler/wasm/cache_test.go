package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/internal/logline"
)

// besideVariable makes this test binary a process that handles one event with a
// module, and a cache that others use too: the value is the folder of the cache.
const besideVariable = "HOOKWAY_TEST_WASM_CACHE"

// beside is that process.
func beside(dir string) error {
	m, err := Read(guard)
	if err != nil {
		return err
	}
	h := New(m, Config{Cache: dir, Log: logline.New(func(line string) { fmt.Println(line) })})
	d, err := h.Handle(context.Background(), bash("rm -rf /"))
	if err == nil && d.Action.String() != "block" {
		err = fmt.Errorf("it decided %v", d)
	}
	return errors.Join(err, h.Close())
}

// TestProcessesShareACache: at first, and when what is in it is broken.
func TestProcessesShareACache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	for _, how := range []string{"empty", "full", "broken"} {
		if how == "broken" {
			kept, err := filepath.Glob(filepath.Join(dir, "*", "*"))
			if err != nil || len(kept) == 0 {
				t.Fatalf("the cache holds %v, %v", kept, err)
			}
			for _, file := range kept {
				if err := os.Truncate(file, 100); err != nil {
					t.Fatal(err)
				}
			}
		}
		var all []*exec.Cmd
		var said [4]bytes.Buffer
		for n := range said {
			p := exec.Command(os.Args[0])
			p.Env = append(os.Environ(), besideVariable+"="+dir)
			p.Stdout, p.Stderr = &said[n], &said[n]
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		for n, p := range all {
			if err := p.Wait(); err != nil {
				t.Errorf("%s: process %d: %v: %s", how, n, err, said[n].String())
			}
		}
	}
	decide(t, open(t, guard, Config{Cache: dir, Log: logline.New(func(line string) { t.Errorf("afterwards it said %q", line) })}), "ls")
}
