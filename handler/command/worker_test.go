//go:build unix

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire"
)

// idOf is a piece of shell that sets id from the request in line.
const idOf = `id=${line#*\"id\":}; id=${id%%[,\}]*}; `

// say is a piece of shell that answers a request with an inject.
func say(id, text string) string {
	return fmt.Sprintf(`printf '{"jsonrpc":"2.0","id":%%s,"result":{"inject":"%%s"}}\n' "%s" "%s"; `, id, text)
}

// worker gives a handler of a worker that is a shell script.
func workerOf(t testing.TB, c Config, script ...string) *Handler {
	t.Helper()
	c.Shell, c.Worker = strings.Join(script, "\n"), true
	return newHandler(t, c)
}

// answersAll is a loop that answers each request with its id.
var answersAll = `while read -r line; do ` + idOf + say("$id", "answer $id") + `done`

// onlyWorker is the worker of a handler that has asked one.
func onlyWorker(h *Handler) *worker {
	h.workers.mu.Lock()
	defer h.workers.mu.Unlock()
	return h.workers.list[0].worker
}

func wantInject(t *testing.T, h *Handler, want string) {
	t.Helper()
	d, err := h.Handle(t.Context(), bash("ls"))
	if err != nil || d.Inject != want {
		t.Errorf("got %q, %v; want %q", d.Inject, err, want)
	}
}

func TestWorkerAnswersManyEventsInOneProcess(t *testing.T) {
	nothingLeft(t)
	h := workerOf(t, Config{}, `while read -r line; do `+idOf+say("$id", "$$ $HOOK_ACTION $HOOKWAY_WORKER")+`done`)
	first, err := h.Handle(t.Context(), bash("ls"))
	if err != nil || !strings.HasSuffix(first.Inject, " execute 1") {
		t.Fatalf("got %q, %v", first.Inject, err)
	}
	for range 10 {
		wantInject(t, h, first.Inject)
	}
	if s := h.Stats(); s.Starts != 1 {
		t.Errorf("it was started %d times", s.Starts)
	}
}

func TestWorkerAnswersAreMatchedByID(t *testing.T) {
	nothingLeft(t)
	h := workerOf(t, Config{},
		`read -r line; `+idOf+`one=$id; a=${line#*\"command\":\"}; a=${a%%\"*}`,
		`read -r line; `+idOf+`two=$id; b=${line#*\"command\":\"}; b=${b%%\"*}`,
		say("$two", "$b")+say("$one", "$a"),
		`cat >/dev/null`)
	var wg sync.WaitGroup
	for _, text := range []string{"first", "second"} {
		wg.Go(func() {
			if d, err := h.Handle(t.Context(), bash(text)); err != nil || d.Inject != text {
				t.Errorf("%s got %q, %v", text, d.Inject, err)
			}
		})
	}
	wg.Wait()
}

func TestSecondAnswerToAnEventIsIgnoredAndCounted(t *testing.T) {
	nothingLeft(t)
	var log hooktest.Log
	h := workerOf(t, Config{Log: log.Logger()},
		`read -r line; `+say("1", "first")+say("1", "again"),
		`read -r line; `+say("2", "next"),
		`cat >/dev/null`)
	wantInject(t, h, "first")
	wantInject(t, h, "next")
	if s := h.Stats(); s.Unmatched != 1 || s.Starts != 1 {
		t.Errorf("counted %+v", s)
	}
	if !strings.Contains(log.String(), "again") {
		t.Errorf("no warning shows the second answer: %q", log.String())
	}
}

func TestLogLineOnStdoutFailsOpenEventsAndIsNamed(t *testing.T) {
	nothingLeft(t)
	h := workerOf(t, Config{},
		`read -r line; echo 'loaded 17 rules'; `+say("1", "too late"),
		`read -r line; `+say("2", "fine"),
		`cat >/dev/null`)
	_, err := h.Handle(t.Context(), bash("ls"))
	if err == nil || !strings.Contains(err.Error(), "loaded 17 rules") {
		t.Errorf("the error %v does not name the line", err)
	}
	wantInject(t, h, "fine")
	if s := h.Stats(); s.Starts != 1 || s.Noise != 1 || s.Late != 1 {
		t.Errorf("counted %+v", s)
	}
}

