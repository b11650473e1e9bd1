package directive

import (
	"strings"
	"unicode/utf8"
)

// draft is a directive that may still grow.
type draft struct {
	head   Directive
	pre    prefix
	fenced bool // the body is a fence
	shut   bool // the fence closed in the line that opened it
	usage  bool // it tells how a directive is written, and is none
	tags   bool // all of its body so far are placeholders, or tags
	inner  int  // indentation of the first continuation line, -1 before it
	code   codeFence
	body   buffer
	raw    buffer
}

// What a draft did with a line.
type verdict int

const (
	refused verdict = iota // the line is not the draft's
	taken                  // the line belongs to the body
	closed                 // the line closed the fence
)

func begin(line string, number int, pre prefix, h head) *draft {
	d := &draft{
		head:  Directive{Namespace: strings.Clone(h.namespace), Target: strings.Clone(h.target), Line: number},
		pre:   pre,
		usage: usage(line, pre, h),
		inner: -1,
	}
	d.raw.add(line)
	text := strings.TrimLeft(trimRight(line[pre.end+h.rest:], pre.borders > 0), " \t\r\u00a0")
	if after, ok := strings.CutPrefix(text, "<<<"); ok {
		d.fenced = true
		text, d.shut = strings.CutSuffix(after, ">>>")
		text = strings.Trim(text, " \t\r\u00a0")
	}
	if text != "" {
		d.body.add(text)
	}
	d.tags = d.usage && placeholders(text)
	return d
}

// take offers the next line to the draft.
func (d *draft) take(line string) verdict {
	v := refused
	if d.fenced {
		v = d.takeFenced(line)
	} else if d.continues(line) {
		v = taken
	}
	if v != refused {
		d.raw.add(line)
	}
	return v
}

func (d *draft) takeFenced(line string) verdict {
	content, _ := cutBorders(line, d.pre.borders)
	if d.pre.borders > 0 {
		content = trimRight(content, true)
	}
	content = strings.TrimSuffix(content, "\r")
	if fenceEnd(content) || fenceEnd(line) {
		return closed
	}
	pre := scanPrefix(line)
	if d.code.open() {
		d.code.next(line, pre)
		d.body.add(dedent(content, d.pre.column))
		return taken
	}
	if startsOne(line, pre) {
		return refused
	}
	d.code.next(line, pre)
	d.body.add(Unescape(dedent(content, d.pre.column)))
	return taken
}

func fenceEnd(s string) bool {
	return strings.Trim(s, " \t\r\u00a0") == ">>>"
}

// continues reports whether the line belongs to the plain body, and if so
// takes it.
func (d *draft) continues(line string) bool {
	content, found := cutBorders(line, d.pre.borders)
	content = trimRight(content, d.pre.borders > 0)
	pre := scanPrefix(line)
	if d.code.open() {
		d.code.next(line, pre)
		d.body.add(dedent(content, d.inner))
		return true
	}
	if found < d.pre.borders || content == "" {
		return false
	}
	indent := indentation(content)
	under := pre.list && !d.pre.list && !d.pre.glyph && indent == d.pre.indent
	if indent <= d.pre.indent && !under || startsWithGlyph(content) {
		return false
	}
	if startsOne(line, pre) {
		return false
	}
	if d.inner < 0 {
		d.inner = indent
	}
	if d.tags && !placeholders(content) {
		d.tags = false
		d.usage = !strings.HasPrefix(trimLeft(content), "<") // else it is markup, and so was what stands above it
	}
	d.code.next(line, pre)
	d.body.add(Unescape(dedent(content, d.inner)))
	return true
}

// startsOne reports whether a line starts a directive.
func startsOne(line string, pre prefix) bool {
	h, slashes, ok := headAt(line, pre)
	return ok && slashes == 0 && !usage(line, pre, h) && !yourMessage(trimRight(line[pre.end+h.rest:], pre.borders > 0))
}

func startsWithGlyph(s string) bool {
	s = strings.TrimLeft(s, " \t\r\u00a0")
	return s != "" && glyph(s) > 0
}

func (d *draft) directive(open bool) Directive {
	r := d.head
	r.Body, r.Raw = d.body.text.String(), d.raw.text.String()
	r.Open = open
	r.Truncated = d.body.full || d.raw.full
	return r
}

// buffer joins lines and keeps at most MaxBody bytes of them.
type buffer struct {
	text strings.Builder
	any  bool
	full bool
}

func (b *buffer) add(line string) {
	if b.any {
		b.write("\n")
	}
	b.any = true
	b.write(line)
}

func (b *buffer) write(s string) {
	if b.full {
		return
	}
	if room := MaxBody - b.text.Len(); len(s) > room {
		for room > 0 && !utf8.RuneStart(s[room]) {
			room--
		}
		s = s[:room]
		b.full = true
	}
	b.text.WriteString(s)
}
