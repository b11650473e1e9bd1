package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// Bounds of the search for a record.
const (
	mostNames = 20000    // in one folder
	mostSmall = 64 << 10 // bytes of a small file
	mostHead  = 1 << 20  // bytes of a record's first line

	// coarse is how much older than the clock the times of files may be.
	coarse = 20 * time.Millisecond
)

// Where says which program's record is looked for.
type Where struct {
	Getenv func(string) string // the program's environment
	Dir    string              // its working directory
	Began  time.Time           // a moment before it was started
	PID    int                 // its process
}

// place is a Where, with what was found out about it.
type place struct {
	env   func(string) string
	began time.Time
	pid   int
	cwd   []string // the working directory, as given and without links
	calls []string // what the agent's program is called

	tree   map[int]int // the program's processes: how far below it each is
	rivals bool        // another process of the agent may run in the folder
	heads  map[string]string
}

func newPlace(w Where, f *format) *place {
	p := &place{env: w.Getenv, began: w.Began, pid: w.PID, calls: f.names, heads: map[string]string{}, cwd: []string{filepath.Clean(w.Dir)}}
	if real, err := filepath.EvalSymlinks(w.Dir); err == nil && real != p.cwd[0] {
		p.cwd = append(p.cwd, real)
	}
	return p
}

// look finds out which processes there are.
func (p *place) look() { p.tree, p.rivals = family(p.pid, p.calls, p.cwd) }

func (p *place) getenv(name string) string { return p.env(name) }

func (p *place) home() string { return p.env("HOME") }

// root is the folder of an agent: the one that its variable names, or one in the home.
func (p *place) root(variable, name string) string {
	if dir := p.getenv(variable); dir != "" {
		return dir
	}
	return filepath.Join(p.home(), name)
}

// project are the records of an agent that keeps those of a project in one folder,
// in sub, by session: sure are those of the sessions of the process.
func (p *place) project(agent, root, sub string, ids []owned) (sure, possible []Source) {
	for _, dir := range p.dirs() {
		folder := filepath.Join(root, "projects", dashed(dir), sub)
		for _, id := range ids {
			sure = append(sure, p.existing(agent, filepath.Join(folder, id.what+".jsonl"))...)
		}
		possible = append(possible, p.recent(agent, folder, "", ".jsonl")...)
	}
	return sure, possible
}

func (p *place) now() time.Time { return time.Now() }

func (p *place) dirs() []string { return p.cwd }

func (p *place) isDir(path string) bool { return slices.Contains(p.cwd, strings.TrimSpace(path)) }

// names lists a folder; of one that cannot be listed, nothing.
func (p *place) names(dir string) []string {
	names, _ := disk.Names(dir, mostNames)
	return names
}

// small is what a small file holds; of one that cannot be read, nothing.
func (p *place) small(path string) string {
	data, err := disk.Read(path, mostSmall)
	if err != nil {
		return ""
	}
	return string(data)
}

// isRecent reports whether a file was changed since the program began.
func (p *place) isRecent(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.ModTime().Before(p.began.Add(-coarse))
}

// existing is a record, if it is there.
func (p *place) existing(agent, path string) []Source {
	if _, err := disk.Stat(path); err != nil {
		return nil
	}
	return []Source{{Agent: agent, Path: path}}
}

// recent are the records of a folder that were written since the program began.
func (p *place) recent(agent, folder, prefix, suffix string) (found []Source) {
	for _, name := range p.names(folder) {
		path := filepath.Join(folder, name)
		if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) && p.isRecent(path) {
			found = append(found, p.existing(agent, path)...)
		}
	}
	return found
}

// begunHere reports whether a record's first line names the program's folder.
func (p *place) begunHere(path string) bool {
	dir, known := p.heads[path]
	if !known {
		var whole bool
		if dir, whole = headFolder(path); whole {
			p.heads[path] = dir
		}
	}
	return p.isDir(dir)
}

// headFolder is the folder that a record's first line names; whole says that the line
// was there.
func headFolder(path string) (dir string, whole bool) {
	h, whole := readHead(path)
	if dir = cmp.Or(h.Payload.CWD, h.Data.Context.CWD); dir == "" {
		return "", whole
	}
	return filepath.Clean(dir), whole
}

// head is what a record's first line says.
type head struct {
	SessionID string
	Payload   struct {
		ID        string
		SessionID string `json:"session_id"`
		CWD       string
	}
	Data struct{ Context struct{ CWD string } }
}

// readHead reads a record's first line; whole says that the line was there.
func readHead(path string) (h head, whole bool) {
	f, err := disk.Open(path)
	if err != nil {
		return h, false
	}
	defer f.Close()
	var line []byte
	chunk := make([]byte, 32<<10)
	for len(line) < mostHead && !whole {
		n, err := f.Read(chunk)
		line = append(line, chunk[:n]...)
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line, whole = line[:end], true
		} else if err != nil {
			break
		}
	}
	if !whole || json.Unmarshal(unmarked(line), &h) != nil {
		return head{}, whole
	}
	return h, true
}

// owned is something that a process of the program's has.
type owned struct {
	what  string
	depth int // of the process
}

// pidFiles are the sessions that processes of the program's have by a folder of
// files that are called after processes.
func (p *place) pidFiles(dir string) (sessions []owned) {
	for _, name := range p.names(dir) {
		pid, err := strconv.Atoi(strings.TrimSuffix(name, ".json"))
		depth, ours := p.tree[pid]
		if err != nil || !ours || filepath.Ext(name) != ".json" {
			continue
		}
		var file struct {
			SessionID string `json:"sessionId"`
			PID       int    `json:"pid"`
		}
		if json.Unmarshal([]byte(p.small(filepath.Join(dir, name))), &file) == nil && file.PID == pid && plainName(file.SessionID) {
			sessions = append(sessions, owned{file.SessionID, depth})
		}
	}
	return nearest(sessions)
}

// plainName reports whether a text can be the name of a file, and of no other one.
func plainName(text string) bool {
	return text != "" && text != "." && text != ".." && !strings.ContainsAny(text, "/\\\x00") && len(text) < 256
}

// nearest leaves what the processes have that are nearest to the program: what they
// have started, as a tool may start an agent, has sessions of its own.
func nearest(all []owned) (found []owned) {
	least := -1
	for _, o := range all {
		if least < 0 || o.depth < least {
			least = o.depth
		}
	}
	for _, o := range all {
		if o.depth == least {
			found = append(found, o)
		}
	}
	return found
}
