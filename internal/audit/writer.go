package audit

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Bounds of one batch.
const (
	maxBatch      = 256
	maxBatchBytes = 1 << 20
)

// syncDelay is how long written records wait to be forced to the disk.
const syncDelay = time.Second

// writer is the one goroutine that writes a log, and what only it touches.
type writer struct {
	log   *Log
	cover covers
	store *store
	buf   bytes.Buffer
	batch []*entry

	dirty  bool             // written since the last sync began
	timer  *time.Timer      // until the next sync; nil if nothing is dirty
	synced chan syncResult  // of the sync that is under way
	busy   bool             // a sync is under way
	now    func() time.Time // the clock
}

// syncResult is the end of a sync: what is on the disk for sure.
type syncResult struct {
	end mark
	err error
}

func newWriter(l *Log) *writer {
	return &writer{log: l, cover: covers{fields: l.config.Fields}, store: newStore(l.config), synced: make(chan syncResult, 1), now: time.Now}
}

func (w *writer) run() {
	defer close(w.log.ended)
	for {
		var due <-chan time.Time
		if w.timer != nil && !w.busy {
			due = w.timer.C
		}
		select {
		case e := <-w.log.queue:
			w.take(e)
		case <-due:
			w.sync()
		case r := <-w.synced:
			w.didSync(r)
		case <-w.log.closing:
			w.log.err = w.end()
			return
		}
	}
}

// take writes a record, and all that wait behind it, as one batch.
func (w *writer) take(e *entry) {
	w.batch = append(w.batch[:0], e)
	runtime.Gosched() // what is ready to run may append, too: a batch costs as much as one record
	for len(w.batch) < maxBatch {
		select {
		case e := <-w.log.queue:
			w.batch = append(w.batch, e)
			continue
		default:
		}
		break
	}
	for _, e := range w.batch {
		w.finish(&e.record)
	}
	for rest := w.batch; len(rest) > 0; {
		n := w.write(rest)
		rest = rest[n:]
	}
	clear(w.batch)
	if w.buf.Cap() > 2*maxBatchBytes {
		w.buf = bytes.Buffer{}
	}
	if w.dirty && w.timer == nil {
		w.timer = time.NewTimer(syncDelay)
	}
}

// write writes the first of some entries, as many as one batch may have, tells
// their appenders, and gives their number.
func (w *writer) write(entries []*entry) int {
	release, err := w.store.enter(w.now())
	if err != nil {
		return w.refuse(entries, err)
	}
	defer release()
	lost := w.log.lost.Swap(0)
	next := w.store.end
	torn := w.store.torn
	w.buf.Reset()
	w.buf.Write(w.store.opening())
	taken, written := 0, make([]*entry, 0, len(entries))
	for _, e := range entries {
		if w.buf.Len() > maxBatchBytes {
			break
		}
		taken++
		r := &e.record
		r.Seq, r.Prev = next.seq+1, next.hash
		r.Lost, r.Torn = 0, nil
		if len(written) == 0 {
			r.Lost, r.Torn = lost, torn
			r.Warnings = append(r.Warnings, w.store.notes...)
		}
		if err := appendLine(&w.buf, r); err != nil {
			w.log.lost.Add(1)
			w.log.release(e)
			e.done <- err
			continue
		}
		next = position{r.Seq, r.Hash}
		written = append(written, e)
	}
	if len(written) == 0 {
		w.log.lost.Add(lost)
		return taken
	}
	if err := w.store.write(w.buf.Bytes(), next, w.now()); err != nil {
		w.log.lost.Add(lost)
		w.refuse(written, err)
		return taken
	}
	w.dirty = true
	for _, e := range written {
		if e.whole != nil {
			w.log.events.store.Put(e.record.Seq, e.whole)
		}
		e.done <- nil
	}
	return taken
}

// finish takes secrets out of a record. A value that makes it panic costs the
// record its details, not the process.
func (w *writer) finish(r *Record) {
	defer func() {
		if p := recover(); p != nil {
			*r = Record{
				Time: r.Time, Event: r.Event, EventID: r.EventID, Action: r.Action, DurationMS: r.DurationMS,
				Warnings: []string{"the record had contents that could not be read; they are left out"},
				Kept:     r.Kept, Unkept: r.Unkept,
			}
		}
	}()
	if r.Time.IsZero() {
		r.Time = w.now()
	}
	w.cover.of(r.Hide).finish(r)
}

// refuse tells appenders that their records are lost.
func (w *writer) refuse(entries []*entry, err error) int {
	w.log.lost.Add(int64(len(entries)))
	for _, e := range entries {
		w.log.release(e)
		e.done <- fmt.Errorf("the audit record is not written: %w", err)
	}
	return len(entries)
}

// sync begins to force what was written to the disk, beside the writer, so that
// nobody waits for it.
func (w *writer) sync() {
	w.timer, w.dirty, w.busy = nil, false, true
	files, end := w.store.unsynced()
	go func() { w.synced <- syncResult{end, syncAll(files)} }()
}

// didSync notes in the head how far the log is on the disk.
func (w *writer) didSync(r syncResult) {
	w.busy = false
	if err := errors.Join(r.err, w.store.reached(r.end)); err != nil {
		w.log.config.Log.Warn(fmt.Sprintf("the audit log may not be on the disk: %v", err))
	}
	if w.dirty && w.timer == nil {
		w.timer = time.NewTimer(syncDelay)
	}
}

// end writes what waits and leaves everything on the disk.
func (w *writer) end() error {
	for {
		select {
		case e := <-w.log.queue:
			w.take(e)
			continue
		default:
		}
		break
	}
	if w.busy {
		w.didSync(<-w.synced)
	}
	var err error
	if w.dirty {
		files, end := w.store.unsynced()
		err = errors.Join(syncAll(files), w.store.reached(end))
	}
	return errors.Join(err, w.store.close())
}
