package bundle

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
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

// find returns the file, line and column of a place in the bundle, all from 1. A
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
	if s.source < 0 || s.source >= len(m.sources) || strings.HasPrefix(strings.TrimPrefix(m.sources[s.source], "./"), "hookway:") {
		return "", 0, 0, false
	}
	return m.sources[s.source], s.line + 1, s.place + 1, true
}

// frame is where a line of QuickJS's stack says the code was.
var frame = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(?<?[^\s()]*>?:(\d+):(\d+)\)?$`) })

// PlaceOf returns the first place of a stack that is in the script's own files, as
// file:line:column, or "".
func (b *Bundle) PlaceOf(stack string) string {
	for line := range strings.Lines(stack) {
		at := frame().FindStringSubmatch(strings.TrimSpace(line))
		if at == nil {
			continue
		}
		l, _ := strconv.Atoi(at[1])
		c, _ := strconv.Atoi(at[2])
		if place := b.Place(l, c); place != "" {
			return place
		}
	}
	return ""
}

// Stack is a stack as a program sees it: the places that are its own files', as
// Node writes them.
func (b *Bundle) Stack(raw string) string {
	var out strings.Builder
	for line := range strings.Lines(raw) {
		line = strings.TrimSpace(line)
		at := frame().FindStringSubmatch(line)
		if at == nil {
			continue
		}
		l, _ := strconv.Atoi(at[1])
		c, _ := strconv.Atoi(at[2])
		source, l, c, ok := b.places().find(l, c)
		if !ok {
			continue
		}
		if !filepath.IsAbs(source) {
			source = filepath.Join(b.Root, filepath.FromSlash(source))
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "at "), " (")
		if name == "<anonymous>" || name == "<eval>" || name == "" {
			fmt.Fprintf(&out, "    at %s:%d:%d\n", source, l, c)
		} else {
			fmt.Fprintf(&out, "    at %s (%s:%d:%d)\n", name, source, l, c)
		}
	}
	return out.String()
}

// Place is where the code at a place of the bundle was written, as file:line:column, or
// "" if that is in no file of the script.
func (b *Bundle) Place(line, column int) string {
	if file, l, c, ok := b.places().find(line, column); ok {
		return fmt.Sprintf("%s:%d:%d", file, l, c)
	}
	return ""
}
