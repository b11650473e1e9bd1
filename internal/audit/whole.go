package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/wire"
)

// maxEntry bounds an event with all that was found about it.
const maxEntry = 2 * keep.MaxEvent

// whole is the event of a record, as the hooks got it.
type whole struct {
	ev   hook.AnyEvent
	kept keep.Event // all but its payload
}

// wholeOf is what an outcome tells of how an event was decided.
func wholeOf(ev hook.AnyEvent, out *hook.Outcome[any]) *whole {
	w := &whole{ev: ev}
	if out == nil {
		return w
	}
	w.kept.Verdict = keep.VerdictOf(&out.Verdict)
	if out.Facts != nil && !out.Changed {
		w.kept.Analyses = []keep.Analysis{{Facts: out.Facts}}
	}
	return w
}

// Watched adds what was noted while the event was decided to what is kept of it.
func (r *Record) Watched(w *keep.Watch) {
	if r.whole != nil && w != nil {
		r.whole = &whole{r.whole.ev, w.Event()}
	}
}

// keeper makes what is kept of events, for many goroutines.
type keeper struct {
	store *keep.Store
	mu    sync.Mutex
	cover covers
}

// entry makes what is kept of a record's event, and notes in the record its hash, or why
// there is none. nil: nothing is kept. Room for the entry is reserved.
func (k *keeper) entry(r *Record) (text []byte) {
	w := r.whole
	if r.whole = nil; w == nil || r.Failure != "" || k == nil || k.store.Off() {
		return nil
	}
	defer func() {
		if p := recover(); p != nil { // of a value's own marshaller
			r.Kept, r.Unkept, text = "", "the event cannot be read", nil
		}
	}()
	text, r.Unkept = k.make(r, w)
	switch {
	case r.Unkept != "":
		return nil
	case !k.store.Reserve(len(text)):
		r.Unkept = "too many events waited to be written"
		return nil
	}
	r.Kept = keep.Hash(text)
	return text
}

// make makes an entry, or says why there can be none.
func (k *keeper) make(r *Record, w *whole) (text []byte, why string) {
	holds, err := k.store.Ready()
	if err != nil {
		return nil, "events cannot be kept"
	}
	encoded, err := wire.Encode(w.ev)
	if err != nil {
		return nil, "the event has no JSON form"
	}
	payload := encoded.Bytes()
	if len(payload) > keep.MaxEvent {
		return nil, fmt.Sprintf("the event is larger than %d KiB", keep.MaxEvent>>10)
	}
	k.mu.Lock()
	redact := k.cover.of(r.Hide)
	k.mu.Unlock()
	if len(redact.fields) > 0 {
		if why := redact.hidesIn(payload); why != "" {
			return nil, why
		}
	}
	e := w.kept
	e.Workspace = r.Workspace
	s := scrubber{redact: redact, holds: holds}
	verdict, rest := e.Verdict.Text(), e.Rest()
	if !s.quiet(payload, verdict, rest) {
		payload, verdict, rest = rewrite(payload, s.loose), rewrite(verdict, s.loose), rewrite(rest, s.tight)
	}
	if len(s.found) > 0 {
		payload, verdict, rest = rewrite(payload, s.again), rewrite(verdict, s.again), rewrite(rest, s.again)
	}
	if text = keep.Join(payload, rest, verdict, s.count); len(text) > maxEntry {
		return nil, fmt.Sprintf("the event with what was found about it is larger than %d KiB", maxEntry>>10)
	}
	return text, ""
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
