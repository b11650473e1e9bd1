package logline

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
)

func TestARecordIsALine(t *testing.T) {
	var got []string
	log := New(func(line string) { got = append(got, line) })
	log.Warn("the relay cannot be started", Err, errors.New("no space\nleft"), "again", "30s")
	log.Info("listening", "at", "127.0.0.1:7421", "token", "in a file")
	log.Debug("not shown")
	log.With("hook", "audit").WithGroup("of").Info("gone", "lease", "1m", Err, errors.New("over"))
	log.Info("\x1b[31mred", "password", "hunter2hunter2")
	Or(log).Info("the same")
	Or(nil).Info("dropped")
	want := []string{
		"the relay cannot be started again=30s: no space left",
		`listening at=127.0.0.1:7421 token="in a file"`,
		"gone hook=audit of.lease=1m: over",
		"[31mred [redacted]",
		"the same",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestItIsAHandler: what the standard library asks of a handler, as far as lines show it.
func TestItIsAHandler(t *testing.T) {
	var line string
	slogtest.Run(t, func(t *testing.T) slog.Handler {
		line = ""
		if strings.Contains(t.Name(), "zero-time") || strings.Contains(t.Name(), "built-ins") {
			t.Skip("lines have no time and no level: the file that they stand in has")
		}
		return New(func(l string) { line = l }).Handler()
	}, func(t *testing.T) map[string]any { return parsed(line) })
}

// parsed makes of a line what slogtest looks at.
func parsed(line string) map[string]any {
	out := map[string]any{slog.TimeKey: 0, slog.LevelKey: 0}
	var message []string
	for word := range strings.FieldsSeq(line) {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			message = append(message, word)
			continue
		}
		at := out
		for group, rest, more := strings.Cut(key, "."); more; group, rest, more = strings.Cut(key, ".") {
			inner, _ := at[group].(map[string]any)
			if inner == nil {
				inner = map[string]any{}
				at[group] = inner
			}
			at, key = inner, rest
		}
		at[key] = value
	}
	out[slog.MessageKey] = strings.Join(message, " ")
	return out
}
