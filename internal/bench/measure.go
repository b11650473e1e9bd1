// Package bench measures what hookway costs an agent: one hook, and a turn of a
// real agent; and how well hookway's own rules judge calls. It is what hookway bench runs; tools/bench has the other
// measurements and uses its yardsticks.
package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/install"
)

// Programs are the builds under measurement: hookway, and the hookway-hook that
// belongs to it.
type Programs struct {
	Hookway, Shim string
	Version       string // of hookway; requests of another one make a daemon look for a new build
}

// FindPrograms completes the path of hookway with its hookway-hook.
func FindPrograms(hookway, version string) (Programs, error) {
	shim, err := install.FindShim(hookway)
	return Programs{Hookway: hookway, Shim: shim, Version: version}, err
}

// Folder makes a temporary folder for what is measured, under the name that
// programs in it see.
func Folder() (string, error) {
	dir, err := os.MkdirTemp("", "hookway-bench-")
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// Measure is the time that something took, over many runs.
type Measure struct {
	Name   string  `json:"name"`
	Median float64 `json:"median_ms"`
	P95    float64 `json:"p95_ms"`
	Runs   int     `json:"runs"`
}

// NewMeasure sums up the times of all runs. It sorts them.
func NewMeasure(name string, took []time.Duration) Measure {
	slices.Sort(took)
	ms := func(q float64) float64 {
		return Milliseconds(took[min(int(q*float64(len(took))), len(took)-1)])
	}
	return Measure{name, ms(0.5), ms(0.95), len(took)}
}

// Median is the middle one of the numbers, of which there must be one.
func Median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// Milliseconds is a time as reports have it.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// ResidentPeak is the most memory that a running process has held so far, in
// bytes; 0 if the system does not tell.
func ResidentPeak(pid int) int64 { return memoryOf(pid, "VmHWM") }

// memoryOf is one of the sizes that Linux tells of a running process, in bytes.
func memoryOf(pid int, name string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, name+": %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
