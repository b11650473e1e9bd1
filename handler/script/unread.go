package script

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// A script that cannot be read, and took all the time there is to find out, would cost
// that at each event. Why it failed is kept, here and in the cache's folder, and reported at
// once until the script changes, or for a while: what it waited for may come. The
// while is short at first, and doubles each time, so that one slow moment of the
// machine does not switch its hooks off for long.

// maxUnread bounds how many are kept.
const maxUnread = 256

// Unread is the failure of a script that was not tried again.
type Unread struct {
	Why   string
	After time.Duration // it failed: when it is tried again
}

// Error says why it failed, and when it is tried again.
func (u *Unread) Error() string {
	return fmt.Sprintf("%s (it is read again when it changes, or %v after it failed)", u.Why, u.After)
}

var unread struct {
	sync.Mutex
	why map[string]kepts // by unreadKey
}

type kepts struct {
	why   string
	until time.Time
	wait  time.Duration // that ends then
}

// unreadKey is equal for scripts that do the same when they are read.
func (p *Program) unreadKey() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", p.b.File, p.b.Hash, p.c.Settings, p.c.Allow))
	return hex.EncodeToString(sum[:])
}

// failedBefore is the failure of a script that could not be read a moment ago, or nil.
func (p *Program) failedBefore() error {
	key := p.unreadKey()
	unread.Lock()
	defer unread.Unlock()
	if known, ok := unread.why[key]; ok {
		if time.Now().Before(known.until) {
			return &Unread{known.why, known.wait}
		}
	}
	dir := p.c.Cache
	if dir == "" || private(dir) != nil {
		return nil
	}
	name := filepath.Join(dir, key+".unread")
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	text, err := disk.Read(name, maxAnswer)
	if err != nil {
		return nil
	}
	first, why, _ := strings.Cut(string(text), "\n")
	wait, err := time.ParseDuration(first)
	if age := time.Since(info.ModTime()); err != nil || why == "" || age < 0 || age >= min(wait, p.retryRead) {
		return nil
	}
	return &Unread{why, wait}
}

// cannotBeRead keeps why a script failed that took so long.
func (p *Program) cannotBeRead(why error, took time.Duration) {
	if took < p.loadTime-p.loadTime/10 || errors.As(why, new(*Unread)) {
		return
	}
	key := p.unreadKey()
	wait := p.learn(key, why.Error())
	if err := p.keepUnread(key, wait.String()+"\n"+why.Error()); err != nil && p.c.Cache != "" {
		p.log(p.label() + ": why it cannot be read could not be kept: " + err.Error())
	}
}

// learn keeps a failure for this process, and says for how long.
func (p *Program) learn(key, why string) time.Duration {
	now := time.Now()
	unread.Lock()
	defer unread.Unlock()
	for other, known := range unread.why {
		if now.After(known.until.Add(p.retryRead)) {
			delete(unread.why, other)
		}
	}
	if unread.why == nil {
		unread.why = map[string]kepts{}
	}
	wait := min(max(2*unread.why[key].wait, p.retryFirst), p.retryRead)
	if len(unread.why) < maxUnread {
		unread.why[key] = kepts{why, now.Add(wait), wait}
	}
	return wait
}

// keepUnread writes it down for other processes, and takes away what is old.
func (p *Program) keepUnread(key, why string) error {
	dir := p.c.Cache
	if dir == "" {
		return nil
	}
	if err := makePrivate(dir); err != nil {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(dir, "*.unread")) // the pattern is ours
	for _, name := range old {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) >= p.retryRead {
			_ = os.Remove(name) // it counts no more, there or not
		}
	}
	return disk.ReplaceUnsynced(filepath.Join(dir, key+".unread"), []byte(why), 0o600)
}