func TestWorkerThatReportsAnErrorFailsThatEvent(t *testing.T) {
	nothingLeft(t)
	h := workerOf(t, Config{},
		`read -r line; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no database"}}'`,
		`read -r line; echo '{"jsonrpc":"2.0","id":2}'`,
		`read -r line; echo '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot parse"}}'`,
		`cat >/dev/null`)
	for _, want := range []string{"error -32000: no database", "neither a result nor an error", "error -32700: cannot parse"} {
		if _, err := h.Handle(t.Context(), bash("ls")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not have %q", err, want)
		}
	}
}

func TestDeadWorkerFailsItsEventAndTheNextOneWorks(t *testing.T) {
	nothingLeft(t)
	flag := t.TempDir() + "/died"
	h := workerOf(t, Config{Env: []string{"FLAG=" + flag}},
		`if [ ! -e "$FLAG" ]; then read -r line; echo >"$FLAG"; echo 'out of cheese' >&2; exit 7; fi`,
		answersAll)
	_, err := h.Handle(t.Context(), bash("ls"))
	for _, part := range []string{"exit status 7", "out of cheese"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not have %q", err, part)
		}
	}
	w := onlyWorker(h)
	w.mu.Lock()
	pause := w.pause
	w.mu.Unlock()
	wantInject(t, h, "answer 1")
	if now := time.Now(); pause.IsZero() || now.Before(pause) {
		t.Errorf("it was started again at %v, before the end of the pause at %v", now, pause)
	}
	if s := h.Stats(); s.Starts != 2 || s.Deaths != 1 {
		t.Errorf("counted %+v", s)
	}
}

func TestWorkerThatDiesBetweenEventsIsNotMissed(t *testing.T) {
	nothingLeft(t)
	h := workerOf(t, Config{}, `read -r line; `+idOf+say("$id", "only one"))
	for i := range 3 {
		wantInject(t, h, "only one")
		eventually.True(t, "the death was noticed", func() bool { return h.Stats().Deaths == int64(i+1) })
	}
}

func TestAnswerGivenJustBeforeTheEndCounts(t *testing.T) {
	nothingLeft(t)
	h := workerOf(t, Config{}, `read -r line; `+say("1", "goodbye")+`exit 3`)
	wantInject(t, h, "goodbye")
}

func TestEventThatCannotWaitForTheRestartIsToldAtOnce(t *testing.T) {
	nothingLeft(t)
	h := workerOf(t, Config{}, `read -r line; exit 7`)
	for range 2 {
		h.Handle(t.Context(), bash("ls"))
	}
	w := onlyWorker(h)
	w.mu.Lock()
	w.pause = time.Now().Add(time.Hour) // as after many more deaths
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := h.Handle(ctx, bash("ls"))
	if ctx.Err() != nil {
		t.Errorf("it waited for its deadline: %v", err)
	}
	for _, part := range []string{"died 2 times", "exit status 7"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not have %q", err, part)
		}
	}
}

func TestCancelledEventIsToldToTheWorkerAndItsLateAnswerIgnored(t *testing.T) {
	nothingLeft(t)
	seen := t.TempDir() + "/cancel"
	h := workerOf(t, Config{Env: []string{"SEEN=" + seen}},
		`read -r line; echo >"$SEEN.asked"; read -r cancel; printf '%s\n' "$cancel" >"$SEEN"; `+say("1", "late"),
		`read -r line; `+say("2", "in time"),
		`cat >/dev/null`)
	ctx := newExpiring()
	result := handled(h, ctx, bash("ls"))
	eventually.True(t, "it was asked", func() bool {
		_, err := os.Stat(seen + ".asked")
		return err == nil
	})
	ctx.expire()
	if err := <-result; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the timeout gave %v", err)
	}
	eventually.True(t, "the late answer came", func() bool { return h.Stats().Late == 1 })
	wantInject(t, h, "in time")
	if text, err := os.ReadFile(seen); err != nil || strings.TrimSpace(string(text)) != `{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}` {
		t.Errorf("it got %q, %v", text, err)
	}
	if s := h.Stats(); s.Starts != 1 || s.Unmatched != 0 || s.Hangs != 0 {
		t.Errorf("counted %+v", s)
	}
}

