package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// open opens a log that is closed with the test.
func open(t testing.TB, c Config) *Log {
	t.Helper()
	l, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return l
}

// fill makes a log with n records and closes it.
func fill(t testing.TB, c Config, n int) {
	t.Helper()
	l, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		add(t, l, sample(i))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func sample(i int) Record {
	return Record{
		Event: "PreToolUse", EventID: fmt.Sprintf("e-%d", i), Session: "s-1", Agent: "claude", Tool: "Bash", ToolUseID: fmt.Sprintf("t-%d", i),
		ToolInput: map[string]any{"command": fmt.Sprintf("go test ./room%d", i), "timeout": 30000}, What: fmt.Sprintf("go test ./room%d", i),
		Action: "block", Reason: "not now", By: "guard", DurationMS: 1.25,
		Steps: []Step{{Hook: "guard", Lane: "guard", Action: "block", Reason: "not now", DurationMS: 1}},
	}
}

func add(t testing.TB, l *Log, r Record) {
	t.Helper()
	if err := l.Append(context.Background(), r); err != nil {
		t.Fatal(err)
	}
}

// read gives all records, and the damaged lines.
func read(t testing.TB, dir string, f Filter) (records []Record, damages []*Damage) {
	t.Helper()
	for r, err := range Read(dir, f) {
		var d *Damage
		switch {
		case errors.As(err, &d):
			damages = append(damages, d)
		case err != nil:
			t.Fatal(err)
		default:
			records = append(records, r)
		}
	}
	return records, damages
}

func verify(t testing.TB, dir string) Report {
	t.Helper()
	report, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// sound fails the test unless the log verifies.
func sound(t testing.TB, dir string) Report {
	t.Helper()
	report := verify(t, dir)
	for _, p := range report.Problems {
		t.Errorf("verify: %v", p)
	}
	return report
}

// files gives the paths of a log's files.
func files(t testing.TB, dir string) []string {
	t.Helper()
	names, err := fileNames(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func put(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
