package memory_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/memory"
)

func TestTheMostUsefulRecentMemoriesAreTheNewestThatSaySomething(t *testing.T) {
	ctx := context.Background()
	s, err := memory.Open(ctx, filepath.Join(t.TempDir(), "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for i, text := range []string{
		"The first decision concerns the database schema", "The second decision concerns the release train", "Which linter do we want to use here?", "ok",
		"The third decision concerns error messages",
	} {
		at := time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)
		for range 2 - i%2 { // two agents may say the same
			if _, err := s.Save(ctx, memory.Memory{Text: text, Workspace: "/w", Agent: fmt.Sprint(i), Time: at}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Save(ctx, memory.Memory{Text: "A decision of another workspace altogether", Workspace: "/other"}); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{
		2: "[The third decision concerns error messages The second decision concerns the release train]",
		9: "[The third decision concerns error messages The second decision concerns the release train The first decision concerns the database schema ok Which linter do we want to use here?]",
	} {
		found, err := memory.Recent(ctx, s, n, memory.View{Workspace: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, m := range found {
			texts = append(texts, m.Text)
		}
		if got := fmt.Sprint(texts); got != want {
			t.Errorf("of %d it gives %s, want %s", n, got, want)
		}
	}
}
