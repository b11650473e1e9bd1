package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/golden"
	"github.com/hookway/hookway/internal/strict"
)

func TestEveryMistakeIsListedWithItsPlace(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("got %v, %v, want err == nil and len(files) >= 20", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			list, problems := Read(file, Options{})
			if len(problems) == 0 || list != nil {
				t.Fatalf("%d problems, %d cases", len(problems), len(list))
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			insideFile(t, data, problems)
			golden.Compare(t, strings.TrimSuffix(file, ".yaml")+".golden", filepath.ToSlash(problems.Error())+"\n")
		})
	}
}

// insideFile holds problems to places that the file has, in order.
func insideFile(t *testing.T, data []byte, problems strict.Problems) {
	t.Helper()
	lines := strings.Split(string(data), "\n")
	var before strict.Problem
	for _, p := range problems {
		switch {
		case p.Line < 1 || p.Line > len(lines) || p.Column < 1:
			t.Errorf("the file does not have this place: %s", p)
		case p.Column > utf8.RuneCountInString(lines[p.Line-1])+1:
			t.Errorf("the file does not have this place: %s", p)
		}
		if p.Line < before.Line || p.Line == before.Line && p.Column < before.Column {
			t.Errorf("not in order: %s", p)
		}
		if p.Message == "" || strings.ContainsAny(p.Message, "\n\x1b") {
			t.Errorf("message %q", p.Message)
		}
		before = p
	}
}

func TestAFileThatIsNotThereOrTooLargeIsAProblemOfTheWholeFile(t *testing.T) {
	_, problems := Read("testdata/absent_test.yaml", Options{})
	if got, want := problems.Error(), "testdata/absent_test.yaml: the file cannot be read: no such file or directory"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	_, problems = Parse("large.yaml", make([]byte, maxFile+1), Options{})
	if len(problems) != 1 || problems[0].Line != 0 || !strings.Contains(problems[0].Message, "at most") {
		t.Errorf(`got %v, want len(problems) == 1 and problems[0].Line == 0 and strings.Contains(problems[0].Message, "at most")`, problems)
	}
}
