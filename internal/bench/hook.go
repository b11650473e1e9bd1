package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/wire/call"
)

// HookReport is what one hook costs.
type HookReport struct {
	Measures  []Measure `json:"measures"`
	PerSecond float64   `json:"decisions_per_second"`                   // of 16 clients, with audit
	Watched   float64   `json:"decisions_per_second_watched,omitempty"` // while others watch them fall
	Watching  int       `json:"watching,omitempty"`                     // so many
	ShimBytes int64     `json:"shim_bytes"`
	ShimRSS   int64     `json:"shim_resident_bytes,omitempty"` // 0: the system does not tell
	DaemonRSS int64     `json:"daemon_resident_bytes,omitempty"`
	DaemonOwn int64     `json:"daemon_private_bytes,omitempty"` // without the pages of files, which others share
	Guards    string    `json:"guards,omitempty"`
}

// HookPlan says what is measured.
type HookPlan struct {
	Programs
	Runs   int
	Guards string // hookway's own rules: "default" or "strict"; "" has none

	Watching int // programs that look on while decisions fall, as each open page does
}

// Check finds what is wrong with a plan.
func (p *HookPlan) Check() error {
	if p.Runs < 1 {
		return fmt.Errorf("-n %d: measure at least one run", p.Runs)
	}
	if p.Watching < 0 {
		return fmt.Errorf("--watching %d: none, or how many", p.Watching)
	}
	if p.Guards != "" && p.Guards != "default" && p.Guards != "strict" {
		return fmt.Errorf("--guards %q: want default (every pack) or strict", p.Guards)
	}
	return nil
}

// Hook measures one hook that blocks, through a daemon of its own.
func Hook(ctx context.Context, p HookPlan) (*HookReport, error) {
	s, err := newStage(p.Programs, p.Guards)
	if err != nil {
		return nil, err
	}
	s.watching = p.Watching
	defer os.RemoveAll(s.dir)
	defer s.stop()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	r, err := s.measure(ctx, p.Runs)
	if err == nil {
		r.Guards = p.Guards
	}
	return r, err
}

// Print writes the report for people.
func (r *HookReport) Print(w io.Writer) {
	what := "one hook that blocks"
	if r.Guards != "" {
		what += ", guards " + r.Guards
	}
	fmt.Fprintf(w, "%-44s %10s %10s\n", what, "median", "p95")
	for _, m := range r.Measures {
		fmt.Fprintf(w, "%-44s %7.3f ms %7.3f ms\n", m.Name, m.Median, m.P95)
	}
	fmt.Fprintf(w, "%-44s %10.0f\n", "decisions a second, 16 clients, with audit", r.PerSecond)
	mib := func(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
	if r.Watching > 0 {
		fmt.Fprintf(w, "%-44s %10.0f\n", fmt.Sprintf("the same while %d programs watch", r.Watching), r.Watched)
	}
	fmt.Fprintf(w, "%-44s %10s\n", "hookway-hook on disk", mib(r.ShimBytes))
	if r.ShimRSS > 0 {
		fmt.Fprintf(w, "%-44s %10s\n", "hookway-hook resident", mib(r.ShimRSS))
	}
	fmt.Fprintf(w, "%-44s %10s\n", "daemon resident, three seconds later", mib(r.DaemonRSS))
	if r.DaemonOwn > 0 {
		fmt.Fprintf(w, "%-44s %10s\n", "of that its own, and not pages of files", mib(r.DaemonOwn))
	}
}

// stage is a user with one hook and a daemon, for a measurement.
type stage struct {
	Programs
	dir    string
	env    []string
	places call.Places

	watching int
}

const oneHook = "hooks:\n- {id: no-rm, on: PreToolUse, lane: guard, match: {tool: Bash, command: 'rm\\s'}, block: not here}\n"

func newStage(p Programs, guards string) (*stage, error) {
	dir, err := Folder()
	if err != nil {
		return nil, err
	}
	s := &stage{Programs: p, dir: dir}
	home := filepath.Join(dir, "home")
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "HOOKWAY_") && !strings.HasPrefix(kv, "CLAUDE_PROJECT_DIR=") {
			s.env = append(s.env, kv)
		}
	}
	s.env = append(s.env, "HOOKWAY_HOME="+home)
	getenv := func(name string) string {
		if name == "HOOKWAY_HOME" {
			return home
		}
		return os.Getenv(name)
	}
	project, text := filepath.Join(dir, "project"), oneHook
	if guards != "" {
		text = "guards: {use: " + guards + ", mode: enforce}\n" + text
	}
	err = errors.Join(os.MkdirAll(project, 0o700), os.WriteFile(filepath.Join(project, "hookway.yaml"), []byte(text), 0o600))
	if err == nil {
		_, err = config.Trust(config.Options{Dir: project, Getenv: getenv})
	}
	if err == nil {
		s.places, err = call.Find(getenv)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// start starts the daemon and waits until it answers.
func (s *stage) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	client, err := daemon.Start(ctx, s.places, s.Hookway, s.env)
	if err != nil {
		return err
	}
	return client.Close()
}

