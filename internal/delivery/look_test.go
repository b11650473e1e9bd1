package delivery_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// entry is a line of a transcript, as agents write them.
func entry(t *testing.T, text string, at time.Time) string {
	t.Helper()
	e := map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}}
	if !at.IsZero() {
		e["timestamp"] = at.Format(time.RFC3339Nano)
	}
	line, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

func TestWhetherAnAgentHasAMessage(t *testing.T) {
	now := time.Now()
	marked := "Message from Bob [" + relay.Short(id) + "]: ok"
	plain := "🚨 Bob: \"Grüße\" \\ tabs\tand <so on>\nsecond"
	escaped := `{"timestamp":"` + now.Format(time.RFC3339) + `","text":"\ud83d\udea8 Bob: \"Gr\u00fc\u00DFe\" \\ tabs\tand \u003cso on\u003e\nsecond"}` + "\n"
	long := entry(t, strings.Repeat("x", 20<<20), now)
	for name, c := range map[string]struct {
		text, transcript, history string
		want                      delivery.Finding
	}{
		"no file":                   {text: marked, want: delivery.Unknown},
		"an empty file":             {text: marked, transcript: "-", want: delivery.Unknown},
		"its id":                    {text: marked, transcript: entry(t, "a", now) + entry(t, marked, now), want: delivery.Found},
		"its id in a document":      {text: marked, transcript: "{\n  \"messages\": [\n" + entry(t, marked, now) + "]}", want: delivery.Found},
		"its id after a long line":  {text: marked, transcript: long + entry(t, marked, now), want: delivery.Found},
		"another":                   {text: marked, transcript: entry(t, "Message from Bob ["+relay.Short(other)+"]: ok", now), want: delivery.Absent},
		"its letters":               {text: plain, transcript: entry(t, plain, now), want: delivery.Found},
		"its letters, escaped":      {text: plain, transcript: escaped, want: delivery.Found},
		"its letters, but long ago": {text: plain, transcript: entry(t, plain, now.Add(-time.Hour)), want: delivery.Absent},
		"its letters at no time":    {text: plain, transcript: entry(t, plain, time.Time{}), want: delivery.Unknown},
		"other letters":             {text: plain, transcript: entry(t, "something else", now), want: delivery.Absent},
		"too few letters":           {text: "go on", transcript: entry(t, "go on", now), want: delivery.Unknown},
		"the screen":                {text: marked, history: "got: " + marked + "\n", want: delivery.Found},
		"the screen, broken":        {text: marked, history: "│ Message from Bob [" + relay.Short(id)[:3] + "\n" + relay.Short(id)[3:] + "]: ok\n", want: delivery.Found},
		"the screen without it":     {text: marked, history: "nothing\n", want: delivery.Unknown},
		"the record, not the screen": {text: marked, transcript: entry(t, "a", now), history: "got: " + marked + "\n",
			want: delivery.Absent},
	} {
		a := relay.Attempt{Text: c.text, At: now}
		switch c.transcript {
		case "":
			a.Transcript = filepath.Join(t.TempDir(), "none.jsonl")
		case "-":
			a.Transcript = file(t, "t.jsonl", "")
		default:
			a.Transcript = file(t, "t.jsonl", c.transcript)
		}
		if c.history != "" {
			a.History = strings.TrimSuffix(file(t, "s.out", c.history), ".out")
		}
		if got := delivery.Look(a, id); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestADirectoryIsNoTranscript(t *testing.T) {
	a := relay.Attempt{Text: "Message from Bob [" + relay.Short(id) + "]: x", Transcript: t.TempDir(), History: t.TempDir()}
	if got := delivery.Look(a, id); got != delivery.Unknown {
		t.Errorf("it is %v", got)
	}
}

// FuzzLook: whatever is in a transcript, a message that was put there as JSON is
// found, and nothing panics.
func FuzzLook(f *testing.F) {
	f.Add(`{"a":"\ud83d\u00"}`, "some words that are long enough")
	f.Add("\\u12", "ünïcödé \\ and \"quotes\" are letters too")
	dir := f.TempDir()
	n := 0
	f.Fuzz(func(t *testing.T, noise, text string) {
		n++
		at := time.Now()
		line, err := json.Marshal(map[string]any{"timestamp": at.Format(time.RFC3339Nano), "content": text})
		if err != nil {
			t.Skip()
		}
		path := filepath.Join(dir, fmt.Sprint(os.Getpid(), "-", n))
		if err := os.WriteFile(path, []byte(noise+"\n"+string(line)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		switch delivery.Look(relay.Attempt{Text: text, Transcript: path, At: at}, id) {
		case delivery.Absent:
			t.Errorf("%q is not found in %s", text, line)
		}
	})
}
