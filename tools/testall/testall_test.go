package main

import (
	"bufio"
	"maps"
	"reflect"
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
	got := map[string]string{}
	for _, t := range r.tests {
		got[t.name] = t.action
	}
	want := map[string]string{"TestA": "pass", "TestB": "skip", "TestC": "fail", "TestD": "run"}
	if !r.failed || r.passed != 1 || !maps.Equal(got, want) {
		t.Errorf("got %v, %d passed, failed %v, want %v, 1 and true", got, r.passed, r.failed, want)
	}
	if why := reason(r.tests[1].output.String()); why != "no node here" {
		t.Errorf("it was skipped because of %q", why)
	}
	if !strings.Contains(r.output, "shuffle 7") {
		t.Errorf("the order is not told: %q", r.output)
	}
}

func TestProgramsOfOneNameAreBuiltApart(t *testing.T) {
	a, b, xa, ya := program{ImportPath: "m/a"}, program{ImportPath: "m/b"}, program{ImportPath: "m/x/a"}, program{ImportPath: "m/y/a"}
	stories := program{ImportPath: "m/cmd/hookway"}
	got, want := batches([]program{a, stories, xa, b, ya}, options{race: true}), [][]program{{a, b}, {stories}, {xa}, {ya}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
