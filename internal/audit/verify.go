package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/internal/keep"
)

// Fault is a place where a log is not as it was written.
type Fault struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; zero is the file as a whole
	Seq  int64  `json:"seq,omitempty"`
	What string `json:"what"`
}

func (p Fault) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.What)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What)
}

// Report is what Verify found.
type Report struct {
	Files    int     `json:"files"`
	Records  int64   `json:"records"`
	First    int64   `json:"first"` // number of the first record
	Last     int64   `json:"last"`
	Hash     string  `json:"hash"`                // of the last record: who keeps it elsewhere can compare it later
	Torn     int     `json:"torn"`                // fragments that dead processes left; they were never records
	Events   int64   `json:"events"`              // kept whole, and as they were written
	Gone     int64   `json:"gone"`                // events that records name and that are not there any more: expired, or lost with a process
	Problems []Fault `json:"problems"`            // empty if the log is as it was written
	More     int     `json:"more_than,omitempty"` // problems that are not listed
}

// OK reports that the log is as it was written.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// maxProblems bounds how many are listed.
const maxProblems = 100

// Verify reads a whole log and checks that every record is there, in its place,
// and as it was written, and that the events that are kept are those of their records. Its error says that the log cannot be read; what is
// wrong with it is in the report.
func Verify(dir string) (Report, error) {
	for try := 0; ; try++ {
		v := &verifier{dir: dir, report: Report{Problems: []Fault{}}}
		err := v.all()
		if errors.Is(err, os.ErrNotExist) && try < 5 { // a file was removed for its age meanwhile
			continue
		}
		if err != nil {
			return v.report, fmt.Errorf("the audit log cannot be read: %w", err)
		}
		return v.report, nil
	}
}

// verifier goes along a chain.
type verifier struct {
	dir    string
	report Report
	head   *headForm
	end    position

	lines    lines
	path     string
	no       int
	fragment *Torn // a line that the next record must own up to
	where    Fault
	named    []named
}

// named is an event that a record names.
type named struct {
	seq  int64
	hash [sha256.Size]byte
	seen bool
}

