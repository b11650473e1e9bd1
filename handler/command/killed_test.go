//go:build unix

package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/procgroup"
)

// host is a process that runs hooks until it is killed: a worker, and programs
// for one event, each with a child in the background. Some more have ended when
// the last ones are started.
func host(dir string) {
	procgroup.Keep()
	ctx := context.Background()
	ask := func(c Config) {
		c.Env = append(c.Env, "DIR="+dir, playHost+"=")
		h, err := New(c)
		if err == nil {
			_, err = h.Handle(ctx, bash("ls"))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	for range 3 {
		ask(Config{Shell: "sleep 1000 & exit 0"})
	}
	stay := `sleep 1000 & echo $! >"$DIR/$NAME-child.new"; mv "$DIR/$NAME-child.new" "$DIR/$NAME-child"; ` +
		`echo $$ >"$DIR/$NAME.new"; mv "$DIR/$NAME.new" "$DIR/$NAME"; `
	ask(Config{Worker: true, Env: []string{"NAME=worker"}, Shell: stay + `trap '' HUP PIPE; read -r line; ` + idOf + say("$id", "") + `while :; do sleep 1000; done`})
	go ask(Config{Env: []string{"NAME=deaf"}, Shell: "trap '' HUP TERM INT PIPE; " + stay + "while :; do sleep 1000; done"})
	ask(Config{Env: []string{"NAME=once"}, Shell: stay + "sleep 1000"})
}

func TestNothingOutlivesAKilledProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), playHost+"="+dir, atOnce)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var groups []int
	for _, name := range []string{"worker", "once", "deaf"} {
		group := readPID(t, dir+"/"+name)
		if readPID(t, dir+"/"+name+"-child"); !procgroup.Populated(group) {
			t.Fatalf("%s does not run; the test shows nothing", name)
		}
		groups = append(groups, group)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for _, group := range groups {
		eventually.True(t, fmt.Sprintf("group %d is gone", group), func() bool { return !procgroup.Populated(group) })
	}
}
