package main

import (
	"context"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/backoff"
)

// firstAskTime is how often it is looked for the file of requests, which is there from the
// first one on.
const firstAskTime = time.Second

// attendAsks gives what shows in the title of the user's terminal that calls of a session
// wait for a person, and rings the bell for each new one.
func attendAsks(a *app, session, name string) func(context.Context, func(string, bool)) {
	return func(ctx context.Context, title func(string, bool)) {
		dir, err := a.home.ApprovalsDir()
		if err != nil {
			return
		}
		for !approve.Exists(dir) {
			if backoff.Sleep(ctx, firstAskTime) != nil {
				return
			}
		}
		store, err := approve.Open(ctx, dir, approve.Options{})
		if err != nil {
			a.complain(fmt.Sprintf("what waits for an answer is not shown in the title: %v", err))
			return
		}
		defer store.Close()
		changes, err := store.Changes(ctx)
		if err != nil {
			return
		}
		defer func() {
			if ctx.Err() == nil { // what is asked now is not known any more
				title("", false)
			}
		}()
		rung := map[string]bool{}
		for {
			all, err := store.List(ctx)
			if err != nil {
				return
			}
			text, ring, expires := asksTitle(all, session, name, rung)
			title(text, ring)
			select {
			case <-ctx.Done():
				return
			case _, ok := <-changes:
				if !ok {
					return
				}
			case <-expires:
			}
		}
	}
}

// asksTitle is the title for the open requests of a session, "" for none; whether one of
// them is new; and when one expires.
func asksTitle(all []approve.Request, session, name string, rung map[string]bool) (text string, ring bool, expires <-chan time.Time) {
	var first *approve.Request
	n := 0
	for i := range all {
		r := &all[i]
		if r.Session != session || r.State != approve.Waiting {
			continue
		}
		if n++; !rung[r.Code] {
			rung[r.Code], ring = true, true
		}
		if first == nil || r.Until.Before(first.Until) {
			first = r
		}
	}
	if first == nil {
		return "", false, nil
	}
	expires = time.After(max(time.Until(first.Until), 0) + 10*time.Millisecond)
	if n > 1 {
		return fmt.Sprintf("%s asks about %d calls: hookway approvals", name, n), ring, expires
	}
	return fmt.Sprintf("%s asks: hookway approvals allow %s", name, first.Code), ring, expires
}
