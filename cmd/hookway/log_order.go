package main

import (
	"iter"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// Bounds of how far an event that nobody waited for may stand behind later ones.
const (
	mostBehind  = 64 // records
	longestLate = time.Minute
)

// byTime puts the records of a session in the order of their times: agents go on
// while they tell of some events, so these may be recorded after later ones.
func byTime(records iter.Seq2[audit.Record, error]) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		var held []audit.Record
		for r, err := range records {
			if err != nil {
				if !yield(r, err) {
					return
				}
				continue
			}
			at := slices.IndexFunc(held, func(h audit.Record) bool {
				late := h.Time.Sub(r.Time)
				return h.Session == r.Session && late > 0 && late < longestLate
			})
			if at < 0 {
				at = len(held)
			}
			held = slices.Insert(held, at, r)
			if len(held) > mostBehind {
				if !yield(held[0], nil) {
					return
				}
				held = slices.Delete(held, 0, 1)
			}
		}
		for _, r := range held {
			if !yield(r, nil) {
				return
			}
		}
	}
}
