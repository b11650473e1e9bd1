//go:build linux || darwin

package terminal

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hookway/hookway/internal/visible"
	"golang.org/x/sys/unix"
)

// TestMain lets the test binary be the programs that the tests run.
func TestMain(m *testing.M) {
	if f, ok := programs[os.Getenv("TERMINAL_TEST_PROGRAM")]; ok {
		f()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var programs = map[string]func(){
	// measure answers each line with its length and hash.
	"measure": func() {
		in := bufio.NewReader(os.Stdin)
		fmt.Println("ready")
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimSuffix(line, "\n")
			// On a line of its own: of a long echo, a busy kernel drops parts, the
			// line's end too, and a line of more than 64 KiB is cut.
			fmt.Printf("\n%d %x\n", len(line), sha256.Sum256([]byte(line)))
		}
	},
	// flood prints a known MiB and ends at once.
	"flood": func() {
		os.Stdout.Write(floodBytes())
	},
	// size prints the size of its terminal at the start and at every change.
	"size": func() {
		changed := make(chan os.Signal, 1)
		signal.Notify(changed, unix.SIGWINCH)
		for {
			size, err := pty.GetsizeFull(os.Stdin)
			fmt.Println(size.Cols, size.Rows, err)
			<-changed
		}
	},
	// stranger leaves a process behind that is in another session and holds
	// the terminal open.
	"stranger": func() {
		cmd := exec.Command("sleep", "1000")
		cmd.Stdout = os.Stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Println("pid", cmd.Process.Pid)
		fmt.Println("the last line")
	},
	// panic wraps a program and panics on the goroutine that started it.
	"panic": func() {
		p, err := Start(context.Background(), Config{Command: []string{"cat"}, Stdin: os.Stdin, Stdout: os.Stdout})
		if err != nil {
			panic(err)
		}
		defer p.Close()
		panic("on purpose")
	},
	// screenpanic wraps a program and panics on a goroutine of the package.
	"screenpanic": func() {
		p, err := Start(context.Background(), Config{Command: []string{"echo", "x"}, Stdin: os.Stdin, Stdout: panicky{}})
		if err != nil {
			panic(err)
		}
		p.Wait()
	},
}

type panicky struct{}

func (panicky) Write([]byte) (int, error) { panic("on purpose") }

func floodBytes() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "\x1b[3%dm%d é\x00\xff\t\r\n", i%8, i)
	}
	return b.Bytes()
}

// self is the environment in which the test binary is one of programs.
func self(name string) []string {
	return append(os.Environ(), "TERMINAL_TEST_PROGRAM="+name)
}

// screen is a user's screen.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// watched is a program whose lines a test waits for one by one.
type watched struct {
	*Program
	lines []Line // read, but not yet waited for
}

func start(t *testing.T, cfg Config) *watched {
	t.Helper()
	if cfg.Grace == 0 {
		cfg.Grace = 100 * time.Millisecond
	}
	p, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return &watched{Program: p}
}

// patience is how long a test waits for what must happen.
const patience = time.Minute

func sh(script string) []string { return []string{"sh", "-c", script} }

// await returns the first line, finished or not, that contains text, of those
// that no earlier call has gone past.
func await(t *testing.T, p *watched, text string) Line {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var passed []string
	for {
		for len(p.lines) > 0 {
			line := p.lines[0]
			p.lines = p.lines[1:]
			if strings.Contains(line.Text, text) {
				return line
			}
			passed = append(passed, line.Text)
		}
		lines, err := p.Next(ctx, 20*time.Millisecond)
		p.lines = lines
		if len(lines) == 0 && err != nil && !errors.Is(err, ErrStill) {
			t.Fatalf("waiting for %q: %v; the lines were %.1000q", text, err, passed)
		}
	}
}

func status(t *testing.T, p *watched) ExitStatus {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(patience):
		t.Fatal("the program does not end")
	}
	s, err := p.Wait()
	if err != nil {
		t.Errorf("Wait: %v", err)
	}
	return s
}

func TestExitStatusIsPassedThrough(t *testing.T) {
	tests := []struct {
		script string
		want   ExitStatus
	}{
		{"exit 0", ExitStatus{}},
		{"exit 7", ExitStatus{Code: 7}},
		{"exit 255", ExitStatus{Code: 255}},
		{"kill -TERM $$", ExitStatus{Code: 143, Signal: syscall.SIGTERM}},
		{"kill -KILL $$", ExitStatus{Code: 137, Signal: syscall.SIGKILL}},
	}
	for _, tt := range tests {
		if got := status(t, start(t, Config{Command: sh(tt.script)})); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.script, got, tt.want)
		}
	}
}

