package main

import (
	"bufio"
	"strings"
	"testing"
)

// TestWhatATestProgramSaysIsRead, also of one that ended in the middle.
func TestWhatATestProgramSaysIsRead(t *testing.T) {
	const events = `{"Action":"start"}
{"Action":"output","Output":"-test.shuffle 7\n"}
{"Action":"run","Test":"TestA"}
{"Action":"pass","Test":"TestA","Elapsed":0.5}
{"Action":"output","Test":"TestB","Output":"    b_test.go:7: no node here\n"}
{"Action":"skip","Test":"TestB","Elapsed":0}
{"Action":"output","Test":"TestC","Output":"c_test.go:9: it is red\n"}
{"Action":"fail","Test":"TestC","Elapsed":1}
{"Action":"run","Test":"TestD"}
{"Action":"fail"}
`
	var r result
	r.read(bufio.NewReader(strings.NewReader(events)))
	states := map[string]string{}
	for _, t := range r.tests {
		states[t.name] = t.action
	}
	if !r.failed || r.passed != 1 || states["TestB"] != "skip" || states["TestC"] != "fail" || states["TestD"] != "run" {
		t.Errorf("it is read as %v, %d passed, failed %v", states, r.passed, r.failed)
	}
	if why := reason(r.tests[1].output.String()); why != "no node here" {
		t.Errorf("it was skipped because of %q", why)
	}
	if !strings.Contains(r.output, "shuffle 7") {
		t.Errorf("the order is not told: %q", r.output)
	}
}

func TestProgramsOfOneNameAreBuiltApart(t *testing.T) {
	got := batches([]program{{ImportPath: "m/a"}, {ImportPath: "m/x/a"}, {ImportPath: "m/b"}, {ImportPath: "m/y/a"}})
	if len(got) != 3 || len(got[0]) != 2 || len(got[1]) != 1 || len(got[2]) != 1 {
		t.Errorf("they are %v", got)
	}
}
