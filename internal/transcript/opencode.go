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
	mostParts = 512 // in one step
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
	most   Most
	db     *sql.DB
	conn   *sql.Conn // data_version is counted for each connection
	taken  int64     // bytes
	seen   int64     // data_version of the last look
	more   bool      // the last look has not seen everything
	from   cursor
	failed error
	torn   func(error)         // told of rows that cannot be read; nil: they are being written
	lost   map[string]struct{} // messages of which it was told
}

// cursor is up to where rows were read: in the order of their times of change, and of
// their ids, as many may have one time.
type cursor struct {
	time int64
	id   string
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
	entries, more, err = r.read(ctx)
	if err != nil {
		return entries, false, fmt.Errorf("OpenCode's record cannot be read: %w", err)
	}
	r.seen, r.more = version, more
	return entries, more, nil
}

func (r *rows) bytes() int64 { return r.taken }

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
	err = sqlite.Longest(conn, 2*r.most.Bytes) // a row has more than what is read of it
	if err == nil {
		err = conn.QueryRowContext(ctx, "SELECT coalesce(version, '') FROM session WHERE id = ?", r.source.Session).Scan(&version)
	}
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

// partsAfter are the parts behind a cursor, without what is in them: that is not sorted. A
// message that is torn, or not there, takes no part away with it.
const partsAfter = `SELECT p.id, coalesce(p.message_id, ''), coalesce(CAST(p.time_created AS INTEGER), 0), coalesce(CAST(p.time_updated AS INTEGER), 0) AS at,
	coalesce(octet_length(p.data), 0), octet_length(m.data) <= ?1 AND json_valid(m.data) AS known,
	CASE WHEN octet_length(m.data) <= ?1 AND json_valid(m.data) THEN coalesce(substr(json_extract(m.data, '$.role'), 1, 200), '') ELSE '' END,
	CASE WHEN octet_length(m.data) <= ?1 AND json_valid(m.data) THEN coalesce(substr(json_extract(m.data, '$.modelID'), 1, 200), '') ELSE '' END
	FROM part p LEFT JOIN message m ON m.id = p.message_id
	WHERE p.session_id = ?2 AND (at > ?3 OR at = ?3 AND p.id > ?4) ORDER BY at, p.id LIMIT ?5`

// read reads the parts that were changed since the last time; more says that there may be
// others now. When all were read, the next look begins with the last moment anew: more of
// it may come.
func (r *rows) read(ctx context.Context) (entries []Entry, more bool, err error) {
	found, err := r.parts(ctx)
	if err != nil {
		return nil, false, err
	}
	step := mostAtOnce
	if r.torn != nil {
		step = leastStep
	}
	before, until := r.from, r.taken+int64(step)
	for i := range found {
		row := &found[i]
		if row.size <= int64(r.most.Bytes) {
			err := r.conn.QueryRowContext(ctx, "SELECT data FROM part WHERE id = ? AND octet_length(data) <= ?", row.id, r.most.Bytes).Scan(&row.data)
			if err != nil && !errors.Is(err, sql.ErrNoRows) { // it went meanwhile, or has grown
				return entries, false, err
			}
		}
		r.taken += int64(len(row.data))
		r.from = cursor{row.updated, row.id}
		entries = append(entries, r.entries(row)...)
		row.data = nil
		if more = r.taken >= until && i+1 < len(found); more {
			break
		}
	}
	switch more = more || len(found) == mostParts; {
	case !more:
		r.from.id = ""
	case r.from == before:
		return entries, false, errors.New("its parts have no ids to go on from")
	}
	return entries, more, nil
}

// parts are those behind the cursor, without their data.
func (r *rows) parts(ctx context.Context) (list []openCodeRow, err error) {
	found, err := r.conn.QueryContext(ctx, partsAfter, r.most.Bytes, r.source.Session, r.from.time, r.from.id, mostParts)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		row := openCodeRow{session: r.source.Session}
		var known sql.NullBool
		if err := found.Scan(&row.id, &row.message, &row.created, &row.updated, &row.size, &known, &row.role, &row.model); err != nil {
			return nil, err
		}
		row.known = known.Bool
		list = append(list, row)
	}
	return list, found.Err()
}

// entries is what a row says; what it does not say, though it should, is told.
func (r *rows) entries(row *openCodeRow) []Entry {
	entries, why := row.entries(r.most)
	if r.torn == nil {
		return entries
	}
	if _, told := r.lost[row.message]; !row.known && !told {
		if r.lost == nil {
			r.lost = map[string]struct{}{}
		}
		r.lost[row.message] = struct{}{}
		r.tell("message "+row.message, errors.New("it is torn, or not there; its calls are read, its texts are left out"))
	}
	if why != nil {
		r.tell("part "+row.id, why)
	}
	return entries
}

func (r *rows) tell(what string, why error) {
	r.torn(&unread{fmt.Sprintf("%s: %s of session %s", r.source.Path, what, r.source.Session), why})
}

// openCodeRow is a part with what is needed of its message.
type openCodeRow struct {
	id, message, session, role, model string
	created, updated, size            int64
	data                              []byte
	known                             bool // the message can be read
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
		Output text            `json:"output"`
		Error  text            `json:"error"`
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

// entries is what a part says, and why it does not say all. Its id is a block of its own:
// parts have no numbers.
func (r *openCodeRow) entries(most Most) (entries []Entry, why error) {
	if r.size > int64(most.Bytes) {
		return nil, most.tooLong()
	}
	if why := most.check(r.data); why != nil {
		return nil, why
	}
	var p openCodePart
	switch err := json.Unmarshal(r.data, &p); {
	case err != nil && !isOdd(err):
		return nil, errNoObject
	case err != nil:
		why = odd(err)
	}
	return r.says(&p), why
}

func (r *openCodeRow) says(p *openCodePart) []Entry {
	e := Entry{Time: time.UnixMilli(r.created), Session: r.session, Message: r.message + "/" + r.id, Model: r.model}
	switch {
	case p.Type == "text" && r.role == "user" && p.Text != "":
		e.Kind, e.Text, e.Hidden, e.Model = User, p.Text, p.Synthetic, ""
	case p.Type == "text" && r.known && p.Text != "" && p.Time.End > 0 && !p.Synthetic:
		e.Kind, e.Text = Agent, p.Text
	case p.Type == "tool" && (p.State.Status == "running" || p.State.Status == "completed" || p.State.Status == "error"):
		e.Kind, e.ID, e.Tool, e.Input = Call, p.CallID, p.Tool, p.State.Input
		if p.State.Status == "running" {
			return []Entry{e}
		}
		done := e
		done.Kind, done.Text, done.Failed = Result, string(p.State.Output+p.State.Error), p.State.Status == "error"
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
	found, err := db.QueryContext(ctx, `SELECT id, coalesce(parent_id, ''), coalesce(directory, ''), coalesce(CAST(time_updated AS INTEGER), 0) FROM session ORDER BY id LIMIT ?`, mostListed.Files)
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
