package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// followed is a file of the log.
type followed struct {
	audit.File
	known
	end   int64    // up to here it was read
	sum   string   // hash of the last record
	last  int64    // number of that
	build *builder // what follows the blocks; nil if nothing does

	unsaved  []*block // at the end of blocks
	problems []problem
	partial  int64 // bytes of a last line that may be in the middle of being written
	torn     bool  // the last problem is a torn line, which the next record may own up to
}

// snapshot is what is indexed at a time. Nobody changes it.
type snapshot struct {
	blocks   []*block // oldest first
	files    map[int64]string
	records  int64
	behind   int64 // records, about
	problems []string
	kept     *kept
}

// remember takes what the file has.
func (x *Index) remember(all map[int64]*known) {
	x.logs = nil
	for file, of := range all {
		f := &followed{File: audit.File{First: file}, known: *of}
		if n := len(of.blocks); n > 0 {
			f.end, f.sum, f.last = of.blocks[n-1].end, of.blocks[n-1].sum, of.blocks[n-1].last
		}
		x.logs = append(x.logs, f)
	}
}

// follow reads what is new: first of the last file, then of those before it. more says
// that the time was over before the end.
func (x *Index) follow(ctx context.Context, newest, older time.Duration) (more bool, err error) {
	files, err := audit.Files(x.dir)
	if err != nil {
		return false, err
	}
	if err := x.reconcile(ctx, files); err != nil {
		return false, err
	}
	until := time.Now().Add(newest)
	for i := len(x.logs) - 1; i >= 0; i-- {
		f := x.logs[i]
		done, err := x.read(ctx, f, i == len(x.logs)-1, until)
		if err != nil {
			return false, err
		}
		if i == len(x.logs)-1 {
			until = time.Now().Add(older)
		}
		if more = !done; more {
			break
		}
	}
	if x.changed || x.now.kept == nil {
		x.publish(ctx)
	}
	return more, ctx.Err()
}

// reconcile compares what was followed with the files that are there. What is of another
// file than the one at its place is forgotten.
func (x *Index) reconcile(ctx context.Context, files []audit.File) error {
	before := map[int64]*followed{}
	for _, f := range x.logs {
		before[f.First] = f
	}
	x.logs = x.logs[:0:0]
	var dropped []int64
	for _, file := range files {
		f := before[file.First]
		delete(before, file.First)
		switch {
		case f == nil:
			x.changed, f = true, &followed{}
		case f.same(file):
		default:
			dropped = append(dropped, file.First)
			f = &followed{}
		}
		f.File = file
		x.logs = append(x.logs, f)
	}
	for first := range before {
		dropped = append(dropped, first)
	}
	if len(dropped) == 0 {
		return nil
	}
	x.changed = true
	return x.kept.drop(ctx, dropped)
}

// same reports whether what is known is of this file.
func (f *followed) same(now audit.File) bool {
	if now.Info.Size() < f.end {
		return false
	}
	if f.Info != nil {
		return os.SameFile(f.Info, now.Info)
	}
	begins, err := beginning(now.Path)
	return err == nil && begins == f.begins && (f.end == 0 || endsWith(now.Path, f.end, f.sum))
}

// beginning is the hash of the first record of a file; "" if there is none.
func beginning(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	for l, err := range audit.Forward(file, 0) {
		if err != nil {
			return "", err
		}
		if hash, _ := audit.Sealed(l.Text, ""); hash != "" {
			return hash, nil
		}
	}
	return "", nil
}

// endsWith reports whether the record before a place has a hash.
func endsWith(path string, end int64, sum string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	for l, err := range audit.Backward(file, end) {
		if err != nil {
			return false
		}
		if len(l.Text) == 0 { // behind the last line break
			continue
		}
		hash, _ := audit.Sealed(l.Text, "")
		return hash == sum || hash == "" // a line that is not a record stands behind it
	}
	return false
}

// saveEvery is how many blocks are written together.
const saveEvery = 8

// read reads what is new of a file. done says that it came to its end.
func (x *Index) read(ctx context.Context, f *followed, last bool, until time.Time) (done bool, err error) {
	if size := f.Info.Size(); f.end < size {
		x.changed = true
		file, err := os.Open(f.Path)
		if errors.Is(err, os.ErrNotExist) { // removed for its age meanwhile
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("the audit log cannot be read: %w", err)
		}
		defer file.Close()
		if done, err = x.lines(ctx, f, file, last, until); err != nil {
			return false, err
		}
	} else {
		done = true
	}
	if done && !last && f.build != nil && f.build.n > 0 {
		f.seal()
		x.changed = true
	}
	if done && !last {
		f.build = nil
	}
	return done, x.save(ctx, f)
}

