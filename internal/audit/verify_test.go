package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestVerifyFindsWhatSomebodyDid(t *testing.T) {
	type lines = [][]byte
	for _, test := range []struct {
		name string
		edit func(lines) lines
		line int // of the first problem
		what string
	}{
		{"a changed value", func(l lines) lines {
			l[2] = bytes.Replace(l[2], []byte(`"block"`), []byte(`"allow"`), 1)
			return l
		}, 3, "record 3 was changed"},
		{"a changed hash", func(l lines) lines {
			l[2] = bytes.Replace(l[2], l[2][len(l[2])-12:len(l[2])-8], []byte("0000"), 1)
			return l
		}, 3, "record 3 was changed"},
		{"a record made anew", func(l lines) lines { return forge(l, 2) }, 4, "does not follow the record 3"},
		{"the last record made anew", func(l lines) lines { return forge(l, len(l)-1) }, 10, "is not the one that the head of the log names"},
		{"a missing record", func(l lines) lines { return slices.Delete(l, 4, 5) }, 5, "record 5 is missing"},
		{"missing records", func(l lines) lines { return slices.Delete(l, 4, 7) }, 5, "records 5 to 7 are missing"},
		{"the first missing", func(l lines) lines { return l[1:] }, 1, "record 1 is missing before record 2"},
		{"the last missing", func(l lines) lines { return l[:9] }, 0, "record 10 is missing at the end"},
		{"two reordered", func(l lines) lines { l[3], l[4] = l[4], l[3]; return l }, 4, "missing between record 3 and this one, 5"},
		{"one repeated", func(l lines) lines { return slices.Insert(l, 3, bytes.Clone(l[2])) }, 4, "stands after record 3"},
		{"one cut in the middle", func(l lines) lines { l[5] = l[5][:40]; return l }, 6, "is not a record"},
		{"a foreign line", func(l lines) lines { return slices.Insert(l, 1, []byte(`{"hello":"there"}`)) }, 2, "is not a record"},
		{"a space", func(l lines) lines {
			l[7] = append([]byte(nil), bytes.Replace(l[7], []byte(","), []byte(", "), 1)...)
			return l
		}, 8, "record 8 was changed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, Config{Dir: dir}, 10)
			sound(t, dir)
			path := files(t, dir)[0]
			put(t, path, append(bytes.Join(test.edit(bytes.Split(bytes.TrimSpace(contents(t, path)), []byte("\n"))), []byte("\n")), '\n'))
			report := verify(t, dir)
			if report.OK() {
				t.Fatal("nothing was found")
			}
			p := report.Problems[0]
			switch {
			case p.File != path:
				t.Errorf("p.File: got %v, want %v", p.File, path)
			case test.line > 0 && p.Line != test.line || !strings.Contains(p.What, test.what):
				t.Errorf("got %v", p)
			}
			fill(t, Config{Dir: dir}, 3) // what is appended later heals nothing
			if verify(t, dir).OK() {
				t.Error("the log verifies after more was appended")
			}
		})
	}
}

// forge changes a record and computes its hash anew.
func forge(l [][]byte, i int) [][]byte {
	var r Record
	if err := parseLine(l[i], &r); err != nil {
		panic(err)
	}
	r.Action = "allow"
	var buf bytes.Buffer
	if err := appendLine(&buf, &r); err != nil {
		panic(err)
	}
	l[i] = bytes.TrimSpace(buf.Bytes())
	return l
}

func TestVerifyFindsMissingFiles(t *testing.T) {
	for _, test := range []struct {
		name string
		pick func([]string) []string
		what string
	}{
		{"the first", func(p []string) []string { return p[:1] }, "missing before record"},
		{"one in the middle", func(p []string) []string { return p[1:2] }, "missing between record"},
		{"the last", func(p []string) []string { return p[len(p)-1:] }, "missing at the end"},
		{"all", func(p []string) []string { return p }, "records 1 to 40 are missing at the end"},
		{"the head", func(p []string) []string { return []string{filepath.Join(filepath.Dir(p[0]), headName)} }, "it is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, Config{Dir: dir, MaxSize: 4 << 10}, 40)
			for _, path := range test.pick(files(t, dir)) {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			report := verify(t, dir)
			if report.OK() || !strings.Contains(report.Problems[0].What, test.what) {
				t.Errorf("report %+v", report)
			}
		})
	}
}

