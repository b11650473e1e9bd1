package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/wire"
)

// mostLine bounds one line of a file of events.
const mostLine = wire.MaxSize

// FromFile gives the events of a file, one JSON object a line: events as `hookway fire`
// takes them, and records as `hookway log --json` prints them.
func FromFile(path string) iter.Seq2[*Moment, error] {
	return func(yield func(*Moment, error) bool) {
		f, err := disk.Open(path)
		if err != nil {
			yield(nil, fmt.Errorf("the events cannot be read: %w", err))
			return
		}
		defer f.Close()
		FromReader(path, f)(yield)
	}
}

// FromReader gives the events that a reader has, as FromFile does; path names it.
func FromReader(path string, from io.Reader) iter.Seq2[*Moment, error] {
	return func(yield func(*Moment, error) bool) {
		r := bufio.NewReaderSize(from, 1<<16)
		for n := 1; ; n++ {
			line, long, err := readLine(r)
			if n == 1 {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // as Windows writes files
			}
			if err == nil || len(line) > 0 {
				place := fmt.Sprintf("%s:%d", filepath.Base(path), n)
				m, wrong := fromLine(place, line, long)
				switch {
				case errors.Is(wrong, errNoEvent) || m == nil && wrong == nil:
				case wrong != nil:
					if !yield(nil, fmt.Errorf("%s:%d: the line is left out: %w", path, n, wrong)) {
						return
					}
				case !yield(m, nil):
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("%s:%d: %w", path, n, err))
				return
			}
		}
	}
}

// readLine reads a line without its end. Of one that is too long nothing is kept.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if long = long || len(line) > mostLine; long {
			line = line[:0]
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}

// fromLine makes a moment of a line; nil of an empty one.
func fromLine(place string, line []byte, long bool) (*Moment, error) {
	switch {
	case long:
		return nil, fmt.Errorf("it is longer than %d bytes", mostLine)
	case len(line) == 0:
		return nil, nil
	case bytes.IndexByte(line, 0) >= 0:
		return nil, errors.New("it has zero bytes, which no event and no record has")
	}
	if err := wire.Bounded(line); err != nil {
		return nil, err
	}
	var is struct {
		Seq           int64  `json:"seq"`
		Steps         any    `json:"steps"`
		Action        string `json:"action"`
		HookEventName string `json:"hook_event_name"`
		EventType     string `json:"event_type"`
	}
	if err := json.Unmarshal(line, &is); err != nil {
		var typed *json.UnmarshalTypeError
		if errors.As(err, &typed) { // its words are of Go
			err = fmt.Errorf("%s is not to be %s %s", cmp.Or(typed.Field, "a line"), article(typed.Value), typed.Value)
		}
		return nil, fmt.Errorf("it is not a JSON object as events and records are: %w", err)
	}
	if is.HookEventName == "" && is.EventType == "" && (is.Seq > 0 || is.Action != "") {
		var r audit.Record
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("it is not a record: %w", err)
		}
		m, err := fromRecord(place, &r)
		return &m, err
	}
	name := is.HookEventName
	if name == "" {
		name = is.EventType
	}
	if name == "" {
		return nil, errors.New("it is not an event, which has a hook_event_name, and no record")
	}
	m := &Moment{Place: place, Event: bytes.Clone(line), Undecided: true}
	m.Then.Event = name
	if err := m.envelope(line); err != nil {
		return nil, err
	}
	return m, nil
}

// article is the one of a word.
func article(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an"
	}
	return "a"
}

// envelope reads what an event says of itself.
func (m *Moment) envelope(line []byte) error {
	var env struct {
		Session string    `json:"session_id"`
		ID      string    `json:"event_id"`
		Agent   string    `json:"agent"`
		CWD     string    `json:"cwd"`
		Time    time.Time `json:"time"`
	}
	if err := json.Unmarshal(line, &env); err != nil {
		return err
	}
	m.Then.Session, m.Then.EventID, m.Then.Agent, m.Then.CWD, m.Then.Time = env.Session, env.ID, env.Agent, env.CWD, env.Time
	m.Then.Action = hook.ActionContinue.String()
	return nil
}

// Wanted says which events of the record are replayed.
type Wanted struct {
	Since     time.Time
	Session   string
	Workspace string // only those whose hooks are of this folder

	// Tell is told how far it is, of how many records, or bytes of agents' records; nil
	// tells nobody.
	Tell func(done, all int64)
}

func (w *Wanted) wants(r *audit.Record) bool {
	return (w.Session == "" || r.Session == w.Session) && (w.Workspace == "" || r.Workspace == w.Workspace) && !r.Time.Before(w.Since)
}

// FromRecord gives the events of the record. Those of a session that were before the time
// that is asked for come too, so that its rules know of them.
func FromRecord(ctx context.Context, dir string, wanted Wanted) iter.Seq2[*Moment, error] {
	return func(yield func(*Moment, error) bool) {
		verified := verifying(dir)
		first, last := audit.Span(dir)
		sessions, key := sessionsOf(dir, wanted), keep.ReadPlaceholders(audit.EventsDir(dir))
		for w, err := range audit.Events(ctx, dir, audit.Filter{Session: wanted.Session}) {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			r := &w.Record
			if wanted.Tell != nil {
				wanted.Tell(r.Seq-first, max(last, r.Seq)-first)
			}
			if wants := wanted.wants(r); !wants && (r.Session == "" || !sessions[r.Session]) {
				continue
			}
			m, err := fromWhole(&w)
			if err != nil { // it is about no decision
				continue
			}
			m.Before, m.Hooks, m.Key = !wanted.wants(r), hooksOf(r), key
			if !yield(&m, nil) {
				return
			}
		}
		for _, err := range <-verified {
			if !yield(nil, err) {
				return
			}
		}
	}
}

// verifying finds where the record is not as it was written, while it is read.
func verifying(dir string) <-chan []error {
	found := make(chan []error, 1) // nobody may want it any more
	go func() {
		report, err := audit.Verify(dir)
		if err != nil {
			found <- []error{err}
			return
		}
		var all []error
		for _, p := range report.Problems {
			all = append(all, &unverified{p.String()})
		}
		found <- all
	}()
	return found
}

// unverified is a place where the record is not as it was written.
type unverified struct{ fault string }

func (u *unverified) Error() string { return "the record does not verify: " + u.fault }

// sessionsOf finds the sessions that have something that is asked for.
func sessionsOf(dir string, wanted Wanted) map[string]bool {
	found := map[string]bool{}
	if wanted.Since.IsZero() && wanted.Workspace == "" { // then all of a session is asked for
		return found
	}
	for r, err := range audit.Read(dir, audit.Filter{Session: wanted.Session, Since: wanted.Since}) {
		if err == nil && r.Session != "" && wanted.wants(&r) {
			found[r.Session] = true
		}
	}
	return found
}

// hooksOf is the folder whose hooks were asked: a root, where there is no workspace, has
// only the user's.
func hooksOf(r *audit.Record) string {
	if r.Workspace != "" {
		return r.Workspace
	}
	return filepath.VolumeName(r.CWD) + string(filepath.Separator)
}
