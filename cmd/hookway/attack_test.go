package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheWaysOfTheDocsAreTried holds docs/approvals.md to what is tried: each way that a
// story or a test of package owner tries stands there, and no other.
func TestTheWaysOfTheDocsAreTried(t *testing.T) {
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tried := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# ([a-z].*)$`).FindAllStringSubmatch(read("testdata", "script", "attack.txtar"), -1) {
		tried[m[1]] = false
	}
	for _, m := range regexp.MustCompile(`(?m)^\t\t"([a-z][^"]+)": +\{line: `).FindAllStringSubmatch(read("..", "..", "internal", "owner", "attack_linux_test.go"), -1) {
		tried[m[1]] = false
	}
	tried["press keys there with `send-keys`"] = false                     // TestOnlyKeysAnswerInTmux
	tried["leave behind what types into its own terminal"] = false         // TestWhatAnAgentLeftInATerminal
	tried["attach a debugger to your shell, and have that answer"] = false // TestADebuggerOfAnAgent
	if len(tried) < 40 {
		t.Errorf("%d ways are tried, want 40 at least", len(tried))
	}
	_, page, _ := strings.Cut(read("..", "..", "docs", "approvals.md"), "| the agent tries to |")
	page, _, _ = strings.Cut(page, "\n\n")
	for _, row := range strings.Split(page, "\n")[2:] {
		for way := range strings.SplitSeq(strings.Split(row, " | ")[1], "; ") {
			way = strings.TrimSuffix(way, " |")
			if _, ok := tried[way]; !ok {
				t.Errorf("nothing tries: %s", way)
			}
			tried[way] = true
		}
	}
	for way, told := range tried {
		if !told {
			t.Errorf("docs/approvals.md does not tell: %s", way)
		}
	}
}
