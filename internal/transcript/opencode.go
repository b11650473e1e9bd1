package transcript

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/sqlite"
)

// opencode: OpenCode keeps all sessions in a database, ~/.local/share/opencode/opencode.db.
// A part of a message is written again and again while it is streamed; it is whole
// when it has an end.
var opencode = format{names: []string{"opencode", "opencode-ai"}, locate: locateOpenCode, list: listOpenCode, root: rootOpenCode}

// Bounds of what is read of a database.
const (
	mostParts = 512      // in one step
	mostPart  = 32 << 20 // bytes of one
	queryTime = 5 * time.Second
)

func rootOpenCode(p *place) string {
	if dir := p.getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "opencode")
	}
	return filepath.Join(p.home(), ".local", "share", "opencode")
}

func (p *place) opencodeFile() string {
	if file := p.getenv("OPENCODE_DB"); filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(rootOpenCode(p), "opencode.db")
}

func locateOpenCode(p *place) (sure, possible []Source) {
	path := p.opencodeFile()
	if _, err := disk.Stat(path); err != nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTime)
	defer cancel()
	db, err := sqlite.ReadOnly(path)
	if err != nil {
		return nil, nil
	}
	defer db.Close()
	for _, dir := range p.dirs() {
		found, err := db.QueryContext(ctx, `SELECT id FROM session WHERE directory = ? AND parent_id IS NULL AND time_updated >= ? LIMIT 100`,
			dir, p.began.UnixMilli())
		if err != nil {
			return nil, nil
		}
		for found.Next() {
			var id string
			if found.Scan(&id) == nil {
				possible = append(possible, Source{Agent: "opencode", Path: path, Session: id})
			}
		}
		_ = found.Close() // what was read counts
	}
	return nil, possible
}

// rows is the record of one session in OpenCode's database.
type rows struct {
	source Source
	db     *sql.DB
	conn   *sql.Conn // data_version is counted for each connection
	seen   int64     // data_version of the last look
	more   bool      // the last look has not seen everything
	from   int64     // the latest time of change that was seen
	failed error
}

func (r *rows) close() error {
	if r.db == nil {
		return nil
	}
	err := errors.Join(r.conn.Close(), r.db.Close())
	r.db = nil
	return err
}

func (r *rows) next(ctx context.Context) (entries []Entry, more bool, err error) {
	if r.failed != nil {
		return nil, false, r.failed
	}
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	if r.db == nil {
		if err := r.open(ctx); err != nil {
			return nil, false, err
		}
	}
	var version int64
	if err := r.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
		return nil, false, fmt.Errorf("OpenCode's record cannot be read: %w", err)
	}
	if version == r.seen && !r.more {
		return nil, false, nil
	}
	entries, n, err := r.read(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("OpenCode's record cannot be read: %w", err)
	}
	r.seen, r.more = version, n == mostParts
	return entries, r.more, nil
}

func (r *rows) open(ctx context.Context) error {
	if _, err := disk.Stat(r.source.Path); err != nil {
		return err
	}
	db, err := sqlite.ReadOnly(r.source.Path)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	var version string
	err = conn.QueryRowContext(ctx, "SELECT version FROM session WHERE id = ?", r.source.Session).Scan(&version)
	if err == nil && major(version) != 1 && version != "local" {
		r.failed = fmt.Errorf("%s: %w: OpenCode %s", r.source.Path, ErrVersion, version)
		err = r.failed
	}
	if err != nil {
		return errors.Join(err, conn.Close(), db.Close())
	}
	r.db, r.conn = db, conn
	return nil
}

// read reads the parts that were changed since the last time, and some of those
// that were given before: a moment may have several.
func (r *rows) read(ctx context.Context) (entries []Entry, n int, err error) {
	found, err := r.conn.QueryContext(ctx, `SELECT p.id, p.message_id, p.time_created, p.time_updated, p.data,
		coalesce(json_extract(m.data, '$.role'), ''), coalesce(json_extract(m.data, '$.modelID'), '')
		FROM part p JOIN message m ON m.id = p.message_id
		WHERE p.session_id = ? AND p.time_updated >= ? AND length(p.data) <= ? ORDER BY p.time_updated, p.id LIMIT ?`,
		r.source.Session, r.from, mostPart, mostParts)
	if err != nil {
		return nil, 0, err
	}
	defer found.Close()
	latest := r.from
	for found.Next() {
		var row openCodeRow
		if err := found.Scan(&row.id, &row.message, &row.created, &row.updated, &row.data, &row.role, &row.model); err != nil {
			return nil, 0, err
		}
		latest = max(latest, row.updated)
		row.session = r.source.Session
		entries = append(entries, row.entries()...)
		n++
	}
	if n == mostParts && latest == r.from { // more than that in one moment: some are left out, rather than to stand still
		latest++
	}
	r.from = latest
	return entries, n, found.Err()
}

