//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/hookway/hookway/internal/bench"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/wire/call"
)

// runStage is a user whose programs run in hookway, for a measurement.
type runStage struct {
	dir, project  string
	self, hookway string // this program, and the one that is measured
	env           []string
	places        call.Places
}

// runConfig reports what its hooks see on the pipe that is called news.
const runConfig = `idle_threshold: 200ms
hooks:
- {id: directive, on: Directive, command: 'echo directive > "$BENCH_NEWS"'}
- {id: idle, on: Idle, command: 'echo idle > "$BENCH_NEWS"'}
`

func (p *program) newRunStage() (*runStage, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	hookway, err := p.findHookway()
	if err != nil {
		return nil, err
	}
	dir, err := bench.Folder()
	if err != nil {
		return nil, err
	}
	s := &runStage{dir: dir, self: self, hookway: hookway, project: filepath.Join(dir, "project")}
	home := filepath.Join(dir, "home")
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "HOOKWAY_") && !strings.HasPrefix(kv, "TERM=") {
			s.env = append(s.env, kv)
		}
	}
	s.env = append(s.env, "HOOKWAY_HOME="+home, "HOOKWAY_DAEMON=off", "HOOKWAY_ATTACH=off", "TERM=xterm-256color", "BENCH_NEWS="+s.news())
	getenv := lookUp(s.env)
	err = errors.Join(os.MkdirAll(s.project, 0o700), os.MkdirAll(s.plain(), 0o700),
		os.WriteFile(filepath.Join(s.project, "hookway.yaml"), []byte(runConfig), 0o600),
		os.Symlink(self, filepath.Join(dir, "claude")), syscall.Mkfifo(s.news(), 0o600), s.writeFlood())
	if err == nil {
		_, err = config.Trust(config.Options{Dir: s.project, Getenv: getenv})
	}
	if err == nil {
		s.places, err = call.Find(getenv)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *runStage) news() string  { return filepath.Join(s.dir, "news") }
func (s *runStage) plain() string { return filepath.Join(s.dir, "plain") } // a folder without hooks
func (s *runStage) flood() string { return filepath.Join(s.dir, "flood") }

const floodSize = 24 << 20

// writeFlood writes what floods print: lines as compilers and agents print them,
// every second one with colours.
func (s *runStage) writeFlood() error {
	var b bytes.Buffer
	for i := 0; b.Len() < floodSize; i++ {
		if i%2 == 0 {
			fmt.Fprintf(&b, "%06d plain text of the length that most lines have in a terminal\n", i)
		} else {
			fmt.Fprintf(&b, "\x1b[32mok\x1b[0m   \x1b[1mpackage/%d\x1b[22m \x1b[2m%d.%03ds\x1b[0m\n", i%97, i%7, i%1000)
		}
	}
	return os.WriteFile(s.flood(), b.Bytes(), 0o600)
}

// wrapped is the command line that runs a program in hookway.
func (s *runStage) wrapped(name string, argv ...string) []string {
	return append([]string{s.hookway, "run", "-n", name, "--"}, argv...)
}

// window is a terminal with a program in it.
type window struct {
	*os.File // the user's side
	cmd      *exec.Cmd
}

func (s *runStage) open(ctx context.Context, dir string, env []string, argv ...string) (*window, error) {
	if signal.Ignored(syscall.SIGHUP) { // by nohup: programs would outlive their windows
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(s.env), env...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	return &window{f, cmd}, nil
}

// close ends what runs in the window, as closing one does.
func (w *window) close() {
	_ = w.File.Close()
	end := time.AfterFunc(10*time.Second, func() { _ = w.cmd.Process.Kill() })
	defer end.Stop()
	_ = w.cmd.Wait()
}

// until reads until the text is shown.
func (w *window) until(text string) error {
	var seen []byte
	buf := make([]byte, 32<<10)
	for {
		n, err := w.Read(buf)
		if seen = append(seen, buf[:n]...); bytes.Contains(seen, []byte(text)) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%q was never shown, but %.500q: %w", text, seen, err)
		}
		seen = seen[max(0, len(seen)-len(text)):]
	}
}

// stepTime bounds one kind of measurement: what hangs is killed then.
const stepTime = 15 * time.Minute

