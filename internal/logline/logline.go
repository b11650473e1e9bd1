// Package logline writes what is logged as lines of text.
//
// The rooms of hookway log with a [slog.Logger]. What a person reads, in daemon.log or
// on a terminal, is one line for each record: the message, an error after a colon, and
// all other attributes as key=value. No line has control characters or credentials in
// it, and none is longer than 500 bytes, whatever was logged.
package logline

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Err is the key of an error, which stands behind a colon and without its key.
const Err = "err"

// New returns a logger that calls write with each line, from many goroutines. Records
// below [slog.LevelInfo] are dropped.
func New(write func(line string)) *slog.Logger { return slog.New(&handler{write: write}) }

// Or returns the logger, or one that drops everything if it is nil.
func Or(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// handler is the handler of New.
type handler struct {
	write func(line string)
	attrs []slog.Attr // of With, with their groups in their keys
	group string      // of WithGroup, with a dot at the end
}

func (h *handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Message)
	var failed string
	add := func(a slog.Attr) {
		if a.Key == Err {
			failed += ": " + a.Value.Resolve().String()
			return
		}
		fmt.Fprintf(&b, " %s=%s", a.Key, quoted(a.Value.Resolve().String()))
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(func(a slog.Attr) bool {
		for _, a := range h.within([]slog.Attr{a}) {
			add(a)
		}
		return true
	})
	h.write(hook.LogLine(b.String() + failed))
	return nil
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{write: h.write, attrs: append(h.attrs[:len(h.attrs):len(h.attrs)], h.within(attrs)...), group: h.group}
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{write: h.write, attrs: h.attrs, group: h.group + name + "."}
}

// within gives attributes the name of the group in front, and takes groups apart.
func (h *handler) within(attrs []slog.Attr) (out []slog.Attr) {
	for _, a := range attrs {
		if a.Value = a.Value.Resolve(); a.Value.Kind() == slog.KindGroup {
			inner := &handler{group: h.group}
			if a.Key != "" {
				inner.group += a.Key + "."
			}
			out = append(out, inner.within(a.Value.Group())...)
			continue
		}
		if a.Key != Err {
			a.Key = h.group + a.Key
		}
		if !a.Equal(slog.Attr{}) {
			out = append(out, a)
		}
	}
	return out
}

// quoted is a value as it stands in a line: in quotes if it would not be one word.
func quoted(value string) string {
	if value == "" || strings.ContainsAny(value, " \"=\n\t") {
		return strconv.Quote(value)
	}
	return value
}
