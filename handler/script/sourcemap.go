package script

import (
	"encoding/json"
	"sort"
	"strings"
)

// sourceMap leads from a place in a bundle back to the file it was written in.
type sourceMap struct {
	sources []string
	lines   [][]segment // by line of the bundle
}

// segment begins at a column of the bundle; all counts are from 0.
type segment struct {
	column              int
	source, line, place int
}

// readMap reads a source map of version 3. One that cannot be read maps nothing.
func readMap(data []byte) *sourceMap {
	var raw struct {
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
	}
	if json.Unmarshal(data, &raw) != nil {
		return &sourceMap{}
	}
	m := &sourceMap{sources: raw.Sources}
	var source, line, place int
	for text := range strings.SplitSeq(raw.Mappings, ";") {
		var segments []segment
		column := 0
		for field := range strings.SplitSeq(text, ",") {
			n := vlq(field)
			if len(n) == 0 {
				continue
			}
			column += n[0]
			if len(n) < 4 {
				continue
			}
			source, line, place = source+n[1], line+n[2], place+n[3]
			segments = append(segments, segment{column, source, line, place})
		}
		m.lines = append(m.lines, segments)
	}
	return m
}

// vlq reads the numbers of one field.
func vlq(field string) []int {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var out []int
	n, shift := 0, 0
	for i := range len(field) {
		d := strings.IndexByte(digits, field[i])
		if d < 0 || shift > 30 {
			return nil
		}
		n |= (d & 31) << shift
		if shift += 5; d&32 != 0 {
			continue
		}
		if n&1 != 0 {
			n = -(n >> 1)
		} else {
			n >>= 1
		}
		out = append(out, n)
		n, shift = 0, 0
	}
	return out
}

// find gives the file, line and column of a place in the bundle, all from 1. A
// place that is in no file, or in one of ours, is not found.
func (m *sourceMap) find(line, column int) (file string, l, c int, ok bool) {
	if line < 1 || line > len(m.lines) {
		return "", 0, 0, false
	}
	segments := m.lines[line-1]
	at := sort.Search(len(segments), func(i int) bool { return segments[i].column > column-1 }) - 1
	if at < 0 {
		if len(segments) == 0 {
			return "", 0, 0, false
		}
		at = 0
	}
	s := segments[at]
	if s.source < 0 || s.source >= len(m.sources) || strings.HasPrefix(m.sources[s.source], "hookway:") {
		return "", 0, 0, false
	}
	return m.sources[s.source], s.line + 1, s.place + 1, true
}
