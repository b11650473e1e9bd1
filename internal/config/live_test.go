//go:build unix

package config

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
)

// running is a Live that watches, with its reports.
type running struct {
	*world
	live    *Live
	engine  *hook.Engine
	reports chan *Set
}

func (w *world) open() *running {
	w.t.Helper()
	r := &running{world: w, engine: new(hook.Engine), reports: make(chan *Set, 100)}
	var err error
	r.live, err = Open(context.Background(), w.options(), r.engine)
	w.must(err)
	w.t.Cleanup(func() { w.must(r.live.Close()) })
	return r
}

// watch runs the Live until the test ends, and waits until it watches.
func (r *running) watch() *running {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- r.live.Run(ctx, func(s *Set) { r.reports <- s }) }()
	r.t.Cleanup(func() {
		cancel()
		r.must(<-done)
	})
	r.next()
	return r
}

func (r *running) next() *Set {
	r.t.Helper()
	select {
	case s := <-r.reports:
		return s
	case <-time.After(patient):
		r.t.Fatal("no reload was reported")
		return nil
	}
}

// until waits for a report that satisfies a condition.
func (r *running) until(what string, ok func(*Set) bool) *Set {
	r.t.Helper()
	deadline := time.After(patient)
	for {
		select {
		case s := <-r.reports:
			if ok(s) {
				return s
			}
		case <-deadline:
			r.t.Fatalf("waited for %s in vain; the set is %s\n%s\n%s", what, states(r.live.Set()), r.live.Set().Problems, r.live.Set().Warnings)
		}
	}
}

func (r *running) reload() *Set {
	r.t.Helper()
	s, err := r.live.Reload(context.Background())
	r.must(err)
	return s
}

// engineIDs lists what the engine runs.
func (r *running) engineIDs() string {
	var ids []string
	for _, h := range r.engine.All() {
		ids = append(ids, h.ID)
	}
	return strings.Join(ids, " ")
}

const userTwo = "hooks:\n  - {id: a, on: PreToolUse, inject: A}\n  - {id: b, on: PreToolUse, inject: B}\n"

func TestAChangedFileIsPickedUp(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), userTwo)
	r := w.open().watch()
	if out := bash(t, r.engine, w.ws, "ls"); out.Inject != "A\n\nB" {
		t.Fatalf("got %q, want \"A\\n\\nB\"", out.Inject)
	}
	w.write(w.user("hookway.yaml"), strings.ReplaceAll(userTwo, "inject: B", "block: now"))
	r.until("the change", func(s *Set) bool { return s.Hooks[1].Kind == "block" })
	if out := bash(t, r.engine, w.ws, "ls"); out.Reason != "now" {
		t.Errorf(`got %+v, want out.Reason == "now"`, out)
	}
	w.must(os.Remove(w.user("hookway.yaml")))
	r.until("the removal", func(s *Set) bool { return len(s.Hooks) == 0 })
	if r.engine.Len() != 0 {
		t.Errorf("got %v, want r.engine.Len() == 0", r.engineIDs())
	}
}

func TestWhatDidNotExistAtTheStartIsPickedUp(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.must(os.RemoveAll(w.home))
	r := w.open().watch()
	w.write(w.work("hookway.yaml"), blockRM)
	r.until("a workspace", func(s *Set) bool { return states(s) == "no-rm active" })
	w.write(w.work(".hookway/hooks/x.sh"), describing(`{"event":"PreToolUse"}`, "no"))
	r.until("a hooks folder", func(s *Set) bool { return states(s) == "no-rm active, x.sh active" })
	w.write(w.work(".acai/hooks/y.sh"), describing(`{"event":"PreToolUse"}`, "no"))
	r.until("another", func(s *Set) bool { return states(s) == "no-rm active, x.sh active, y.sh active" })
	w.must(os.MkdirAll(w.user(""), 0o700))
	w.write(w.user("hookway.yaml"), userTwo)
	s := r.until("a user configuration", func(s *Set) bool { return len(s.Hooks) == 5 })
	w.want(s, "a active, b active, no-rm active, x.sh active, y.sh active")
}

