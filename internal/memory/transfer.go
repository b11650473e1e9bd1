package memory

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Imported counts what an import did.
type Imported struct {
	Added     int `json:"added"`
	Replaced  int `json:"replaced"`  // the id was there with something else
	Unchanged int `json:"unchanged"` // it was there just so
}

// maxLine is how long a line of an import may be.
const maxLine = 1 << 20

// Import reads memories, one JSON object a line, as Export writes them: text is
// needed, everything else may be missing. What a line does not say is taken from
// otherwise. All lines are kept, or none: the error names the line.
func (s *Store) Import(ctx context.Context, from io.Reader, otherwise Memory) (Imported, error) {
	all, err := readLines(ctx, from, otherwise)
	if err != nil {
		return Imported{}, err
	}
	var done Imported
	err = s.change(ctx, func(tx *sql.Tx) error {
		w, err := prepareImport(ctx, tx)
		if err != nil {
			return err
		}
		defer w.close()
		for i := range all {
			if err := w.put(ctx, tx, &all[i], &done); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Imported{}, s.explain("imported", err)
	}
	s.meaning.nudge()
	return done, nil
}

// importing has the statements that every line needs.
type importing struct{ find, insert *sql.Stmt }

func prepareImport(ctx context.Context, tx *sql.Tx) (w importing, err error) {
	if w.find, err = tx.PrepareContext(ctx, "SELECT seq, "+columns+" FROM memory WHERE id = ?"); err != nil {
		return w, err
	}
	w.insert, err = tx.PrepareContext(ctx, "INSERT INTO memory ("+columns+", digest) VALUES (?,?,?,?,?,?,?,?,?,?,?)")
	return w, err
}

func (w importing) close() {
	for _, s := range []*sql.Stmt{w.find, w.insert} {
		if s != nil {
			_ = s.Close() // it ends with its transaction anyway
		}
	}
}

func (w importing) put(ctx context.Context, tx *sql.Tx, m *Memory, done *Imported) (err error) {
	var old Memory
	var seq int64
	if m.ID == "" {
		if m.ID, err = freshID(ctx, tx, ""); err != nil {
			return err
		}
	} else if old, seq, err = w.byID(ctx, m.ID); err != nil {
		return err
	}
	switch {
	case seq == 0:
		done.Added++
		_, err = w.insert.ExecContext(ctx, m.values()...)
	case equal(old, *m):
		done.Unchanged++
	default:
		done.Replaced++
		err = replace(ctx, tx, seq, *m)
	}
	return err
}

func (w importing) byID(ctx context.Context, id string) (old Memory, seq int64, err error) {
	rows, err := w.find.QueryContext(ctx, id)
	if err != nil {
		return old, 0, err
	}
	err = each(rows, func(n int64, m Memory) error {
		old, seq = m, n
		return nil
	})
	return old, seq, err
}

func equal(a, b Memory) bool {
	x, y := a.values(), b.values()
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// readLines reads and checks a whole import before any of it is kept.
func readLines(ctx context.Context, from io.Reader, otherwise Memory) ([]Memory, error) {
	var all []Memory
	now := time.Now()
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line := bytes.TrimSpace(lines.Bytes())
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) == 0 {
			continue
		}
		m, err := parseLine(line, otherwise)
		if err == nil {
			if m.Time.IsZero() {
				m.Time = now
			}
			err = m.check()
		}
		if errors.Is(err, errNoText) {
			return nil, fmt.Errorf("line %d has no text; nothing was imported", n)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w; nothing was imported", n, err)
		}
		all = append(all, m)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: it is longer than %d bytes; nothing was imported", n+1, maxLine)
	} else if err != nil {
		return nil, fmt.Errorf("line %d cannot be read: %w; nothing was imported", n+1, err)
	}
	return all, nil
}

// line is a memory as others may write it.
type line struct {
	ID        plain  `json:"id"`
	Text      string `json:"text"`
	Scope     string `json:"scope"`
	Workspace string `json:"workspace"`
	Agent     string `json:"agent"`
	Session   plain  `json:"session"`
	Time      moment `json:"time"`
	Tags      many   `json:"tags"`
	File      string `json:"file"`
	Context   string `json:"context"`
}

func parseLine(text []byte, otherwise Memory) (Memory, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Memory{}, fmt.Errorf("it is not a JSON object of a memory: %s", wrongJSON(err))
	}
	m := Memory{
		ID: string(l.ID), Text: l.Text, Scope: Scope(l.Scope), Workspace: l.Workspace, Agent: l.Agent, Session: string(l.Session),
		Time: time.Time(l.Time), Tags: l.Tags, File: l.File, Context: l.Context,
	}
	for _, f := range []struct{ to, from *string }{
		{&m.Workspace, &otherwise.Workspace}, {&m.Agent, &otherwise.Agent}, {&m.Session, &otherwise.Session}, {(*string)(&m.Scope), (*string)(&otherwise.Scope)},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	return m, nil
}

// wrongJSON says in our words what is wrong with a line.
func wrongJSON(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		if kind.Field == "" {
			return "it is " + article(kind.Value)
		}
		return fmt.Sprintf("%s is %s where another kind of value belongs", kind.Field, article(kind.Value))
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%v, at byte %d", syntax, syntax.Offset)
	}
	return err.Error()
}

// article is the name of a kind of JSON value, with its article.
func article(kind string) string {
	kind, _, _ = strings.Cut(kind, " ") // "number 5"
	switch kind {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "a map"
	}
	return "a " + kind
}

// plain is a text that some write as a number.
type plain string

func (p *plain) UnmarshalJSON(data []byte) error {
	var n json.Number
	if err := json.Unmarshal(data, &n); err == nil && len(data) > 0 && data[0] != '"' {
		*p = plain(n.String())
		return nil
	}
	return json.Unmarshal(data, (*string)(p))
}

// many is a list of texts, or one.
type many []string

func (m *many) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var one string
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		*m = many{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(m))
}

// moment is a time in one of the forms that exports have.
type moment time.Time

var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02", "3:04 pm on 2 January, 2006", "2 January 2006", "January 2, 2006", time.RFC1123, time.RFC1123Z,
}

func (t *moment) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	if text == "" || text == "null" {
		return nil
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if n > 1e11 || n < -1e11 { // later than the year 5000: milliseconds
			n /= 1000
		}
		if n > 4e11 || n < -1e11 {
			return fmt.Errorf("invalid time %s: want seconds or milliseconds since 1970", text)
		}
		*t = moment(time.UnixMicro(int64(n * 1e6)))
		return nil
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			*t = moment(at)
			return nil
		}
	}
	return fmt.Errorf("the time %q cannot be read; write it like 2006-01-02T15:04:05Z", text)
}

// Export writes the memories that a view can see, one JSON object a line, the
// oldest first, and says how many they are.
func (s *Store) Export(ctx context.Context, to io.Writer, v View) (int, error) {
	where, args := v.where()
	rows, err := s.db.QueryContext(ctx, "SELECT seq, "+columns+" FROM memory WHERE "+where+" ORDER BY seq", args...)
	if err != nil {
		return 0, s.explain("exported", err)
	}
	n := 0
	out := bufio.NewWriter(to)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	var failed error
	err = each(rows, func(_ int64, m Memory) error {
		if failed = enc.Encode(m); failed != nil {
			return failed
		}
		n++
		return nil
	})
	if err == nil {
		failed = out.Flush()
	}
	switch {
	case failed != nil:
		return n, failed
	case err != nil:
		return n, s.explain("exported", err)
	}
	return n, nil
}
