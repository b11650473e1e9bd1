package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// keys is a tool call whose input has so many keys.
func keys(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"`)
	for range n {
		b.WriteString(`,"k":1`)
	}
	b.WriteString("}}")
	return []byte(b.String())
}

func TestValuesOfAnEventAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		text []byte
		want string // of the error
	}{
		"as many as may be": {keys(MaxValues - 10), ""},
		"too many":          {keys(MaxValues), "more than 50000 values"},
		"a million":         {keys(1_000_000), "more than 50000 values"},
		"a long list":       {[]byte("[" + strings.Repeat("0,", MaxValues) + "0]"), "more than 50000 values"},
		"commas in a text":  {[]byte(`{"a":"` + strings.Repeat(`,{[\"`, MaxValues) + `"}`), ""},
		"deep":              {[]byte(strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)), "nested deeper than 1000"},
		"no JSON":           {[]byte(strings.Repeat("{", 1<<20)), "nested deeper than 1000"},
	} {
		err := Bounded(c.text)
		if (err == nil) != (c.want == "") || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// What is too much is not looked at to its end: it costs the same however long it is.
func TestTooMuchIsNotCountedToItsEnd(t *testing.T) {
	text := keys(1_000_000)
	if _, values := weigh(text, MaxValues); values != MaxValues+1 {
		t.Errorf("%d values were counted", values)
	}
	least := 1.0
	for range 5 { // of which some may count what else runs in the process
		least = min(least, testing.AllocsPerRun(1, func() { _, _ = weigh(text, MaxValues) }))
	}
	if least > 0 {
		t.Errorf("%v allocations", least)
	}
	if _, err := NewEvent(hook.PreToolUse.Info(), text); err == nil || !strings.Contains(err.Error(), "more than 200000 values") {
		t.Errorf("an event of a million: %v", err)
	}
}
