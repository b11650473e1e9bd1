package gateway

import (
	"bufio"
	"bytes"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// Bounds of what is remembered.
const (
	answerTime = 24 * time.Hour
	maxAnswers = 10_000
	maxAnswer  = 16 << 10 // bytes of one; of a larger one it is remembered that it was given
	maxKey     = 512      // bytes of a key
)

// answers remembers what was answered to requests with a key. The zero value keeps
// them in memory alone.
type answers struct {
	path string // of the file; "" is none

	mu    sync.Mutex
	open  bool
	known map[string]*answered
	order list.List // of *answered, the oldest first
	lines int       // of the file
	file  *os.File
}

// answered is a request that came, and maybe what was answered.
type answered struct {
	Key    string          `json:"k"`
	Body   string          `json:"b"` // its digest
	ID     string          `json:"id"`
	At     int64           `json:"t"`
	Status int             `json:"s,omitempty"` // 0: there is no answer yet
	Answer json.RawMessage `json:"a,omitempty"`

	at      *list.Element
	working chan struct{} // not nil while somebody answers; closed then
}

// errOtherBody says that a key came with another body.
var errOtherBody = errors.New("the idempotency key belongs to another body; use a new key for each request")

// claim gives what is known of a key. mine tells the caller to answer, and to call
// settle; else the answer is there.
func (a *answers) claim(ctx context.Context, mapping, key string, body []byte, newID func() string) (_ *answered, mine bool, err error) {
	name, digest := sum(mapping+"\x00"+key), sum(string(body))
	for {
		a.mu.Lock()
		if err := a.load(); err != nil {
			a.mu.Unlock()
			return nil, false, err
		}
		a.trim()
		k := a.known[name]
		switch {
		case k != nil && k.Body != digest:
			a.mu.Unlock()
			return nil, false, errOtherBody
		case k != nil && k.working != nil:
			working := k.working
			a.mu.Unlock()
			select {
			case <-working:
				continue
			case <-ctx.Done():
				return nil, false, ctx.Err()
			}
		case k != nil && k.Status != 0:
			a.mu.Unlock()
			return k, false, nil
		case k == nil:
			k = &answered{Key: name, Body: digest, ID: newID(), At: time.Now().Unix()}
			if err := a.write(k); err != nil {
				a.mu.Unlock()
				return nil, false, err
			}
			a.put(k)
		}
		k.working = make(chan struct{}) // one without an answer keeps its id: what was begun is gone on with
		a.mu.Unlock()
		return k, true, nil
	}
}

// settle notes the answer; status 0 says that there is none, and that the same may
// be tried again.
func (a *answers) settle(k *answered, status int, answer []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(k.working)
	k.working = nil
	if status == 0 {
		return nil
	}
	k.Status, k.At = status, time.Now().Unix()
	if len(answer) <= maxAnswer {
		k.Answer = answer
	}
	if k.at != nil {
		a.order.MoveToBack(k.at)
	}
	return a.write(k)
}

// close lets the file go.
func (a *answers) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		return nil
	}
	err := a.file.Close()
	a.file, a.open = nil, false
	return err
}

// What follows is called with mu held.

func (a *answers) put(k *answered) {
	if old := a.known[k.Key]; old != nil {
		a.order.Remove(old.at)
	}
	k.at = a.order.PushBack(k)
	a.known[k.Key] = k
}

// trim forgets the oldest, as far as they are too old or too many.
func (a *answers) trim() {
	for e := a.order.Front(); e != nil; {
		next := e.Next()
		k := e.Value.(*answered) //nolint:errcheck // nothing else is put in
		if a.order.Len() <= maxAnswers && time.Since(time.Unix(k.At, 0)) < answerTime {
			return
		}
		if k.working == nil {
			a.order.Remove(e)
			delete(a.known, k.Key)
		}
		e = next
	}
}

// load reads the file, once, and writes it anew.
func (a *answers) load() error {
	if a.open {
		return nil
	}
	if a.known == nil {
		a.known = map[string]*answered{}
	}
	if a.path == "" {
		a.open = true
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return fmt.Errorf("answers cannot be remembered: %w", err)
	}
	text, err := os.ReadFile(a.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("answers cannot be remembered: %w", err)
	}
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, 4*maxAnswer)
	for in.Scan() {
		k := &answered{}
		if json.Unmarshal(in.Bytes(), k) == nil && k.Key != "" { // a line that was cut short by a crash is none
			a.put(k)
		}
	}
	a.trim()
	if err := a.rewrite(); err != nil {
		return err
	}
	a.open = true
	return nil
}

// rewrite makes the file what is known now, and opens it for more.
func (a *answers) rewrite() error {
	var text bytes.Buffer
	for e := a.order.Front(); e != nil; e = e.Next() {
		line, err := json.Marshal(e.Value)
		if err != nil {
			return err
		}
		text.Write(append(line, '\n'))
	}
	if a.file != nil {
		a.file.Close()
		a.file = nil
	}
	err := disk.Replace(a.path, text.Bytes(), 0o600)
	if err == nil {
		a.file, err = os.OpenFile(a.path, os.O_WRONLY|os.O_APPEND, 0)
	}
	if err != nil {
		return fmt.Errorf("answers cannot be remembered: %w", err)
	}
	a.lines = a.order.Len()
	return nil
}

// write appends what is known of a request.
func (a *answers) write(k *answered) error {
	if a.path == "" {
		return nil
	}
	if a.file == nil || a.lines > 2*maxAnswers+100 {
		if err := a.rewrite(); err != nil {
			return err
		}
	}
	line, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if _, err := a.file.Write(append(line, '\n')); err != nil {
		a.file.Close() // half a line may stand there: the next one begins a new file
		a.file = nil
		return fmt.Errorf("answers cannot be remembered: %w", err)
	}
	a.lines++
	return nil
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}
