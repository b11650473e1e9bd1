package api

import (
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

// Bounds of what is remembered of requests that may be sent again.
const (
	keyTime  = 5 * time.Minute
	maxKeys  = 1024
	maxKey   = 255      // bytes of a key
	maxReply = 64 << 10 // bytes of an answer; a larger one is not remembered
)

// keys remembers the answers to requests with an Idempotency-Key, so that one that
// is sent again is answered without asking the hooks again.
type keys struct {
	mu    sync.Mutex
	known map[string]*keyed
}

// keyed is one request with a key.
type keyed struct {
	body  [sha256.Size]byte
	since time.Time
	done  chan struct{} // closed when there is an answer, or will be none
	reply []byte        // nil if there is none that is remembered
}

// once answers a request, unless it was answered already.
func (d *Doors) once(r *http.Request, body []byte, answer func() ([]byte, error)) ([]byte, error) {
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
			return d.keys.settle(key, k, answer)
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
	if k := ks.known[key]; k != nil && time.Since(k.since) < keyTime {
		if k.body != body {
			return nil, false, problem("key-in-use", "the Idempotency-Key %q was sent with another body; use a new key for each event", key)
		}
		return k, false, nil
	}
	if ks.known == nil {
		ks.known = map[string]*keyed{}
	}
	if len(ks.known) >= maxKeys {
		ks.forget()
	}
	k = &keyed{body: body, since: time.Now(), done: make(chan struct{})}
	ks.known[key] = k
	return k, true, nil
}

// forget drops what is old, and the oldest if nothing is. The caller holds mu.
func (ks *keys) forget() {
	oldest := ""
	for key, k := range ks.known {
		if time.Since(k.since) >= keyTime {
			delete(ks.known, key)
		} else if oldest == "" || k.since.Before(ks.known[oldest].since) {
			oldest = key
		}
	}
	if len(ks.known) >= maxKeys {
		delete(ks.known, oldest)
	}
}

// settle answers, and remembers the answer. A failure is not remembered: the same
// request may be tried again.
func (ks *keys) settle(key string, k *keyed, answer func() ([]byte, error)) (reply []byte, err error) {
	defer func() {
		ks.mu.Lock()
		if err == nil && reply != nil && len(reply) <= maxReply {
			k.reply = reply
		} else if ks.known[key] == k {
			delete(ks.known, key)
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
