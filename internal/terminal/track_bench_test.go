package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Plain output, as of a build or a log.
func BenchmarkPlainOutput(b *testing.B) {
	benchmarkOutput(b, []byte(strings.Repeat("2026-01-02T03:04:05 info: \x1b[32mcompiled\x1b[0m some/path/of/a/file.go in 12 ms\r\n", 500)))
}

// A program that paints as fast as it can.
func BenchmarkPaintedOutput(b *testing.B) {
	var screen bytes.Buffer
	for i := range 40 {
		fmt.Fprintf(&screen, "\x1b[%d;1H\x1b[38;5;%dmrow %d of what the program shows, with some words\x1b[K\x1b[m", i+1, i, i)
	}
	benchmarkOutput(b, screen.Bytes())
}

func benchmarkOutput(b *testing.B, text []byte) {
	tr := tracker{cols: 120, rows: 40, typed: newTyped()}
	defer tr.close()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	now := time.Now()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		tr.feed(text, now, nil)
	}
}

func BenchmarkScreen(b *testing.B) {
	tr := tracker{cols: 120, rows: 40, typed: newTyped()}
	defer tr.close()
	tr.feed([]byte("\x1b[H"+strings.Repeat("some words of a line\r\n", 39)), time.Now(), nil)
	b.ReportAllocs()
	for b.Loop() {
		tr.fresh = false
		tr.screen()
	}
}