// openCodeRow is a part with what is needed of its message.
type openCodeRow struct {
	id, message, session, role, model string
	created, updated                  int64
	data                              []byte
}

type openCodePart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Time      struct {
		End int64 `json:"end"`
	} `json:"time"`
	Tool   string `json:"tool"`
	CallID string `json:"callID"`
	State  struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output string          `json:"output"`
		Error  string          `json:"error"`
	} `json:"state"`
	Tokens struct {
		Input     int64 `json:"input"`
		Output    int64 `json:"output"`
		Reasoning int64 `json:"reasoning"`
		Cache     struct {
			Read int64 `json:"read"`
		} `json:"cache"`
	} `json:"tokens"`
}

// entries is what a part says. Its id is a block of its own: parts have no numbers.
func (r *openCodeRow) entries() []Entry {
	var p openCodePart
	if json.Unmarshal(r.data, &p) != nil {
		return nil
	}
	e := Entry{Time: time.UnixMilli(r.created), Session: r.session, Message: r.message + "/" + r.id, Model: r.model}
	switch {
	case p.Type == "text" && r.role == "user" && p.Text != "":
		e.Kind, e.Text, e.Hidden, e.Model = User, p.Text, p.Synthetic, ""
	case p.Type == "text" && p.Text != "" && p.Time.End > 0 && !p.Synthetic:
		e.Kind, e.Text = Agent, p.Text
	case p.Type == "tool" && (p.State.Status == "running" || p.State.Status == "completed" || p.State.Status == "error"):
		e.Kind, e.ID, e.Tool, e.Input = Call, p.CallID, p.Tool, p.State.Input
		if p.State.Status == "running" {
			return []Entry{e}
		}
		done := e
		done.Kind, done.Text, done.Failed = Result, p.State.Output+p.State.Error, p.State.Status == "error"
		return []Entry{e, done}
	case p.Type == "step-finish":
		t := p.Tokens
		e.Kind, e.Tokens = Usage, Tokens{Input: t.Input, Output: t.Output, Cached: t.Cache.Read, Reasoning: t.Reasoning}
	default:
		return nil
	}
	return []Entry{e}
}

// listOpenCode: a sub-agent's session names the one it belongs to.
func listOpenCode(l *listing) {
	path := l.opencodeFile()
	if _, err := disk.Stat(path); err != nil {
		l.problem(err)
		return
	}
	ctx, cancel := context.WithTimeout(l.ctx, mostListed.Time)
	defer cancel()
	db, err := sqlite.ReadOnly(path)
	if err != nil {
		l.problem(err)
		return
	}
	defer db.Close()
	if err := l.sessionsOf(ctx, db, path); err != nil {
		l.problem(fmt.Errorf("%s: OpenCode's sessions cannot be listed: %w", path, err))
	}
}

func (l *listing) sessionsOf(ctx context.Context, db *sql.DB, path string) error {
	found, err := db.QueryContext(ctx, `SELECT id, coalesce(parent_id, ''), directory, time_updated FROM session ORDER BY id LIMIT ?`, mostListed.Files)
	if err != nil {
		return err
	}
	defer found.Close()
	parents := map[string]string{}
	for found.Next() {
		var id, parent, dir string
		var changed int64
		if err := found.Scan(&id, &parent, &dir, &changed); err != nil {
			return err
		}
		if parents[id] = parent; time.UnixMilli(changed).Before(l.since) {
			continue
		}
		l.records = append(l.records, Record{Source: Source{Agent: l.agent, Path: path, Session: id}, Group: id, Sub: parent != "", Dir: dir, Changed: time.UnixMilli(changed)})
	}
	for i := range l.records {
		r := &l.records[i]
		for range mostListed.Depth { // a session of a session
			if parent := parents[r.Group]; parent != "" {
				r.Group = parent
			}
		}
		r.Group = l.agent + "/" + r.Group
	}
	return found.Err()
}
