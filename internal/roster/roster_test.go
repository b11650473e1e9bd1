//go:build linux || darwin

package roster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/roster"
)

func TestWhoRuns(t *testing.T) {
	dir := folder(t)
	if all := list(t, filepath.Join(dir, "missing")); len(all) != 0 {
		t.Errorf("a folder that is not there has %v", all)
	}
	start := time.Now()
	later := serve(t, dir, roster.Member{Name: "Bob", Session: "s-2", Started: start.Add(time.Second)}, nil)
	serve(t, dir, roster.Member{Name: "Alice", Session: "s-1", PID: 7, Program: "sh", CWD: "/w", Started: start},
		func(context.Context, roster.Request) roster.Reply { return roster.Reply{Held: true} })
	all := list(t, dir)
	if len(all) != 2 || all[0].Name != "Alice" || all[1].Name != "Bob" {
		t.Fatalf("there are %+v", all)
	}
	got := all[0].Member
	if !got.Started.Equal(start) {
		t.Errorf("Alice is %+v", got)
	} else if is, want := fmt.Sprint([]any{got.PID, got.Program, got.CWD}), fmt.Sprint([]any{7, "sh", "/w"}); is != want {
		t.Errorf("got %s, want %s", is, want)
	} else if !got.Held || got.Mute {
		t.Errorf("Alice is %+v", got)
	}
	if err := later.Close(); err != nil {
		t.Fatal(err)
	}
	if err := all[1].Hold(t.Context()); err == nil || !strings.Contains(err.Error(), "it has ended") {
		t.Errorf("one that has ended was held: %v", err)
	}
	if all := list(t, dir); len(all) != 1 {
		t.Errorf("after the end there are %+v", all)
	}
}

func TestOnlyTheUserMayConnect(t *testing.T) {
	dir := folder(t)
	serve(t, dir, roster.Member{Name: "Alice", Session: "s-1"}, nil)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("got %v, %v, want err == nil and len(files) == 2", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want err == nil and info.Mode().Perm() == 0o600", f.Name(), info.Mode(), err)
		}
	}
}

func TestNames(t *testing.T) {
	dir := folder(t)
	if _, err := roster.Find(t.Context(), dir, "Bob"); !errors.Is(err, roster.ErrUnknown) || !strings.Contains(err.Error(), "hookway run") {
		t.Errorf("where none runs: %v", err)
	}
	for id, name := range map[string]string{"aaaa-1": "Bob", "aaaa-2": "Bob", "bbbb-3": "Alice", "cccc-4": "bob", "dddd-5": "Carol"} {
		serve(t, dir, roster.Member{Name: name, Session: id}, nil)
	}
	for name, want := range map[string]string{
		"Alice": "bbbb-3", "alice": "bbbb-3", "aaaa-2": "aaaa-2", "cccc": "cccc-4", "bob": "cccc-4",
	} {
		if r, err := roster.Find(t.Context(), dir, name); err != nil || r.Session != want {
			t.Errorf("%s: %v, %v; want %s", name, r, err, want)
		}
	}
	for name, want := range map[string]string{
		"Bob":      `several sessions have that name: "Bob" is aaaa-1`,
		"BOB":      "several",
		"aaaa":     "several",
		"Alise":    "did you mean Alice?",
		"bbb":      "did you mean",
		"Zaphod":   "there is Alice, Bob, Carol, bob",
		"Z\x1b[2J": `"Z [2J"`,
	} {
		_, err := roster.Find(t.Context(), dir, name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", name, err, want)
		}
		if ambiguous := strings.Contains(want, "several"); errors.Is(err, roster.ErrAmbiguous) != ambiguous || errors.Is(err, roster.ErrUnknown) == ambiguous {
			t.Errorf("%q: %v is of the wrong kind", name, err)
		}
	}
}

