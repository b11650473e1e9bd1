package script

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAScriptThatCannotBeReadFailsAtOnce: what a loop at the top level cost once, the
// next events do not pay, in this process and in others, until the script changes or a
// while has passed. Each of them fails.
func TestAScriptThatCannotBeReadFailsAtOnce(t *testing.T) {
	dir := files(t, map[string]string{"hook.ts": "for (let i = 0; ; i++) Math.random();\nexport default () => {};\n", "late.ts": "setInterval(() => {}, 1000);\nawait new Promise(() => {});\nexport default () => {};\n"})
	for file, want := range map[string]string{"hook.ts": "hook.ts:1:", "late.ts": "did not come"} {
		t.Run(file, func(t *testing.T) {
			cache := filepath.Join(t.TempDir(), "script")
			open := func() *Handler {
				b, err := Build(filepath.Join(dir, file), "")
				if err != nil {
					t.Fatal(err)
				}
				p := Open(b, Config{Cache: cache})
				p.loadTime, p.retryFirst, p.retryRead = 200*time.Millisecond, time.Hour, time.Hour
				defer p.Close()
				h := p.Handler(Main, Options{})
				t.Cleanup(func() { _ = h.Close() })
				return h
			}
			ask := func(h *Handler) error {
				_, err := h.Handle(context.Background(), bash("x"))
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("it gave %v", err)
				}
				return err
			}
			h := open()
			if err := ask(h); errors.As(err, new(*Unread)) {
				t.Fatalf("it was not tried: %v", err)
			}
			reads := &reading{t: t, want: true}
			reads.check(ask(h), ask(open()))
			unlearn(h.p)
			reads.check(ask(open())) // another process finds it on disk
			old := time.Now().Add(-2 * time.Hour)
			if err := os.Chtimes(filepath.Join(cache, h.p.unreadKey()+".unread"), old, old); err != nil {
				t.Fatal(err)
			}
			reads.want = false
			reads.check(ask(h)) // after a while it is read again
		})
	}
}

// reading checks which failures are of a script that was not read again.
type reading struct {
	t    *testing.T
	want bool
}

func (r *reading) check(errs ...error) {
	r.t.Helper()
	for _, err := range errs {
		if errors.As(err, new(*Unread)) != r.want {
			r.t.Errorf("remembered is not %v: %v", r.want, err)
		}
	}
}

func unlearn(p *Program) {
	unread.Lock()
	defer unread.Unlock()
	delete(unread.why, p.unreadKey())
}

// TestAMendedScriptIsReadAtOnce: a failure is kept for that text alone, and what throws
// at once is tried each time.
func TestAMendedScriptIsReadAtOnce(t *testing.T) {
	dir := files(t, map[string]string{"hook.ts": "import { n } from './n';\nfor (let i = 0; i < n; i++) Math.random();\nexport default () => ({ action: 'block', reason: 'read' });\n", "n.ts": "export const n = Infinity;\n"})
	ask := func(loadTime time.Duration) (string, error) {
		b, err := Build(filepath.Join(dir, "hook.ts"), "")
		if err != nil {
			t.Fatal(err)
		}
		p := Open(b, Config{})
		p.loadTime, p.retryFirst, p.retryRead = loadTime, time.Hour, time.Hour
		defer p.Close()
		h := p.Handler(Main, Options{})
		defer h.Close()
		d, err := h.Handle(context.Background(), bash("x"))
		return d.Reason, err
	}
	if _, err := ask(100 * time.Millisecond); err == nil {
		t.Fatal("it was read")
	}
	if err := os.WriteFile(filepath.Join(dir, "n.ts"), []byte("export const n = 1;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := ask(time.Minute); said != "read" {
		t.Errorf("it gave %q, %v", said, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "n.ts"), []byte("export const n = (() => { throw new Error('thrown'); })();\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := ask(time.Minute); err == nil || errors.As(err, new(*Unread)) {
			t.Errorf("it gave %v", err)
		}
	}
}

func TestHowLongAFailureIsKeptDoubles(t *testing.T) {
	p := &Program{b: &Bundle{File: t.Name()}, retryFirst: time.Second, retryRead: 5 * time.Second}
	defer unlearn(p)
	for _, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
		if got := p.learn(p.unreadKey(), "why"); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
