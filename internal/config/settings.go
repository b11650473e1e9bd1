package config

import (
	"slices"
	"time"

	"github.com/hookway/hookway/hook"
)

// Settings are what a configuration says beside its hooks. A trusted
// workspace's go before the user's.
type Settings struct {
	AskFallback   hook.Action // ActionBlock or ActionAllow
	MaxContinues  int
	MaxHooks      int
	IdleThreshold time.Duration
	Memory        *Memory // nil: nothing is said of it

	// Redact names what the audit log never holds. Every file adds to it, also
	// one with mistakes and one that nobody trusts: it can only hide more.
	Redact []string
}

// take lays a file's settings over what was there.
func (s *Settings) take(f *fileSpec) {
	if f.askFallback != nil {
		s.AskFallback = *f.askFallback
	}
	if f.maxContinues != nil {
		s.MaxContinues = *f.maxContinues
	}
	if f.maxHooks != nil {
		s.MaxHooks = *f.maxHooks
	}
	if f.idle != nil {
		s.IdleThreshold = *f.idle
	}
}

// maxRedact bounds how many names are hidden: each is looked for in every text
// of a record, and a workspace that nobody trusts may name some.
const maxRedact = 200

// hide adds to what is never recorded.
func (s *Settings) hide(names []string) {
	for _, name := range names {
		if !slices.Contains(s.Redact, name) && len(s.Redact) < maxRedact {
			s.Redact = append(slices.Clip(s.Redact), name)
		}
	}
}
