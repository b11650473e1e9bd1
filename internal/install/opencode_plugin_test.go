package install_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
)

var updatePlugin = flag.Bool("update-plugin", false, "write the golden files of the plugin anew")

// stubVar, in the environment of a process of this test binary, makes it play
// hookway-hook for the plugin. Its value is what the hooks say.
const stubVar = "HOOKWAY_TEST_PLUGIN_SAYS"

// stubLog is the file to which the stub writes the calls that it gets.
const stubLog = "HOOKWAY_TEST_PLUGIN_LOG"

func init() {
	if says := os.Getenv(stubVar); says != "" {
		os.Exit(playShim(says))
	}
}

// streamVar has the stub answer as a stream too; without it, it ends at once when it
// is to be one, as an older hookway-hook does.
const streamVar = "HOOKWAY_TEST_PLUGIN_STREAMS"

// playStream answers one event after another: so many of them, then it dies.
func playStream(says string, most int) int {
	var head [3]uint32
	for range most {
		if binary.Read(os.Stdin, binary.BigEndian, &head) != nil {
			return 0
		}
		text := make([]byte, head[1]+head[2])
		if _, err := io.ReadFull(os.Stdin, text); err != nil {
			return 1
		}
		reply, err := decide(says, adapter.Call{Event: string(text[:head[1]]), Stdin: text[head[1]:]})
		how := uint32(0)
		if err != nil {
			how = 3
		}
		_ = binary.Write(os.Stdout, binary.BigEndian, []uint32{head[0], how, uint32(len(reply.Stdout))}) //nolint:gosec // small
		_, _ = os.Stdout.Write(reply.Stdout)
	}
	return 1
}

// playShim is hookway-hook with the real codec and one hook.
func playShim(says string) int {
	log, err := os.OpenFile(os.Getenv(stubLog), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	if os.Args[2] == "--stream" {
		_ = log.Close()
		most, _ := strconv.Atoi(os.Getenv(streamVar))
		return playStream(says, most)
	}
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	fmt.Fprintln(log, strings.Join(os.Args[1:], " "))
	_ = log.Close()
	switch says {
	case "garbage":
		fmt.Print("hello\n{}")
		return 0
	case "a text":
		fmt.Print(`"block"`)
		return 0
	case "nothing":
		return 0
	case "crash":
		fmt.Fprint(os.Stderr, "it broke")
		return 3
	case "refuse":
		fmt.Fprint(os.Stderr, "no, by the exit code")
		return 2
	case "hang":
		hang()
	}
	reply, err := decide(says, adapter.Call{Event: os.Args[3], Stdin: stdin})
	if err != nil {
		fmt.Fprint(os.Stderr, err)
		return 1
	}
	_, _ = os.Stdout.Write(reply.Stdout)
	return 0
}

// hang waits to be killed, as it is; if its killer is gone, it ends.
func hang() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	select {
	case <-stop:
	case <-time.After(time.Minute):
	}
}

func decide(says string, c adapter.Call) (adapter.Reply, error) {
	codec := adapter.OpenCode{}
	ev, err := codec.Decode(c, nil)
	if err != nil {
		return adapter.Reply{}, err
	}
	var engine hook.Engine
	handler := hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) { return decision(says, ev), nil })
	if err := engine.Add(hook.New("h", handler, hook.For("*"))); err != nil {
		return adapter.Reply{}, err
	}
	out, err := engine.Fire(context.Background(), ev)
	if err != nil {
		return adapter.Reply{}, err
	}
	return codec.Encode(ev, adapter.Fit(codec.About(), ev, out, hook.ActionBlock).Outcome)
}

