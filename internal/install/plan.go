package install

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/tailscale/hujson"
)

// Plan works out what writing hookway into an agent's configuration changes.
// Nothing is written until Change.Apply.
func Plan(name string, scope Scope, o Options) (*Change, error) {
	a, err := find(name)
	if err != nil {
		return nil, err
	}
	w, err := o.world(scope)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(w.Shim) {
		return nil, fmt.Errorf("the path of hookway-hook, %q, is not absolute", w.Shim)
	}
	events, notes, err := a.events(w)
	if err != nil {
		return nil, err
	}
	c := &Change{Agent: a.name, Title: a.title, Scope: scope, Notes: notes, state: w.State}
	for _, e := range events {
		c.Events = append(c.Events, e.name)
	}
	f, err := readFile(w.file(a))
	if err != nil {
		return nil, err
	}
	if !f.Existed && scope == Project {
		f.mode = 0o644 // others of the project may have other users
	}
	c.Files = []*File{f}
	after, err := a.with(w, f, events)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", f.Path, spaced(err))
	}
	if !f.Existed || !bytes.Equal(after, f.text()) {
		f.set(after)
		before, err := a.without(w, f)
		if err != nil {
			return nil, fmt.Errorf("%s:%w", f.Path, spaced(err))
		}
		f.note = before.record(w.scope, f)
	}
	if a.review != nil {
		if err := a.review(w, c); err != nil {
			return nil, err
		}
	}
	c.Off = a.switches(w, f.After)
	return c, nil
}

// with is the text of a file with hookway in it.
func (a *agent) with(w *world, f *File, events []event) ([]byte, error) {
	if a.whole != nil {
		if f.Existed && !a.ours(f.text()) && len(bytes.TrimSpace(f.text())) > 0 {
			return nil, errors.New(" it is not a file of hookway's; move it away")
		}
		return a.whole(w, events)
	}
	text := f.text()
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte(style{newline: "\n", unit: "  "}.render(a.fresh, "") + "\n")
	}
	var err error
	for _, e := range events {
		if text, err = merge(text, a.keys, a.codecs(), e.name, a.entry(e, a.caller(w, e))); err != nil {
			return nil, err
		}
	}
	wanted := map[string]bool{}
	for _, e := range events {
		wanted[e.name] = true
	}
	return unmerge(text, a.keys, a.codecs(), nil, func(event string) bool { return !wanted[event] })
}

// spaced puts a space before a message that does not begin with a position.
func spaced(err error) error {
	if text := err.Error(); text != "" && (text[0] < '0' || text[0] > '9') && text[0] != ' ' {
		return fmt.Errorf(" %w", err)
	}
	return err
}

// original is a file without hookway.
type original struct {
	text    []byte // with the mark that some editors begin it with
	created bool   // there is no such file
	dirs    []string
	noted   *record // when hookway was written into it
}

// record is what is noted when the file is written.
func (b *original) record(scope Scope, f *File) *record {
	r := &record{Path: f.real, Scope: scope.String(), Created: b.created, Dirs: b.dirs, Before: b.text, After: hash(f.After)}
	if b.noted != nil {
		r.Wrote = append(b.noted.Wrote, b.noted.After)
		r.Wrote = r.Wrote[max(0, len(r.Wrote)-maxWrote):]
	}
	return r
}

// noted is a file as it was noted, if it was not changed since, and the record of it.
func noted(w *world, f *File) (*original, *record) {
	if !f.Existed {
		return &original{created: true}, nil
	}
	r := readRecord(w.State, w.scope, f.real)
	if r == nil || r.After != hash(f.Before) {
		return nil, r
	}
	return &original{text: r.Before, created: r.Created, dirs: r.Dirs, noted: r}, r
}

// without works out what a file is, or was, without hookway: exactly as it was
// noted, if it was not changed since; otherwise by taking our entries out.
func (a *agent) without(w *world, f *File) (*original, error) {
	o, r := noted(w, f)
	if o != nil {
		return o, nil
	}
	var old []byte
	if r != nil && !r.Created {
		old = bytes.TrimPrefix(r.Before, bom)
	}
	text, err := a.strip(f.text(), old)
	if err != nil {
		return nil, err
	}
	o = &original{text: f.marked(text), noted: r}
	if r != nil {
		o.dirs = r.Dirs
		o.created = r.Created && a.bare(text)
	}
	return o, nil
}

// strip takes everything of ours out of a text.
func (a *agent) strip(text, old []byte) ([]byte, error) {
	switch {
	case a.whole != nil && a.ours(text):
		return nil, nil
	case a.whole != nil || len(bytes.TrimSpace(text)) == 0:
		return text, nil
	}
	return unmerge(text, a.keys, a.codecs(), old, func(string) bool { return true })
}

// bare reports whether a text has nothing but what a file of ours begins with.
func (a *agent) bare(text []byte) bool {
	if len(bytes.TrimSpace(text)) == 0 {
		return true
	}
	v, err := parseJSON(text)
	return a.whole == nil && err == nil && len(text) < 200 &&
		(same(text, v, a.fresh) || same(text, v, object{}) || same(text, v, append(a.fresh[:len(a.fresh):len(a.fresh)], member{"hooks", object{}})))
}

// alike compares two texts but for their layout.
func alike(a, b []byte) bool {
	x, err1 := hujson.Parse(ended(a))
	y, err2 := hujson.Parse(ended(b))
	if err1 != nil || err2 != nil {
		return bytes.Equal(a, b)
	}
	x.Minimize()
	y.Minimize()
	return bytes.Equal(x.Pack(), y.Pack())
}

// PlanRemoval works out what taking hookway out of an agent's configuration
// changes. Nothing is written until Change.Apply.
func PlanRemoval(name string, scope Scope, o Options) (*Change, error) {
	a, err := find(name)
	if err != nil {
		return nil, err
	}
	w, err := o.world(scope)
	if err != nil {
		return nil, err
	}
	c := &Change{Agent: a.name, Title: a.title, Scope: scope, state: w.State}
	f, err := readFile(w.file(a))
	if err != nil {
		return nil, err
	}
	c.Files = []*File{f}
	if !f.Existed {
		return c, a.forget(w, c)
	}
	before, err := a.without(w, f)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", f.Path, spaced(err))
	}
	f.After, f.Remove, f.dirs = before.text, before.created, before.dirs
	f.says = func(backup []byte) bool {
		if bytes.Equal(backup, f.After) || before.noted.ours(backup) {
			return true
		}
		left, err := a.strip(bytes.TrimPrefix(backup, bom), bytes.TrimPrefix(f.After, bom))
		return err == nil && (alike(left, bytes.TrimPrefix(f.After, bom)) || len(bytes.TrimSpace(f.After)) == 0 && a.bare(left))
	}
	if a.whole != nil && a.ours(f.text()) && before.noted == nil {
		f.Remove = true
	}
	return c, a.forget(w, c)
}

// forget takes out what the agent keeps about our hooks in other files.
func (a *agent) forget(w *world, c *Change) error {
	if a.unreview == nil {
		return nil
	}
	return a.unreview(w, c)
}