func (v *verifier) all() error {
	head, headErr := readHead(v.dir) // first: the log may grow meanwhile
	v.head = head
	names, err := fileNames(v.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	v.path = filepath.Join(v.dir, headName)
	switch {
	case head == nil && len(names) == 0 && errors.Is(headErr, os.ErrNotExist):
		return nil
	case errors.Is(headErr, os.ErrNotExist):
		v.problem(0, "it is missing, so that records missing at the begin or the end are not seen")
	case headErr != nil:
		v.problem(0, "it is damaged, so that records missing at the begin or the end are not seen")
	}
	for i, name := range names {
		if err := v.file(name, i == len(names)-1); err != nil {
			return err
		}
	}
	v.finish()
	return v.events()
}

func (v *verifier) problem(seq int64, format string, args ...any) {
	v.add(Fault{File: v.path, Line: v.no, Seq: seq, What: fmt.Sprintf(format, args...)})
}

func (v *verifier) add(p Fault) {
	if len(v.report.Problems) == maxProblems {
		v.report.More++
		return
	}
	v.report.Problems = append(v.report.Problems, p)
}

func (v *verifier) file(name string, last bool) error {
	v.path, v.no = filepath.Join(v.dir, name), 0
	f, err := os.Open(v.path)
	if err != nil {
		return err
	}
	defer f.Close()
	v.report.Files++
	for s := newScanner(f, 0); ; {
		l, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		v.no = s.no
		var r Record
		if l.long || v.lines.parse(l.text, &r) != nil {
			if err := v.noRecord(f, l, s.at, last); err != nil {
				return err
			}
			continue
		}
		v.record(l.text, &r)
	}
}

// noRecord remembers a line that the record after it must own up to. A fragment
// at the very end has no record after it yet.
func (v *verifier) noRecord(f io.ReaderAt, l line, end int64, last bool) error {
	v.orphan()
	if !l.whole && last {
		v.report.Torn++
		return nil
	}
	if l.whole {
		end--
	}
	var err error
	v.fragment, err = fragment(f, l, end)
	v.where = Fault{File: v.path, Line: v.no, What: "the line is not a record, and the record after it does not say that its writer died there: it was changed"}
	return err
}

// orphan reports a fragment that nobody owned up to.
func (v *verifier) orphan() {
	if v.fragment != nil {
		v.add(v.where)
		v.fragment = nil
	}
}

// record checks one record, and goes on from what it says.
func (v *verifier) record(text []byte, r *Record) {
	v.report.Records++
	if r.Torn != nil && v.fragment != nil && *r.Torn == *v.fragment {
		v.report.Torn++
		v.fragment = nil
	}
	v.orphan()
	if computed(text, r.Prev) != r.Hash {
		v.problem(r.Seq, "record %d was changed: its hash does not fit", r.Seq)
	}
	switch {
	case v.end.seq == 0:
		v.begin(r)
	case r.Seq > v.end.seq+1:
		v.problem(r.Seq, "%s missing between record %d and this one, %d", plural(v.end.seq+1, r.Seq-1), v.end.seq, r.Seq)
	case r.Seq <= v.end.seq:
		v.problem(r.Seq, "record %d stands after record %d: they were reordered, or repeated", r.Seq, v.end.seq)
	case r.Prev != v.end.hash:
		v.problem(r.Seq, "record %d does not follow the record %d that stands before it: that one was changed or replaced", r.Seq, v.end.seq)
	}
	if v.head != nil && r.Seq == v.head.Seq && r.Hash != v.head.Hash {
		v.problem(r.Seq, "record %d is not the one that the head of the log names: it was changed or replaced", r.Seq)
	}
	v.end = position{r.Seq, r.Hash}
	if hash, err := hex.DecodeString(r.Kept); err == nil && len(hash) == sha256.Size {
		v.named = append(v.named, named{r.Seq, [sha256.Size]byte(hash), false})
	}
}

// events checks the events that are kept against the records that name them.
func (v *verifier) events() error {
	for e, err := range keep.Entries(EventsDir(v.dir), 0) {
		var damage *keep.Damage
		switch {
		case errors.As(err, &damage) && damage.Torn:
			v.report.Torn++
		case errors.As(err, &damage):
			v.add(Fault{File: damage.File, What: fmt.Sprintf("byte %d: kept events were changed: %v", damage.At, damage.Err)})
		case err != nil:
			return err
		default:
			v.event(&e)
		}
	}
	for _, n := range v.named {
		if !n.seen {
			v.report.Gone++
		}
	}
	return nil
}

func (v *verifier) event(e *keep.Entry) {
	wrong := func(what string) {
		v.add(Fault{File: e.File, Seq: e.Seq, What: fmt.Sprintf("byte %d: the kept event of record %d %s", e.At, e.Seq, what)})
	}
	at, ok := slices.BinarySearchFunc(v.named, e.Seq, func(n named, seq int64) int { return cmp.Compare(n.seq, seq) })
	switch {
	case !ok && e.Seq >= v.report.First && e.Seq <= v.end.seq:
		wrong("is not named by it: it was added")
	case !ok: // its record is too old to be there, or newer than what was read
	case sha256.Sum256(e.Text) != v.named[at].hash:
		wrong("was changed: its hash does not fit")
	case v.named[at].seen:
		wrong("stands there twice")
	default:
		v.named[at].seen = true
		v.report.Events++
	}
}

// begin checks the first record of the log.
func (v *verifier) begin(r *Record) {
	v.report.First = r.Seq
	if v.head == nil {
		return
	}
	switch {
	case r.Seq > v.head.First:
		v.problem(r.Seq, "%s missing before record %d, the first", plural(v.head.First, r.Seq-1), r.Seq)
	case r.Seq == v.head.First && r.Prev != v.head.Anchor:
		v.problem(r.Seq, "record %d, the first, does not follow what stood before it: it was changed or replaced", r.Seq)
	}
}

func (v *verifier) finish() {
	v.orphan()
	v.report.Last, v.report.Hash = v.end.seq, v.end.hash
	if v.head != nil && v.head.Seq > v.end.seq {
		v.problem(v.head.Seq, "%s missing at the end", plural(max(v.end.seq+1, v.head.First), v.head.Seq))
	}
}

func plural(from, to int64) string {
	if from == to {
		return fmt.Sprintf("record %d is", from)
	}
	return fmt.Sprintf("records %d to %d are", from, to)
}