func decision(says string, ev hook.AnyEvent) hook.Decision {
	switch says {
	case "block":
		return hook.Decision{Action: hook.ActionBlock, Reason: "it is not fine", UserMessage: "blocked"}
	case "inject":
		return hook.Inject("mind the gap")
	case "change":
		switch p := ev.Body().(type) {
		case hook.ToolUse:
			p.ToolInput = map[string]any{"command": "ls"}
			return hook.Change(p)
		case hook.ToolResult:
			p.ToolResponse.Output = "[redacted]"
			return hook.Change(p)
		case hook.AgentRun:
			p.Prompt = "Look around."
			return hook.Change(p)
		case hook.Generation:
			p.SystemPrompt = "Be careful."
			return hook.Change(p)
		case hook.GenerationResult:
			p.ResponseText = "[redacted]"
			return hook.Change(p)
		}
	}
	return hook.Continue()
}

// node gives the path of node, or skips the test.
func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the plugin for OpenCode was not run")
	}
	return path
}

// play runs the plugin, with the settings, and gives what the harness printed and
// how the shim was called.
func play(t *testing.T, says string, settings map[string]any, env ...string) (printed, called string) {
	t.Helper()
	return playIn(t, env, says, settings)
}

// playCopies runs as many copies of the plugin in one process as there are settings.
func playCopies(t *testing.T, says string, each ...map[string]any) (printed, called string) {
	t.Helper()
	return playIn(t, nil, says, each...)
}

func playIn(t *testing.T, env []string, says string, each ...map[string]any) (printed, called string) {
	t.Helper()
	bin := node(t)
	plugin, err := os.ReadFile("opencode/hookway.js")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	var files []string
	asked := false // whether one of them can ask
	for i, settings := range each {
		all := map[string]any{"shim": self, "timeout": "60s", "timeoutMs": 60000, "onFailure": ""}
		for key, value := range settings {
			all[key] = value
		}
		asked = asked || settings["shim"] == nil
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		filled := bytes.Replace(plugin, []byte("/*HOOKWAY*/ {}"), text, 1)
		if bytes.Equal(filled, plugin) {
			t.Fatal("the plugin has no place for the settings")
		}
		file := filepath.Join(dir, fmt.Sprintf("hookway%d.mjs", i))
		if err := os.WriteFile(file, filled, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	harness, err := filepath.Abs("testdata/plugin/harness.mjs")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, append([]string{harness}, files...)...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), stubVar+"="+says, stubLog+"="+log, "GORACE=atexit_sleep_ms=0"), env...) // by default a second for each process
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	calls, err := os.ReadFile(log)
	if err != nil && asked {
		t.Fatal(err)
	}
	return string(out), string(calls)
}

func TestTheOpenCodePluginObeys(t *testing.T) {
	for _, says := range []string{"continue", "block", "inject", "change"} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			got, called := play(t, says, nil)
			file := "testdata/plugin/" + says + ".golden"
			if *updatePlugin {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			for line := range strings.Lines(called) {
				if !regexp.MustCompile(`^opencode --event [a-z.]+ --timeout 60s\n$`).MatchString(line) {
					t.Errorf("the shim was called with %q", line)
				}
			}
		})
	}
}

// TestTheOpenCodePluginAsksOneStream: every answer is obeyed as that of a process of
// its own, and none is started for an event that the stream answers. One that dies
// leaves nothing unasked.
func TestTheOpenCodePluginAsksOneStream(t *testing.T) {
	for _, says := range []string{"continue", "block", "inject", "change"} {
		for most, alone := range map[string]int{"1000": 0, "7": 3} { // of 20 events, and one for each death
			t.Run(says+" "+most, func(t *testing.T) {
				t.Parallel()
				got, called := play(t, says, nil, streamVar+"="+most)
				want, err := os.ReadFile("testdata/plugin/" + says + ".golden")
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if n := strings.Count(called, "\n"); n > alone {
					t.Errorf("%d processes of their own:\n%s", n, called)
				}
			})
		}
	}
}