// measureRun measures everything.
func (p *program) measureRun(ctx context.Context, plan runPlan) (rows []row, err error) {
	s, err := p.newRunStage()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(s.dir)
	for _, step := range []struct {
		name string
		do   func(context.Context, runPlan) ([]row, error)
	}{
		{"throughput", s.throughput}, {"keystrokes", s.keystrokes}, {"directives and idleness", s.directives},
		{"four floods", s.floods}, {"injections", s.injections},
	} {
		p.doing(step.name)
		limit, cancel := context.WithTimeout(ctx, stepTime)
		some, err := step.do(limit, plan)
		cancel()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // the others are worth knowing all the same
			some = append(some, row{Name: step.name, Skipped: err.Error()})
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// pour runs a program to its end and gives how much a second it printed, in MB,
// from its first byte on.
func (s *runStage) pour(ctx context.Context, argv ...string) (float64, error) {
	w, err := s.open(ctx, s.plain(), nil, argv...)
	if err != nil {
		return 0, err
	}
	defer w.close()
	buf := make([]byte, 64<<10)
	total := 0
	var began time.Time
	for {
		n, err := w.Read(buf)
		if total == 0 {
			began = time.Now()
		}
		total += n
		if err != nil { // a terminal ends with EIO
			break
		}
	}
	took := time.Since(began).Seconds()
	if total < floodSize {
		return 0, fmt.Errorf("%s printed %d bytes of %d", argv[0], total, floodSize)
	}
	return float64(total) / 1e6 / took, nil
}

func (s *runStage) throughput(ctx context.Context, plan runPlan) ([]row, error) {
	const name = "bytes through run, compared with script -qc"
	script, err := exec.LookPath("script")
	if err != nil {
		return []row{{Name: name, Met: true, Skipped: "script(1) is not installed"}}, nil
	}
	if runtime.GOOS != "linux" {
		return []row{{Name: name, Met: true, Skipped: "script(1) has no -c here"}}, nil
	}
	var ours, theirs, bare []float64
	for range plan.rounds {
		for _, way := range []struct {
			list *[]float64
			argv []string
		}{
			{&theirs, []string{script, "-qc", "cat " + s.flood(), "/dev/null"}},
			{&ours, s.wrapped("flood", "cat", s.flood())},
			{&bare, []string{"cat", s.flood()}},
		} {
			rate, err := s.pour(ctx, way.argv...)
			if err != nil {
				return nil, err
			}
			*way.list = append(*way.list, rate)
		}
	}
	return []row{
		atLeastOf(name, "times", bench.Median(ours)/bench.Median(theirs), 0.9),
		forComparison("bytes through run", "MB/s", bench.Median(ours)),
		forComparison("bytes through script -qc", "MB/s", bench.Median(theirs)),
		forComparison("bytes through a terminal without either", "MB/s", bench.Median(bare)),
	}, nil
}

// keyPauses is how long a human waits between two keys, at best: long enough for
// every processor to go to sleep.
const keyPauses = 3 * time.Millisecond

func (s *runStage) keystrokes(ctx context.Context, plan runPlan) ([]row, error) {
	echo := []string{"sh", "-c", "stty raw -echo; echo ready; exec cat"}
	var windows []*window
	for _, argv := range [][]string{echo, s.wrapped("keys", echo...)} {
		w, err := s.open(ctx, s.plain(), nil, argv...)
		if err != nil {
			return nil, err
		}
		defer w.close()
		if err := w.until("ready\n"); err != nil {
			return nil, err
		}
		windows = append(windows, w)
	}
	took := make([][]float64, len(windows))
	tick := time.NewTicker(keyPauses)
	defer tick.Stop()
	key, buf := []byte{0}, make([]byte, 100)
	for i := range plan.keys + plan.keys/10 {
		key[0] = 'a' + byte(i%26)
		for n, w := range windows { // in turns, so that both have the same luck
			<-tick.C
			began := time.Now()
			if _, err := w.Write(key); err != nil {
				return nil, err
			}
			if _, err := io.ReadAtLeast(w, buf, 1); err != nil || buf[0] != key[0] {
				return nil, fmt.Errorf("the echo of %q is %q: %w", key, buf[0], err)
			}
			if i >= plan.keys/10 { // the first ones warm up
				took[n] = append(took[n], float64(time.Since(began).Nanoseconds())/1000)
			}
		}
	}
	bare, ours := bench.Median(took[0]), bench.Median(took[1])
	return []row{
		atMostOf("added to a key until its echo, median", "µs", ours-bare, 100),
		forComparison("a key until its echo in a terminal, median", "µs", bare),
	}, nil
}

// newsReader tells when the hooks have written to the pipe.
func (s *runStage) newsReader() (lines <-chan string, stop func(), err error) {
	f, err := os.OpenFile(s.news(), os.O_RDWR, 0) // for both: so it has no end
	if err != nil {
		return nil, nil, err
	}
	ch := make(chan string, 64)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(ch)
		buf := make([]byte, 4096)
		for {
			n, err := f.Read(buf)
			if err != nil {
				return
			}
			for line := range strings.Lines(string(buf[:n])) {
				select {
				case ch <- strings.TrimSpace(line):
				default: // nobody waits for so many
				}
			}
		}
	})
	return ch, func() { f.Close(); reading.Wait() }, nil
}

// newsTime is how long a hook may take to be called at all.
const newsTime = 10 * time.Second

func awaitNews(lines <-chan string, what string) error {
	limit := time.NewTimer(newsTime)
	defer limit.Stop()
	for {
		select {
		case line := <-lines:
			if line == what {
				return nil
			}
		case <-limit.C:
			return fmt.Errorf("the hook of %s was not called within %v", what, newsTime)
		}
	}
}

// directives measures how soon a hook is called, from the moment in which the user
// sees what it is called for: with the start of its process.
func (s *runStage) directives(ctx context.Context, plan runPlan) ([]row, error) {
	news, stop, err := s.newsReader()
	if err != nil {
		return nil, err
	}
	defer stop()
	w, err := s.open(ctx, s.project, nil, s.wrapped("says", "sh", "-c",
		`stty -echo; echo ready; n=0; while read -r line; do n=$((n+1)); echo "@bench:x message $n"; echo "shown $n"; done`)...)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := w.until("ready"); err != nil {
		return nil, err
	}
	var called, idle []float64
	for i := range plan.directives {
		if _, err := w.Write([]byte("\r")); err != nil {
			return nil, err
		}
		if err := w.until(fmt.Sprintf("shown %d\r", i+1)); err != nil {
			return nil, err
		}
		began := time.Now()
		if err := awaitNews(news, "directive"); err != nil {
			return nil, err
		}
		called = append(called, bench.Milliseconds(time.Since(began)))
		if i%10 == 0 {
			if err := awaitNews(news, "idle"); err != nil {
				return nil, err
			}
			idle = append(idle, bench.Milliseconds(time.Since(began)))
		}
	}
	return []row{
		atMostOf("a directive printed until its hook is called, median", "ms", bench.Median(called), 30),
		atMostOf("the slowest", "ms", slices.Max(called), 30),
		atMostOf("the last output until Idle's hook is called, median", "ms", bench.Median(idle), 310),
		forComparison("of which idle_threshold is", "ms", 200),
	}, nil
}
