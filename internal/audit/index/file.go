package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/sqlite"
)

// FileName is the index's file in the folder of the log.
const FileName = "index.db"

// version is that of the form of blocks. A file of another one is made anew.
const version = "1"

// form is what the file has. Texts and rows, signatures and steps lie apart: what is not
// asked for is not read.
var form = sqlite.Form{
	What:   "the index of the audit log",
	Rescue: "remove it: it is built anew from the log",
	Steps: []string{`
CREATE TABLE form (version TEXT NOT NULL);
INSERT INTO form VALUES ('` + version + `');
CREATE TABLE files (file INTEGER PRIMARY KEY, begins TEXT NOT NULL);
CREATE TABLE blocks (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, until INTEGER NOT NULL, head BLOB NOT NULL);
CREATE INDEX blocks_of ON blocks (file, until);
CREATE TABLE said (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE records (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE steps (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE problems (file INTEGER NOT NULL, at INTEGER NOT NULL, problem TEXT NOT NULL, PRIMARY KEY (file, at));
`},
	Pragmas: []string{"synchronous(NORMAL)", "cache_size(-4000)"},
	Conns:   2,
}

// kept is the index's file.
type kept struct{ *sqlite.File }

// openKept opens the file. One that cannot be read is removed and made anew, which why says.
func openKept(ctx context.Context, path string) (k *kept, why string, err error) {
	k, err = openOnce(ctx, path)
	if err == nil || ctx.Err() != nil || !useless(err) {
		return k, "", err
	}
	why = builtAnew(err)
	if err := removeKept(ctx, path); err != nil {
		return nil, why, err
	}
	k, err = openOnce(ctx, path)
	return k, why, err
}

// builtAnew says why the file was removed.
func builtAnew(why error) string {
	return fmt.Sprintf("the index of the log could not be used; it was removed and is built anew: %v", why)
}

// errForm is of a file of another version.
var errForm = errors.New("it is of another version of hookway")

// useless reports whether an error says that the file is not an index of ours: not that it
// cannot be reached, or written.
func useless(err error) bool {
	return errors.Is(err, errForm) || errors.Is(err, errBlock) || errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, sqlite.ErrNewer) ||
		strings.Contains(err.Error(), "no such table") || strings.Contains(err.Error(), "no such column") || strings.Contains(err.Error(), "already exists")
}

func openOnce(ctx context.Context, path string) (*kept, error) {
	file, err := sqlite.Open(ctx, path, form)
	if err != nil {
		return nil, err
	}
	var is string
	if err = file.QueryRowContext(ctx, "SELECT version FROM form").Scan(&is); err == nil && is != version || errors.Is(err, sql.ErrNoRows) {
		err = errForm
	}
	if err != nil {
		return nil, errors.Join(file.Explain("read", err), file.DB.Close())
	}
	return &kept{file}, nil
}

