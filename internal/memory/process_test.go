package memory

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestMain lets this test binary be a process that saves: see writer.
func TestMain(m *testing.M) {
	if path := os.Getenv("MEMORY_WRITER"); path != "" {
		if err := write(path, os.Getenv("MEMORY_NAME"), os.Getenv("MEMORY_COUNT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// write saves memories, and prints the id of each when it is saved.
func write(path, name, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	for i := range n {
		m, err := s.Save(ctx, Memory{Text: fmt.Sprintf("%s remembers number %d", name, i), Agent: name, Workspace: "/w"})
		if err != nil {
			return err
		}
		fmt.Println(m.ID)
	}
	return s.Close()
}

// writer starts a process that saves, and gives the ids that it acknowledges.
func writer(t *testing.T, path, name string, count int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "MEMORY_WRITER="+path, "MEMORY_NAME="+name, "MEMORY_COUNT="+strconv.Itoa(count))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

func TestAKilledProcessLosesNothingThatItAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	acknowledged := map[string]bool{}
	for round := range 5 {
		cmd, ids := writer(t, path, fmt.Sprint("round", round), 1_000_000)
		for range 7 * (round + 1) {
			if !ids.Scan() {
				t.Fatal("the process ended by itself")
			}
			acknowledged[ids.Text()] = true
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for ids.Scan() { // what it said before it died
			acknowledged[ids.Text()] = true
		}
		_ = cmd.Wait() // it was killed
	}
	s := open(t, path)
	list, err := s.List(t.Context(), 0, View{Workspace: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		delete(acknowledged, m.ID)
	}
	if len(acknowledged) > 0 {
		t.Errorf("%d of the acknowledged memories are lost, %d are there", len(acknowledged), len(list))
	}
}

func TestSeveralProcessesSaveAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "m.db")
	const processes, each = 4, 40
	var all []*exec.Cmd
	var outs []*bufio.Scanner
	for i := range processes { // all of them make the file
		cmd, out := writer(t, path, fmt.Sprint("agent", i), each)
		all, outs = append(all, cmd), append(outs, out)
	}
	s := open(t, path)
	if !outs[0].Scan() {
		t.Fatal("no memory was saved")
	}
	// Seen at once, by an index that was made before and after.
	for range 2 {
		found, err := s.Search(t.Context(), "what does agent0 remember as number 0", 50, View{Workspace: "/w", By: "agent0"})
		if err != nil {
			t.Fatal(err)
		}
		if !has(found, outs[0].Text()) {
			t.Errorf("memory %s was saved by another process, and is not found", outs[0].Text())
		}
		if !outs[0].Scan() {
			t.Fatal("no second memory was saved")
		}
	}
	for i, cmd := range all {
		for outs[i].Scan() {
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	list, err := s.List(t.Context(), 0, View{Workspace: "/w"})
	if err != nil || len(list) != processes*each {
		t.Errorf("%d memories, %v; want %d", len(list), err, processes*each)
	}
}

func has(list []Memory, id string) bool {
	for _, m := range list {
		if m.ID == id {
			return true
		}
	}
	return false
}

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !strings.Contains(err.Error(), "closed") {
			t.Error(err)
		}
	})
	return s
}
