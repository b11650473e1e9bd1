package approve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hookway/hookway/internal/approve"
)

// childDir makes this test binary a process that uses grants in that folder.
const childDir = "HOOKWAY_TEST_APPROVALS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir)
		return
	}
	os.Exit(m.Run())
}

// child tries to use the grant of each call that it is told, a line each, or answers:
// "answer CODE true".
func child(dir string) {
	s, err := approve.Open(context.Background(), dir, approve.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); words[0] == "answer" {
			fmt.Println(answered(s, words[1], words[2] == "true"))
			continue
		}
		c := approve.Call{Agent: "claude", Session: "s-1", Tool: "Bash", Input: map[string]any{"command": lines.Text()}}
		g, err := s.Use(context.Background(), c)
		fmt.Println(g != nil, err)
	}
}

func answered(s *approve.Store, code string, yes bool) string {
	r, err := s.Find(context.Background(), code)
	if err == nil {
		r, err = s.Answer(context.Background(), r, approve.Answer{Yes: yes, By: "child"})
	}
	if err != nil {
		return err.Error()
	}
	return "won " + string(r.State)
}

// startChild starts a process that uses grants, and waits until it is ready: it reads
// numbers of calls, and answers with a line each.
func startChild(t *testing.T, dir string) (cmd *exec.Cmd, in io.WriteCloser, lines *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, "GORACE=atexit_sleep_ms=0")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if lines = bufio.NewScanner(out); !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the process says %q", lines.Text())
	}
	return cmd, in, lines
}

// TestOneOfTwoProcessesWins has the daemon and processes that judge alone ask for the
// same grants at once.
func TestOneOfTwoProcessesWins(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, approve.Options{})
	const calls = 8
	for i := range calls {
		c := approve.Call{Agent: "claude", Session: "s-1", Tool: "Bash", Input: map[string]any{"command": strconv.Itoa(i)}}
		allow(t, s, offer(t, s, c))
	}
	var won [calls]atomic.Int32
	var wg sync.WaitGroup
	var started, begin sync.WaitGroup
	begin.Add(1)
	ask := func(use func(i int) (bool, error)) {
		started.Done()
		begin.Wait()
		for i := range calls {
			if yes, err := use(i); err != nil {
				t.Error(err)
			} else if yes {
				won[i].Add(1)
			}
		}
	}
	for range 2 {
		cmd, in, lines := startChild(t, dir)
		defer func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}()
		defer in.Close()
		started.Add(1)
		wg.Go(func() {
			ask(func(i int) (bool, error) {
				if _, err := fmt.Fprintln(in, i); err != nil {
					return false, err
				}
				lines.Scan()
				yes, failed, _ := strings.Cut(lines.Text(), " ")
				if failed != "<nil>" {
					return false, fmt.Errorf("the process says %q", lines.Text())
				}
				return yes == "true", nil
			})
		})
	}
	for range 2 {
		started.Add(1)
		wg.Go(func() {
			ask(func(i int) (bool, error) {
				g, err := s.Use(context.Background(), approve.Call{Agent: "claude", Session: "s-1", Tool: "Bash", Input: map[string]any{"command": strconv.Itoa(i)}})
				return g != nil, err
			})
		})
	}
	started.Wait()
	begin.Done()
	wg.Wait()
	for i := range won {
		if n := won[i].Load(); n != 1 {
			t.Errorf("call %d passes %d times", i, n)
		}
	}
}

// TestAKilledProcessUsesNothingTwice kills processes that use grants: each grant is
// used or is left, and what was said to be used is.
func TestAKilledProcessUsesNothingTwice(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, approve.Options{})
	for i := range 5 {
		c := approve.Call{Agent: "claude", Session: "s-1", Tool: "Bash", Input: map[string]any{"command": strconv.Itoa(i)}}
		allow(t, s, offer(t, s, c))
		cmd, in, lines := startChild(t, dir)
		if _, err := fmt.Fprintln(in, i); err != nil {
			t.Error(err)
		}
		said := false
		if i%2 == 0 { // else it is killed whatever it is doing
			lines.Scan()
			said = strings.HasPrefix(lines.Text(), "true ")
			if !said {
				t.Errorf("the process says %q", lines.Text())
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		first, second := uses(t, s, c), uses(t, s, c)
		if second || said && first {
			t.Errorf("call %d passes again", i)
		}
	}
}
