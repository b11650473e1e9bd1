// Package chance gives hooks random numbers that belong to their event. Where it is fired
// again, they are those of then.
//
// They are as good as the machine's own: a stream cipher makes them of a seed that the
// machine's own source gave, for each that draws another stream.
package chance

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	mathrand "math/rand/v2"
	"sync"
)

// SeedSize is how long a seed is, in bytes.
const SeedSize = 16

// Source is where hooks draw lots at one event. The zero value has a seed of its own, once
// somebody draws. Its methods may be called from many goroutines.
type Source struct {
	mu      sync.Mutex
	seed    []byte // nil: nobody has drawn
	streams map[string]*mathrand.ChaCha8
}

// From is the source of an event of then.
func From(seed []byte) *Source { return &Source{seed: seed} }

// Seed is what a source is made again of; nil if nobody drew from it.
func (s *Source) Seed() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seed
}

// Read fills p for one who draws. What each gets depends on the seed, on who it is and on
// what it has drawn before, and on nobody else. A nil source is the machine's own.
func (s *Source) Read(who string, p []byte) {
	if s == nil {
		_, _ = rand.Read(p) // it never fails
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seed == nil {
		s.seed = make([]byte, SeedSize)
		_, _ = rand.Read(s.seed)
	}
	stream := s.streams[who]
	if stream == nil {
		if s.streams == nil {
			s.streams = map[string]*mathrand.ChaCha8{}
		}
		stream = mathrand.NewChaCha8(sha256.Sum256(append(s.seed[:len(s.seed):len(s.seed)], who...)))
		s.streams[who] = stream
	}
	_, _ = stream.Read(p)
}

type sourceKey struct{}

// With is a context in which hooks draw from a source.
func With(ctx context.Context, s *Source) context.Context {
	return context.WithValue(ctx, sourceKey{}, s)
}

// Of is the source of a context, or nil.
func Of(ctx context.Context) *Source {
	s, _ := ctx.Value(sourceKey{}).(*Source)
	return s
}
