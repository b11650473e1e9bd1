//go:build unix

package public

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// enoughPlugins is how many of the plugins must load and decide.
const enoughPlugins = 0.85

// occasions are what a plugin is asked at.
var occasions = []struct{ event, payload string }{
	{"SessionStart", `{"source":"startup"}`},
	{"AgentStart", `{"prompt":"list the files"}`},
	{"PreToolUse", `{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"ls"}}`},
	{"PostToolUse", `{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"ls"},"tool_response":{"success":true,"output":"a b"}}`},
	{"MessageReceived", `{"from":"user","content":"hello"}`},
	{"MessageSending", `{"to":"user","content":"hello"}`},
	{"AgentStop", `{"last_message":"done","success":true}`},
	{"SessionEnd", `{"reason":"clear"}`},
}

// TestPublicPlugins loads each published plugin, and asks its hooks: none may fail.
func TestPublicPlugins(t *testing.T) {
	bin, cache := os.Getenv("HOOKWAY_PLUGINS_BIN"), os.Getenv("HOOKWAY_PLUGINS_CACHE")
	if bin == "" || cache == "" {
		t.Skip("tools/public-plugins.sh brings the plugins")
	}
	list, err := os.ReadFile("testdata/plugins.txt")
	check(t, err)
	good, all := 0, 0
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if len(words) != 3 || words[0] == "#" {
			continue
		}
		dir := filepath.Join(cache, strings.ReplaceAll(words[0], "/", "+"), "node_modules", words[0])
		if _, err := os.Stat(dir); err != nil {
			t.Logf("%s cannot be had here", words[0])
			continue
		}
		all++
		said, err := tryPlugin(t, filepath.Join(bin, "hookway"), dir, words[2])
		if err == nil {
			good++
			t.Logf("%s: %s", words[0], said)
		} else {
			t.Logf("%s: FAILS: %v", words[0], err)
		}
	}
	t.Logf("proof: %d of %d plugins load and decide", good, all)
	if all == 0 || float64(good) < enoughPlugins*float64(all) {
		t.Errorf("%d of %d, want %.0f %%", good, all, enoughPlugins*100)
	}
}

// tryPlugin says what a plugin registers, when it has been asked at each occasion.
func tryPlugin(t *testing.T, hookway, dir, settings string) (string, error) {
	ws := t.TempDir()
	entry := fmt.Sprintf("hooks:\n  - {id: p, script: %q, allow: [exec, read, write, net]", dir)
	if settings != "-" {
		entry += ", config: " + settings
	}
	check(t, os.WriteFile(filepath.Join(ws, "hookway.yaml"), []byte(entry+"}\n"), 0o644))
	run := func(stdin string, args ...string) ([]byte, error) {
		cmd := exec.Command(hookway, append(args, "--json")...)
		if args[0] == "fire" {
			cmd.Args = cmd.Args[:len(cmd.Args)-1]
		}
		cmd.Dir, cmd.Stdin = ws, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "HOME="+ws, "HOOKWAY_HOME="+filepath.Join(ws, ".hw"), "HOOKWAY_TRUST=1")
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 2 { // a block is a decision
			err = nil
		}
		return out, err
	}
	out, err := run("", "list")
	var listed struct {
		Hooks    []struct{ ID string }
		Problems []struct{ Message string }
	}
	if json.Unmarshal(out, &listed) != nil {
		return "", fmt.Errorf("list says %s: %w", out, err)
	}
	if len(listed.Hooks) == 0 {
		if len(listed.Problems) > 0 {
			return "", errors.New(listed.Problems[0].Message)
		}
		return "", errors.New("it registers no hook")
	}
	for _, o := range occasions {
		out, err := run(o.payload, "fire", o.event, "-f", "-")
		var fired struct {
			Steps []struct{ Hook, Error string }
		}
		if json.Unmarshal(out, &fired) != nil {
			return "", fmt.Errorf("fire %s says %s: %w", o.event, out, err)
		}
		for _, s := range fired.Steps {
			if s.Error != "" {
				return "", fmt.Errorf("%s fails at %s: %s", s.Hook, o.event, s.Error)
			}
		}
	}
	return fmt.Sprintf("%d hooks", len(listed.Hooks)), nil
}
