package api

import (
	"container/list"
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

// Bounds of what is remembered of requests that may be sent again. Those that are
// not answered yet are bounded by how many events may be under way.
const (
	keyTime    = 5 * time.Minute // after the answer
	maxKeys    = 1024
	maxReplies = 8 << 20  // bytes of all answers together
	maxKey     = 255      // bytes of a key
	maxReply   = 64 << 10 // bytes of an answer; a larger one is not remembered
)

// keys remembers the answers to requests with an Idempotency-Key, so that one that
// is sent again is answered without asking the hooks again.
type keys struct {
	mu       sync.Mutex
	known    map[string]*keyed
	answered list.List // of *keyed, the oldest first
	size     int       // bytes of their replies
}

// keyed is one request with a key.
type keyed struct {
	key   string
	body  [sha256.Size]byte
	since time.Time     // when it was answered
	done  chan struct{} // closed when there is an answer, or will be none
	reply []byte        // nil if there is none that is remembered
}

// once answers a request, unless it was answered already.
func (d *Server) once(r *http.Request, body []byte, answer func() ([]byte, error)) ([]byte, error) {
	key := r.Header.Get("Idempotency-Key")
	switch {
	case key == "":
		return answer()
	case len(key) > maxKey:
		return nil, problem("bad-request", "the Idempotency-Key has more than %d bytes", maxKey)
	}
	for {
		k, mine, err := d.keys.claim(key, sha256.Sum256(body))
		if err != nil {
			return nil, err
		}
		if mine {
			return d.keys.settle(k, answer)
		}
		reply, err := k.wait(r.Context())
		if reply != nil || err != nil {
			return reply, err
		}
	}
}

// claim gives what is known of a key, or notes it as the caller's.
func (ks *keys) claim(key string, body [sha256.Size]byte) (k *keyed, mine bool, err error) {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	ks.trim()
	if k := ks.known[key]; k != nil {
		if k.body != body {
			return nil, false, problem("key-in-use", "the Idempotency-Key %q was sent with another body; use a new key for each event", key)
		}
		return k, false, nil
	}
	if ks.known == nil {
		ks.known = map[string]*keyed{}
	}
	k = &keyed{key: key, body: body, done: make(chan struct{})}
	ks.known[key] = k
	return k, true, nil
}

// trim forgets the oldest answers, as far as they are too old or too many. The
// caller holds mu.
func (ks *keys) trim() {
	for first := ks.answered.Front(); first != nil; first = ks.answered.Front() {
		k := first.Value.(*keyed) //nolint:errcheck // nothing else is put in
		if ks.answered.Len() <= maxKeys && ks.size <= maxReplies && time.Since(k.since) < keyTime {
			return
		}
		ks.answered.Remove(first)
		ks.size -= len(k.reply)
		delete(ks.known, k.key)
	}
}

// settle answers, and remembers the answer. A failure is not remembered: the same
// request may be tried again.
func (ks *keys) settle(k *keyed, answer func() ([]byte, error)) (reply []byte, err error) {
	defer func() {
		ks.mu.Lock()
		if err == nil && reply != nil && len(reply) <= maxReply {
			k.reply, k.since = reply, time.Now()
			ks.answered.PushBack(k)
			ks.size += len(reply)
			ks.trim()
		} else {
			delete(ks.known, k.key)
		}
		ks.mu.Unlock()
		close(k.done)
	}()
	return answer()
}

// wait gives the answer to the request that came first; nil if it has none to give.
func (k *keyed) wait(ctx context.Context) ([]byte, error) {
	select {
	case <-k.done:
		return k.reply, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
