//go:build unix

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/eventually"
)

// under is a context whose programs run in the test's environment with changes.
func under(t testing.TB, entries ...string) context.Context {
	t.Helper()
	return WithEnviron(t.Context(), append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/home/me"}, entries...))
}

func TestProgramHasTheEnvironmentOfItsOwner(t *testing.T) {
	nothingLeft(t)
	t.Setenv("OURS", "daemon")
	t.Setenv("HOOKWAY_DEPTH", "5")
	h := newHandler(t, Config{Shell: `printf '{"inject":"%s|%s|%s|%s|%s|%s"}' "$THEIRS" "$OURS" "$HOME" "$HOOKWAY_EVENT" "$HOOKWAY_DEPTH" "$CONFIGURED"`,
		Env: []string{"CONFIGURED=yes"}})
	ctx := under(t, "THEIRS=agent", "HOOKWAY_DEPTH=2", "CONFIGURED=no", "no entry", "=x", "NUL=\x00")
	d, err := h.Handle(ctx, bash("ls"))
	if want := "agent||/home/me|PreToolUse|3|yes"; err != nil || d.Inject != want {
		t.Errorf("got %q, %v; want %q", d.Inject, err, want)
	}
	if d, err = h.Handle(t.Context(), bash("ls")); err != nil || !strings.HasPrefix(d.Inject, "|daemon|") {
		t.Errorf("without an environment of its own: %q, %v", d.Inject, err)
	}
}

func TestProgramIsFoundOnThePathOfItsOwner(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{here: "here", there: "there"} {
		path := filepath.Join(dir, "guard-on-path")
		if err := os.WriteFile(path, []byte("#!/bin/sh\nprintf '{\"inject\":\""+text+"\"}'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", here+":"+os.Getenv("PATH"))
	h := newHandler(t, Config{Argv: []string{"guard-on-path"}})
	for _, c := range []struct {
		ctx  context.Context
		want string
	}{
		{t.Context(), "here"},
		{under(t, "PATH="+there), "there"},
		{under(t, "PATH=relative/is/not/there:"+there+":"+here), "there"},
	} {
		if d, err := h.Handle(c.ctx, bash("ls")); err != nil || d.Inject != c.want {
			t.Errorf("got %q, %v; want %q", d.Inject, err, c.want)
		}
	}
	_, err := h.Handle(under(t, "PATH=/nowhere"), bash("ls"))
	if err == nil || !strings.Contains(err.Error(), "not on PATH") {
		t.Errorf("on a PATH without it: %v", err)
	}
	ev := hook.PreToolUse.New(hook.Envelope{CWD: filepath.Dir(there)}, hook.ToolUse{ToolName: "Bash"})
	if d, err := h.Handle(under(t, "PATH="+filepath.Base(there)), ev); err != nil || d.Inject != "there" {
		t.Errorf("a relative folder starts from the agent's: %q, %v", d.Inject, err)
	}
	if path, err := LookPath(under(t, "PATH="+there), "guard-on-path"); err != nil || filepath.Dir(path) != there {
		t.Errorf("LookPath gave %s, %v", path, err)
	}
}

func TestProgramIsAskedForItsEventsInTheEnvironmentOfItsOwner(t *testing.T) {
	path := script(t, `echo "{\"events\":[\"$WANTED\"]}"`)
	d, err := Describe(under(t, "WANTED=Idle"), Config{Argv: []string{path}})
	if err != nil || !slices.Equal(d.Events, []string{"Idle"}) {
		t.Errorf("got %v, %v", d.Events, err)
	}
}

// environmentWorker answers with what it sees, and with its number.
func environmentWorker(t testing.TB, c Config) *Handler {
	return workerOf(t, c, `while read -r line; do `+idOf+say("$id", "$$|$TOKEN|$AWS_PROFILE|$LC_ALL|$HOME|$OURS")+`done`)
}

func askUnder(t testing.TB, h *Handler, ctx context.Context) (pid, rest string) {
	t.Helper()
	d, err := h.Handle(ctx, bash("ls"))
	if err != nil {
		t.Fatal(err)
	}
	pid, rest, _ = strings.Cut(d.Inject, "|")
	return pid, rest
}

func TestWorkerHasWhatItNeedsOfItsOwnersEnvironment(t *testing.T) {
	nothingLeft(t)
	t.Setenv("OURS", "daemon")
	h := environmentWorker(t, Config{Needs: []string{"AWS_PROFILE"}})
	first, saw := askUnder(t, h, under(t, "TOKEN=secret", "AWS_PROFILE=a", "LC_ALL=C"))
	if want := "|a|C|/home/me|"; saw != want {
		t.Errorf("it sees %q, want %q", saw, want)
	}
	if again, _ := askUnder(t, h, under(t, "LC_ALL=C", "AWS_PROFILE=a", "TOKEN=another")); again != first {
		t.Error("what it does not need gives it a process of its own")
	}
	other, saw := askUnder(t, h, under(t, "AWS_PROFILE=b", "LC_ALL=C"))
	if other == first || saw != "|b|C|/home/me|" {
		t.Errorf("another profile: process %s after %s sees %q", other, first, saw)
	}
	ours, saw := askUnder(t, h, t.Context())
	if ours == first || !strings.HasSuffix(saw, "|daemon") {
		t.Errorf("without an environment of its own: %q", saw)
	}
	if s := h.Stats(); s.Starts != 3 {
		t.Errorf("%d were started, want 3", s.Starts)
	}
}

func TestWorkersAreBoundedAndTheLeastRecentlyUsedIsEnded(t *testing.T) {
	nothingLeft(t)
	h := environmentWorker(t, Config{Needs: []string{"TOKEN"}})
	of := func(i int) string {
		pid, _ := askUnder(t, h, under(t, fmt.Sprintf("TOKEN=%d", i)))
		return pid
	}
	first, second := of(0), of(1)
	for i := 2; i < maxWorkers; i++ {
		of(i)
	}
	if of(0) != first { // now the second is the one that was not used for the longest time
		t.Fatal("a worker was ended before there were too many")
	}
	of(maxWorkers)
	if of(0) != first {
		t.Error("the worker that was used just before was ended")
	}
	if of(1) == second {
		t.Error("the worker that was not used for the longest time still runs")
	}
	if s := h.Stats(); s.Starts != maxWorkers+2 || s.Deaths != 0 {
		t.Errorf("stats: %+v", s)
	}
}

func TestBusyWorkersAreNotEndedForOthers(t *testing.T) {
	nothingLeft(t)
	dir := t.TempDir()
	h := workerOf(t, Config{Needs: []string{"TOKEN"}, Env: []string{"DIR=" + dir}},
		`while read -r line; do `+idOf+`while [ ! -e "$DIR/$TOKEN" ]; do sleep 0.01; done; `+say("$id", "$TOKEN")+`done`)
	answers := make(chan string, maxWorkers+1)
	ask := func(ctx context.Context, i int) {
		d, err := h.Handle(WithEnviron(ctx, []string{"PATH=" + os.Getenv("PATH"), fmt.Sprintf("TOKEN=%d", i)}), bash("ls"))
		answers <- fmt.Sprintf("%s, %v", d.Inject, err)
	}
	for i := range maxWorkers {
		go ask(t.Context(), i)
	}
	eventually.True(t, "all workers run", func() bool { return h.Stats().Starts == maxWorkers })
	late, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := h.Handle(WithEnviron(late, []string{"TOKEN=late"}), bash("ls"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one more than there may be: %v", err)
	}
	go ask(t.Context(), maxWorkers)
	for i := range maxWorkers + 1 {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for range maxWorkers + 1 {
		got = append(got, <-answers)
	}
	slices.Sort(got)
	for i, text := range got {
		if want := fmt.Sprintf("%d, <nil>", i); text != want {
			t.Errorf("got %q, want %q", text, want)
		}
	}
}

// TestEveryLaneRunsInTheEnvironmentOfTheEvent: observe hooks run when the firing
// is over, and still for the caller.
func TestEveryLaneRunsInTheEnvironmentOfTheEvent(t *testing.T) {
	nothingLeft(t)
	out := t.TempDir() + "/pid"
	h := newHandler(t, Config{Shell: `echo "$NUMBER" >"$OUT.new"; mv "$OUT.new" "$OUT"`, Env: []string{"OUT=" + out}})
	e := new(hook.Engine)
	if err := e.Add(hook.New("watch", h, hook.For("PreToolUse"), hook.As(hook.Observe))); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Fire(under(t, "NUMBER=42"), bash("ls")); err != nil {
		t.Fatal(err)
	}
	if got := readPID(t, out); got != 42 {
		t.Errorf("the observer saw %d", got)
	}
	if err := e.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
