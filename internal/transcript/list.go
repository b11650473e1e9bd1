package transcript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// Record is the record of a session that lies on this machine.
type Record struct {
	Source
	// Group is the same of the records of a session and of its sub-agents.
	Group   string
	Sub     bool      // of a sub-agent
	Dir     string    // the folder of the session, where its entries do not say it
	Changed time.Time // when it was last written
	Size    int64     // bytes of its file; 0 of a database
}

// Bounds of what is listed of one agent.
var mostListed = disk.Limits{Files: 500_000, Bytes: math.MaxInt64, Depth: 8, Time: 2 * time.Minute}

// List finds the records of agents, which are of [Agents], that were written since a
// time, with those of sub-agents. They come by agent and group. What cannot be looked
// at, or is of a form that is not read any more, is a problem each, which names it.
func List(ctx context.Context, getenv func(string) string, agents []string, since time.Time) (records []Record, problems []error) {
	for _, agent := range agents {
		f := formats()[agent]
		if f == nil {
			problems = append(problems, fmt.Errorf("%s: unknown agent; hookway reads the records of %v", agent, Agents()))
			continue
		}
		l := &listing{ctx: ctx, agent: agent, since: since, place: &place{env: homely(getenv)}}
		f.list(l)
		slices.SortStableFunc(l.records, func(a, b Record) int {
			return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Path, b.Path), strings.Compare(a.Session, b.Session))
		})
		records, problems = append(records, l.records...), append(problems, l.problems...)
	}
	return records, problems
}

// homely is an environment that has a home, also where the system calls it otherwise.
func homely(getenv func(string) string) func(string) string {
	return func(name string) string {
		if value := getenv(name); value != "" || name != "HOME" {
			return value
		}
		return getenv("USERPROFILE")
	}
}

// listing is the search for all records of an agent.
type listing struct {
	*place
	ctx      context.Context
	agent    string
	since    time.Time
	records  []Record
	problems []error
}

func (l *listing) problem(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.problems = append(l.problems, err)
	}
}

// walk gives the files below a folder that were written since, with their paths from
// there on, whose parts are divided by slashes.
//
// A link to a folder elsewhere is followed, as agents do; one among what lies there is not.
func (l *listing) walk(root string, visit func(path, rel string, info fs.FileInfo)) {
	var links []disk.Entry
	err := l.walkOne(root, mostListed, func(e disk.Entry, rel string) {
		if e.Out && e.Info.IsDir() {
			links = append(links, e)
		} else {
			visit(e.Path, rel, e.Info)
		}
	})
	l.problem(err)
	real, _ := filepath.EvalSymlinks(root) // where there is none there are no links
	for _, link := range links {
		if disk.Inside(link.Real, real) {
			l.problems = append(l.problems, fmt.Errorf("%s: the link is not followed: it leads to %s, which it lies in", link.Path, link.Real))
			continue
		}
		below, err := filepath.Rel(root, link.Path)
		if err == nil {
			err = l.walkOne(link.Real, mostLinked, func(e disk.Entry, rel string) {
				if e.Out && e.Info.IsDir() {
					l.problems = append(l.problems, fmt.Errorf("%s: the link is not followed: it lies behind another, %s", e.Path, link.Path))
					return
				}
				visit(e.Path, filepath.ToSlash(below)+"/"+rel, e.Info)
			})
		}
		if err != nil {
			l.problems = append(l.problems, fmt.Errorf("%s: what the link leads to cannot be read: %w", link.Path, err))
		}
	}
}

// mostLinked bounds what is listed behind a link.
var mostLinked = disk.Limits{Files: 50_000, Bytes: math.MaxInt64, Depth: 5, Time: time.Minute}

// walkOne gives what one folder holds: files that were written since, and links to folders
// elsewhere.
func (l *listing) walkOne(root string, most disk.Limits, visit func(e disk.Entry, rel string)) error {
	return disk.Walk(l.ctx, root, most, func(e disk.Entry) error {
		if e.Err != nil {
			l.problems = append(l.problems, fmt.Errorf("%s: %w", e.Path, e.Err))
			return nil
		}
		rel, err := filepath.Rel(root, e.Path)
		switch {
		case err != nil:
		case e.Info.Mode().IsRegular() && !e.Info.ModTime().Before(l.since), e.Out && e.Info.IsDir():
			visit(e, filepath.ToSlash(rel))
		}
		return nil
	})
}

