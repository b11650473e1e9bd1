package session

import (
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/terminal"
)

func TestOutboxJoinsLines(t *testing.T) {
	type lines = []terminal.Line
	tests := map[string]struct {
		lines lines
		want  hook.OutputText
		any   bool
	}{
		"nothing":            {nil, hook.OutputText{Complete: true}, false},
		"one line":           {lines{{Text: "a"}}, hook.OutputText{Text: "a", Complete: true}, true},
		"an empty line":      {lines{{Text: ""}}, hook.OutputText{Complete: true}, true},
		"empty lines count":  {lines{{Text: ""}, {Text: "a"}, {Text: ""}}, hook.OutputText{Text: "\na\n", Complete: true}, true},
		"an unfinished line": {lines{{Text: "a"}, {Text: "b", Partial: true}}, hook.OutputText{Text: "a\nb"}, true},
		"and its end":        {lines{{Text: "b", Partial: true}, {Text: "bc", Seen: 1}}, hook.OutputText{Text: "bc", Complete: true}, true},
		"and only its end":   {lines{{Text: "b", Partial: true}, {Text: "b", Seen: 1}, {Text: "c"}}, hook.OutputText{Text: "b\nc", Complete: true}, true},
		"a late line end":    {lines{{Text: "b", Seen: 1}}, hook.OutputText{Complete: true}, true},
		"a line after it":    {lines{{Text: "b", Partial: true}, {Text: "c"}}, hook.OutputText{Text: "b\nc", Complete: true}, true},
		"the rest of a line": {lines{{Text: "bc", Seen: 1}}, hook.OutputText{Text: "c", Complete: true}, true},
		"echo":               {lines{{Text: "typed", Echo: true}}, hook.OutputText{Complete: true}, false},
		"drawn":              {lines{{Text: "d", Drawn: true}}, hook.OutputText{Text: "d", Complete: true}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := newOutbox()
			o.add(test.lines)
			if got, any, last := o.take(); got != test.want || any != test.any || last {
				t.Errorf("got %+v, %t, %t; want %+v, %t", got, any, last, test.want, test.any)
			}
			if again, any, _ := o.take(); any {
				t.Errorf("there is more: %+v", again)
			}
		})
	}
}

func TestOutboxHoldsOneMebibyte(t *testing.T) {
	o := newOutbox()
	line := terminal.Line{Text: string(make([]byte, 1<<10))}
	for range 2 << 10 {
		o.add([]terminal.Line{line})
	}
	out, _, _ := o.take()
	if len(out.Text) > outboxBound || len(out.Text) < outboxBound-2*len(line.Text) {
		t.Errorf("it holds %d bytes", len(out.Text))
	}
	if kept := int64(len(out.Text)+1) / 1025; o.droppedLines() != 2<<10-kept {
		t.Errorf("%d lines were kept and %d dropped", kept, o.droppedLines())
	}
	o.add([]terminal.Line{line})
	if out, any, _ := o.take(); !any || out.Text != line.Text {
		t.Error("after it was emptied it takes no more")
	}
}

// While the hooks are not asked, what is added waits; but not what would be dropped, nor
// the end.
func TestOutboxRests(t *testing.T) {
	now := make(chan time.Time, 1)
	o := newOutbox()
	rested := func(what string, next <-chan time.Time) {
		t.Helper()
		o.rest(t.Context(), next)
		select {
		case <-o.wake:
		default:
			t.Errorf("%s: nothing is woken", what)
		}
	}
	o.back()
	o.add([]terminal.Line{{Text: "a"}})
	if len(o.wake) > 0 {
		t.Error("a line that may wait wakes")
	}
	now <- time.Time{}
	rested("its time has come", now)
	if out, _, _ := o.take(); out.Text != "a" {
		t.Errorf("it has %q", out.Text)
	}
	o.back()
	go o.add([]terminal.Line{{Text: "b"}, {Text: string(make([]byte, outboxFull))}})
	rested("much waits", nil)
	o.take()
	o.back()
	go o.close()
	rested("it is closed", nil)
	if _, any, last := o.take(); any || !last {
		t.Error("it is not the end")
	}
}