func TestAFileThatDoesNotLoadLeavesTheLastGoodOneRunning(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.user("hookway.yaml"), "max_continues: 3\nhooks:\n  - {id: a, on: PreToolUse, inject: A}\n")
	w.write(w.work("hookway.yaml"), "hooks: [{id: b, on: PreToolUse, inject: B}]\n")
	r := w.open().watch()
	w.write(w.user("hookway.yaml"), "hooks: [\n")
	s := r.until("the mistake", func(s *Set) bool { return len(s.Problems) > 0 })
	w.want(s, "a active, b active")
	if s.Problems[0].File != w.user("hookway.yaml") || s.Settings.MaxContinues != 3 || len(s.Warnings) != 1 {
		t.Errorf("%s\n%s\n%+v", s.Problems, s.Warnings, s.Settings)
	}
	w.write(w.work("hookway.yaml"), "hooks: [{id: b, on: PreToolUse, inject: BB}]\n") // others go on being read
	r.until("the other file", func(*Set) bool { return bash(t, r.engine, w.ws, "ls").Inject == "A\n\nBB" })
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: c, on: PreToolUse, inject: C}\n")
	s = r.until("the correction", func(s *Set) bool { return len(s.Problems) == 0 })
	w.want(s, "c active, b active")
}

func TestAnExecutableThatNoLongerDescribesItselfStays(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work(".hookway/hooks/a.sh"), describing(`{"event":"PreToolUse"}`, "a"))
	w.write(w.work(".hookway/hooks/b.sh"), describing(`{"event":"PreToolUse"}`, "b"))
	r := w.open()
	w.write(w.work(".hookway/hooks/a.sh"), "#!/bin/sh\necho garbage\n")
	s := r.reload()
	w.want(s, "a.sh active, b.sh active")
	if len(s.Warnings) != 2 || r.engineIDs() != "a.sh b.sh" {
		t.Errorf(`got %s %s, want len(s.Warnings) == 2 and r.engineIDs() == "a.sh b.sh"`, s.Warnings, r.engineIDs())
	}
	w.must(os.Remove(w.work(".hookway/hooks/a.sh")))
	w.want(r.reload(), "b.sh active")
}

// worker answers each request with an injection of its process id.
const worker = `#!/bin/sh
[ -n "$ALIVE" ] && exec 3>"$ALIVE"
while read -r line; do
  id=${line#*\"id\":}
  id=${id%%,*}
  case $line in *wait*) echo >"$STARTED"; read -r _ <"$RELEASE";; esac
  echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"inject\":\"$$\"}}"
done
`

func TestUnchangedHooksKeepTheirWorkers(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("worker.sh"), worker)
	config := "hooks:\n  - {id: w, on: PreToolUse, mode: worker, command: [./worker.sh]}\n"
	w.write(w.user("hookway.yaml"), config)
	r := w.open()
	pid := bash(t, r.engine, w.ws, "ls").Inject
	if pid == "" {
		t.Fatal("the worker did not answer")
	}
	w.write(w.user("hookway.yaml"), "# moved to another line\n\n"+config+"  - {id: other, on: PostToolUse, block: true}\n")
	w.want(r.reload(), "w active, other active")
	if now := bash(t, r.engine, w.ws, "ls").Inject; now != pid {
		t.Errorf("the worker was %s, is %s", pid, now)
	}
	w.write(w.user("hookway.yaml"), strings.ReplaceAll(config, "mode", "priority: 5, mode"))
	r.reload()
	if now := bash(t, r.engine, w.ws, "ls").Inject; now == pid || now == "" {
		t.Errorf("a changed hook has the worker %q", now)
	}
}

