package audit

import (
	"bytes"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// Filter says which records are wanted. All fields that are given must hold.
type Filter struct {
	Session string
	Agent   string
	Event   string // any of the event's names
	Action  string // an untaken answer is of the action that it had, too
	Hook    string // that decided, or that was asked
	Would   bool   // a hook on trial would have decided something
	Since   time.Time
	Until   time.Time // before it

	// Workspace is a folder that has hooks: wanted is what they were asked about, and
	// what was told from in it where no folder was known to have any. Folder is one
	// without hooks: wanted is what was told from in it, or from workspaces in it.
	Workspace string
	Folder    string

	// After is the number of a record: only those behind it are wanted.
	After int64

	// Last keeps only the last records that are wanted, as many as it says;
	// zero keeps all.
	Last int
}

// filter is a Filter made ready.
type filter struct {
	Filter
	event  string   // normal
	needed [][]byte // texts that a wanted line has
}

func newFilter(f Filter) *filter {
	out := &filter{Filter: f, event: hook.Normal(f.Event)}
	if info, err := hook.Lookup(f.Event); err == nil {
		out.event = hook.Normal(info.Name)
	}
	for _, text := range []string{f.Session, f.Hook} {
		if text != "" && plain(text) {
			out.needed = append(out.needed, []byte(text))
		}
	}
	return out
}

// plain reports that a text stands in JSON as it is.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// perhaps rules lines out without reading them as JSON.
func (f *filter) perhaps(line []byte) bool {
	for _, text := range f.needed {
		if !bytes.Contains(line, text) {
			return false
		}
	}
	return true
}

func (f *filter) wants(r *Record) bool {
	return (f.After == 0 || r.Seq > f.After) &&
		(f.Session == "" || r.Session == f.Session) &&
		(f.Agent == "" || r.Agent == f.Agent) &&
		(f.Action == "" || sameAction(f.Action, r.Action) || r.Action == Untaken && sameAction(f.Action, r.Answer)) &&
		(f.event == "" || hook.Normal(r.Event) == f.event || hook.Normal(r.Native) == hook.Normal(f.Event)) &&
		(f.Since.IsZero() || !r.Time.Before(f.Since)) && (f.Until.IsZero() || r.Time.Before(f.Until)) &&
		(f.Hook == "" || f.concerns(r)) &&
		(!f.Would || r.Would != "") &&
		(f.Workspace == "" || r.Workspace == f.Workspace || r.Workspace == "" && Within(f.Workspace, r.CWD)) &&
		(f.Folder == "" || Within(f.Folder, r.CWD) || Within(f.Folder, r.Workspace))
}

// Within reports whether a path is a folder's, or below it.
func Within(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || folder == "/" || rest[0] == '/' || rest[0] == filepath.Separator)
}

func sameAction(name, action string) bool {
	if a, err := hook.ParseAction(name); err == nil {
		return a.String() == action
	}
	return name == action
}

// concerns reports whether a record has to do with the hook.
func (f *filter) concerns(r *Record) bool {
	if r.By == f.Hook {
		return true
	}
	for i := range r.Steps {
		if r.Steps[i].Hook == f.Hook {
			return true
		}
	}
	return false
}
