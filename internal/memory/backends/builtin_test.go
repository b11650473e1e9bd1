package backends_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/internal/memory"
)

func TestTheFileOfThisMachine(t *testing.T) {
	s, err := memory.Open(context.Background(), filepath.Join(t.TempDir(), "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	suite(t, s)
}
