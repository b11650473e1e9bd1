package directive

import "strings"

// A Parser reads a stream line by line. The zero value is ready. It must not
// be used by several goroutines at once.
type Parser struct {
	line     int
	code     codeFence
	examples examples
	held     *draft
}

// Line takes the next finished line, free of terminal escapes, and returns
// the directives that are now complete. A text with line breaks is taken as
// that many lines.
func (p *Parser) Line(text string) []Directive {
	var done []Directive
	for more := true; more; {
		var line string
		line, text, more = strings.Cut(text, "\n")
		done = p.one(line, done)
	}
	return done
}

// Settle returns the plain directive that is held, if any. Call it when the
// output has paused: without it, a directive in the last line waits for the
// line after it. An open fence stays open.
func (p *Parser) Settle() []Directive {
	if p.held == nil || p.held.fenced {
		return nil
	}
	p.code = p.held.code
	return p.release(nil, false)
}

// Held reports whether a plain directive is held that the next line may go on
// with. open is what is known of that line, if only its beginning; empty is
// nothing yet.
func (p *Parser) Held(open string) bool {
	if p.held == nil || p.held.fenced {
		return false
	}
	if open == "" {
		return true
	}
	content, found := cutBorders(open, p.held.pre.borders)
	pre := scanPrefix(open)
	return found == p.held.pre.borders && (indentation(content) > p.held.pre.indent || pre.list || pre.end == len(open))
}

// Block returns the head and the first line of a fenced body that is not closed
// yet, if there is one.
func (p *Parser) Block() (d Directive, ok bool) {
	if p.held == nil || !p.held.fenced {
		return Directive{}, false
	}
	d = p.held.directive(true)
	d.Body, _, _ = strings.Cut(d.Body, "\n")
	return d, true
}

// Flush ends everything that is open, as at the end of a stream or after a
// long silence: a held directive and an unclosed fence are returned, and the
// line that follows is outside any code fence. The numbering of lines goes on.
func (p *Parser) Flush() []Directive {
	var done []Directive
	if p.held != nil {
		done = p.release(nil, p.held.fenced)
	}
	p.code, p.examples = codeFence{}, notExamples
	return done
}

func (p *Parser) one(line string, done []Directive) []Directive {
	p.line++
	if p.held != nil {
		switch p.held.take(line) {
		case taken:
			return done
		case closed:
			return p.release(done, false)
		}
		done = p.release(done, p.held.fenced)
	}
	pre := scanPrefix(line)
	if p.code.open() {
		p.code.next(line, pre)
		return done
	}
	rest := line[pre.end:]
	if rest == "" {
		if p.examples == listed {
			p.examples = notExamples
		}
		return done
	}
	if rest[0] == '@' {
		if h, ok := parseHead(rest); ok {
			return p.begin(line, pre, h, done)
		}
	}
	if rest[0] == '`' || rest[0] == '~' {
		p.code.next(line, pre)
	}
	p.examples = notExamples
	if announcesExamples(rest) {
		p.examples = announced
	}
	return done
}

// begin holds the directive that a line begins.
func (p *Parser) begin(line string, pre prefix, h head, done []Directive) []Directive {
	p.held = begin(line, p.line, pre, h)
	if p.examples != notExamples {
		p.examples = listed
		p.held.usage, p.held.tags = true, false
	}
	if p.held.shut {
		return p.release(done, false)
	}
	return done
}

// release reports the held directive, unless it says nothing or only how to
// say something.
func (p *Parser) release(done []Directive, open bool) []Directive {
	held := p.held
	p.held = nil
	d := held.directive(open)
	if d.Target == "" && d.Body == "" || held.usage || placeholders(d.Body) || yourMessage(d.Body) {
		return done
	}
	return append(done, d)
}

// codeFence is an open ``` or ~~~ fence; the zero value is none.
type codeFence struct {
	mark byte
	size int
}

func (f codeFence) open() bool { return f.size > 0 }

// next lets a line open or close the fence.
func (f *codeFence) next(line string, pre prefix) {
	s := trimRight(line[pre.end:], pre.borders > 0)
	if s == "" || s[0] != '`' && s[0] != '~' {
		return
	}
	n := 0
	for n < len(s) && s[n] == s[0] {
		n++
	}
	switch {
	case n < 3:
	case f.open():
		if s[0] == f.mark && n >= f.size && n == len(s) && !pre.list && !pre.glyph {
			*f = codeFence{}
		}
	case s[0] == '~' || strings.IndexByte(s[n:], '`') < 0:
		*f = codeFence{mark: s[0], size: n}
	}
}