func TestSilentWorkerIsReplaced(t *testing.T) {
	nothingLeft(t)
	dir := t.TempDir()
	h := workerOf(t, Config{Env: []string{"DIR=" + dir}, Grace: 100 * time.Millisecond},
		`if [ ! -e "$DIR/pid" ]; then trap '' TERM; read -r line; echo $$ >"$DIR/pid"; while :; do sleep 1000; done; fi`,
		answersAll)
	ctx := newExpiring()
	result := handled(h, ctx, bash("ls"))
	group := readPID(t, dir+"/pid")
	ctx.expire()
	if err := <-result; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the timeout gave %v", err)
	}
	eventually.True(t, "it counts as hung", func() bool { return h.Stats().Hangs == 1 })
	wantInject(t, h, "answer 1")
	groupGone(t, group)
}

func TestWorkerThatNeverReadsHoldsNoCallBeyondTheDeadline(t *testing.T) {
	nothingLeft(t)
	pid := t.TempDir() + "/pid"
	h := workerOf(t, Config{Env: []string{"PID=" + pid}, Grace: time.Second}, `echo $$ >"$PID"; sleep 1000`)
	ev := bash(strings.Repeat("x", 1<<20))
	if _, err := wire.Encode(ev); err != nil { // not part of what is timed
		t.Fatal(err)
	}
	ctx := newExpiring()
	var wg sync.WaitGroup
	for i := range maxOpen + 50 {
		wg.Go(func() {
			event := ev
			if i%2 == 0 {
				event = bash("ls")
			}
			if _, err := h.Handle(ctx, event); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	}
	group := readPID(t, pid)
	eventually.True(t, "as many calls are open as there may be", func() bool { return len(onlyWorker(h).slots) == maxOpen })
	ended := ctx.expire()
	wg.Wait()
	if late := time.Since(ended); late > soon {
		t.Errorf("the last call returned %v after its deadline", late)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	groupGone(t, group)
}

func TestLinesOnAWorkersStderrAreLoggedAndBounded(t *testing.T) {
	nothingLeft(t)
	var log hooktest.Log
	h := workerOf(t, Config{Log: log.Logger()},
		`printf 'ready\n' >&2; head -c 3000000 /dev/zero | tr '\0' 'y' >&2; printf '\nsecret token=abcdefgh\n' >&2`, answersAll)
	wantInject(t, h, "answer 1")
	eventually.True(t, "all lines were logged", func() bool { return strings.Contains(log.String(), "[redacted]") })
	all := strings.Split(log.String(), "\n")
	if all[0] != "ready" {
		t.Errorf("the first line is %q", all[0])
	}
	for _, line := range all {
		if len(line) > 500 {
			t.Errorf("a line has %d bytes", len(line))
		}
	}
}

func TestClosedWorkerSeesTheEndOfItsStdin(t *testing.T) {
	nothingLeft(t)
	dir := t.TempDir()
	h := workerOf(t, Config{Env: []string{"DIR=" + dir}}, `echo $$ >"$DIR/pid"`, answersAll, `echo saved >"$DIR/state"`)
	wantInject(t, h, "answer 1")
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(dir + "/state"); err != nil || string(text) != "saved\n" {
		t.Errorf("it could not save its state: %q, %v", text, err)
	}
	groupGone(t, readPID(t, dir+"/pid"))
	if _, err := h.Handle(t.Context(), bash("ls")); !errors.Is(err, ErrClosed) {
		t.Errorf("a call after Close gave %v", err)
	}
}

func TestWorkerOnAnEngineServesHooksOfSeveralLanes(t *testing.T) {
	nothingLeft(t)
	h := workerOf(t, Config{}, `while read -r line; do `+idOf+`printf '{"jsonrpc":"2.0","id":%s,"result":{"action":"block","reason":"no"}}\n' "$id"; done`)
	var e hook.Engine
	if err := e.Add(hook.New("keeper", h, hook.For("PreToolUse"), hook.As(hook.Guard))); err != nil {
		t.Fatal(err)
	}
	out, err := e.Fire(t.Context(), bash("ls"))
	if err != nil || out.Action != hook.ActionBlock || out.Reason != "no" {
		t.Errorf("got %v %q, %v", out.Action, out.Reason, err)
	}
}

func TestWorkerRunsInItsOwnFolderElseInTheProject(t *testing.T) {
	project, dir := resolved(t), resolved(t)
	const where = `while read -r line; do ` + `id=${line#*\"id\":}; id=${id%%[,\}]*}; ` + `printf '{"jsonrpc":"2.0","id":%s,"result":{"inject":"%s"}}\n' "$id" "$(pwd -P)"; done`
	wantInject(t, workerOf(t, Config{Project: project}, where), project)
	wantInject(t, workerOf(t, Config{Project: project, Dir: dir}, where), dir)
}
