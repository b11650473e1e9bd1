package config

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// coarse is how old a change must be before a look at a file's times and size is
// trusted to tell it from the next one: the clocks of file systems are coarse.
const coarse = 20 * time.Millisecond

// seen is what the files of a plan looked like when they were last read.
type seen struct {
	plan    plan
	sum     uint64
	anchors anchors
}

// Refresh is Reload if a file has changed since the last Refresh, and otherwise
// costs a look at a few files. Whoever calls it before each event needs no Run:
// what was written before the call counts in it.
func (l *Live) Refresh(ctx context.Context) (*Set, error) {
	last := l.seen.Load()
	if last != nil && last.anchors.hold() {
		return l.set.Load(), nil
	}
	if last != nil {
		at := last.plan.anchors() // before the closer look: a change meanwhile is seen next time
		if sum, _ := last.plan.look(time.Now()); sum == last.sum {
			l.seen.Store(&seen{last.plan, sum, at})
			return l.set.Load(), nil
		}
	}
	p := l.set.Load().plan()
	at := p.anchors()
	sum, stable := p.look(time.Now())
	set, err := l.Reload(ctx)
	if err != nil {
		return set, err
	}
	if after := set.plan(); stable && slices.Equal(after.files, p.files) && slices.Equal(after.trees, p.trees) {
		l.seen.Store(&seen{p, sum, at})
	} else { // something was just written, or other files matter now: look again next time
		l.seen.Store(nil)
	}
	return set, nil
}

// anchors are the fewest paths on which all that a plan names depends: what is
// there, and for what is not the folder nearest to it, which changes when
// something appears in it.
type anchors struct {
	plan   plan
	sum    uint64
	stable bool
}

func (p *plan) anchors() anchors {
	var a anchors
	add := func(path string) {
		if !slices.Contains(a.plan.files, path) {
			a.plan.files = append(a.plan.files, path)
		}
	}
	for _, path := range p.files {
		for !disk.Exists(path) && path != filepath.Dir(path) {
			path = filepath.Dir(path)
		}
		add(path)
	}
	for _, t := range p.trees {
		if disk.Exists(t.path) {
			a.plan.trees = append(a.plan.trees, t)
			continue
		}
		path := t.path
		for !disk.Exists(path) && path != filepath.Dir(path) {
			path = filepath.Dir(path)
		}
		add(path)
	}
	a.sum, a.stable = a.plan.look(time.Now())
	return a
}

// hold reports whether nothing has changed.
func (a *anchors) hold() bool {
	if !a.stable {
		return false
	}
	sum, _ := a.plan.look(time.Now())
	return sum == a.sum
}

// look sums up the state of all that the plan names. It is unstable if something
// changed just now, so that one more change might look the same.
func (p *plan) look(now time.Time) (sum uint64, stable bool) {
	h := fnv.New64a()
	stable = true
	var b []byte
	add := func(path string, info fs.FileInfo) {
		changed := max(trust.ChangeTime(info), info.ModTime().UnixNano())
		b = append(b[:0], path...)
		b = binary.LittleEndian.AppendUint64(b, uint64(changed))
		b = binary.LittleEndian.AppendUint64(b, uint64(info.ModTime().UnixNano()))
		b = binary.LittleEndian.AppendUint64(b, uint64(info.Size()))
		b = binary.LittleEndian.AppendUint32(b, uint32(info.Mode()))
		_, _ = h.Write(b)
		if age := now.UnixNano() - changed; age < int64(coarse) {
			stable = false
		}
	}
	for _, file := range p.files {
		if info, err := os.Stat(file); err == nil {
			add(file, info)
		}
	}
	for _, t := range p.trees {
		info, err := os.Stat(t.path)
		if err != nil {
			continue
		}
		add(t.path, info)
		_ = trust.WalkHooks(t.within, t.path, func(e disk.Entry) error { // what is beyond its bounds does not load
			if e.Err == nil {
				add(e.Path, e.Info) // of its target, if it is a link
			}
			return nil
		})
	}
	return h.Sum64(), stable
}