// lines reads lines of a file from where it was read.
func (x *Index) lines(ctx context.Context, f *followed, file *os.File, last bool, until time.Time) (done bool, err error) {
	if f.build == nil {
		f.build = newBuilder(f.First, f.end)
	}
	size, n := f.Info.Size(), 0
	f.partial = 0
	for l, err := range audit.Forward(file, f.end) {
		if err != nil {
			return false, err
		}
		if l.At >= size {
			break
		}
		if !l.Whole && last {
			f.partial = size - l.At
			break
		}
		f.line(l)
		if f.build.full() {
			f.seal()
			if len(f.unsaved) >= saveEvery {
				if err := x.save(ctx, f); err != nil {
					return false, err
				}
			}
			if f.build == nil { // it is as another process has it
				return false, nil
			}
		}
		if n++; n%64 == 0 && (ctx.Err() != nil || time.Now().After(until)) {
			return false, nil
		}
	}
	return true, nil
}

// line reads a line.
func (f *followed) line(l audit.Line) {
	b := f.build
	defer func() { f.end, b.end = l.End, l.End }()
	hash, sound := audit.Sealed(l.Text, f.sum)
	r, err := b.reader.read(l, sound)
	if err != nil {
		damage := &audit.Damage{File: f.Path, Torn: !l.Whole, Err: err}
		f.problem(l.At, damage.Error())
		f.torn = true
		return
	}
	if f.torn && b.reader.owns {
		f.problems = f.problems[:max(len(f.problems)-1, 0)]
	}
	f.torn = false
	if !sound {
		f.unsound(l, r)
	}
	f.sum, f.last, b.sum = hash, r.seq, hash
	if f.begins == "" {
		f.begins = hash
	}
	b.add(r)
}

// unsound notes what is wrong with a record that is not what follows the one before.
func (f *followed) unsound(l audit.Line, r *row) {
	prev := f.build.reader.record.Prev
	if _, whole := audit.Sealed(l.Text, prev); !whole {
		f.problem(l.At, fmt.Sprintf("record %d was changed after it was written: %s; hookway log verify tells more", r.seq, filepath.Base(f.Path)))
		return
	}
	if f.sum != "" && f.sum != prev {
		f.problem(l.At, fmt.Sprintf("record %d does not follow the one before it, which was changed, moved or removed: %s; hookway log verify tells more", r.seq, filepath.Base(f.Path)))
	}
}

// problem notes what is wrong with the log at a place.
func (f *followed) problem(at int64, text string) {
	if len(f.problems) < mostProblems {
		f.problems = append(f.problems, problem{place{f.First, at}, text})
	}
}

// seal ends a block.
func (f *followed) seal() {
	b := f.build.seal()
	f.blocks, f.unsaved = append(slices.Clip(f.blocks), b), append(f.unsaved, b)
}

// save writes the blocks that are not written yet. If another process wrote the same
// file, what it wrote is taken.
func (x *Index) save(ctx context.Context, f *followed) error {
	if len(f.unsaved) == 0 {
		return nil
	}
	ids, err := x.kept.save(ctx, f.First, f.begins, f.unsaved, f.problems)
	if errors.Is(err, errOthers) {
		return x.takeOver(ctx, f)
	}
	if err != nil {
		return x.kept.Explain("written", err)
	}
	n := len(f.blocks) - len(f.unsaved)
	f.blocks = slices.Clone(f.blocks)
	for i, b := range f.unsaved { // what is written need not be in memory
		f.blocks[n+i] = &block{head: b.head, summed: new(summed)}
		f.blocks[n+i].id = ids[i]
	}
	f.unsaved, f.problems = nil, nil
	return nil
}

// takeOver takes what another process has written of a file, if it is of the same.
func (x *Index) takeOver(ctx context.Context, f *followed) error {
	all, err := x.kept.load(ctx)
	if err != nil {
		return x.kept.Explain("read", err)
	}
	now := followed{File: f.File}
	if of := all[f.First]; of != nil && of.begins == f.begins && len(of.blocks) > 0 {
		end := of.blocks[len(of.blocks)-1]
		now.known, now.end, now.sum, now.last = *of, end.end, end.sum, end.last
	} else if err := x.kept.drop(ctx, []int64{f.First}); err != nil {
		return x.kept.Explain("written", err)
	}
	*f = now
	return nil
}

// usualSize is about what a record takes in the log.
const usualSize = 900

// publish makes what is indexed known.
func (x *Index) publish(ctx context.Context) {
	s := &snapshot{files: map[int64]string{}, kept: x.kept}
	for i, f := range x.logs {
		s.files[f.First] = f.Path
		s.blocks = append(s.blocks, f.blocks...)
		if f.build != nil && f.build.n > 0 {
			tail := f.build.block
			tail.summed = new(summed)
			s.blocks = append(s.blocks, &tail)
		}
		switch rest := f.Info.Size() - f.end - f.partial; {
		case rest <= 0:
		case i+1 < len(x.logs):
			s.behind += max(x.logs[i+1].First-1-max(f.last, f.First-1), 0)
		default:
			s.behind += int64(math.Ceil(float64(rest) / usualSize))
		}
		for _, p := range f.problems {
			s.problems = append(s.problems, p.text)
		}
	}
	for _, b := range s.blocks {
		s.records += b.n
	}
	if found, err := x.kept.problems(ctx); err == nil {
		s.problems = append(s.problems, found...)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.why != "" {
		s.problems = append(s.problems, x.why)
	}
	x.now, x.failed, x.changed = s, nil, false
}
