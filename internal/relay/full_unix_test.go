//go:build unix

package relay_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/fulldisk"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/sqlite"
)

func init() { children["fill"] = childFills }

// childFills sends until a file may not grow any more, says why, and goes on when it
// may.
func childFills(ctx context.Context, s *relay.Store, _ []string) error {
	room, err := fulldisk.Begin(2 << 20)
	if err != nil {
		return err
	}
	m := relay.Message{From: "Alice", To: "Bob", Content: strings.Repeat("x", 50_000)}
	sent := 0
	for ; sent < 1000; sent++ {
		_, err := s.Send(ctx, m)
		if err == nil {
			continue
		}
		if !errors.Is(err, sqlite.ErrFull) {
			return fmt.Errorf("this is no full disk: %w", err)
		}
		fmt.Println(err)
		break
	}
	if err := room(); err != nil {
		return err
	}
	if _, err := s.Send(ctx, m); err != nil {
		return fmt.Errorf("after there is room again: %w", err)
	}
	fmt.Println(sent + 1)
	return nil
}

func TestADiskThatIsReallyFull(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, relay.Options{Limits: nobodyHeld})
	bob := join(t, s, "Bob")
	c := start(t, dir, "fill")
	said := c.next()
	if !strings.Contains(said, "messages cannot be sent") || !strings.Contains(said, "nothing was changed") {
		t.Fatalf(`got %q %s, want strings.Contains(said, "messages cannot be sent") and strings.Contains(said, "nothing was changed")`, said, c.told.String())
	}
	sent, err := strconv.Atoi(c.next())
	if err != nil || sent < 2 {
		t.Fatalf("got %v, %v, %v, want err == nil and sent >= 2", sent, err, c.told.String())
	}
	c.kill()
	if got := take(t, bob); len(got) != sent {
		t.Errorf("%d were sent, Bob got %d", sent, len(got))
	}
}