func TestStartSaysWhatIsWrong(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name, want string
		ctx        context.Context
		cfg        Config
	}{
		{"no command", "no command to run", t.Context(), Config{}},
		{"no such program", "no-such-program", t.Context(), Config{Command: []string{"no-such-program"}}},
		{"no such folder", "/no/such/folder", t.Context(), Config{Command: []string{"true"}, Dir: "/no/such/folder"}},
		{"context ended", "run true: context canceled", ended, Config{Command: []string{"true"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Start(tt.ctx, tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestOutputReachesTheUserUnmodifiedAndWhole(t *testing.T) {
	want := bytes.ReplaceAll(floodBytes(), []byte("\n"), []byte("\r\n")) // as a terminal does
	for range 3 {
		var out screen
		// Nobody calls Next, so the buffer overflows on the way.
		p := start(t, Config{Command: []string{os.Args[0]}, Env: self("flood"), Stdout: &out, Buffer: 1000})
		status(t, p)
		if got := out.String(); got != string(want) {
			t.Fatalf("the screen got %d bytes, want %d", len(got), len(want))
		}
		if got := p.Dropped(); got < int64(len(want)-1000) || got > int64(len(want)-500) {
			t.Errorf("dropped %d bytes, want all but the last 500 to 1000 of %d", got, len(want))
		}
	}
}

func TestASlowScreenGetsTheLastOutputToo(t *testing.T) {
	r, w := io.Pipe()
	p := start(t, Config{Command: sh("seq 1 2000; exit 3"), Stdout: w})
	<-p.exited // a screen that shows nothing until the program has ended
	var got bytes.Buffer
	go func() {
		<-p.Done()
		w.Close()
	}()
	if _, err := io.Copy(&got, r); err != nil {
		t.Fatal(err)
	}
	if s := status(t, p); s.Code != 3 || !strings.HasSuffix(got.String(), "1999\r\n2000\r\n") {
		t.Errorf("status %+v, last output %q", s, got.String()[max(0, got.Len()-20):])
	}
}

func TestAScreenThatIsGoneHangsTheProgramUp(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	p := start(t, Config{Command: sh("echo x; read line"), Stdout: w})
	<-p.Done()
	s, err := p.Wait()
	if s.Signal != syscall.SIGHUP || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestTheEndOfInputEndsLineProgramsAndOnlyThem(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	pipeR, pipeW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	pipeW.WriteString("from a pipe\n")
	pipeW.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	file.WriteString("from a file")
	file.Seek(0, 0)
	tests := []struct {
		name  string
		stdin io.Reader
		want  string
	}{
		{"null device", null, ""},
		{"closed", closed, ""},
		{"pipe", pipeR, "from a pipe"},
		{"file without a last newline", file, "from a file"},
		{"reader", strings.NewReader("from a reader\n"), "from a reader"},
		{"reader without a last newline", strings.NewReader("from a reader"), "from a reader"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := start(t, Config{Command: sh(`got=$(cat); echo "[$got]"; read line; echo "<$line>"`), Stdin: tt.stdin})
			await(t, p, "["+tt.want+"]")
			if err := p.Type(t.Context(), "still here"); err != nil {
				t.Fatal(err)
			}
			await(t, p, "<still here>")
			if s := status(t, p); s != (ExitStatus{}) {
				t.Errorf("ended with %+v", s)
			}
		})
	}
}

func TestTheEndOfInputWaitsForWhatIsStillTyped(t *testing.T) {
	tests := map[string]struct {
		stdin, script string
		typed         []string
		want          string
	}{
		"nothing typed":                   {"a\n", `read a; read b; echo "<$a $b>"`, nil, "<a >"},
		"typed before":                    {"a\n", `read a; read b; read c; echo "<$a $b $c>"`, []string{"b"}, "<a b >"},
		"no last line end":                {"a\nb", `got=$(cat); echo "<$got>"`, nil, "b>"},
		"nothing typed, no last line end": {"a", `read a; x=$?; read b; echo "<$a $x $b $?>"`, nil, "<a 0  1>"},
		"typed after no last line end":    {"a", `read a; read b; read c; read d; echo "<$a $b $c $d>"`, []string{"b", "c"}, "<a b c >"},
		"typed, read as a whole at end":   {"", `got=$(cat); echo "<$got>"`, []string{"b", "c"}, "c>"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ended, goOn := make(chan struct{}), make(chan struct{})
			p := start(t, Config{Command: sh("stty -echo; " + tt.script), Stdin: strings.NewReader(tt.stdin), End: func(ctx context.Context) {
				close(ended)
				select {
				case <-goOn:
				case <-ctx.Done():
					t.Error("the program has ended before it got the end")
				}
			}})
			<-ended
			for _, text := range tt.typed {
				if err := p.Type(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			close(goOn)
			await(t, p, tt.want)
			status(t, p)
		})
	}
}

func TestWaitingBeforeTheEndOfInputEndsWithTheProgram(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	called := make(chan struct{})
	p := start(t, Config{Command: sh("read line; exit 5"), Stdin: null, End: func(ctx context.Context) {
		close(called)
		<-ctx.Done()
	}})
	<-called
	if err := p.Type(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if s := status(t, p); s.Code != 5 {
		t.Errorf("ended with %+v", s)
	}
}

func TestTheBlockingStandardInputIsLetGo(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Fd() // as a process inherits it: blocking, without deadlines
	blocking := os.NewFile(r.Fd(), "stdin")
	defer runtime.KeepAlive(r)
	in, err := selected(blocking)
	if err != nil {
		t.Fatal(err)
	}
	w.WriteString("x")
	if n, err := in.read(make([]byte, 8)); n != 1 || err != nil {
		t.Fatalf("read %d, %v", n, err)
	}
	ended := make(chan error)
	go func() {
		_, err := in.read(make([]byte, 8))
		ended <- err
	}()
	in.stop()
	if err := <-ended; !errors.Is(err, errStopped) {
		t.Errorf("got %v", err)
	}
	in.end()
}

func TestTypedTextArrivesWhole(t *testing.T) {
	p := start(t, Config{Command: []string{os.Args[0]}, Env: self("measure"), Buffer: 4 << 20})
	await(t, p, "ready")
	for _, n := range []int{0, 1, 100, 3999, 4000, 4001, 9000, 100_000} {
		text := strings.Repeat("häkchen ", n/9+1)[:n]
		text = strings.ToValidUTF8(text, "?")
		if err := p.Type(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		await(t, p, fmt.Sprintf("%d %x", len(text), sha256.Sum256([]byte(text))))
	}
}

func TestTypedTextIsOneCleanLine(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain", "plain"},
		{"two\nlines\r\nand\ta tab\r", "two lines and a tab "},
		{"\x1b[201~\x03\x04\x00\x7f\u009b1mx\x9b1m", "x\ufffd1m"},
		{"bad\xff", "bad\ufffd"},
		{"日本 é", "日本 é"},
	}
	p := start(t, Config{Command: sh(`while read -r line; do echo "[$line]"; done`)})
	for _, tt := range tests {
		if got := oneLine(visible.Strip(tt.text), ""); got != tt.want {
			t.Errorf("%q is typed as %q, want %q", tt.text, got, tt.want)
		}
		if err := p.Type(t.Context(), tt.text); err != nil {
			t.Fatal(err)
		}
		await(t, p, "["+strings.TrimSpace(tt.want)+"]")
	}
}

func TestTypeObeysItsContextWhenNobodyReads(t *testing.T) {
	p := start(t, Config{Command: sh("stty raw -echo; echo ready; sleep 1000")})
	await(t, p, "ready")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.Type(ctx, strings.Repeat("x", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestTypeAfterTheEnd(t *testing.T) {
	p := start(t, Config{Command: sh("exit 0")})
	status(t, p)
	if err := p.Type(t.Context(), "x"); !errors.Is(err, ErrEnded) {
		t.Errorf("got %v", err)
	}
}

func TestTypeWaitsForTheUsersLine(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	p := start(t, Config{Command: sh(`while read -r line; do echo "[$line]"; done`), Stdin: r})
	io.WriteString(w, "hal")
	await(t, p, "hal")
	typed := make(chan error)
	go func() { typed <- p.Type(t.Context(), "injected") }()
	io.WriteString(w, "lo\r")
	await(t, p, "[hallo]")
	await(t, p, "[injected]")
	if err := <-typed; err != nil {
		t.Fatal(err)
	}
}

func TestEchoOfTypedLinesIsMarked(t *testing.T) {
	p := start(t, Config{Command: []string{"cat"}})
	if err := p.Type(t.Context(), "@deploy:staging go"); err != nil {
		t.Fatal(err)
	}
	if line := await(t, p, "@deploy"); !line.Echo {
		t.Errorf("the echo of the terminal: %+v", line)
	}
	if line := await(t, p, "@deploy"); line.Echo {
		t.Errorf("what cat printed: %+v", line)
	}
}

func TestPromptsAreReportedWhenTheOutputIsStill(t *testing.T) {
	started := time.Now()
	p := start(t, Config{Command: sh(`printf 'Name? '; read name; echo "Hello $name"`)})
	if line := await(t, p, "Name"); line != (Line{Text: "Name? ", Partial: true}) {
		t.Errorf("the prompt: %+v", line)
	}
	if last := p.LastOutput(); last.Before(started) || last.After(time.Now()) {
		t.Errorf("last output at %v", last)
	}
	if err := p.Type(t.Context(), "Ada"); err != nil {
		t.Fatal(err)
	}
	await(t, p, "Hello Ada")
	status(t, p)
	if _, err := p.Next(t.Context(), 0); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

func TestSignalsArePassedOn(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"INT": unix.SIGINT, "TERM": unix.SIGTERM, "HUP": unix.SIGHUP, "QUIT": unix.SIGQUIT} {
		p := start(t, Config{Command: sh(fmt.Sprintf("trap 'echo got %s; exit 3' %s; echo ready; while :; do sleep 0.01; done", name, name))})
		await(t, p, "ready")
		if err := syscall.Kill(os.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		await(t, p, "got "+name)
		if s := status(t, p); s.Code != 3 {
			t.Errorf("%s: got %+v, want s.Code == 3", name, s)
		}
	}
}

func TestOnlyTheSignalsAskedForArePassedOn(t *testing.T) {
	mine := make(chan os.Signal, 1) // else it would end this test
	signal.Notify(mine, unix.SIGTERM)
	defer signal.Stop(mine)
	p := start(t, Config{Command: sh("trap 'exit 3' TERM; trap 'exit 4' HUP; echo ready; while :; do sleep 0.01; done"),
		Signals: []os.Signal{unix.SIGHUP}})
	await(t, p, "ready")
	if err := syscall.Kill(os.Getpid(), unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-mine // so it is no longer under way when the next one comes
	if err := syscall.Kill(os.Getpid(), unix.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if s := status(t, p); s.Code != 4 {
		t.Errorf("ended with %+v, want code 4, that of HUP", s)
	}
}

func TestTheEndOfTheContextEndsAStubbornProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, Config{Command: sh("trap '' TERM; echo ready; while :; do sleep 0.01; done"), Grace: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	await(t, &watched{Program: p}, "ready")
	cancel()
	<-p.Done()
	if s, err := p.Wait(); s.Signal != syscall.SIGKILL || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", s, err)
	}
}

// Kill waits for no grace, also while Stop waits for it.
func TestKillEndsWhatIsBeingStopped(t *testing.T) {
	p := start(t, Config{Command: sh("trap 'echo deaf' TERM; echo ready; while :; do sleep 0.01; done"), Grace: time.Hour})
	await(t, p, "ready")
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		p.Stop(unix.SIGTERM)
	}()
	await(t, p, "deaf")
	p.Kill()
	status, err := p.Wait()
	if err != nil || status.Code != 137 {
		t.Errorf("got %+v, %v, want err == nil and status.Code == 137", status, err)
	}
	<-stopped
}

func TestTheProcessGroupIsGoneAfterTheEnd(t *testing.T) {
	for _, ignore := range []string{"", "trap '' HUP TERM;"} {
		p := start(t, Config{Command: sh(fmt.Sprintf("(%s echo ready; while :; do sleep 0.01; done) & echo pid $!; exit 4", ignore))})
		pid := 0
		if _, err := fmt.Sscanf(await(t, p, "pid").Text, "pid %d", &pid); err != nil {
			t.Fatal(err)
		}
		if s := status(t, p); s.Code != 4 {
			t.Errorf("got %+v", s)
		}
		if alive(pid) {
			t.Errorf("process %d of the group lives on (%s)", pid, ignore)
		}
	}
}

// alive reports whether a process runs; one that was not waited for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) || runtime.GOOS != "linux"
	}
	return !bytes.Contains(stat, []byte(") Z "))
}

func TestAStrangerThatHoldsTheTerminalDelaysTheEndOnlyALittle(t *testing.T) {
	var out screen
	p := start(t, Config{Command: []string{os.Args[0]}, Env: self("stranger"), Stdout: &out})
	pid := 0
	if _, err := fmt.Sscanf(await(t, p, "pid").Text, "pid %d", &pid); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, unix.SIGKILL)
	status(t, p)
	if !alive(pid) {
		t.Error("the stranger was meant to outlive the program")
	}
	if !strings.Contains(out.String(), "the last line") {
		t.Errorf("output %q", out.String())
	}
}