func TestRequests(t *testing.T) {
	dir := folder(t)
	text := strings.Repeat("line\n", 1<<20)
	asked := make(chan roster.Request, 2)
	serve(t, dir, roster.Member{Name: "Alice", Session: "s-1"}, func(_ context.Context, r roster.Request) (a roster.Reply) {
		if r.Op == roster.OpWho {
			return a
		}
		asked <- r
		switch r.Op {
		case roster.OpHold:
			a.Held = true
		case roster.OpInject:
			a.State, a.Reason = "failed", "no reason"
		case roster.OpMessages:
			a.Messages = []hook.Message{{From: "Bob", Content: "x", Metadata: map[string]any{"urgent": true}}}
		case roster.OpOutput:
			a.Body, a.Size = io.NopCloser(strings.NewReader(text)), int64(len(text))
		}
		return a
	})
	r := find(t, dir, "Alice")
	if err := r.Hold(t.Context()); err != nil || !r.Held || (<-asked).Op != roster.OpHold {
		t.Errorf("hold: %v, %v", r.Held, err)
	}
	if err := r.Release(t.Context()); err != nil || r.Held || (<-asked).Op != roster.OpRelease {
		t.Errorf("release: %v, %v", r.Held, err)
	}
	long := strings.Repeat("\x01", roster.MaxText) // six bytes each in JSON
	if state, reason, err := r.Inject(t.Context(), long, true); state != "failed" || reason != "no reason" || err != nil {
		t.Errorf("inject: %s, %s, %v", state, reason, err)
	}
	if q := <-asked; q.Text != long || !q.Wait {
		t.Errorf("asked for %d bytes, wait %v", len(q.Text), q.Wait)
	}
	r.Notify(t.Context())
	if q := <-asked; q.Op != roster.OpNotify {
		t.Errorf("asked %+v", q)
	}
	roster.Notify(t.Context(), dir, []string{"Bob", "alice"})
	roster.Notify(t.Context(), dir, []string{"s-1"})
	for range 2 {
		if q := <-asked; q.Op != roster.OpNotify {
			t.Errorf("asked %+v", q)
		}
	}
	roster.Notify(t.Context(), dir, []string{"Bob"})
	if all, err := r.Messages(t.Context()); err != nil || len(all) != 1 || all[0].Metadata["urgent"] != true {
		t.Errorf("messages: %+v, %v", all, err)
	} else if got := (<-asked).Op; got != roster.OpMessages {
		t.Errorf("asked %v, want %v", got, roster.OpMessages)
	}
	var out strings.Builder
	if err := r.Output(t.Context(), &out, 3); err != nil || out.String() != text || (<-asked).Tail != 3 {
		t.Errorf("output: %d bytes, %v", out.Len(), err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	dir := folder(t)
	serve(t, dir, roster.Member{Name: "Alice", Session: "s-1"}, func(_ context.Context, r roster.Request) roster.Reply {
		if r.Op == roster.OpHold {
			panic("a mistake")
		}
		return roster.Reply{}
	})
	r := find(t, dir, "Alice")
	if _, _, err := r.Inject(t.Context(), strings.Repeat("x", roster.MaxText+1), false); err == nil || !strings.Contains(err.Error(), "longer than 65536") {
		t.Errorf("a long text: %v", err)
	}
	if err := r.Hold(t.Context()); err == nil || !strings.Contains(err.Error(), "a mistake") {
		t.Errorf("a panic: %v", err)
	}
	for name, sent := range map[string]string{
		"no JSON":         "hello\n",
		"half a line":     `{"op":"who"`,
		"another type":    `{"op":7}` + "\n",
		"a text too long": `{"op":"inject","text":"` + strings.Repeat("x", roster.MaxText+1) + `"}` + "\n",
		"a line too long": strings.Repeat("x", 600<<10) + "\n",
	} {
		c := dial(t, dir)
		go func() { // the session may hang up before it has read all
			_, _ = io.WriteString(c, sent)
			if !strings.HasSuffix(sent, "\n") {
				_ = c.(*net.UnixConn).CloseWrite()
			}
		}()
		got, _ := io.ReadAll(c)
		if name != "half a line" && name != "a line too long" && !strings.HasPrefix(string(got), `{"error":`) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if err := r.Release(t.Context()); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

// dial connects to the only session of a folder.
func dial(t *testing.T, dir string) net.Conn {
	t.Helper()
	files, err := filepath.Glob(dir + "/s-????????")
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v, want err == nil and len(files) == 1", files, err)
	}
	c, err := net.Dial("unix", files[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestWhoHangsUpEndsWhatIsDone(t *testing.T) {
	dir := folder(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	serve(t, dir, roster.Member{Name: "Alice", Session: "s-1"}, func(ctx context.Context, r roster.Request) roster.Reply {
		if r.Op == roster.OpInject {
			close(begun)
			<-ctx.Done()
			close(ended)
		}
		return roster.Reply{}
	})
	r := find(t, dir, "Alice")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, _, err := r.Inject(ctx, "text", true)
		result <- err
	}()
	soon(t, "the request", begun)
	cancel()
	if err := soon(t, "the result", result); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	soon(t, "the end of the work", ended)
}

func TestWhoWaitsKeepsNobodyFromHolding(t *testing.T) {
	dir := folder(t)
	begun := make(chan struct{}, 64)
	serve(t, dir, roster.Member{Name: "Alice", Session: "s-1"}, func(ctx context.Context, r roster.Request) roster.Reply {
		if r.Op == roster.OpInject {
			begun <- struct{}{}
			<-ctx.Done()
		}
		return roster.Reply{Held: r.Op == roster.OpHold}
	})
	r := find(t, dir, "Alice")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan error, 64)
	const waiting = 32
	for range waiting + 8 {
		go func() {
			_, _, err := r.Inject(ctx, "text", true)
			result <- err
		}()
	}
	for range waiting {
		soon(t, "a request", begun)
	}
	for range 8 {
		if err := soon(t, "a refusal", result); err == nil || !strings.Contains(err.Error(), "try again later") {
			t.Errorf("one too many: %v", err)
		}
	}
	if err := r.Hold(t.Context()); err != nil || !r.Held {
		t.Errorf("hold: %v", err)
	}
	cancel()
	for range waiting {
		soon(t, "an end", result)
	}
}

func TestASessionThatWasKilledIsForgotten(t *testing.T) {
	dir := folder(t)
	cmd := another(t, dir)
	if all := list(t, dir); len(all) != 1 || all[0].PID != cmd.Process.Pid || all[0].Mute {
		t.Fatalf("there are %+v", all)
	}
	r := find(t, dir, "other")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := r.Hold(t.Context()); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("a dead one was held: %v", err)
	}
	if all := list(t, dir); len(all) != 0 {
		t.Errorf("there are %+v", all)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

func TestASessionThatIsStoppedIsMute(t *testing.T) {
	dir := folder(t)
	cmd := another(t, dir)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var stopped syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &stopped, syscall.WUNTRACED, nil); err != nil || !stopped.Stopped() {
		t.Fatalf("it is not stopped: %v, %v", stopped, err)
	}
	if all := list(t, dir); len(all) != 1 || !all[0].Mute {
		t.Errorf("while it is stopped: %+v", all)
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := find(t, dir, "other").Hold(t.Context()); err != nil {
		t.Errorf("when it goes on: %v", err)
	}
}

func TestFilesOfOthersAreLeftAlone(t *testing.T) {
	dir := folder(t)
	for name, text := range map[string]string{"hookway.sock": "x", "s-other": "x", "note.member": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if all := list(t, dir); len(all) != 0 {
		t.Errorf("there are %+v", all)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("there is %v, %v", left, err)
	}
}

func TestManyComeAndGo(t *testing.T) {
	dir := folder(t)
	const many = 20
	done := make(chan error, many)
	for range many {
		go func() {
			s, err := roster.Serve(context.Background(), dir, roster.Member{Name: "x", Session: "s"},
				func(context.Context, roster.Request) roster.Reply { return roster.Reply{} })
			if err == nil {
				_, err = roster.List(context.Background(), dir)
				err = errors.Join(err, s.Close())
			}
			done <- err
		}()
	}
	for range many {
		if err := soon(t, "an end", done); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("they left %v, %v", left, err)
	}
}

// TestTheEndWaitsForNobody: a peer that takes no more of a long text does not
// keep a session from ending. One that waits has the peer's ten seconds each time; of
// several ends one is as fast as it should be, whatever else the machine does.
func TestTheEndWaitsForNobody(t *testing.T) {
	var took time.Duration
	for range 3 {
		if took = endOf(t); took < 5*time.Second {
			return
		}
	}
	t.Errorf("it took %v", took)
}

// endOf is how long a session takes to end whose reader reads no more.
func endOf(t *testing.T) time.Duration {
	dir := folder(t)
	begun := make(chan struct{})
	s := serve(t, dir, roster.Member{Name: "Alice", Session: "s-1"}, func(context.Context, roster.Request) roster.Reply {
		close(begun)
		return roster.Reply{Body: io.NopCloser(endless{}), Size: 1 << 40}
	})
	c := dial(t, dir)
	if _, err := io.WriteString(c, `{"op":"output"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	soon(t, "the request", begun)
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	begin := time.Now()
	go func() { ended <- s.Close() }()
	if err := soon(t, "the end", ended); err != nil {
		t.Error(err)
	}
	return time.Since(begin)
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// TestWhoSaysNothingIsSentAway: connections that bring no request take all the
// room there is, but not for long.
func TestWhoSaysNothingIsSentAway(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	serve(t, dir, roster.Member{Name: "Alice", Session: "s-1"}, nil)
	r := find(t, dir, "Alice")
	var silent []net.Conn
	for range 64 {
		silent = append(silent, dial(t, dir))
	}
	if err := r.Hold(t.Context()); err == nil || !strings.Contains(err.Error(), "it is busy") {
		t.Errorf("one too many: %v", err)
	}
	for _, c := range silent {
		if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(c); err != nil || !strings.Contains(string(text), "the request was not read") {
			t.Errorf("it was told %q, %v", text, err)
		}
	}
	if err := r.Hold(t.Context()); err != nil {
		t.Errorf("when they are gone: %v", err)
	}
}
