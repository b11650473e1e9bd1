package install

import (
	"bytes"
	"os"
	"slices"
	"time"
)

// Change is a planned change of an agent's configuration.
type Change struct {
	Agent string
	Title string
	Scope Scope
	Files []*File

	// Events are the events that hookway is installed at.
	Events []string

	// Question is what the user must say yes to before the agent runs hooks, ""
	// if nothing. With the answer, plan again with Options.Trust.
	Question string

	// Undone is what remains for the user to do if the answer is no.
	Undone string

	// Off are the settings by which the agent runs no hooks, or not ours, and what
	// to do.
	Off []string

	// Notes are for the user to know.
	Notes []string

	state string
}

// Empty reports whether there is nothing to do.
func (c *Change) Empty() bool {
	return !slices.ContainsFunc(c.Files, (*File).Changed)
}

// Diff shows the change as a unified diff.
func (c *Change) Diff() string {
	var out bytes.Buffer
	for _, f := range c.Files {
		if f.Changed() {
			out.WriteString(diff(f))
		}
	}
	return out.String()
}

// Apply writes the files, and gives the backups that were made. What was written
// when a later file fails stays: each file is right in itself.
func (c *Change) Apply() (made []string, err error) {
	for _, f := range c.Files {
		if !f.Changed() {
			continue
		}
		// Noted first: a note of something that was not written does no harm.
		if f.note != nil {
			if err := f.note.write(c.state, c.Scope); err != nil {
				return made, err
			}
		}
		backup, err := f.write(time.Now())
		if backup != "" {
			made = append(made, backup)
		}
		if err != nil {
			return made, err
		}
		switch {
		case f.note == nil:
			err = dropRecord(c.state, c.Scope, f.real)
		case len(f.dirs) > 0:
			f.note.Dirs = f.dirs
			err = f.note.write(c.state, c.Scope)
		}
		if err != nil {
			return made, err
		}
	}
	for _, f := range c.Files { // last, because several files may be in one folder
		for _, dir := range slices.Backward(f.dirs) {
			if f.Remove {
				os.Remove(dir) // fails, as it should, if something else is in it
			}
		}
	}
	return made, nil
}
