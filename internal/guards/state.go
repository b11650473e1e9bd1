package guards

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// Bounds of what is kept of sessions.
const (
	maxOpen      = 64                  // sessions in memory
	maxKept      = 256                 // files
	maxAge       = 30 * 24 * time.Hour // of a file
	maxStateFile = 512 << 10           // bytes of a file that are read
	stateVersion = 1
	lockPrefix   = "lock"
	lockPatience = 2 * time.Second
	saveDelay    = 500 * time.Millisecond // for what no rule but a count builds on
)

// State keeps what sessions did, for rules that are about more than one call: a small
// file for each session, written in one step. The zero State keeps it in memory alone.
//
// A daemon reads a session's file once, and writes what matters at once, counts a
// moment later. With Alone, for a process that judges one event and ends, each use
// locks, reads and writes the file.
type State struct {
	Dir   string // of the files; "" has none
	Alone bool

	// Most is how many sessions are in memory at most; 0 is a number for a daemon, which
	// reads the others again.
	Most int

	// Log is given what went wrong with a file. Nil drops it: rules over sessions
	// then know less, and no call waits for it.
	Log func(line string)

	// ReadFile reads files of the agent to see whether they changed. Nil reads the disk.
	ReadFile func(name string, most int) ([]byte, error)

	patience time.Duration // for the lock; 0 is lockPatience

	mu    sync.Mutex
	open  map[string]*entry
	made  int
	timer *time.Timer
}

// entry is a session in memory.
type entry struct {
	mu      sync.Mutex
	name    string // of its file
	s       *session
	known   fs.FileInfo // of the file as this process read or wrote it; nil: there was none
	dirty   bool
	removed bool // another entry has taken its place
	used    time.Time
}

// Close writes what waits to be written.
func (st *State) Close() error {
	st.mu.Lock()
	if st.timer != nil {
		st.timer.Stop()
		st.timer = nil
	}
	all := make([]*entry, 0, len(st.open))
	for _, k := range st.open {
		all = append(all, k)
	}
	st.mu.Unlock()
	var errs []error
	for _, k := range all {
		k.mu.Lock()
		if !k.removed {
			errs = append(errs, st.save(k))
		}
		k.mu.Unlock()
	}
	return errors.Join(errs...)
}

// use calls f with what is kept under a key, alone, and keeps what f made of it. An
// f that reports true has done what must be on the disk before the call goes on.
func (st *State) use(key string, f func(*session) (now bool)) {
	k := st.hold(key)
	defer k.mu.Unlock()
	if st.Alone && st.Dir != "" {
		defer st.lock(k)()
	}
	st.load(k)
	now := f(k.s)
	k.dirty = true
	if now || st.Alone {
		if err := st.save(k); err != nil {
			st.log("what guards keep of a session was not written: " + err.Error())
		}
		return
	}
	st.soon()
}

// look calls f with what is kept under a key, alone. f changes nothing.
func (st *State) look(key string, f func(*session)) {
	k := st.hold(key)
	defer k.mu.Unlock()
	st.load(k)
	f(k.s)
}

// lock keeps other processes out that judge alone. Without the lock, the last one wins.
// A lock is of few sessions, and its file stays: one that is removed locks nobody out.
func (st *State) lock(k *entry) (unlock func()) {
	err := st.folder()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(st.patience, lockPatience))
		defer cancel()
		unlock, err = disk.LockFile(ctx, filepath.Join(st.Dir, lockPrefix+k.name[:2]))
	}
	if err != nil {
		st.log("what guards keep of sessions cannot be locked: " + err.Error())
		return func() {}
	}
	return unlock
}

// hold gives what is kept under a key, locked, and forgets what was used least.
func (st *State) hold(key string) *entry {
	name := fileOf(key)
	for {
		st.mu.Lock()
		k := st.open[name]
		if k == nil {
			k = &entry{name: name}
			if st.open == nil {
				st.open = map[string]*entry{}
			}
			st.open[name] = k
		}
		k.used = time.Now()
		old := st.tooMany(k)
		st.mu.Unlock()
		if old != nil {
			st.forget(old)
		}
		k.mu.Lock()
		if !k.removed {
			return k
		}
		k.mu.Unlock()
	}
}

