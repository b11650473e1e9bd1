package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/internal/stack"
	"github.com/hookway/hookway/wire"
)

// maxEntry bounds an event with all that was found about it.
const maxEntry = 2 * keep.MaxEvent

// whole is the event of a record, as the hooks got it.
type whole struct {
	ev    hook.AnyEvent
	kept  keep.Event // all but its payload
	draft *Draft     // of its payload
}

// wholeOf is what an outcome tells of how an event was decided.
func wholeOf(ev hook.AnyEvent, out *hook.Outcome[any]) *whole {
	w := &whole{ev: ev}
	if out == nil {
		return w
	}
	w.kept.Verdict = keep.VerdictOf(&out.Verdict)
	w.kept.MadeText, _ = keep.MadeOf(out) // without one it is not compared
	if out.Facts != nil && !out.Changed {
		w.kept.Analyses, w.kept.Analyser = []keep.Analysis{{Facts: out.Facts}}, facts.Version()
	}
	return w
}

// Watched adds what was noted while the event was decided to what is kept of it.
func (r *Record) Watched(w *keep.Watch) {
	if r.whole != nil && w != nil {
		r.whole = &whole{r.whole.ev, w.Event(), r.whole.draft}
	}
}

// Drafted adds what was made ready of the event while its hooks were asked. A nil draft,
// or one of another event, adds nothing.
func (r *Record) Drafted(d *Draft) {
	if r.whole != nil && d != nil && d.ev == r.whole.ev && slices.Equal(d.hide, r.Hide) {
		r.whole = &whole{r.whole.ev, r.whole.kept, d}
	}
}

// Draft is an event that is made ready to be kept while its hooks are asked.
type Draft struct {
	ev   hook.AnyEvent
	hide []string
	done chan struct{} // closed when the rest is there

	payload []byte
	begun   []byte    // the entry up to the payload
	hash    hash.Hash // of begun
	scrub   scrubber
	why     string // it cannot be kept
}

// room is how much is left for what is found of an event.
const room = 1 << 10

// Draft begins to make an event ready to be kept, beside its decision. hide is as in
// Record.Hide.
func (l *Log) Draft(ev hook.AnyEvent, hide []string) *Draft {
	if l.events.store.Off() || l.events.hangs() {
		return nil
	}
	d := &Draft{ev: ev, hide: hide, done: make(chan struct{})}
	go func() {
		stack.Grow8()
		defer close(d.done)
		defer func() {
			if p := recover(); p != nil { // of a value's own marshaller
				d.why = unreadable
			}
		}()
		if d.payload, d.why = l.events.payload(d.ev, d.hide, &d.scrub); d.why == "" {
			d.payload = d.scrub.clean(d.payload, d.scrub.loose)
			d.begun, d.hash = keep.Begin(d.payload, room), sha256.New()
			_, _ = d.hash.Write(d.begun)
		}
	}()
	return d
}

// keeper makes what is kept of events, for many goroutines.
type keeper struct {
	store *keep.Store
	stuck atomic.Bool // somebody waited in vain for the folder of the store
	mu    sync.Mutex
	cover covers
}

// hangs reports whether nobody should wait for the disk: somebody did, in vain, and it
// has not answered since.
func (k *keeper) hangs() bool {
	if !k.stuck.Load() {
		return false
	}
	select {
	case <-k.store.Opened():
		k.stuck.Store(false)
		return false
	default:
		return true
	}
}

// await waits until an event can be made ready, or is; for half of the time that there is,
// since its record has to be written in the rest. It says why nobody waits any longer.
func (k *keeper) await(ctx context.Context, d *Draft, patience time.Duration) (why string) {
	done := k.store.Opened()
	if d != nil {
		done = d.done
	}
	select {
	case <-done:
		return ""
	default:
	}
	if k.hangs() {
		return slowDisk
	}
	if until, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(until))
	}
	timer := time.NewTimer(patience / 2)
	defer timer.Stop()
	select {
	case <-done:
		return ""
	case <-ctx.Done(): // that its caller has gone says nothing of the disk
		return notReady
	case <-timer.C:
	}
	select {
	case <-k.store.Opened():
		return notReady
	default:
		k.stuck.Store(true)
		return slowDisk
	}
}

// entry makes what is kept of a record's event, and notes in the record its hash, or why
// there is none. nil: nothing is kept. Room for the entry is reserved. It waits for the
// disk no longer than patience and the context allow.
func (k *keeper) entry(ctx context.Context, r *Record, patience time.Duration) (text []byte) {
	w := r.whole
	if r.whole = nil; w == nil || r.Failure != "" || k == nil || k.store.Off() {
		return nil
	}
	defer func() {
		if p := recover(); p != nil { // of a value's own marshaller
			r.Kept, r.Unkept, text = "", unreadable, nil
		}
	}()
	if why := k.await(ctx, w.draft, patience); why != "" {
		r.Unkept = why
		k.store.Lose(1, errors.New(why))
		return nil
	}
	text, r.Kept, r.Unkept = k.make(r, w)
	switch {
	case r.Unkept != "":
		return nil
	case !k.store.Reserve(len(text)):
		r.Kept, r.Unkept = "", "too many events waited to be written"
		return nil
	}
	return text
}

// slowDisk is why an event is not kept whose decision would have had to wait for it.
const slowDisk = "the disk did not answer in time"

// notReady is why an event is not kept that its decision did not wait for.
const notReady = "it was not made ready in time"

// unreadable is why an event is not kept whose values fail.
const unreadable = "the event cannot be read"

