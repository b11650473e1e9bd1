package transcript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/transcript"
)

// TestRecognise: each agent's record is known by what is in it, wherever it lies; and
// nothing else is.
func TestRecognise(t *testing.T) {
	dir := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": dir}[name] }
	for _, agent := range transcript.Agents() {
		source := recording(t, agent)
		records, problems, ok := transcript.Recognise(t.Context(), getenv, source.Path)
		if !ok || len(problems) > 0 || len(records) != 1 {
			t.Errorf("%s: %+v, %v, %v", agent, records, problems, ok)
			continue
		}
		if records[0].Agent != agent || records[0].Session != source.Session {
			t.Errorf("%s is taken for %+v", agent, records[0])
		}
	}
	for name, text := range map[string]string{
		"events":  `{"hook_event_name":"PreToolUse","tool_name":"Bash","uuid":"x","message":{"content":"x"},"type":"user"}`,
		"records": `{"seq":1,"action":"block","type":"session.start","data":{"sessionId":"x"}}`,
		"other":   strings.Repeat("{}\n", 100),
		"long":    `{"x":"` + strings.Repeat("y", 5<<20) + `"}`,
		"empty":   "",
		"text":    "a text",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if records, _, ok := transcript.Recognise(t.Context(), getenv, path); ok {
			t.Errorf("%s is taken for %+v", name, records)
		}
	}
	if _, problems, ok := transcript.Recognise(t.Context(), getenv, filepath.Join(dir, "none")); ok || len(problems) != 1 {
		t.Errorf("of no file: %v", problems)
	}
	broken := filepath.Join(dir, "broken.db")
	if err := os.WriteFile(broken, []byte("SQLite format 3\x00 and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if records, problems, ok := transcript.Recognise(t.Context(), getenv, broken); !ok || len(records) != 0 || len(problems) != 1 {
		t.Errorf("of a broken database: %+v, %v, %v", records, problems, ok)
	}
}

// FuzzRecognise looks at what is any file.
func FuzzRecognise(f *testing.F) {
	for _, agent := range []string{"claude", "codex", "copilot", "gemini", "qwen"} {
		data, err := os.ReadFile(filepath.Join("testdata", agent+".jsonl"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 4000)])
	}
	f.Add([]byte("SQLite format 3\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		records, _, ok := transcript.Recognise(t.Context(), func(string) string { return "" }, path)
		if len(records) > 0 && !ok {
			t.Errorf("%+v of a file that is not recognised", records)
		}
	})
}
