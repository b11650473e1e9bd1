package judge

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/logline"
)

// TestAFileThatFailsIsLoggedOnce, and looked at ever more rarely.
func TestAFileThatFailsIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, lines := 0, 0
		j := &Judge{Log: logline.New(func(string) { lines++ }), Approvals: func(context.Context, bool) (*approve.Store, error) {
			looks++
			return nil, errors.New("the disk is full")
		}}
		j.waking.sessions = map[string]bool{"s": true}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		j.wake(ctx)
		if lines != 1 || looks > 70 {
			t.Errorf("in an hour: %d lines, %d looks", lines, looks)
		}
	})
}

func TestDialogsAreForgotten(t *testing.T) {
	var d dialogs
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 100 {
		d.put(dialogKey{"s", fmt.Sprint(i)}, "K7QX4", now.Add(time.Duration(i)*approve.KeepTime/10))
	}
	if n := len(d.all); n > 11 {
		t.Errorf("%d are kept", n)
	}
	if _, known := d.take(dialogKey{"s", "0"}); known {
		t.Error("the first one is still there")
	}
	if code, known := d.take(dialogKey{"s", "99"}); code != "K7QX4" || !known || len(d.all) > 10 {
		t.Errorf("the last one: %q, %v; %d left", code, known, len(d.all))
	}
}
