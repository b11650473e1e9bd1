package index

import (
	"bytes"
	"math"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// The texts of a record that it is found and counted by.
const (
	inSession = iota
	inAgent
	inEvent
	inNative
	inAction
	inAnswer
	inBy
	inRule
	inWould
	inCWD
	inWorkspace
	columns
)

// columnOf is the column of a member of a record; -1 of others.
func columnOf(member []byte) int {
	switch string(member) {
	case "session":
		return inSession
	case "agent":
		return inAgent
	case "event":
		return inEvent
	case "native":
		return inNative
	case "action":
		return inAction
	case "answer":
		return inAnswer
	case "by":
		return inBy
	case "rule":
		return inRule
	case "would":
		return inWould
	case "cwd":
		return inCWD
	case "workspace":
		return inWorkspace
	}
	return -1
}

// row is what a block has of a record. Texts are numbers in the block's list of texts,
// whose first is the empty one.
type row struct {
	at, size int64 // where its line is, with the line break
	seq      int64
	time     int64 // in nanoseconds
	texts    [columns]uint32
	steps    []step
}

// step is what a block has of a call of a hook.
type step struct {
	hook, action, rule uint32
	would, wouldRule   uint32 // the action and the rule on trial
	flags              byte
	bucket             int16 // of the time that it took
}

// Flags of a step.
const (
	stepFailed = 1 << iota
	stepChanged
	stepOnTrial // it has a would
	stepWouldChange
)

// nanos is a time as a row has it.
func nanos(t time.Time) int64 {
	switch year := t.Year(); {
	case year < 1678:
		return math.MinInt64
	case year > 2261:
		return math.MaxInt64
	}
	return t.UnixNano()
}

// reader makes rows of lines.
type reader struct {
	texts  *texts
	signer *signer
	walk   walk
	row    row
	owns   bool // the record owns up to a torn line before it
	record audit.Record
}

// read makes the row of a line. It may be used until the next one is read. sound says
// that the line is as its writer wrote it.
func (r *reader) read(l audit.Line, sound bool) (*row, error) {
	r.row = row{at: l.At, size: l.End - l.At, steps: r.row.steps[:0]}
	r.owns = false
	if sound {
		r.walk.begin(l.Text)
		r.walk.members(r.member)
		if !r.walk.lost && r.walk.at == len(l.Text) && r.row.seq > 0 {
			return &r.row, nil
		}
	}
	if err := audit.Parse(l.Text, &r.record); err != nil {
		return nil, err
	}
	r.fromRecord(&r.record, l.Text)
	return &r.row, nil
}

// member reads a member of a record.
func (r *reader) member(name []byte) {
	w := &r.walk
	if column := columnOf(name); column >= 0 {
		text := w.text()
		r.row.texts[column] = r.texts.add(text)
		r.signer.text(text)
		switch column {
		case inSession:
			r.signer.name(nameHash(nameOfSession, text))
		case inAgent:
			r.signer.name(nameHash(nameOfAgent, text))
		case inBy:
			r.signer.name(nameHash(nameOfHook, text))
		case inRule:
			r.signer.name(nameHash(nameOfRule, unversioned(text)))
		}
		return
	}
	switch string(name) {
	case "seq":
		r.row.seq = w.integer()
	case "time":
		var at time.Time
		if at.UnmarshalText(w.text()) != nil {
			w.lost = true
		}
		r.row.time = nanos(at)
	case "steps":
		w.items(r.step)
	case "event_id", "of", "tool_use_id":
		r.id(w.text())
	case "prev", "hash", "kept":
		w.text()
	case "torn":
		r.owns = true
		w.value(func([]byte) {}, 0)
	default:
		w.value(r.signer.text, 0)
	}
}

// id signs an id, which is looked for as a whole.
func (r *reader) id(text []byte) { r.signer.name(nameHash(nameOfID, bytes.ToLower(text))) }

func unversioned(rule []byte) []byte {
	rule, _, _ = bytes.Cut(rule, []byte("@"))
	return rule
}

// step reads a step of a record.
func (r *reader) step() {
	w := &r.walk
	s := step{bucket: bucketOf(0)}
	name := func(to *uint32, kind byte) {
		text := w.text()
		r.signer.text(text)
		*to = r.texts.add(text)
		switch kind {
		case nameOfHook:
			r.signer.name(nameHash(kind, text))
		case nameOfRule:
			r.signer.name(nameHash(kind, unversioned(text)))
		}
	}
	w.members(func(member []byte) {
		switch string(member) {
		case "hook":
			name(&s.hook, nameOfHook)
		case "action":
			name(&s.action, 0)
		case "rule":
			name(&s.rule, nameOfRule)
		case "duration_ms":
			s.bucket = bucketOf(w.number())
		case "changed":
			s.flag(stepChanged, w.truth())
		case "failed":
			s.flag(stepFailed, w.truth())
		case "would":
			s.flags |= stepOnTrial
			w.members(func(member []byte) {
				switch string(member) {
				case "action":
					name(&s.would, 0)
				case "rule":
					name(&s.wouldRule, nameOfRule)
				case "change":
					s.flag(stepWouldChange, w.truth())
				default:
					w.value(r.signer.text, 0)
				}
			})
		default:
			w.value(r.signer.text, 0)
		}
	})
	r.row.steps = append(r.row.steps, s)
}

func (s *step) flag(flag byte, set bool) {
	if s.flags &^= flag; set {
		s.flags |= flag
	}
}

// fromRecord makes the row of a record, whose line nobody wrote as the log does.
func (r *reader) fromRecord(rec *audit.Record, line []byte) {
	r.row.seq, r.row.time, r.row.steps = rec.Seq, nanos(rec.Time), r.row.steps[:0]
	r.owns = rec.Torn != nil
	for i, text := range [columns]string{rec.Session, rec.Agent, rec.Event, rec.Native, rec.Action, rec.Answer, rec.By, rec.Rule, rec.Would, rec.CWD, rec.Workspace} {
		r.row.texts[i] = r.texts.add([]byte(text))
	}
	r.signer.name(nameHash(nameOfSession, rec.Session))
	r.signer.name(nameHash(nameOfAgent, rec.Agent))
	r.signer.name(nameHash(nameOfHook, rec.By))
	r.rule(rec.Rule)
	for i := range rec.Steps {
		s := &rec.Steps[i]
		out := step{hook: r.texts.add([]byte(s.Hook)), action: r.texts.add([]byte(s.Action)), rule: r.rule(s.Rule), bucket: bucketOf(s.DurationMS)}
		r.signer.name(nameHash(nameOfHook, s.Hook))
		out.flag(stepFailed, s.Failed)
		out.flag(stepChanged, s.Changed)
		if s.Would != nil {
			out.flag(stepOnTrial, true)
			out.flag(stepWouldChange, s.Would.Change)
			out.would, out.wouldRule = r.texts.add([]byte(s.Would.Action)), r.rule(s.Would.Rule)
		}
		r.row.steps = append(r.row.steps, out)
	}
	for _, id := range []string{rec.EventID, rec.Of, rec.ToolUseID} {
		r.id([]byte(id))
	}
	for _, text := range saidIn(line) {
		r.signer.text([]byte(text))
	}
}

func (r *reader) rule(rule string) uint32 {
	name, _, _ := strings.Cut(rule, "@")
	r.signer.name(nameHash(nameOfRule, name))
	return r.texts.add([]byte(rule))
}

// texts are those of a block.
type texts struct {
	list []string
	ids  map[string]uint32
	size int // bytes of all
}

func newTexts() *texts { return &texts{list: []string{""}, ids: map[string]uint32{"": 0}} }

// add gives the number of a text.
func (t *texts) add(text []byte) uint32 {
	if id, ok := t.ids[string(text)]; ok {
		return id
	}
	id, s := uint32(len(t.list)), string(text)
	t.list, t.ids[s] = append(t.list, s), id
	t.size += len(s)
	return id
}