func (s *stage) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client, err := daemon.Dial(ctx, s.places.Socket)
	if err != nil {
		return
	}
	defer client.Close()
	_, _ = client.Stop(ctx, s.Version)
}

// event is a call of a session of its own, so that none is taken for another.
func (s *stage) event(n int64) []byte {
	return fmt.Appendf(nil, `{"session_id":"bench-%d","transcript_path":"/tmp/t.jsonl","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf build/%d","description":"clean"},"tool_use_id":"toolu_%d"}`,
		n%16, filepath.Join(s.dir, "project"), n, n)
}

func (s *stage) measure(ctx context.Context, runs int) (*HookReport, error) {
	r := &HookReport{}
	info, err := os.Stat(s.Shim)
	if err != nil {
		return nil, err
	}
	r.ShimBytes = info.Size()
	for _, step := range []func(context.Context, int, *HookReport) error{s.process, s.memory, s.bare, s.socket, s.audit, s.many, s.watched, s.idle, s.cold} {
		if err := step(ctx, runs, r); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

var events atomic.Int64

// process measures what an agent sees.
func (s *stage) process(ctx context.Context, runs int, r *HookReport) error {
	took := make([]time.Duration, runs)
	for i := range took {
		var err error
		if took[i], err = s.shimOnce(ctx); err != nil {
			return err
		}
	}
	r.Measures = append(r.Measures, NewMeasure("process, from start to end", took))
	return nil
}

// shimOnce runs hookway-hook for one event, which it must refuse. The event is in
// the pipe before the program starts and its answer is read here, so that no
// goroutine of ours is measured with it.
func (s *stage) shimOnce(ctx context.Context) (took time.Duration, err error) {
	cmd := s.shimCommand(ctx)
	in, event, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	_, err = event.Write(s.event(events.Add(1))) // it fits into any pipe
	if err = errors.Join(err, event.Close()); err != nil {
		return 0, err
	}
	answer, out, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer answer.Close()
	cmd.Stdin, cmd.Stdout = in, out
	began := time.Now()
	err = cmd.Start()
	out.Close()
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(answer)
	err = errors.Join(err, cmd.Wait())
	took = time.Since(began)
	if err == nil && !bytes.Contains(text, []byte("not here")) {
		err = fmt.Errorf("hookway-hook answered %q; hookway doctor may say why", text)
	}
	return took, err
}

func (s *stage) shimCommand(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.Shim, "claude", "--event", "PreToolUse", "--timeout", "60s")
	cmd.Env, cmd.Dir, cmd.Stdin = s.env, s.dir, bytes.NewReader(s.event(events.Add(1)))
	return cmd
}

// memory measures what hookway-hook holds when it waits for its answer, which
// we give it for once. Before its end there is no telling: the system counts
// what its parent held when it was started.
func (s *stage) memory(ctx context.Context, _ int, r *HookReport) error {
	home := filepath.Join(s.dir, "other")
	at, err := call.Find(func(name string) string { return map[string]string{"HOOKWAY_HOME": home}[name] })
	if err != nil || runtime.GOOS != "linux" {
		return err
	}
	if err := os.MkdirAll(at.Dir, 0o700); err != nil {
		return err
	}
	l, err := net.Listen("unix", at.Socket)
	if err != nil {
		return err
	}
	defer l.Close()
	cmd := s.shimCommand(ctx)
	cmd.Env = append(slices.Clone(s.env), "HOOKWAY_HOME="+home)
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Wait() }()
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := call.ReadRequest(conn); err != nil {
		return err
	}
	r.ShimRSS = ResidentPeak(cmd.Process.Pid)
	return call.WriteReply(conn, &call.Reply{Stdout: []byte("{}")})
}

