package main

import (
	"strings"
	"testing"
	"time"
)

// TestSince reads what people write for a time, in the time zone and the calendar of now.
func TestSince(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("there are no time zones here: ", err)
	}
	now := time.Date(2026, 3, 30, 12, 0, 0, 0, berlin) // the day after clocks went forward
	at := func(month, day, hour, minute int) time.Time {
		return time.Date(2026, time.Month(month), day, hour, minute, 0, 0, berlin)
	}
	local := func(layout, text string) time.Time {
		v, err := time.ParseInLocation(layout, text, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for text, want := range map[string]time.Time{
		"90s": now.Add(-90 * time.Second), "10m": at(3, 30, 11, 50), "2h ago": at(3, 30, 10, 0), "1h30m": at(3, 30, 10, 30), "0s": now, "36h": now.Add(-36 * time.Hour),
		"1d": at(3, 29, 12, 0), "3d": at(3, 27, 12, 0), "1w": at(3, 23, 12, 0), "2w1d": at(3, 15, 12, 0), "1d12h": at(3, 29, 12, 0).Add(-12 * time.Hour), "all": {}, "0": now,
		"2026-03-01T10:00:00Z": time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), "2026-03-01T10:00:00+02:00": time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), "2026-03-01T10:00Z": time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC),
		"2026-03-01": local(time.DateOnly, "2026-03-01"), "2026-03-01T10:00": local("2006-01-02T15:04", "2026-03-01T10:00"), "2026-03-01 10:00:05": local(time.DateTime, "2026-03-01 10:00:05"),
	} {
		if got, err := parseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "ago", "yesterday", "-3d", "3d-1h", "1.5d", "1h2d", "2026-13-01", "2026-02-30", "3", "d", "w", "99999999999d", "1e3d", "２d", "3d\n4d"} {
		if got, err := parseSince(text, now); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		}
	}
	if _, err := parseSince("999999999d", now); err == nil || !strings.Contains(err.Error(), "before 1970") {
		t.Errorf("got %v, want that nothing is as old", err)
	}
}