// TestTheOpenCodePluginListensToItsTable: to every event that the codec lists, but
// for those that it says it does not listen to.
func TestTheOpenCodePluginListensToItsTable(t *testing.T) {
	_, called := play(t, "continue", nil)
	for _, e := range (adapter.OpenCode{}).About().Events {
		never := e.Name == "permission.ask" || e.Name == "tool.definition" || e.Name == "config"
		if heard := strings.Contains(called, "--event "+e.Name+" "); heard == never {
			t.Errorf("%s: heard %v", e.Name, heard)
		}
	}
}

// TestWithoutAnAnswerThePluginStopsWhatGates: whatever became of hookway-hook.
func TestWithoutAnAnswerThePluginStopsWhatGates(t *testing.T) {
	gates := []string{"chat.message", "command.execute.before", "tool.execute.before"}
	stoppable := append([]string{"experimental.chat.system.transform"}, gates...)
	for _, c := range []struct {
		says, why string
		settings  map[string]any
	}{
		{"garbage", "no JSON object", nil},
		{"a text", "no JSON object", nil},
		{"nothing", "no JSON object", nil},
		{"crash", "exit code 3: it broke", nil},
		{"hang", "no answer within", map[string]any{"timeout": "1s", "timeoutMs": 200}},
		{"continue", "ENOENT", map[string]any{"shim": filepath.Join("nowhere", "hookway-hook")}},
	} {
		for _, policy := range []string{"", "block", "continue"} {
			if c.says == "hang" && policy != "" {
				continue // it is slow, and the policy does not look at why
			}
			t.Run(c.why+" "+c.says+" "+policy, func(t *testing.T) {
				t.Parallel()
				if runtime.GOOS == "windows" && c.says == "continue" {
					t.Skip("another message there")
				}
				settings := map[string]any{"onFailure": policy}
				for key, value := range c.settings {
					settings[key] = value
				}
				got, _ := play(t, c.says, settings)
				for line := range strings.Lines(got) {
					name, rest, _ := strings.Cut(line, " ")
					if name == "hooks" || name == "toasts" || strings.Contains(rest, "passes") {
						continue
					}
					stopped := strings.HasPrefix(rest, "throws ")
					want := policy == "" && slices.Contains(gates, name) || policy == "block" && slices.Contains(stoppable, name)
					if stopped != want {
						t.Errorf("got %s %s, want stopped == want", name, rest)
					}
					if stopped && !strings.Contains(rest, c.why) {
						t.Errorf("%s does not say why: %s", name, rest)
					}
				}
			})
		}
	}
}

// TestTwoCopiesOfThePluginAskOnce: the user's and the project's. The second would
// see what the first has changed, and have it changed again.
func TestTwoCopiesOfThePluginAskOnce(t *testing.T) {
	for _, says := range []string{"inject", "change"} {
		one, called := play(t, says, nil)
		two, again := playCopies(t, says, nil, nil)
		if one != two {
			t.Errorf("%s: one copy\n%s\ntwo\n%s", says, one, two)
		}
		if strings.Count(called, "\n") != strings.Count(again, "\n") {
			t.Errorf("%s: two copies ask\n%swhere one asks\n%s", says, again, called)
		}
	}
}

// TestASecondCopyAsksIfTheFirstCannot: what the first lets pass unasked is judged.
func TestASecondCopyAsksIfTheFirstCannot(t *testing.T) {
	got, _ := playCopies(t, "block", map[string]any{"shim": filepath.Join("nowhere", "hookway-hook"), "onFailure": "continue"}, nil)
	if !strings.Contains(got, "tool.execute.before throws it is not fine\n") {
		t.Errorf("got %v, want strings.Contains(got, \"tool.execute.before throws it is not fine\\n\")", got)
	}
}

func TestThePluginTakesExitCode2ForARefusal(t *testing.T) {
	got, _ := play(t, "refuse", nil)
	if !strings.Contains(got, "tool.execute.before throws no, by the exit code\n") {
		t.Errorf("got %v, want strings.Contains(got, \"tool.execute.before throws no, by the exit code\\n\")", got)
	}
}
