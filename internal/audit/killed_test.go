//go:build unix

package audit

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/fulldisk"
)

// TestMain lets this test binary be a process that appends until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("AUDIT_TEST_APPEND"); dir != "" {
		appendForEver(dir)
	}
	if dir := os.Getenv("AUDIT_TEST_FULL"); dir != "" {
		fillTheDisk(dir)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// appendForEver prints the id of each record that was acknowledged.
func appendForEver(dir string) {
	l, err := Open(Config{Dir: dir, MaxSize: 64 << 10})
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for a := range 8 {
		wait.Go(func() {
			for i := 0; ; i++ {
				r := sample(i)
				r.EventID = fmt.Sprintf("%d/%d/%d", os.Getpid(), a, i)
				r.whole = &whole{ev: hook.PreToolUse.New(hook.Envelope{Session: r.EventID}, hook.ToolUse{ToolName: "Bash"})}
				if err := l.Append(context.Background(), r); err != nil {
					panic(err)
				}
				mu.Lock()
				fmt.Println(r.EventID) // straight to the pipe
				mu.Unlock()
			}
		})
	}
	wait.Wait()
}

func TestNothingAcknowledgedIsLostWhenTheWriterIsKilled(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[string]bool{}
	for round := range 5 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "AUDIT_TEST_APPEND="+dir)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for lines, n := bufio.NewReader(out), 0; ; n++ {
			line, err := lines.ReadString('\n')
			if err != nil { // also after the kill: what was told before it counts
				break
			}
			acknowledged[strings.TrimSpace(line)] = true
			if n == 100+37*round {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = child.Wait() // killed
	}
	sound(t, dir)
	records, _ := read(t, dir, Filter{})
	for _, r := range records {
		delete(acknowledged, r.EventID)
	}
	if len(acknowledged) > 0 {
		t.Errorf("%d acknowledged records are lost: %v", len(acknowledged), acknowledged)
	}
	all, _ := events(t, dir, Filter{})
	for _, w := range all { // an event is there whole, or it is not there
		if w.Event == nil {
			if w.NotReplayable != notThere {
				t.Fatalf("record %d has no event: %s", w.Record.Seq, w.NotReplayable)
			}
		} else if !strings.Contains(string(w.Event.Payload), w.Record.EventID) {
			t.Fatalf("record %d has %+v", w.Record.Seq, w.Event)
		}
	}
	fill(t, Config{Dir: dir}, 3)
	sound(t, dir)
}

// fillTheDisk appends until no more fits, goes on for a while, and then there is
// room again.
func fillTheDisk(dir string) {
	room, err := fulldisk.Begin(10_000)
	if err != nil {
		panic(err)
	}
	l, err := Open(Config{Dir: dir})
	if err != nil {
		panic(err)
	}
	for i, failed := 0, 0; failed < 3; i++ {
		if err := l.Append(context.Background(), sample(i)); err != nil {
			failed++
		}
	}
	if err := room(); err != nil {
		panic(err)
	}
	if err := l.Append(context.Background(), Record{Event: "After"}); err != nil {
		panic(err)
	}
	if err := l.Close(); err != nil {
		panic(err)
	}
}

func TestAfterADiskThatRanFullTheChainGoesOn(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "AUDIT_TEST_FULL="+dir)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	report := sound(t, dir)
	records, damages := read(t, dir, Filter{})
	if report.Records < 5 || report.Torn != 0 || len(damages) != 0 {
		t.Errorf("report %+v, damages %v", report, damages)
	}
	if last := records[len(records)-1]; last.Event != "After" || last.Lost != 3 {
		t.Errorf("got %+v", last)
	}
}