func TestAReplacedWorkerEndsAfterTheCallUnderWay(t *testing.T) {
	w := newWorld(t)
	fifo := func(name string) string {
		path := filepath.Join(w.home, name)
		w.must(syscall.Mkfifo(path, 0o600))
		return path
	}
	started, release, alive := fifo("started"), fifo("release"), fifo("alive")
	w.write(w.user("worker.sh"), worker)
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: w, on: PreToolUse, mode: worker, command: [./worker.sh], env: {STARTED: "+started+", RELEASE: "+release+", ALIVE: "+alive+"}}\n")
	r := w.open()

	outs := make(chan hook.Outcome[hook.ToolUse], 1)
	go func() { outs <- bash(t, r.engine, w.ws, "wait") }()
	living, err := os.Open(alive) // opens when the worker has
	w.must(err)
	defer living.Close()
	_, err = bufio.NewReader(must(os.Open(started))).ReadString('\n')
	w.must(err)

	w.write(w.user("hookway.yaml"), "hooks: []\n")
	w.want(r.reload(), "")
	w.must(os.WriteFile(release, []byte("\n"), 0o600))
	if out := <-outs; out.Inject == "" || out.Steps[0].Err != nil {
		t.Errorf("the call under way got %+v", out)
	}
	if _, err := io.ReadAll(living); err != nil { // ends when the worker's process has
		t.Error(err)
	}
	if out := bash(t, r.engine, w.ws, "ls"); len(out.Steps) != 0 {
		t.Errorf("got %+v, want len(out.Steps) == 0", out.Steps)
	}
}

func TestARetiredHandlerStillAnswersAFiringThatBeganBefore(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("worker.sh"), worker)
	l, err := leaseCommand(command.Config{Argv: []string{w.user("worker.sh")}, Worker: true})
	w.must(err)
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash"})
	l.retire()
	for range 2 {
		if d, err := l.Handle(context.Background(), ev); err != nil || d.Inject == "" {
			t.Errorf(`got %+v %v, want err == nil and d.Inject != ""`, d, err)
		}
	}
	w.must(l.Close())
	if _, err := l.Handle(context.Background(), ev); err == nil {
		t.Error("a closed handler answered")
	}
	if !l.ended() {
		t.Error("something was left open")
	}
}

func TestUnchangedHooksKeepTheirCircuits(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: f, on: PreToolUse, command: [./is-not-there.sh]}\n")
	r := w.open()
	for range 5 {
		bash(t, r.engine, w.ws, "ls")
	}
	w.write(w.user("hookway.yaml"), "version: 1\nhooks:\n  - {id: f, on: PreToolUse, command: [./is-not-there.sh]}\n")
	r.reload()
	var err error
	for range 4 { // too few to open another one; the first may be the one that is let through
		if err = bash(t, r.engine, w.ws, "ls").Steps[0].Err; err == hook.ErrCircuitOpen {
			return
		}
	}
	t.Errorf("the circuit is not open: %v", err)
}

func TestNoFiringMissesAGuardThatIsReplaced(t *testing.T) {
	w := newWorld(t)
	versions := []string{blockRM, strings.ReplaceAll(blockRM, "no rm here", "not here"), strings.ReplaceAll(blockRM, "no-rm", "renamed")}
	w.write(w.user("hookway.yaml"), versions[0])
	r := w.open()
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if out := bash(t, r.engine, w.ws, "rm x"); out.Action != hook.ActionBlock {
						t.Errorf("got %+v, want out.Action == hook.ActionBlock", out)
						return
					}
				}
			}
		})
	}
	for i := range 30 {
		w.write(w.user("hookway.tmp"), versions[i%len(versions)])
		w.must(os.Rename(w.user("hookway.tmp"), w.user("hookway.yaml")))
		r.reload()
	}
	close(stop)
	all.Wait()
}