// tooMany gives the session that was used least, locked, if there are too many. One
// that is in use is passed over: no call waits for the session of another.
func (st *State) tooMany(but *entry) (old *entry) {
	if len(st.open) <= cmp.Or(st.Most, maxOpen) {
		return nil
	}
	for _, k := range st.open {
		if k != but && (old == nil || k.used.Before(old.used)) && k.mu.TryLock() {
			if old != nil {
				old.mu.Unlock()
			}
			old = k
		}
	}
	return old
}

// forget writes a session and takes it out, in this order: nobody reads its file before
// that is written.
func (st *State) forget(old *entry) {
	defer old.mu.Unlock()
	if err := st.save(old); err != nil {
		st.log("what guards keep of a session was not written: " + err.Error())
	}
	st.mu.Lock()
	delete(st.open, old.name)
	st.mu.Unlock()
	old.removed = true
}

// fileOf is the name of the file of what is kept under a key.
func fileOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:12])
}

func (st *State) path(k *entry) string { return filepath.Join(st.Dir, k.name+".json") }

// load reads a session's file, if another process wrote it since.
func (st *State) load(k *entry) {
	if st.Dir == "" {
		if k.s == nil {
			k.s = &session{}
		}
		return
	}
	now := infoOf(st.path(k))
	if k.s != nil && sameFile(k.known, now) {
		return
	}
	s := &session{}
	b, err := disk.Read(st.path(k), maxStateFile)
	if err == nil {
		err = json.Unmarshal(b, s)
	}
	switch {
	case err == nil && s.Version == stateVersion:
	case k.s != nil:
		s = k.s // what this process knows is better than nothing
	default:
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			st.log("what guards kept of a session cannot be read, and begins anew: " + err.Error())
		}
		s = &session{}
	}
	s.bound()
	k.s, k.known = s, now
}

// save writes a session's file.
func (st *State) save(k *entry) error {
	if !k.dirty || st.Dir == "" {
		return nil
	}
	k.s.Version = stateVersion
	b, err := json.Marshal(k.s)
	for err == nil && len(b) > maxStateFile { // as of a file that had long texts when it was read
		k.s.shed()
		b, err = json.Marshal(k.s)
	}
	if err != nil {
		return err
	}
	if err := st.folder(); err != nil {
		return err
	}
	if k.known == nil {
		st.prune()
	}
	if err := disk.ReplaceUnsynced(st.path(k), b, 0o600); err != nil {
		return err
	}
	k.dirty, k.known = false, infoOf(st.path(k))
	return nil
}

func (st *State) folder() error { return os.MkdirAll(st.Dir, 0o700) }

// infoOf tells one version of a file from another; nil is of none.
func infoOf(path string) fs.FileInfo {
	info, err := os.Stat(path)
	if err != nil || !os.SameFile(info, info) { // Windows looks only now which file it is
		return nil
	}
	return info
}

// sameFile reports whether a file is the same version: each is a file of its own, which
// takes the place of the one before.
func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size() && a.Mode() == b.Mode()
}

// soon writes all that changed, a moment after the first of it changed.
func (st *State) soon() {
	if st.Dir == "" {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.timer == nil {
		st.timer = time.AfterFunc(saveDelay, st.flush)
	}
}

func (st *State) flush() {
	if err := st.Close(); err != nil {
		st.log("what guards keep of a session was not written: " + err.Error())
	}
}

// prune removes the files of sessions that are old or too many. It looks at the folder
// when files are new, and not each time.
func (st *State) prune() {
	st.mu.Lock()
	st.made++
	look := st.made%32 == 1
	st.mu.Unlock()
	if !look {
		return
	}
	names, err := disk.Names(st.Dir, 8*maxKept)
	if err != nil && !errors.Is(err, disk.ErrTooMany) {
		return
	}
	type file struct {
		name string
		at   time.Time
	}
	var files []file
	for _, n := range names {
		if strings.HasPrefix(n, lockPrefix) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(st.Dir, n)); err == nil && info.Mode().IsRegular() {
			files = append(files, file{n, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.name, b.name)) })
	for i, f := range files {
		if i > maxKept || time.Since(f.at) > maxAge {
			os.Remove(filepath.Join(st.Dir, f.name))
		}
	}
}

func (st *State) log(line string) {
	if st.Log != nil {
		st.Log(line)
	}
}

// readFile reads a file that the agent may have written.
func (st *State) readFile(name string, most int) ([]byte, error) {
	if st.ReadFile != nil {
		return st.ReadFile(name, most)
	}
	return disk.Read(name, int64(most))
}