// add adds a record that is a file.
func (l *listing) add(path, group string, sub bool, dir string, info fs.FileInfo) {
	l.records = append(l.records, Record{
		Source: Source{Agent: l.agent, Path: path}, Group: l.agent + "/" + group, Sub: sub, Dir: dir, Changed: info.ModTime(), Size: info.Size(),
	})
}

// listClaude: a session's file lies in the folder of its project, those of its
// sub-agents in a folder beside it that has the session's name.
func listClaude(l *listing) {
	l.walk(filepath.Join(rootClaude(l.place), "projects"), func(path, rel string, info fs.FileInfo) {
		parts := strings.Split(rel, "/")
		if filepath.Ext(path) != ".jsonl" || len(parts) < 2 {
			return
		}
		l.add(path, parts[0]+"/"+strings.TrimSuffix(parts[1], ".jsonl"), len(parts) > 2, "", info)
	})
}

// listCodex: a sub-agent has a file like any other; its head names the session that it
// belongs to.
func listCodex(l *listing) {
	for _, folder := range []string{"sessions", "archived_sessions"} {
		l.walk(filepath.Join(rootCodex(l.place), folder), func(path, _ string, info fs.FileInfo) {
			switch name := filepath.Base(path); {
			case !strings.HasPrefix(name, "rollout-"):
			case filepath.Ext(name) == ".json":
				l.problem(fmt.Errorf("%s: %w: Codex before 0.40", path, ErrVersion))
			case filepath.Ext(name) == ".jsonl":
				h, _ := readHead(path)
				own, root := h.Payload.ID, cmp.Or(h.Payload.SessionID, h.Payload.ID, path)
				l.add(path, root, own != "" && own != root, "", info)
			}
		})
	}
}

// listGemini: the records of sub-agents lie in a folder that has the session's id.
func listGemini(l *listing) {
	tmp := filepath.Join(rootGemini(l.place), "tmp")
	names, err := disk.Names(tmp, mostNames)
	l.problem(err)
	for _, name := range names {
		dir := strings.TrimSpace(l.small(filepath.Join(tmp, name, ".project_root")))
		l.walk(filepath.Join(tmp, name, "chats"), func(path, rel string, info fs.FileInfo) {
			parent, _, sub := strings.Cut(rel, "/")
			switch {
			case filepath.Ext(path) == ".json" && strings.HasPrefix(filepath.Base(path), "session-"):
				l.problem(fmt.Errorf("%s: %w: Gemini CLI before 0.40", path, ErrVersion))
			case filepath.Ext(path) == ".jsonl" && sub:
				l.add(path, parent, true, dir, info)
			case filepath.Ext(path) == ".jsonl":
				h, _ := readHead(path)
				l.add(path, cmp.Or(h.SessionID, path), false, dir, info)
			}
		})
	}
}

// listQwen: sessions lie in chats, their sub-agents in subagents/SESSION.
func listQwen(l *listing) {
	l.walk(filepath.Join(rootQwen(l.place), "projects"), func(path, rel string, info fs.FileInfo) {
		parts := strings.Split(rel, "/")
		if filepath.Ext(path) != ".jsonl" || len(parts) < 3 || parts[1] != "chats" && parts[1] != "subagents" {
			return
		}
		l.add(path, parts[0]+"/"+strings.TrimSuffix(parts[2], ".jsonl"), parts[1] == "subagents" || len(parts) > 3, "", info)
	})
}

// listCopilot: each session has a folder.
func listCopilot(l *listing) {
	state := filepath.Join(rootCopilot(l.place), "session-state")
	names, err := disk.Names(state, mostNames)
	l.problem(err)
	for _, name := range names {
		path := filepath.Join(state, name, "events.jsonl")
		info, err := os.Stat(path)
		switch {
		case err != nil:
			l.problem(err)
		case info.Mode().IsRegular() && !info.ModTime().Before(l.since):
			l.add(path, name, false, "", info)
		}
	}
}
