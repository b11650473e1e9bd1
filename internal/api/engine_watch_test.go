package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

func TestWatchStreamsWhatIsDecided(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	watch, err := client.Watch(within(t), &hookwayv1.WatchRequest{SessionId: "s-1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Header(); err != nil { // from now on, nothing is missed
		t.Fatal(err)
	}
	other := bash("ls")
	other.SessionId = "s-2"
	for _, ev := range []*hookwayv1.Event{other, bash("ls <b>")} {
		if _, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: ev}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := watch.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Event, Session, Action, What string
	}
	if err := json.Unmarshal(m.GetJson(), &r); err != nil {
		t.Errorf("watched %s, %v", m.GetJson(), err)
	} else if got, want := fmt.Sprint([]any{r.Event, r.Session, r.Action, r.What}), fmt.Sprint([]any{"PreToolUse", "s-1", "continue", "ls <b>"}); got != want {
		t.Errorf("watched %s, %v: got %s, want %s", m.GetJson(), err, got, want)
	}
	relative, err := client.Watch(within(t), &hookwayv1.WatchRequest{Cwd: "here"})
	if err == nil {
		_, err = relative.Recv()
	}
	wantStatus(t, err, codes.InvalidArgument, "not an absolute path")
}

// TestASlowWatcherHoldsUpNoOther: it learns how much it missed.
func TestASlowWatcherHoldsUpNoOther(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	watch, err := client.Watch(within(t), &hookwayv1.WatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Header(); err != nil {
		t.Fatal(err)
	}
	fired := uint64(200) // of more bytes than the stream takes before it is read
	for range fired {
		if _, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash(strings.Repeat("x", 3000))}); err != nil {
			t.Fatal(err)
		}
	}
	missed := make(chan uint64, 1)
	go func() {
		for {
			m, err := watch.Recv()
			if err != nil || m.GetMissed() > 0 {
				missed <- m.GetMissed()
				return
			}
		}
	}()
	for { // the count comes with the next record that there is room for
		select {
		case n := <-missed:
			if n == 0 || n > fired {
				t.Errorf("it learned that it missed %d of %d", n, fired)
			}
			return
		default:
			if _, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")}); err != nil {
				t.Fatal(err)
			}
			fired++
		}
	}
}
