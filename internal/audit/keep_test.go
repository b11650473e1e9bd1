package audit

import (
	"testing"
	"time"
)

// TestALogThatKeepsLittleHasSmallFiles: files are removed whole, so a file must
// be a small part of what is kept.
func TestALogThatKeepsLittleHasSmallFiles(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		size   int64
		age    time.Duration
	}{
		"defaults": {Config{}, DefaultMaxSize, DefaultMaxAge},
		"little":   {Config{KeepSize: 1 << 20, KeepAge: 4 * time.Hour}, 256 << 10, time.Hour},
		"much":     {Config{KeepSize: 1 << 40, KeepAge: 10000 * time.Hour}, DefaultMaxSize, DefaultMaxAge},
		"said":     {Config{KeepSize: 1 << 20, MaxSize: 1 << 19, MaxAge: 5}, 1 << 19, 5},
	} {
		if got := c.config.complete(); got.MaxSize != c.size || got.MaxAge != c.age {
			t.Errorf("%s: %d bytes, %v", name, got.MaxSize, got.MaxAge)
		}
	}
}