// bare measures a process that does nothing: what no hook can undercut.
func (s *stage) bare(ctx context.Context, runs int, r *HookReport) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	path, err := exec.LookPath("true")
	if err != nil {
		return nil //nolint:nilerr // nothing to compare with
	}
	took := make([]time.Duration, runs)
	for i := range took {
		cmd := exec.CommandContext(ctx, path)
		cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout = s.env, s.dir, bytes.NewReader(s.event(0)), io.Discard
		began := time.Now()
		if err := cmd.Run(); err != nil {
			return err
		}
		took[i] = time.Since(began)
	}
	r.Measures = append(r.Measures, NewMeasure("for comparison: the program true", took))
	return nil
}

func (s *stage) request() *call.Request {
	return &call.Request{
		Kind: call.KindHook, Version: s.Version, Agent: "claude", Event: "PreToolUse",
		Dir: s.dir, Env: s.env, Timeout: time.Minute, Stdin: s.event(events.Add(1)),
	}
}

// socket measures a decision from socket to socket.
func (s *stage) socket(ctx context.Context, runs int, r *HookReport) error {
	client, err := daemon.Dial(ctx, s.places.Socket)
	if err != nil {
		return err
	}
	defer client.Close()
	took := make([]time.Duration, 4*runs)
	for i := range took {
		began := time.Now()
		if _, err := client.Do(ctx, s.request()); err != nil {
			return err
		}
		took[i] = time.Since(began)
	}
	r.Measures = append(r.Measures, NewMeasure("from socket to socket", took))
	return nil
}

// audit measures a record on its own.
func (s *stage) audit(ctx context.Context, runs int, r *HookReport) error {
	log, err := audit.Open(audit.Config{Dir: filepath.Join(s.dir, "audit")})
	if err != nil {
		return err
	}
	took := make([]time.Duration, 4*runs)
	for i := range took {
		began := time.Now()
		if err := log.Append(ctx, audit.Record{Time: began, Event: "PreToolUse", Session: "bench", Tool: "Bash", Action: "block", Reason: "not here"}); err != nil {
			return errors.Join(err, log.Close())
		}
		took[i] = time.Since(began)
	}
	r.Measures = append(r.Measures, NewMeasure("an audit record", took))
	return log.Close()
}

// many measures how many decisions there are in a second.
func (s *stage) many(ctx context.Context, runs int, r *HookReport) error {
	const clients = 16
	errs := make([]error, clients)
	total := int64(20 * runs)
	var next atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for i := range clients {
		wg.Go(func() {
			client, err := daemon.Dial(ctx, s.places.Socket)
			if err != nil {
				errs[i] = err
				return
			}
			defer client.Close()
			for next.Add(1) <= total && errs[i] == nil {
				_, errs[i] = client.Do(ctx, s.request())
			}
		})
	}
	wg.Wait()
	r.PerSecond = float64(total) / time.Since(began).Seconds()
	return errors.Join(errs...)
}

// watched measures that again while programs watch.
func (s *stage) watched(ctx context.Context, runs int, r *HookReport) error {
	if s.watching == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", s.places.Socket)
	}}}
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for range s.watching {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://hookway/v1/watch", nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		all.Go(func() {
			defer answer.Body.Close()
			_, _ = io.Copy(io.Discard, answer.Body) // until it is enough
		})
	}
	alone := r.PerSecond
	err := s.many(ctx, runs, r)
	r.Watching, r.Watched, r.PerSecond = s.watching, r.PerSecond, alone
	return err
}

// idleWait is how long after the last request the daemon's memory is looked at:
// what matters is what it holds all day, not for a moment.
const idleWait = 3 * time.Second

// idle measures what the daemon holds when the work is done.
func (s *stage) idle(ctx context.Context, _ int, r *HookReport) error {
	if err := backoff.Sleep(ctx, idleWait); err != nil {
		return err
	}
	client, err := daemon.Dial(ctx, s.places.Socket)
	if err != nil {
		return err
	}
	defer client.Close()
	st, err := client.Status(ctx, s.Version)
	r.DaemonRSS, r.DaemonOwn = int64(st.Resident), memoryOf(st.PID, "RssAnon")
	return err
}

// cold measures the first decision when no daemon runs.
func (s *stage) cold(ctx context.Context, runs int, r *HookReport) error {
	took := make([]time.Duration, min(runs, 20))
	for i := range took {
		s.stop()
		var err error
		if took[i], err = s.shimOnce(ctx); err != nil {
			return err
		}
	}
	r.Measures = append(r.Measures, NewMeasure("process, when the daemon must be started", took))
	return nil
}
