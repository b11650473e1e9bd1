package audit

// Notes gives, by the hook's id, the newest note on what hooks answered at events
// of a workspace, and of none, in the last records that are wanted. What cannot be
// read has none.
func Notes(dir, workspace string, f Filter) map[string]string {
	notes := map[string]string{}
	for r, err := range Read(dir, f) {
		if err != nil || r.Workspace != workspace && r.Workspace != "" {
			continue
		}
		for i := range r.Steps {
			if s := &r.Steps[i]; s.Note != "" {
				notes[s.Hook] = s.Note
			} else {
				delete(notes, s.Hook) // it has been mended
			}
		}
	}
	return notes
}
