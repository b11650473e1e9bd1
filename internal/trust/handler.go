package trust

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/visible"
)

// maxAway bounds the folders of which is known what a command means there.
const maxAway = 64

// Away says whether a command means in the folder where an agent works what it meant
// when it was trusted. A process opens names that stay relative in that folder, where
// they may be other files than those that trust has pinned.
type Away struct {
	read      func(dir string) shell.Reading
	lane      hook.Lane
	workspace string
	dirs      []string       // where names started for trust
	pins      map[string]Pin // of the workspace

	mu   sync.Mutex
	seen map[string]*looked
}

// looked is what a command was found to mean in a folder, and what shows that it still
// means that: a folder that is the same, files that hold the same, others that are not
// there, and folders in which nothing was added.
type looked struct {
	dir     os.FileInfo
	files   []Pin
	folders []Pin
	absent  []string
}

// NewAway is nil if nothing in a command depends on the folder where it runs. Its
// names started in dirs for trust.
func NewAway(pinned *Pins, lane hook.Lane, env map[string]string, dirs []string, read func(shell.Reader) shell.Reading) *Away {
	at := &Pins{Root: pinned.Root, Home: pinned.Home}
	a := &Away{lane: lane, workspace: pinned.Root, dirs: dirs, pins: pinned.Files, read: func(dir string) shell.Reading {
		return read(at.Equipped(shell.Reader{Env: env, Dirs: []string{dir}, Narrow: true}))
	}}
	if !a.depends() {
		return nil
	}
	return a
}

// nowhere is a folder that is not there.
func nowhere() string {
	if runtime.GOOS == "windows" {
		return `C:\.hookway-nowhere\1\2\3\4\5\6\7\8`
	}
	return "/.hookway-nowhere/1/2/3/4/5/6/7/8"
}

// depends reports whether a command means something else from folder to folder.
func (a *Away) depends() bool {
	dir := nowhere()
	r := a.read(dir)
	top := dir[:len(dir)-len("/1/2/3/4/5/6/7/8")]
	for _, n := range slices.Concat(r.Runs, r.Sources) {
		if disk.Inside(top, n.Path) {
			return true
		}
	}
	for _, n := range r.Reads {
		if disk.Inside(top, n.Path) && a.trusted(dir, n.Path) != nil {
			return true
		}
	}
	return slices.ContainsFunc(r.Folders, func(f string) bool { return disk.Inside(top, f) })
}

// trusted is the pin of a file that has a name from a folder, in the folders where
// names started for trust.
func (a *Away) trusted(dir, path string) *Pin {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return nil
	}
	for _, d := range a.dirs {
		if p, ok := a.pins[shell.Under(d, rel)]; ok {
			return &p
		}
	}
	return nil
}

// Check fails if the command would take something else from a folder than what was trusted.
func (a *Away) Check(cwd string) error {
	if a == nil || slices.Contains(a.dirs, cwd) {
		return nil
	}
	if !filepath.IsAbs(cwd) { // then it is that of this process
		if cwd, _ = os.Getwd(); cwd == "" {
			return nil
		}
	}
	a.mu.Lock()
	known := a.seen[cwd]
	a.mu.Unlock()
	if known != nil && known.same(cwd) {
		return nil
	}
	now, err := a.look(cwd)
	if err != nil || now == nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil || len(a.seen) >= maxAway {
		a.seen = map[string]*looked{}
	}
	a.seen[cwd] = now
	return nil
}

