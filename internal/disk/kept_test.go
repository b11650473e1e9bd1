package disk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/internal/disk"
)

func TestAKeptValueIsChangedByOneAtATime(t *testing.T) {
	file := disk.Kept[map[string]int]{Path: filepath.Join(t.TempDir(), "new", "n.json"), Most: 1 << 10, What: "the count", Rescue: "then count anew"}
	if value, err := file.Read(); err != nil || value != nil {
		t.Fatalf("where there is no file: %v, %v", value, err)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			err := file.Change(t.Context(), func(value *map[string]int) error {
				*value = map[string]int{"n": (*value)["n"] + 1}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if value, err := file.Read(); err != nil || value["n"] != 50 {
		t.Errorf("after 50 changes: %v, %v", value, err)
	}
	no := errors.New("no")
	if err := file.Change(t.Context(), func(value *map[string]int) error { (*value)["n"] = 7; return no }); !errors.Is(err, no) {
		t.Errorf("got %v, want errors.Is(err, no)", err)
	}
	if value, _ := file.Read(); value["n"] != 50 {
		t.Errorf("after a change that failed: %v", value)
	}
}

func TestAKeptValueThatCannotBeReadIsLeft(t *testing.T) {
	file := disk.Kept[map[string]int]{Path: filepath.Join(t.TempDir(), "n.json"), Most: 1 << 10, What: "the count", Rescue: "then count anew"}
	if err := os.WriteFile(file.Path, []byte(`{"n": "x"`), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "the count cannot be read; remove " + file.Path + ", then count anew: "
	if value, err := file.Read(); err == nil || !strings.HasPrefix(err.Error(), want) || value != nil {
		t.Errorf("%v, %v; want %q", value, err, want)
	}
	err := file.Change(context.Background(), func(*map[string]int) error { t.Error("it is changed"); return nil })
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v; want %q", err, want)
	}
	if text, _ := os.ReadFile(file.Path); string(text) != `{"n": "x"` {
		t.Errorf("it became %q", text)
	}
}