func TestHooksOfTheProgramItselfStay(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), userTwo)
	r := &running{world: w, engine: new(hook.Engine)}
	own := hook.New("b", hook.Static(hook.Inject("own")), hook.For("PreToolUse"))
	w.must(r.engine.Add(own))
	r.live = must(Open(context.Background(), w.options(), r.engine))
	t.Cleanup(func() { w.must(r.live.Close()) })
	s := r.live.Set()
	if len(s.Problems) != 1 || s.Problems[0].Hook != "b" {
		t.Errorf(`got %v, want len(s.Problems) == 1 and s.Problems[0].Hook == "b"`, s.Problems)
	}
	w.write(w.user("hookway.yaml"), "hooks: []\n")
	r.reload()
	if r.engineIDs() != "b" {
		t.Errorf("the engine has %q", r.engineIDs())
	}
	if out := bash(t, r.engine, w.ws, "ls"); out.Inject != "own" {
		t.Errorf(`got %+v, want out.Inject == "own"`, out)
	}
}

func TestAHookAddedAmongEqualPrioritiesSaysWhereItRuns(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), userTwo)
	r := w.open()
	w.write(w.user("hookway.yaml"), strings.ReplaceAll(userTwo, "hooks:\n", "hooks:\n  - {id: c, on: PreToolUse, inject: C}\n"))
	s := r.reload()
	if len(s.Warnings) != 1 || s.Warnings[0].Hook != "c" || !strings.Contains(s.Warnings[0].Message, "after b") {
		t.Errorf(`got %v, want len(s.Warnings) == 1 and s.Warnings[0].Hook == "c" and strings.Contains(s.Warnings[0].Message, "after b")`, s.Warnings)
	}
	w.write(w.user("hookway.yaml"), strings.ReplaceAll(userTwo, "hooks:\n", "hooks:\n  - {id: c, on: PreToolUse, inject: C, priority: 1}\n"))
	if s = r.reload(); len(s.Warnings) != 0 || bash(t, r.engine, w.ws, "ls").Inject != "C\n\nA\n\nB" {
		t.Errorf("got %v, want len(s.Warnings) == 0 and bash(t, r.engine, w.ws, \"ls\").Inject == \"C\\n\\nA\\n\\nB\"", s.Warnings)
	}
}

// A hook of directives that names its namespace is asked by how close it is, so its place
// among others is no order that is not kept.
func TestAHookOfANamespaceIsNotOutOfOrder(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: a, on: PreToolUse, inject: A}\n  - {id: b, on: Directive, match: {namespace: deploy}, inject: B}\n")
	if got := w.open().live.Set().Warnings; len(got) > 0 {
		t.Errorf("got %v, want no warning", got)
	}
}

func TestSettingsThatNeedAStartSaySo(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "max_continues: 3\n")
	r := w.open()
	w.write(w.user("hookway.yaml"), "max_continues: 4\n")
	if s := r.reload(); len(s.Warnings) != 1 || r.engine.MaxContinues != 3 {
		t.Errorf("got %v, want len(s.Warnings) == 1 and r.engine.MaxContinues == 3", s.Warnings)
	}
}

func TestAClosedLiveEndsItsHooks(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("worker.sh"), worker)
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: w, on: PreToolUse, mode: worker, lane: guard, command: [./worker.sh]}\n")
	r := w.open()
	bash(t, r.engine, w.ws, "ls")
	w.must(r.live.Close())
	w.must(r.live.Close())
	if out := bash(t, r.engine, w.ws, "ls"); out.Action != hook.ActionBlock {
		t.Errorf("got %+v, want out.Action == hook.ActionBlock", out)
	}
	if _, err := r.live.Reload(context.Background()); err == nil {
		t.Error("a closed configuration was reloaded")
	}
}

func TestOnlyChangesThatMatterAreActedOn(t *testing.T) {
	p := plan{files: []string{"/ws/hookway.yaml"}, trees: []tree{{"/ws/.hookway/hooks", "/ws"}}}
	for path, want := range map[string]bool{
		"/ws/hookway.yaml": true, "/ws": true, "/ws/.hookway": true, "/ws/.hookway/hooks": true, "/ws/.hookway/hooks/a/b": true,
		"/ws/main.go": false, "/ws/hookway.yaml~": false, "/ws/.hookway/log": false, "/ws/.hookway/hooksx": false, "/other": false,
	} {
		if got := p.concerns(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}
