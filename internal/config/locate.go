package config

import "path/filepath"

// Location is the workspace whose hooks Load would read for a folder.
type Location struct {
	Workspace string // "" if there is none
	Lost      bool   // it is not known which workspaces the user trusts

	anchors anchors
}

// Locate finds the workspace of opts.Dir without reading its hooks.
func Locate(opts Options) (*Location, error) {
	l, err := newLoader(opts)
	if err != nil {
		return nil, err
	}
	loc := &Location{}
	var p plan
	p.files = []string{filepath.Join(l.stateDir, "trust.json"), l.userDir, opts.Dir}
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		p.files = append(p.files, dir)
		for _, m := range markers {
			if top := filepath.Dir(filepath.FromSlash(m.path)); top != "." {
				p.files = append(p.files, filepath.Join(dir, top))
			}
		}
		if dir == l.workspace || dir == filepath.Dir(dir) {
			break
		}
	}
	loc.anchors = p.anchors()
	l.readTrust()
	l.passOver()
	loc.Workspace, loc.Lost = l.workspace, l.set.lost != ""
	return loc, nil
}

// Fresh reports whether nothing has changed on which the location depends. It costs a
// look at a few folders, less what was seen for a call already; seen may be nil.
func (l *Location) Fresh(seen *Glances) bool { return l.anchors.hold(seen) }