func TestWritersSayThatTheEndWasRemoved(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 10)
	path := files(t, dir)[0]
	l := bytes.SplitAfter(contents(t, path), []byte("\n"))
	put(t, path, bytes.Join(l[:6], nil))
	fill(t, Config{Dir: dir}, 1)
	records, _ := read(t, dir, Filter{})
	last := records[len(records)-1]
	if last.Seq != 11 || len(last.Warnings) != 1 || !strings.Contains(last.Warnings[0], "records 7 to 10 are missing") {
		t.Errorf("got %+v", last)
	}
}

func TestNoLogVerifies(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if report := sound(t, dir); report.Records != 0 {
			t.Errorf("report %+v", report)
		}
		if records, damages := read(t, dir, Filter{}); len(records)+len(damages) > 0 {
			t.Errorf("got %v %v", records, damages)
		}
	}
}

func TestATornLastLineIsLeftOutAndClosedOffByTheNextWriter(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 5)
	path := files(t, dir)[0]
	whole := contents(t, path)
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for _, length := range []int{1, 17, len(whole) - last - 30, len(whole) - last - 2} {
		put(t, path, append(bytes.Clone(whole), whole[last:last+length]...))
		resetHead(t, dir, 5)
		if report := sound(t, dir); report.Torn != 1 || report.Records != 5 {
			t.Errorf("%d bytes: report %+v", length, report)
		}
		records, damages := read(t, dir, Filter{})
		switch {
		case len(records) != 5:
			t.Errorf("%v: len(records): got %v, want %v", length, len(records), 5)
		case len(damages) != 1:
			t.Errorf("%v: len(damages): got %v, want %v", length, len(damages), 1)
		case !damages[0].Torn:
			t.Errorf("%d bytes: %d records, damages %v", length, len(records), damages)
		case damages[0].Line != 6:
			t.Errorf("%v: damages[0].Line: got %v, want %v", length, damages[0].Line, 6)
		}
		fill(t, Config{Dir: dir}, 2)
		if report := sound(t, dir); report.Torn != 1 || report.Records != 7 {
			t.Errorf("%d bytes: report after the next writer %+v", length, report)
		}
		closed := contents(t, path)
		closed[len(whole)] = '#'
		put(t, path, closed)
		if verify(t, dir).OK() {
			t.Errorf("%d bytes: an edited fragment is not seen", length)
		}
	}
}

// resetHead lets the head say what it said after n records.
func resetHead(t *testing.T, dir string, n int64) {
	t.Helper()
	head, err := readHead(dir)
	if err != nil {
		t.Fatal(err)
	}
	records, _ := read(t, dir, Filter{})
	for _, r := range records {
		if r.Seq == n {
			head.Seq, head.Hash = r.Seq, r.Hash
		}
	}
	if err := writeHead(dir, head); err != nil {
		t.Fatal(err)
	}
}

func TestALastLineThatOnlyLacksItsLineBreakStays(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 5)
	path := files(t, dir)[0]
	put(t, path, bytes.TrimSuffix(contents(t, path), []byte("\n")))
	if report := sound(t, dir); report.Records != 5 || report.Torn != 0 {
		t.Errorf("report %+v", report)
	}
	fill(t, Config{Dir: dir}, 1)
	if report := sound(t, dir); report.Records != 6 || report.Torn != 0 {
		t.Errorf("report %+v", report)
	}
}

func TestAFileOfZerosAfterAPowerCutIsClosedOff(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 5)
	path := files(t, dir)[0]
	put(t, path, append(contents(t, path), make([]byte, 3*maxLine)...))
	fill(t, Config{Dir: dir}, 2)
	if report := sound(t, dir); report.Records != 7 || report.Torn != 1 {
		t.Errorf("report %+v", report)
	}
	if records, damages := read(t, dir, Filter{Last: 3}); len(records) != 3 || len(damages) != 1 {
		t.Errorf("%d records, damages %v", len(records), damages)
	}
}
