package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/internal/visible"
)

// StartDaemon starts the daemon if none runs.
func (c *Checkup) StartDaemon(ctx context.Context, environ []string) Section {
	s := Section{Name: "start", Title: "Start of the daemon"}
	if c.Getenv("HOOKWAY_DAEMON") == "off" {
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, daemonTime)
	defer cancel()
	began := time.Now()
	client, err := daemon.Start(ctx, c.places, c.Executable, environ)
	if err != nil {
		s.fail("hookway serve shows why", "%v", err)
		return s
	}
	defer client.Close()
	st, err := client.Status(ctx, c.Version)
	if err != nil {
		s.fail("hookway stop, then try again", "it was started, but: %v", err)
		return s
	}
	s.ok("it takes calls (pid %d) after %d ms", st.PID, time.Since(began).Milliseconds())
	return s
}

// SelfTest runs the very command lines that are installed, as the agents would,
// with an event that must be refused and one that must pass. It needs no agent.
func (c *Checkup) SelfTest(ctx context.Context) Section {
	s := Section{Name: "selftest", Title: "Self-test of the installed command lines"}
	for i := range c.agents {
		for j := range c.agents[i].installed {
			c.selfTest(ctx, &s, &c.agents[i].installed[j])
		}
	}
	if len(s.Findings) == 0 {
		s.fail("hookway install AGENT", "nothing is proved: hookway is installed in no agent that was looked at")
	}
	return s
}

func (c *Checkup) selfTest(ctx context.Context, s *Section, st *install.State) {
	who := fmt.Sprintf("%s (%s)", st.Agent, st.Scope)
	g, err := c.newGround()
	if err != nil {
		s.fail(mendGround, "%s: %v", who, err)
		return
	}
	defer func() {
		if err := g.remove(); err != nil {
			s.warn("remove "+g.dir, "%v", err)
		}
	}()
	event, _, err := markedCall(st.Events[0].Codec, "", "", "")
	at := slices.IndexFunc(st.Events, func(e install.EventState) bool { return e.Name == event })
	if err != nil || at < 0 {
		s.fail("hookway install "+st.Agent, "%s: hookway is not installed before tools run (%s), so there is nothing to try", who, event)
		return
	}
	var took time.Duration
	for _, command := range []string{"echo " + g.mark, "echo hookway-doctor"} {
		d, err := c.try(ctx, g, st.Events[at], st.Timeout, command)
		switch {
		case errors.Is(err, errOther) && c.apart(g) == nil && c.userHooks():
			s.warn("hookway log --since 10m --explain says which hook decided", "%s, %s: %v; hooks of your own were asked too, since HOOKWAY_HOME is set", who, event, err)
			return
		case err != nil:
			s.fail("hookway log --since 10m --explain, and shim.log in the state folder, say more", "%s, %s: %v", who, event, err)
			return
		}
		took = max(took, d)
	}
	s.ok("%s: %s refuses what it must and passes the rest, in the agent's words, within %d ms", who, event, took.Milliseconds())
}

// try runs an installed command line with one event, and compares the answer. No person
// is asked, so it has no longer than elsewhere.
func (c *Checkup) try(ctx context.Context, g *ground, e install.EventState, wait time.Duration, command string) (time.Duration, error) {
	session := selfTestSession + g.id
	_, stdin, err := markedCall(e.Codec, command, session, g.dir)
	if err != nil {
		return 0, err
	}
	refused := strings.Contains(command, g.mark)
	want, err := expected(e, stdin, refused)
	if err != nil {
		return 0, err
	}
	if wait <= 0 {
		wait = install.DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	cmd := shell(ctx, e)
	cmd.Dir, cmd.Env, cmd.Stdin = g.dir, g.environ(session, c.apart(g)...), bytes.NewReader(stdin)
	var stdout, stderr limited
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err = runGroup(cmd)
	took := time.Since(began)
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return took, ctx.Err()
	case ctx.Err() != nil:
		return took, fmt.Errorf("there was no answer within %v", wait)
	case err != nil && !errors.As(err, &exit):
		return took, fmt.Errorf("it cannot be run: %w", err)
	}
	if cmd.ProcessState.ExitCode() == want.ExitCode && alike(stdout.Bytes(), want.Stdout) {
		return took, nil
	}
	what := "passed"
	if refused {
		what = "been refused"
	}
	return took, fmt.Errorf("a call that should have %s %w exit code %d, %s%s", what, errOther, cmd.ProcessState.ExitCode(),
		clip(orText(stdout.String(), "nothing on stdout")), lastWords(stderr.String()))
}

// errOther is an answer, but another one.
var errOther = errors.New("was answered with")

// userHooks reports whether the user has hooks that run everywhere.
func (c *Checkup) userHooks() bool {
	return slices.ContainsFunc(c.active(), func(h config.Hook) bool { return h.Layer == config.LayerUser })
}

// apart are the variables that keep the user's own hooks out of the self-test.
// With HOOKWAY_HOME there is no way to: the daemon is found by it.
func (c *Checkup) apart(g *ground) []string {
	if c.Getenv("HOOKWAY_HOME") != "" {
		return nil
	}
	return []string{"XDG_CONFIG_HOME=" + filepath.Join(g.dir, "none")}
}

// expected is the answer as the agent's codec writes it.
func expected(e install.EventState, stdin []byte, refused bool) (adapter.Reply, error) {
	codec, err := adapter.Lookup(e.Codec)
	if err != nil {
		return adapter.Reply{}, err
	}
	ev, err := codec.Decode(adapter.Call{Event: e.Name, Stdin: stdin}, hook.Lookup)
	if err != nil {
		return adapter.Reply{}, err
	}
	out := hook.Outcome[any]{Payload: ev.Body(), Verdict: hook.Verdict{Event: ev.Info().Name}}
	if refused {
		out.Action, out.Reason, out.By = hook.ActionBlock, refusal, "hookway-doctor"
	}
	return codec.Encode(ev, adapter.Fit(codec.About(), ev, out, hook.ActionBlock).Outcome)
}

// alike compares two answers as JSON, where they are JSON.
func alike(got, want []byte) bool {
	if bytes.Equal(bytes.TrimSpace(got), bytes.TrimSpace(want)) {
		return true
	}
	var x, y any
	return json.Unmarshal(got, &x) == nil && json.Unmarshal(want, &y) == nil && reflect.DeepEqual(x, y)
}

// limited keeps the first part of what a program prints.
type limited struct{ bytes.Buffer }

// Write drops what is too much.
func (l *limited) Write(text []byte) (int, error) {
	if room := 64<<10 - l.Len(); room > 0 {
		_, _ = l.Buffer.Write(text[:min(room, len(text))])
	}
	return len(text), nil
}

func clip(text string) string { return visible.Clip(hook.LogLine(strings.TrimSpace(text)), 300) }

// lastWords is the end of what a program had to say.
func lastWords(said string) string {
	said = strings.TrimSpace(said)
	if said == "" {
		return ""
	}
	lines := strings.Split(said, "\n")
	return ": " + clip(strings.Join(lines[max(0, len(lines)-3):], " "))
}

// arguments are those of an installed command line, for who needs no shell.
func arguments(e install.EventState) []string {
	args := []string{e.Codec, "--event", e.Name, "--timeout", e.Timeout}
	if e.OnFailure != "" {
		args = append(args, "--on-failure", e.OnFailure)
	}
	return args
}
