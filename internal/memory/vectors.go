package memory

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A vector is kept in one byte for each number, with the scale that they have in
// common. A space is one model's vectors; its era counts how often the model was
// found to be another one under the same name.
const vectorSchema = `
CREATE TABLE space (
	n      INTEGER PRIMARY KEY,
	model  TEXT NOT NULL,
	dims   INTEGER NOT NULL,
	prefix INTEGER NOT NULL,
	era    INTEGER NOT NULL,
	probe  BLOB NOT NULL,    -- what the model made of a sentence of ours
	used   INTEGER NOT NULL, -- a day since 1970
	UNIQUE (model, dims, prefix, era)
);
CREATE TABLE vector (
	n     INTEGER PRIMARY KEY AUTOINCREMENT,
	space INTEGER NOT NULL,
	seq   INTEGER NOT NULL, -- of the memory
	scale REAL NOT NULL,
	data  BLOB NOT NULL,
	UNIQUE (space, seq)
);
CREATE TRIGGER memory_gone AFTER DELETE ON memory BEGIN
	DELETE FROM vector WHERE seq = old.seq;
END;
CREATE TRIGGER memory_changed AFTER UPDATE OF text, context, agent ON memory
WHEN old.text <> new.text OR old.context <> new.context OR old.agent <> new.agent BEGIN
	DELETE FROM vector WHERE seq = old.seq;
END;
`

// packed is a vector in bytes.
type packed struct {
	scale float32
	data  []int8
}

func pack(v []float32) packed {
	most := float32(0)
	for _, f := range v {
		most = max(most, float32(math.Abs(float64(f))))
	}
	p := packed{scale: most / 127, data: make([]int8, len(v))}
	if most == 0 {
		return p
	}
	for i, f := range v {
		p.data[i] = int8(math.Round(float64(f / p.scale)))
	}
	return p
}

// dot is the cosine of a vector in bytes and one that is one long.
func (p packed) dot(q []float32) float32 {
	var a, b, c, d float32
	data := p.data[:len(q)]
	i := 0
	for ; i+4 <= len(q); i += 4 {
		a += q[i] * float32(data[i])
		b += q[i+1] * float32(data[i+1])
		c += q[i+2] * float32(data[i+2])
		d += q[i+3] * float32(data[i+3])
	}
	for ; i < len(q); i++ {
		a += q[i] * float32(data[i])
	}
	return (a + b + c + d) * p.scale
}

// blob and unblob write a packed vector as bytes, and read it.
func (p packed) blob() []byte {
	out := make([]byte, len(p.data))
	for i, b := range p.data {
		out[i] = byte(b)
	}
	return out
}

func unblob(scale float64, data []byte) packed {
	p := packed{scale: float32(scale), data: make([]int8, len(data))}
	for i, b := range data {
		p.data[i] = int8(b)
	}
	return p
}

// signs are the signs of a vector, 64 to a word: few enough to keep for all
// memories, and enough to tell which ones are worth a better look.
func signs[N int8 | float32](v []N) []uint64 {
	out := make([]uint64, words64(len(v)))
	for i, f := range v {
		if f > 0 {
			out[i>>6] |= 1 << (i & 63)
		}
	}
	return out
}

func words64(dims int) int { return (dims + 63) / 64 }

// sketch is the signs of the vectors of an index, by document.
type sketch struct {
	space int64
	dims  int
	read  int64 // vectors up to this n
	has   []bool
	bits  []uint64 // words64(dims) for each document
	count int

	sum   []float32 // of the vectors that were read, to know how alike any two are
	added int
}

func (k *sketch) put(doc int32, p packed) {
	w := words64(k.dims)
	if more := int(doc) + 1 - len(k.has); more > 0 {
		k.has = append(k.has, make([]bool, more)...)
		k.bits = append(k.bits, make([]uint64, more*w)...)
	}
	if !k.has[doc] {
		k.has[doc] = true
		k.count++
	}
	copy(k.bits[int(doc)*w:], signs(p.data))
	if k.sum == nil {
		k.sum = make([]float32, k.dims)
	}
	k.added++
	for i, b := range p.data {
		k.sum[i] += p.scale * float32(b)
	}
}

// fewTexts is how many texts are too few to tell how alike any two are.
const fewTexts = 8

