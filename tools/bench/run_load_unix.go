//go:build linux || darwin

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/bench"
)

const (
	floodSessions = 4
	floodTime     = 5 * time.Second
)

// floods measures four sessions that print as fast as they can.
func (s *runStage) floods(ctx context.Context, _ runPlan) ([]row, error) {
	endless := []string{"sh", "-c", "while :; do cat " + s.flood() + "; done"}
	bare, _, err := s.floodAll(ctx, func(int) []string { return endless })
	if err != nil {
		return nil, err
	}
	ours, peak, err := s.floodAll(ctx, func(i int) []string { return s.wrapped(fmt.Sprintf("flood%d", i), endless...) })
	if err != nil {
		return nil, err
	}
	rows := []row{
		atMostOf("4 floods: the longest time without output for the user", "ms", ours, max(250, 3*bare)),
		forComparison("the same in 4 terminals without hookway", "ms", bare),
	}
	if peak == 0 {
		return append(rows, row{Name: "4 floods: memory of each, peak", Met: true, Skipped: "the system does not tell"}), nil
	}
	return append(rows, atMostOf("4 floods: memory of each, peak", "MiB", peak, 64)), nil
}

// floodAll runs the programs for a while and gives the longest time in which one
// of them showed nothing, in ms, and the most memory that one held, in MiB.
func (s *runStage) floodAll(ctx context.Context, argv func(int) []string) (stall, peak float64, err error) {
	var windows []*window
	for i := range floodSessions {
		w, err := s.open(ctx, s.project, nil, argv(i)...)
		if err != nil {
			return 0, 0, err
		}
		defer w.close()
		windows = append(windows, w)
	}
	stalls := make([]time.Duration, len(windows))
	var reading sync.WaitGroup
	var over atomic.Bool
	for i, w := range windows {
		reading.Go(func() {
			buf := make([]byte, 64<<10)
			var last time.Time
			for {
				_, err := w.Read(buf)
				if err != nil || over.Load() {
					return
				}
				now := time.Now()
				if !last.IsZero() {
					stalls[i] = max(stalls[i], now.Sub(last))
				}
				last = now
			}
		})
	}
	select {
	case <-time.After(floodTime):
	case <-ctx.Done():
		err = ctx.Err()
	}
	for _, w := range windows {
		peak = max(peak, float64(bench.ResidentPeak(w.cmd.Process.Pid))/(1<<20))
	}
	over.Store(true)
	reading.Wait()
	return float64(slices.Max(stalls).Microseconds()) / 1000, peak, err
}