// payload is an event in its wire form, and what takes its secrets out; or why it cannot
// be kept.
func (k *keeper) payload(ev hook.AnyEvent, hide []string, s *scrubber) (text []byte, why string) {
	holds, err := k.store.Ready()
	if err != nil {
		return nil, "events cannot be kept"
	}
	encoded, err := wire.Encode(ev)
	if err != nil {
		return nil, "the event has no JSON form"
	}
	text = encoded.Bytes()
	if len(text) > keep.MaxEvent {
		return nil, fmt.Sprintf("the event is larger than %d KiB", keep.MaxEvent>>10)
	}
	k.mu.Lock()
	redact := k.cover.of(hide)
	k.mu.Unlock()
	if len(redact.fields) > 0 {
		if why := redact.hidesIn(text); why != "" {
			return nil, why
		}
	}
	s.redact, s.holds = redact, holds
	if call, ok := hook.CallOf(ev); ok {
		s.listed(call.Input, 0)
	}
	return text, ""
}

// make makes an entry with the hash that names it, or says why there can be none.
func (k *keeper) make(r *Record, w *whole) (text []byte, name, why string) {
	var payload []byte
	s := &scrubber{}
	if d := w.draft; d != nil {
		payload, why, s = d.payload, d.why, &d.scrub
	} else {
		payload, why = k.payload(w.ev, r.Hide, s)
	}
	if why != "" {
		return nil, "", why
	}
	e := w.kept
	e.Analyses, e.Chance = s.holds.Keyed(e.Analyses), s.holds.Sealed(e.Seed)
	e.Workspace, s.kinds = r.Workspace, kindsOf(&e)
	if len(s.redact.fields) > 0 {
		if why = s.redact.hidesBeside(r, &e); why != "" {
			return nil, "", why
		}
	}
	verdict, rest := e.Verdict.Text(), e.Rest()
	before := len(s.found) // with a draft, its payload is without these already
	s.withhold(e.Withheld, payload, verdict, rest, e.MadeText)
	switch {
	case w.draft != nil:
		verdict, rest = s.clean(verdict, s.loose), s.clean(rest, s.tight)
	case !s.quiet(payload, verdict, rest):
		payload, verdict, rest = rewrite(payload, s.loose), rewrite(verdict, s.loose), rewrite(rest, s.tight)
	}
	made := e.MadeText
	if made != nil {
		made = s.clean(made, s.loose)
	}
	var begun []byte
	var sum hash.Hash // nil: what was begun is not what is kept
	switch {
	case len(s.found) > before || len(s.short) > 0:
		payload = rewrite(payload, s.again)
	case w.draft != nil:
		begun, sum = w.draft.begun, w.draft.hash
	}
	if len(s.found) > 0 {
		verdict, rest = rewrite(verdict, s.again), rewrite(rest, s.again)
		if made != nil {
			made = rewrite(made, s.again)
		}
	}
	if begun == nil {
		begun = keep.Begin(payload, len(rest)+len(verdict))
	}
	if text = keep.End(begun, rest, verdict, s.holds.Made(made), s.count); len(text) > maxEntry {
		return nil, "", fmt.Sprintf("the event with what was found about it is larger than %d KiB", maxEntry>>10)
	}
	if sum != nil {
		_, _ = sum.Write(text[len(begun):])
		return text, hex.EncodeToString(sum.Sum(nil)), ""
	}
	return text, keep.Hash(text), ""
}

// hidesIn says what of an event the configuration hides; "" is nothing.
func (r *redactor) hidesIn(payload []byte) string {
	var event map[string]any
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	if d.Decode(&event) != nil {
		return "the event cannot be read"
	}
	return r.hiddenAt("", event)
}

// hidesBeside says what the configuration hides of what was found about an event, by the
// names that records have; "" is nothing.
func (r *redactor) hidesBeside(rec *Record, e *keep.Event) string {
	about := map[string]any{}
	v := &e.Verdict
	for name, text := range map[string]string{"reason": v.Reason, "user_message": v.UserMessage, "inject": v.Inject, "workspace": e.Workspace, "what": rec.What, "ran": rec.Ran} {
		if text != "" {
			about[name] = text
		}
	}
	found := slices.Clone(e.Before)
	env := map[string]any{}
	for i := range e.Analyses {
		a := &e.Analyses[i]
		found = append(found, a.Facts...)
		for name, value := range a.Seen.Env {
			env[name] = value
		}
		var input any
		if a.Input != nil && json.Unmarshal(a.Input, &input) == nil {
			about["changes"] = true
			if why := r.hiddenAt("tool_input", input); why != "" {
				return why
			}
		}
	}
	if len(rec.Changes) > 0 {
		about["changes"] = true
	}
	var texts []any
	for i := range found {
		f := reflect.ValueOf(found[i])
		for n := range f.NumField() {
			switch field := f.Field(n).Interface().(type) {
			case string:
				texts = append(texts, field)
			case []string:
				texts = append(texts, strings.Join(field, " "))
			}
		}
	}
	if len(texts) > 0 {
		about["facts"] = texts
	}
	if len(env) > 0 {
		about["env"] = env
	}
	return r.hiddenAt("", about)
}

func (r *redactor) hiddenAt(path string, value any) string {
	if path != "" && value != nil && r.configured(steps(path)) {
		return "redact hides " + path
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if path == "" && slices.Contains(foundBy, name) {
				continue
			}
			if why := r.hiddenAt(join(path, name), v[name]); why != "" {
				return why
			}
		}
	case []any:
		for _, one := range v {
			if why := r.hiddenAt(path, one); why != "" {
				return why
			}
		}
	case string:
		if r.texts.Text(v) != plainTexts.Text(v) {
			return "redact hides a part of " + path
		}
	}
	return ""
}