// same reports whether a folder is as it was looked at, by what the system says of it.
func (l *looked) same(cwd string) bool {
	info, err := os.Stat(cwd)
	if err != nil || !os.SameFile(l.dir, info) {
		return false
	}
	for _, list := range [][]Pin{l.files, l.folders} {
		for _, p := range list {
			if info, err := os.Stat(p.Path); err != nil || !SameFile(p, info) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(l.absent, disk.Exists)
}

// look reads the command as it would run in a folder.
func (a *Away) look(cwd string) (*looked, error) {
	real, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return nil, nil // nothing can run there
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, nil
	}
	out := &looked{dir: info}
	if slices.Contains(a.dirs, real) {
		return out, nil
	}
	r := a.read(real)
	for _, n := range slices.Concat(r.Runs, r.Sources) {
		if err := a.code(out, real, n); err != nil {
			return nil, err
		}
	}
	for _, n := range r.Reads {
		if n.Script == "" && !n.Tree {
			if err := a.data(out, real, n.Path); err != nil {
				return nil, err
			}
		}
	}
	for _, folder := range r.Folders {
		out.folder(folder)
	}
	return out, nil
}

// folder notes a folder in which names were looked for.
func (l *looked) folder(path string) {
	if info, err := os.Stat(path); err == nil {
		l.folders = append(l.folders, Pin{Path: path, Info: info})
	} else {
		l.absent = append(l.absent, path)
	}
}

// code looks at what would run: only what is pinned may.
func (a *Away) code(out *looked, cwd string, n shell.Name) error {
	if !filepath.IsAbs(n.Path) {
		return nil // on PATH
	}
	if n.Tree {
		return a.tree(out, cwd, n)
	}
	info, err := os.Stat(n.Path)
	switch {
	case err != nil:
		out.absent = append(out.absent, n.Path)
		return nil
	case info.IsDir():
		out.folder(n.Path)
		return nil
	case !info.Mode().IsRegular():
		if System(n.Path) {
			return nil
		}
		return a.other(n.Path)
	case !Pinnable(a.workspace, n, true):
		return nil
	}
	return a.equal(out, cwd, n.Path)
}

// equal fails unless a file holds what was trusted under its name.
func (a *Away) equal(out *looked, cwd, path string) error {
	was := a.trusted(cwd, path)
	if p, ok := a.pins[path]; ok {
		was = &p
	}
	if was == nil {
		return a.other(path)
	}
	now, err := HashFile(path)
	if err != nil || sum(now.Value) == "" || sum(now.Value) != sum(was.Value) {
		return a.other(path)
	}
	out.files = append(out.files, now)
	return nil
}

// tree looks at a folder of which the command runs all files. That of the agent
// itself is one that trust could not pin, and was asked about.
func (a *Away) tree(out *looked, cwd string, n shell.Name) error {
	if n.Path == cwd && (n.Match == "" || n.Match == "*") || !disk.Inside(a.workspace, n.Path) {
		return nil
	}
	out.folder(n.Path)
	return WalkHooks(a.workspace, n.Path, func(e disk.Entry) error {
		switch {
		case e.Err != nil || e.Loop:
		case e.Info.IsDir():
			out.folder(e.Path)
		case shell.Matches(n.Match, filepath.Base(e.Path)):
			return a.equal(out, cwd, e.Path)
		}
		return nil
	})
}

// data looks at what the command reads: a name that is pinned means the same file
// content everywhere.
func (a *Away) data(out *looked, cwd, path string) error {
	if _, ok := a.pins[path]; ok || !filepath.IsAbs(path) || a.trusted(cwd, path) == nil {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		out.absent = append(out.absent, path)
		return nil
	}
	return a.equal(out, cwd, path)
}

// other says which file is not what was trusted.
func (a *Away) other(path string) error {
	if rel, err := filepath.Rel(a.workspace, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	if r := []rune(path); len(r) > maxName {
		path = "…" + string(r[len(r)-maxName:])
	}
	return fmt.Errorf("this hook would take %s from the folder where the agent works, and that is not what was trusted; give the hook a cwd:, or write its names from $HOOKWAY_PROJECT_DIR", visible.Line(path))
}

// Handler runs a command only while its files are as they were trusted. Between
// the check and the start of the program there is a moment that this cannot
// cover; who can write there at the right microsecond has won already.
type Handler struct {
	Next hook.Handler
	Away *Away // nil if the command means the same wherever the agent works

	mu   sync.Mutex
	Pins []Pin
}

// Handle runs the command, or fails when a file changed since it was trusted.
func (p *Handler) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if err := p.Check(); err != nil {
		return hook.Decision{}, err
	}
	if err := p.Away.Check(ev.Head().CWD); err != nil {
		if ev.Info().Gates && p.Away.lane != hook.Observe { // whoever made that folder must not switch a hook off
			return hook.Block(err.Error()), nil
		}
		return hook.Decision{}, err
	}
	return p.Next.Handle(ctx, ev)
}

// Check looks at each file's size, times and identity, and at its content only
// if those differ.
func (p *Handler) Check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, known := range p.Pins {
		info, err := os.Stat(known.Path)
		if err == nil && known.Info != nil && SameFile(known, info) {
			continue
		}
		now, err := HashFile(known.Path)
		if err != nil {
			return fmt.Errorf("%w; it was there when the workspace was trusted", err)
		}
		if now.Value != known.Value {
			return fmt.Errorf("%s changed since the workspace was trusted; look at it, then run hookway trust", known.Path)
		}
		p.Pins[i] = now
	}
	return nil
}

// SameFile reports whether a file cannot have changed. The time of modification
// can be set back; where the system does not tell when the file really changed,
// only the content can.
func SameFile(known Pin, info os.FileInfo) bool {
	return os.SameFile(known.Info, info) && known.Info.Size() == info.Size() && known.Info.Mode() == info.Mode() &&
		known.Info.ModTime().Equal(info.ModTime()) && ChangeTime(info) != 0 && ChangeTime(known.Info) == ChangeTime(info)
}
