package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
)

// usual is a call as an agent makes it, with what is found about it in a project of this
// machine.
func usual(i int) (hook.AnyEvent, *keep.Watch) {
	commands := []string{"git status && go test ./internal/room%d/... 2>&1 | tail -20", "grep -rn 'func Test%d' --include=*.go . | head -50", "rm -rf ./build/out%d && mkdir -p ./build/out", "sed -n 1,%d0p internal/audit/log.go; ls -la"}
	ev := hook.PreToolUse.New(hook.Envelope{
		Session: "0b5c1a3e-7f52-4d0c-9a55-1f8f0f6f7a10", Agent: "claude", Source: "claude", CWD: "/home/u/project", Transcript: "/home/u/.claude/projects/-home-u-project/0b5c1a3e-7f52-4d0c-9a55-1f8f0f6f7a10.jsonl",
		Metadata: map[string]any{"native_event": "PreToolUse", "native": map[string]any{"permission_mode": "default"}},
	}, hook.ToolUse{ToolName: "Bash", ToolUseID: fmt.Sprintf("toolu_01%022d", i), ToolInput: map[string]any{"command": fmt.Sprintf(commands[i%len(commands)], i), "description": "Look at what is there, and run what tests it"}})
	_, watch := keep.Watching(context.Background(), ev)
	watch.Analyse(ev, facts.World{Dir: "/home/u/project", Home: "/home/u", Project: "/home/u/project", Env: map[string]string{"HOME": "/home/u"}, Lstat: os.Lstat, Readlink: os.Readlink})
	watch.Found(nil, "")
	watch.Decided(&hook.Outcome[any]{Verdict: hook.Verdict{Action: hook.ActionContinue}})
	return ev, watch
}

// BenchmarkKeep is what keeping an event costs: in all, and what is left for its decision
// to wait for if it was made ready while the hooks were asked, as it is.
func BenchmarkKeep(b *testing.B) {
	call, watch := usual(1)
	text := strings.Repeat("ok  \tgithub.com/hookway/hookway/internal/audit\t1.234s\n", 1200)
	result := hook.PostToolUse.New(*call.Head(), hook.ToolResult{ToolUse: hook.ToolUse{ToolName: "Bash"}, ToolResponse: hook.ToolResponse{Success: true, Output: text}})
	l := &Log{events: &keeper{store: keep.Open(keep.Config{Dir: b.TempDir()})}}
	for _, c := range []struct {
		name      string
		ev        hook.AnyEvent
		meanwhile bool
	}{{"call/alone", call, false}, {"call/meanwhile", call, true}, {"64KiB/alone", result, false}, {"64KiB/meanwhile", result, true}} {
		b.Run(c.name, func(b *testing.B) {
			info, head, body := c.ev.Info(), *c.ev.Head(), c.ev.Body()
			waits, size := time.Duration(0), 0
			b.ReportAllocs()
			for b.Loop() {
				ev, err := info.New(head, body) // what was written once is remembered
				if err != nil {
					b.Fatal(err)
				}
				r := Record{whole: &whole{ev: ev}}
				r.Watched(watch)
				began := time.Now()
				if c.meanwhile {
					d := l.Draft(ev, nil)
					waits += time.Since(began)
					<-d.done // the hooks are asked
					began = time.Now()
					r.Drafted(d)
				}
				entry := l.events.entry(b.Context(), &r, time.Minute)
				waits += time.Since(began)
				if entry == nil {
					b.Fatalf("got %v, want entry != nil", r.Unkept)
				}
				size = len(entry)
				l.events.store.Release(size)
			}
			b.ReportMetric(float64(waits.Nanoseconds())/float64(b.N), "ns-waited/op")
			b.ReportMetric(float64(size), "bytes/event")
		})
	}
}

// BenchmarkKeepDisk tells what events take on the disk: those of an agent that calls now
// and then, each a block of its own, and those that come together.
func BenchmarkKeepDisk(b *testing.B) {
	for _, together := range []int{1, 3, 100} {
		b.Run(fmt.Sprintf("together=%d", together), func(b *testing.B) {
			total, n, dir := int64(0), 0, b.TempDir()
			for round := range 400 / together {
				l, err := Open(Config{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				for i := range together {
					ev, watch := usual(round*together + i)
					r := outcomeOf(ev, hook.ActionContinue)
					r.Watched(watch)
					add(b, l, r)
					n++
				}
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
			}
			names, _ := filepath.Glob(filepath.Join(EventsDir(dir), "*.kept"))
			for _, name := range names {
				info, err := os.Stat(name)
				if err != nil {
					b.Fatal(err)
				}
				total += info.Size()
			}
			b.ReportMetric(float64(total)/float64(n), "bytes/event")
			b.ReportMetric(0, "ns/op")
		})
	}
}
