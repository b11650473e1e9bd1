package replay_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/replay"
)

var megabytes = flag.Int("megabytes", 16, "how much the benchmark reads")

// everyday are lines that agents run; %d is another number each time.
var everyday = []string{
	"go test ./internal/part%d", "git status", "git diff --stat HEAD~%d", "grep -rn 'func New%d' src | head -20", "ls -la src/part%d",
	"npm test -- --grep 'part %d'", "cat src/part%d.go", "sed -n '%d,400p' src/main.go", "git commit -am 'part %d: what holds now'", "rm -rf build/part%d",
	"python3 -m pytest tests/test_%d.py -q", "find . -name '*_%d.go' -newer go.mod", "git push origin part-%d", "curl -s https://example.com/api/%d | jq .name",
	"docker compose up -d part%d", "make -j4 part%d", "git checkout -b part-%d", "mkdir -p build/part%d && cp src/*.go build/part%d/",
	"for f in src/*%d.go; do gofmt -l \"$f\"; done", "git push --force origin part-%d", "rm -rf /srv/data%d", "git reset --hard HEAD~%d",
}

// generate writes sessions of Claude Code of so many bytes in all, which look like real
// ones: a call takes about 8 KB, most of it what came back.
func generate(tb testing.TB, home string, bytes int64) (calls int) {
	tb.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	noise := strings.Repeat("ok  \tgithub.com/x/y/part\t0.123s  \"quoted\" and what a program prints, line by line\n", 200)
	at := time.Now().Add(-20 * 24 * time.Hour)
	for session := 0; bytes > 0; session++ {
		path := filepath.Join(home, ".claude", "projects", "-home-user-project", fmt.Sprintf("session-%06d.jsonl", session))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tb.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			tb.Fatal(err)
		}
		w := bufio.NewWriterSize(f, 1<<20)
		write := func(v map[string]any) {
			v["sessionId"], v["cwd"], v["version"], v["uuid"] = fmt.Sprint("s", session), "/home/user/project", "2.1.0", fmt.Sprint("u", calls, v["type"])
			v["timestamp"] = at.UTC().Format(time.RFC3339Nano)
			line, _ := json.Marshal(v)
			bytes -= int64(len(line)) + 1
			_, _ = w.Write(append(line, '\n'))
		}
		write(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": "Go on."}})
		for range 200 {
			if bytes <= 0 {
				break
			}
			calls++
			at = at.Add(time.Second / 4)
			id := fmt.Sprintf("toolu_%020d", calls)
			line := everyday[random.IntN(len(everyday))]
			line = strings.ReplaceAll(line, "%d", fmt.Sprint(random.IntN(1000)))
			write(map[string]any{"type": "assistant", "message": map[string]any{"id": fmt.Sprint("m", calls), "role": "assistant", "content": []any{
				map[string]any{"type": "text", "text": "Now the next part of it, as said before."},
				map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": line, "description": "the next step"}},
			}, "usage": map[string]any{"input_tokens": 10, "output_tokens": 20}}})
			out := noise[:random.IntN(7000)]
			write(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{
				map[string]any{"type": "tool_result", "tool_use_id": id, "content": out, "is_error": random.IntN(20) == 0},
			}}, "toolUseResult": map[string]any{"stdout": out, "stderr": ""}})
		}
		if err := w.Flush(); err != nil {
			tb.Fatal(err)
		}
		if err := f.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	return calls
}

// BenchmarkPreview judges sessions of -megabytes in all, once.
func BenchmarkPreview(b *testing.B) {
	home := b.TempDir()
	bytes := int64(*megabytes) << 20
	calls := generate(b, home, bytes)
	b.SetBytes(bytes)
	for b.Loop() {
		report, err := replay.Preview(b.Context(), replay.Plan{Getenv: only(map[string]string{"HOME": home}), Environ: []string{"HOME=" + home}, Now: time.Now()})
		if err != nil || report.Calls != calls {
			b.Fatalf("%v, %d calls, want %d", err, report.Calls, calls)
		}
	}
	b.ReportMetric(float64(calls), "calls")
}

func only(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}
