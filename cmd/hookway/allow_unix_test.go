//go:build unix

package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestAnAllowedCallPassesOnce has an agent's hook stop a call, with a daemon and without,
// and a person let it through: of several that ask at once, one gets it.
func TestAnAllowedCallPassesOnce(t *testing.T) {
	for name, daemon := range map[string]bool{"daemon": true, "alone": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := startUnwrapped(t, daemon, "hooks: []\n")
			g.env = append(g.env, storyRoot+"="+strconv.Itoa(os.Getpid()))
			g.place("home/config/hookway.yaml", []byte("guards: {use: default, mode: enforce}\n"))
			push := func() *exec.Cmd {
				return g.shim("PreToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "git push --force origin main"})
			}
			code := func(answer string) string {
				found := offered.FindStringSubmatch(answer)
				if found == nil || !strings.Contains(answer, `"deny"`) {
					t.Fatalf("the call is not stopped with a code: %s", answer)
				}
				return found[1]
			}
			out, err := push().Output()
			g.must(err)
			first := code(string(out))
			shown, err := atTerminal(g.hookway("allow", first), "y")
			if err != nil || !strings.Contains(shown, "Allowed once") {
				t.Fatalf(`%v: got %s, want err == nil and strings.Contains(shown, "Allowed once")`, err, shown)
			}
			var mu sync.Mutex
			var wg sync.WaitGroup
			passed, codes := 0, map[string]bool{}
			for range 4 {
				cmd := push()
				wg.Go(func() {
					out, err := cmd.Output()
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err != nil:
						t.Error(err)
					case !strings.Contains(string(out), `"deny"`):
						passed++
					default:
						codes[offered.FindString(string(out))] = true
					}
				})
			}
			wg.Wait()
			if passed != 1 || len(codes) > 2 { // that of before, if they came first, and a new one
				t.Errorf("%d calls pass, want 1; codes %v", passed, codes)
			}
		})
	}
}