// usual is the cosine that a vector has with any text.
func (k *sketch) usual(q []float32) float64 {
	sum := 0.0
	for i, f := range q {
		sum += float64(f) * float64(k.sum[i])
	}
	if sum /= float64(k.added + fewTexts); math.IsNaN(sum) || math.IsInf(sum, 0) { // the file is damaged
		return 0
	}
	return sum
}

// near gives the n documents with the most signs in common with a vector, of
// those that can be seen.
func (k *sketch) near(q []float32, n int, sees func(int32) bool) []int32 {
	w := words64(k.dims)
	mine := signs(q)[:w]
	differ := make([]uint16, len(k.has))
	counts := make([]int, k.dims+1)
	for doc := range k.has {
		differ[doc] = math.MaxUint16
		if !k.has[doc] || !sees(int32(doc)) {
			continue
		}
		d := 0
		for i, theirs := range k.bits[doc*w : doc*w+w] {
			d += bits.OnesCount64(mine[i] ^ theirs)
		}
		differ[doc] = uint16(d)
		counts[d]++
	}
	limit, sum := 0, 0
	for limit < k.dims && sum+counts[limit] < n {
		sum += counts[limit]
		limit++
	}
	var found []int32
	for doc, d := range differ {
		if int(d) <= limit {
			found = append(found, int32(doc))
		}
	}
	slices.SortStableFunc(found, func(a, b int32) int { return cmp.Compare(differ[a], differ[b]) })
	return found[:min(n, len(found))]
}

// spaceFor finds the newest era of a space; n is 0 if it has no vectors yet.
func spaceFor(ctx context.Context, db querier, sp Space) (n int64, probe packed, used int64, err error) {
	var data []byte
	err = db.QueryRowContext(ctx, "SELECT n, probe, used FROM space WHERE model = ? AND dims = ? AND prefix = ? ORDER BY era DESC LIMIT 1", sp.Model, sp.Dims, sp.Prefix).Scan(&n, &data, &used)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, packed{}, 0, nil
	}
	return n, unblob(1, data), used, err
}

// querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// sketchOf brings the sketch of an index up to date with the vectors of a space.
func (s *Store) sketchOf(ctx context.Context, x *index, sp Space) (*sketch, error) {
	n, _, _, err := spaceFor(ctx, s.db, sp)
	if err != nil || n == 0 {
		x.sketch = nil
		return nil, err
	}
	if x.sketch == nil || x.sketch.space != n {
		x.sketch = &sketch{space: n, dims: sp.Dims}
	}
	k := x.sketch
	var newest int64
	if err := s.db.QueryRowContext(ctx, "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'vector'), 0)").Scan(&newest); err != nil || newest <= k.read {
		return k, err
	}
	rows, err := s.db.QueryContext(ctx, "SELECT n, seq, scale, data FROM vector WHERE n > ? AND n <= ? AND space = ? ORDER BY n", k.read, newest, n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n, seq int64
		var scale float64
		var data sql.RawBytes
		if err := rows.Scan(&n, &seq, &scale, &data); err != nil {
			return nil, err
		}
		if seq > x.rows { // saved a moment ago: the index does not know it yet
			return k, nil
		}
		k.read = n
		if doc, ok := x.bySeq[seq]; ok && len(data) == k.dims {
			k.put(doc, unblob(scale, data))
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	k.read = newest
	return k, nil
}

// cosines compares a vector with those of documents.
func (s *Store) cosines(ctx context.Context, x *index, q []float32, docs []int32) (map[int32]float64, error) {
	var list strings.Builder
	for i, doc := range docs {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(strconv.FormatInt(x.docs[doc].seq, 10))
	}
	rows, err := s.db.QueryContext(ctx, "SELECT seq, scale, data FROM vector WHERE space = ? AND seq IN ("+list.String()+")", x.sketch.space)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[int32]float64, len(docs))
	for rows.Next() {
		var seq int64
		var scale float64
		var data sql.RawBytes
		if err := rows.Scan(&seq, &scale, &data); err != nil {
			return nil, err
		}
		if len(data) != len(q) {
			continue
		}
		if c := float64(unblob(scale, data).dot(q)); c >= -1.1 && c <= 1.1 { // else the file is damaged
			out[x.bySeq[seq]] = c
		}
	}
	return out, rows.Err()
}
