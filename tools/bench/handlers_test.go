package main

import (
	"path/filepath"
	"testing"
)

func TestABenchLeavesOutWhatIsNotInstalled(t *testing.T) {
	c := contender{name: "ghost", needs: []string{"no-such-program-of-hookway"}}
	row, err := c.measure(t.Context(), filepath.Join(t.TempDir(), "ghost"), handlersPlan{runs: 1})
	if err != nil || row.Skipped != "no-such-program-of-hookway is not installed" {
		t.Errorf("got %+v, %v", row, err)
	}
}

func TestABenchMeasuresNothingThatDoesNotRefuse(t *testing.T) {
	c := contender{name: "meek", handler: "inject: hello"}
	if row, err := c.measure(t.Context(), filepath.Join(t.TempDir(), "meek"), handlersPlan{runs: 1}); err == nil {
		t.Errorf("a rule that lets everything pass was measured: %+v", row)
	}
}
