package spool

import (
	"context"
	"time"

	"github.com/hookway/hookway/internal/backoff"
)

// Bounds of what is sent from memory.
const (
	maxUnkept   = 256
	unkeptTime  = time.Minute
	unkeptPause = 200 * time.Millisecond // the first; it doubles
	unkeptLeast = 5 * time.Second        // that it still has when the process ends
)

// remember sends a message that could not be written into the file.
func (s *Spool) remember(a *arrival) {
	s.mu.Lock()
	full := s.unkept >= maxUnkept
	if !full {
		s.unkept++
	}
	s.mu.Unlock()
	if full {
		s.sayRefused(a.to.Webhook, 1)
		return
	}
	a.to.arriving.Add(1)
	s.working.Go(func() {
		defer a.to.arriving.Done()
		err := s.sendUnkept(a)
		s.mu.Lock()
		s.unkept--
		s.mu.Unlock()
		if err != nil {
			s.log("webhook %s: %s was not delivered: %v", a.to.ID, a.Event, err)
		}
	})
}

// sendUnkept tries for a minute.
func (s *Spool) sendUnkept(a *arrival) error {
	ctx, cancel := context.WithTimeout(a.env, unkeptTime)
	defer cancel()
	defer context.AfterFunc(a.to.closing, func() { time.AfterFunc(unkeptLeast, cancel) })()
	for pause := (backoff.Backoff{First: unkeptPause, Most: unkeptTime}); ; {
		err := a.to.Post(ctx, a.Message)
		if err == nil || ctx.Err() != nil || pause.Wait(ctx, nil) != nil {
			return err
		}
	}
}
