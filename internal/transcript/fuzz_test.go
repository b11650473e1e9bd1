package transcript_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/internal/transcript"
)

// FuzzRead reads what is not a record, in two pieces: it ends, gives nothing twice, and
// what it gives can be put together.
func FuzzRead(f *testing.F) {
	agents := []string{"claude", "codex", "copilot", "gemini", "qwen"}
	for i, agent := range agents {
		data, err := os.ReadFile(filepath.Join("testdata", agent+".jsonl"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), data[:min(len(data), 6000)], uint16(1000))
	}
	f.Fuzz(func(t *testing.T, agent uint8, data []byte, cut uint16) {
		path := filepath.Join(t.TempDir(), "record.jsonl")
		r := open(t, transcript.Source{Agent: agents[int(agent)%len(agents)], Path: path})
		at := min(int(cut), len(data))
		for _, part := range [][]byte{data[:at], data, data} {
			if err := os.WriteFile(path, part, 0o600); err != nil {
				t.Fatal(err)
			}
			for more := true; more; {
				_, again, err := r.Next(context.Background())
				more = again && err == nil
			}
		}
		if last, _, _ := r.Next(context.Background()); len(last) != 0 {
			t.Errorf("without news: %+v", last)
		}
		whole, err := transcript.OpenWhole(r.Source(), transcript.Ample, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		for more := true; more && err == nil; {
			_, more, err = whole.Next(context.Background())
		}
		if last, _, _ := whole.Next(context.Background()); len(last) != 0 {
			t.Errorf("behind the end: %+v", last)
		}
	})
}
