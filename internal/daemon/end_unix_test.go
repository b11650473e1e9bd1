//go:build unix

package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire/call"
)

// playDeaf makes this test binary a daemon that listens and answers nothing, and
// that heeds SIGTERM or not.
const playDeaf = "DAEMON_TEST_DEAF"

func deaf(dir, how string) {
	time.AfterFunc(2*patience, func() { os.Exit(9) }) // nothing stays behind
	if how == "heedless" {
		signal.Ignore(syscall.SIGTERM)
	}
	if how == "stranger" { // the lock and the socket are somebody else's
		fmt.Println("ready")
		select {}
	}
	l, err := listen(placesIn(dir))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if how == "without a socket" {
		os.Remove(l.Addr().String())
	}
	fmt.Println("ready")
	select {}
}

// startDeaf starts such a daemon, and gives its number and a function that waits
// for its end.
func startDeaf(t *testing.T, dir, how string) (pid int, ended func() syscall.WaitStatus) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), playServe+"="+dir, playDeaf+"="+how)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		defer close(over)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-over
	})
	if err != nil || line != "ready\n" {
		t.Fatalf("it says %q, %v", line, err)
	}
	return cmd.Process.Pid, func() syscall.WaitStatus {
		within(t, "its end", over)
		return cmd.ProcessState.Sys().(syscall.WaitStatus)
	}
}

// A daemon that hangs is sent SIGTERM, and killed if it does not.
func TestADaemonThatHangsIsEnded(t *testing.T) {
	for how, want := range map[string]struct {
		how  string
		with syscall.Signal
	}{
		"heeding":          {Terminated, syscall.SIGTERM},
		"heedless":         {Killed, syscall.SIGKILL},
		"stopped":          {Terminated, syscall.SIGTERM},
		"without a socket": {Terminated, syscall.SIGTERM},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			at := placesIn(dir)
			pid, ended := startDeaf(t, dir, how)
			if how == "stopped" {
				if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			at.MarkStuck()
			got, err := End(t.Context(), at, "test")
			if err != nil || got != (Ended{pid, want.how}) {
				t.Fatalf("it gives %+v, %v; the daemon is %d", got, err, pid)
			}
			if s := ended(); !s.Signaled() || s.Signal() != want.with {
				t.Errorf("it ended with %v", s)
			}
			if _, err := os.Lstat(at.Socket); err == nil {
				t.Error("its socket is left")
			}
			if _, ever := at.Stuck(); ever {
				t.Error("it is remembered")
			}
			d := start(t, Config{Places: at})
			if said := ask(t, dial(t, d.Places), "on"); said != "on" {
				t.Errorf("the next one says %q", said)
			}
		})
	}
}

// A process is not ended because its number stands in a file.
func TestAStrangerIsNotEnded(t *testing.T) {
	dir := folder(t)
	at := placesIn(dir)
	if err := call.MakeDir(at.Dir); err != nil {
		t.Fatal(err)
	}
	stranger, _ := startDeaf(t, dir, "stranger")
	path := filepath.Join(at.Dir, "daemon.lock")
	lock, err := call.TryLock(path)
	if err != nil || lock == nil {
		t.Fatalf("got %v, want err == nil and lock != nil", err)
	}
	defer lock.Close()
	write(t, path, fmt.Sprint(stranger))
	soon := time.Now().Add(-time.Hour) // it was written before that process was started
	if err := os.Chtimes(path, soon, soon); err != nil {
		t.Fatal(err)
	}
	if got, err := End(t.Context(), at, "test"); err == nil || !strings.Contains(err.Error(), "not certain") {
		t.Errorf("it gives %+v, %v", got, err)
	}
	if !alive(stranger) {
		t.Error("the stranger was ended")
	}
}

func TestEndOfNoDaemon(t *testing.T) {
	at := placesIn(folder(t))
	if _, err := End(t.Context(), at, "test"); !errors.Is(err, ErrNone) {
		t.Errorf("it gives %v", err)
	}
	if _, err := os.Lstat(at.Dir); err == nil {
		t.Error("it made a folder")
	}
	d := start(t, Config{Places: at})
	d.stop()
	d.await(t)
	if _, err := End(t.Context(), at, "test"); !errors.Is(err, ErrNone) {
		t.Errorf("after its end: %v", err)
	}
}

// Requests under way end before the daemon that was asked does.
func TestADaemonThatIsAskedEndsInPeace(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	d := start(t, Config{Handle: func(_ context.Context, _ Peer, r *call.Request) call.Reply {
		close(begun)
		<-finish
		return call.Reply{Stdout: r.Stdin}
	}})
	said := make(chan string, 1)
	c := dial(t, d.Places)
	go func() {
		r, err := c.Do(context.Background(), event("slow"))
		said <- fmt.Sprint(string(r.Stdout), err)
	}()
	<-begun
	ended := make(chan error, 1)
	go func() {
		got, err := End(context.Background(), d.Places, "test")
		if err == nil && got != (Ended{os.Getpid(), Asked}) {
			err = fmt.Errorf("it gives %+v", got)
		}
		ended <- err
	}()
	eventually.True(t, "the socket is given back", func() bool {
		nc, err := net.Dial("unix", d.Socket)
		if err == nil {
			nc.Close()
		}
		return err != nil
	})
	select {
	case err := <-ended:
		t.Errorf("it ended while a request was under way: %v", err)
	default:
	}
	close(finish)
	if got := <-said; got != "slow<nil>" {
		t.Errorf("the request ended with %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