// removeKept removes the file. Another process that has it open goes on with what it has.
func removeKept(ctx context.Context, path string) error {
	unlock, err := disk.LockFile(ctx, path+".lock")
	if errors.Is(err, os.ErrNotExist) { // there is no folder yet, so no index
		return nil
	}
	if err != nil {
		return fmt.Errorf("the index cannot be removed: %w", err)
	}
	defer unlock()
	for _, end := range []string{"-wal", "-shm", ""} {
		if gone := os.Remove(path + end); gone != nil && !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// Remove removes the index of a log's folder. It is built anew when something is asked.
func Remove(ctx context.Context, dir string) error {
	return removeKept(ctx, filepath.Join(dir, FileName))
}

// known is what the file has of a file of the log.
type known struct {
	begins string // hash of its first record
	blocks []*block
}

// load reads what the file has, without rows. It is read in one transaction: another
// process may write a file and its first blocks at any moment.
func (k *kept) load(ctx context.Context) (map[int64]*known, error) {
	tx, err := k.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	all := map[int64]*known{}
	rows, err := tx.QueryContext(ctx, "SELECT file, begins FROM files")
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var file int64
		of := new(known)
		if err := rows.Scan(&file, &of.begins); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		all[file] = of
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	if rows, err = tx.QueryContext(ctx, "SELECT id, head, body FROM blocks JOIN said USING (id) ORDER BY file, until"); err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var text, said []byte
		if err := rows.Scan(&id, &text, &said); err != nil {
			return nil, err
		}
		b := &block{summed: new(summed)}
		if b.head, err = parseHead(text); err != nil {
			return nil, err
		}
		b.id = id
		signed, err := unsealed(said)
		if b.said = signed; err != nil || !b.said.valid() {
			return nil, errBlock
		}
		of := all[b.file]
		if of == nil || len(of.blocks) > 0 && of.blocks[len(of.blocks)-1].end != b.at || len(of.blocks) == 0 && b.at != 0 {
			return nil, fmt.Errorf("%w: there is a gap before it", errBlock)
		}
		of.blocks = append(of.blocks, b)
	}
	return all, rows.Err()
}

// rowsOf reads the rows of a block.
func (k *kept) rowsOf(ctx context.Context, b *block) error {
	var text []byte
	if err := k.QueryRowContext(ctx, "SELECT body FROM records WHERE id = ?", b.id).Scan(&text); err != nil {
		return k.gone(err)
	}
	return b.parseRows(text)
}

// stepsOf reads the steps of a block.
func (k *kept) stepsOf(ctx context.Context, b *block) error {
	var text []byte
	err := k.QueryRowContext(ctx, "SELECT body FROM steps WHERE id = ?", b.id).Scan(&text)
	if err == nil {
		b.steps, err = unsealed(text)
	}
	return k.gone(err)
}

// errGone is of a block that another process has removed.
var errGone = errors.New("a block of the index is not there any more")

// gone says what an error of reading a block means.
func (k *kept) gone(err error) error {
	switch {
	case err == nil || errors.Is(err, errBlock):
		return err
	case errors.Is(err, sql.ErrNoRows):
		return errGone
	}
	return k.Explain("read", err)
}

// problem is what is wrong with the log at a place.
type problem struct {
	place
	text string
}

// errOthers says that another process has written blocks of the same file.
var errOthers = errors.New("another process has written the index meanwhile")

// save writes blocks of a file, which follow what is there.
func (k *kept) save(ctx context.Context, file int64, begins string, blocks []*block, problems []problem) (ids []int64, err error) {
	return ids, k.Write(ctx, func(tx *sql.Tx) error {
		var is string
		var until int64
		err := tx.QueryRowContext(ctx, "SELECT begins, coalesce((SELECT max(until) FROM blocks WHERE file = ?1), 0) FROM files WHERE file = ?1", file).Scan(&is, &until)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			_, err = tx.ExecContext(ctx, "INSERT INTO files (file, begins) VALUES (?, ?)", file, begins)
		case err == nil && is != begins:
			return errOthers
		}
		if err != nil {
			return err
		}
		if len(blocks) > 0 && blocks[0].at != until {
			return errOthers
		}
		for _, b := range blocks {
			id, err := saveBlock(ctx, tx, b)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		for _, p := range problems {
			if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO problems (file, at, problem) VALUES (?, ?, ?)", p.file, p.at, p.text); err != nil {
				return err
			}
		}
		return nil
	})
}

func saveBlock(ctx context.Context, tx *sql.Tx, b *block) (int64, error) {
	done, err := tx.ExecContext(ctx, "INSERT INTO blocks (file, until, head) VALUES (?, ?, ?)", b.file, b.end, b.encodeHead())
	if err != nil {
		return 0, err
	}
	id, err := done.LastInsertId()
	if err != nil {
		return 0, err
	}
	for table, body := range map[string][]byte{"said": sealed(slices.Clone(b.said)), "records": b.encodeRows(), "steps": sealed(slices.Clone(b.steps))} {
		if _, err := tx.ExecContext(ctx, "INSERT INTO "+table+" (id, body) VALUES (?, ?)", id, body); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// drop forgets files of the log.
func (k *kept) drop(ctx context.Context, files []int64) error {
	return k.Write(ctx, func(tx *sql.Tx) error {
		for _, file := range files {
			for _, table := range []string{"said", "records", "steps"} {
				if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE id IN (SELECT id FROM blocks WHERE file = ?)", file); err != nil {
					return err
				}
			}
			for _, table := range []string{"blocks", "files", "problems"} {
				if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE file = ?", file); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// problems are what was found wrong with the log.
func (k *kept) problems(ctx context.Context) (list []string, err error) {
	rows, err := k.QueryContext(ctx, "SELECT problem FROM problems ORDER BY file DESC, at DESC LIMIT ?", mostProblems)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}
