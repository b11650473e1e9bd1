package audit

import "testing"

// What was really stopped counts: not a block that the agent could not enforce, or
// never got.
func TestStatsCountWhatWasReallyStopped(t *testing.T) {
	dir := t.TempDir()
	log := open(t, Config{Dir: dir})
	block := func(id, action string) Record {
		return Record{Event: "PreToolUse", EventID: id, Action: action, By: "h", Steps: []Step{{Hook: "h", Action: "block"}}}
	}
	stopped, lost := block("1", "block"), block("2", "block")
	for _, r := range []Record{
		stopped, lost, NewUntaken(lost, "broken pipe"), block("3", "continue"),
		NewRepeat(block("4", "block"), "1"), NewUntaken(NewRepeat(block("5", "block"), "1"), "broken pipe"),
	} {
		if err := log.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	stats, err := Summarize(dir, Filter{})
	switch {
	case err != nil:
		t.Errorf("%+v, %v", stats, err)
	case len(stats) != 1:
		t.Errorf("len(stats): got %v, want %v", len(stats), 1)
	case stats[0].Runs != 3:
		t.Errorf("stats[0].Runs: got %v, want %v", stats[0].Runs, 3)
	case stats[0].Blocks != 1:
		t.Errorf("stats[0].Blocks: got %v, want %v", stats[0].Blocks, 1)
	}
	for action, want := range map[string]int{"block": 4, "deny": 4, Untaken: 2, Repeat: 1, "continue": 1, Observed: 0} {
		n := 0
		for _, err := range Read(dir, Filter{Action: action}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != want {
			t.Errorf("%s: %d records, want %d", action, n, want)
		}
	}
}
