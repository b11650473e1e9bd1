package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
)

// TestHostileFilesAreReadInBoundedTime reads files that would take hours, or all
// memory, without bounds. The bound here is for a machine that does much else.
func TestHostileFilesAreReadInBoundedTime(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("hooks:\n  - answer:\n      l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&bomb, "      l%d: &l%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d, ", i-1), 10), ", "))
	}
	var merges strings.Builder
	merges.WriteString("x0: &x0 {a: 1}\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&merges, "x%d: &x%d {<<: [%s]}\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d, ", i-1), 10), ", "))
	}
	merges.WriteString("hooks:\n  - <<: *x29\n")
	var keys strings.Builder
	for i := 0; keys.Len() < strict.MaxFile-100; i++ {
		fmt.Fprintf(&keys, "k%d:\n", i)
	}
	for name, text := range map[string]string{
		"aliases":      bomb.String(),
		"merges":       merges.String(),
		"unknown keys": keys.String(),
		"same keys":    strings.Repeat("hooks:\n", strict.MaxFile/8),
		"one key":      strings.Repeat("k", strict.MaxFile-10) + ": 1\n",
		"open lists":   strings.Repeat("[", strict.MaxFile),
		"open maps":    strings.Repeat("{a: ", strict.MaxFile/4),
		"braces":       "hooks: [{match: {path: '" + strings.Repeat("{a,b}", 10_000) + "'}}]",
		"regex":        "hooks: [{match: {command: '" + strings.Repeat("(", 100_000) + "'}}]",
		"dashes":       strings.Repeat("- ", strict.MaxFile/2),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, problems := parse("f.yaml", []byte(text), new(hook.Engine))
			if took := time.Since(began); took > 2*time.Minute {
				t.Errorf("it took %v", took)
			}
			if n := len(problems); n == 0 || n > strict.MaxProblems+1 {
				t.Errorf("%d problems", n)
			}
			checkPlaces(t, []byte(text), problems)
		})
	}
}
