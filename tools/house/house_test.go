package main

import "testing"

func TestUpwardCountsWhatRunsAgainstMostArrows(t *testing.T) {
	for _, c := range []struct {
		name string
		uses map[string]map[string]bool
		want int
	}{
		{"nothing", nil, 0},
		{"a stair", map[string]map[string]bool{"a": {"b": true, "c": true}, "b": {"c": true}}, 0},
		{"against the alphabet", map[string]map[string]bool{"c": {"b": true, "a": true}, "b": {"a": true}}, 0},
		{"one back", map[string]map[string]bool{"a": {"b": true, "c": true}, "b": {"c": true}, "c": {"a": true}}, 1},
		{"two pairs", map[string]map[string]bool{"a": {"b": true}, "b": {"a": true, "c": true}, "c": {"b": true}}, 2},
	} {
		if got := upward(c.uses); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestCodeIsToldFromComments(t *testing.T) {
	var f file
	f.count([]byte("// Package x.\npackage x\n\nvar a = `one\n// two\n` // three\n\n/* four\nfive */\n"))
	if f.code != 4 || f.comments != 3 {
		t.Errorf("got %d lines of code and %d of comments, want 4 and 3", f.code, f.comments)
	}
}
