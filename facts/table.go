package facts

import (
	_ "embed"
	"strings"
	"sync"
)

// programs.txt says of each program what its options and operands mean. A line is
//
//	name, alias: OPTIONS -- OPERANDS ! FACTS
//
// A name with blanks is a sub-command. An option is "-x" or "--long"; "-x=flag" sets
// a flag, "-x:role" has a value of that role, "-x:" a value of no interest. Operands
// are roles in order; "role..." takes as many as there are, and what follows it takes
// the last ones. Before the options "+" ends them at the first operand, and "~"
// means that long options begin with one dash. A fact is "kind:a:b:c", with "?flag"
// if it needs that flag.
//
//go:embed programs.txt
var programText string

// role is what a word means to a program.
type role string

// entry is one program, or one of its sub-commands.
type entry struct {
	name     string
	posix    bool // the first operand ends the options
	single   bool // long options begin with one dash
	options  map[string]option
	operands []role
	rest     int // index in operands of the one that takes many, or -1
	facts    []template
	subs     map[string]*entry
	runs     bool // it runs its operands
	between  bool // no line of the table is about it, only about sub-commands of it
}

type option struct {
	flag string
	role role // "" takes no value
	none bool // takes a value of no interest
}

type template struct {
	kind  string
	parts []string
	needs string
}

// programs is the table.
var programs = sync.OnceValue(func() map[string]*entry { return readTable(programText) })

func readTable(src string) map[string]*entry {
	table := map[string]*entry{}
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		names, rest, found := strings.Cut(line, ": ") // some names have a colon in them
		if !found {
			names = strings.TrimSuffix(line, ":")
		}
		e := readEntry(strings.TrimSpace(rest))
		for name := range strings.SplitSeq(names, ",") {
			place(table, strings.Fields(name), e)
		}
	}
	return table
}

func place(table map[string]*entry, names []string, e *entry) {
	at := table[names[0]]
	if at == nil {
		at = &entry{name: names[0], rest: -1, between: true}
		table[names[0]] = at
	}
	if len(names) > 1 {
		if at.subs == nil {
			at.subs = map[string]*entry{}
		}
		place(at.subs, names[1:], e)
		return
	}
	subs := at.subs
	*at = *e
	at.name, at.subs = names[0], subs
}

func readEntry(s string) *entry {
	e := &entry{options: map[string]option{}, rest: -1}
	s, facts, _ := strings.Cut(s, "!")
	for f := range strings.FieldsSeq(facts) {
		f, needs, _ := strings.Cut(f, "?")
		parts := strings.Split(f, ":")
		e.facts = append(e.facts, template{kind: parts[0], parts: parts[1:], needs: needs})
	}
	options, operands, _ := strings.Cut(" "+s+" ", " -- ")
	for o := range strings.FieldsSeq(options) {
		switch {
		case o == "+":
			e.posix = true
			continue
		case o == "~":
			e.single = true
			continue
		}
		name, flag, isFlag := strings.Cut(o, "=")
		if isFlag {
			e.options[name] = option{flag: flag}
			continue
		}
		name, r, valued := strings.Cut(o, ":")
		e.options[name] = option{role: role(r), none: valued && r == ""}
	}
	for o := range strings.FieldsSeq(operands) {
		r, many := strings.CutSuffix(o, "...")
		if many {
			e.rest = len(e.operands)
		}
		e.operands = append(e.operands, role(r))
		if r == "run" || r == "line" {
			e.runs = true
		}
	}
	return e
}

// operand is a word that is no option.
type operand struct {
	field
	index int // among the arguments
}

// parsed is what a call's options and operands are.
type parsed struct {
	operands []operand
	valued   []valued
	sub      string
	entry    *entry
}

type valued struct {
	name string
	role role
	field
}

// read takes a call's words apart.
func (e *entry) read(c *call) parsed {
	p := parsed{entry: e}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	args := c.args
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "--":
			for j := i + 1; j < len(args); j++ {
				p.operands = append(p.operands, operand{args[j], j})
			}
			return p
		case len(a.text) < 2 || a.text[0] != '-':
			if len(e.subs) > 0 && len(p.operands) == 0 {
				if sub := e.subs[strings.ToLower(a.text)]; sub != nil {
					inner := *c
					inner.args = args[i+1:]
					if q := sub.read(&inner); !q.entry.between || len(e.operands) == 0 { // else the table knows only others of that name
						c.seen, c.value, c.args = inner.seen, inner.value, inner.args
						q.valued = append(p.valued, q.valued...)
						q.sub = strings.TrimSpace(a.text + " " + q.sub)
						return q
					}
				}
			}
			p.operands = append(p.operands, operand{a, i})
			if e.posix && e.rest >= 0 && len(p.operands) > e.rest {
				for j := i + 1; j < len(args); j++ {
					p.operands = append(p.operands, operand{args[j], j})
				}
				return p
			}
		case strings.HasPrefix(a.text, "--") || e.single:
			i = e.long(c, &p, i)
		default:
			i = e.short(c, &p, i)
		}
	}
	return p
}

// long reads a long option and gives the index of its last word.
func (e *entry) long(c *call, p *parsed, i int) int {
	a := c.args[i]
	name, val, has := strings.Cut(a.text, "=")
	o, ok := e.options[name]
	if !ok && e.single {
		o, ok = e.options["-"+name]
		if !ok {
			o, ok = e.options[strings.TrimPrefix(name, "-")]
		}
	}
	if !ok && strings.HasPrefix(name, "--no-") { // it takes back an option before it
		if undone, known := e.options["--"+name[len("--no-"):]]; known {
			for flag := range strings.SplitSeq(undone.flag, "+") {
				delete(c.seen, flag)
			}
			c.seen[name] = true
			return i
		}
	}
	if !ok && len(name) > 3 { // the shortest option that begins so, as getopt_long would take
		best := ""
		for full := range e.options {
			if strings.HasPrefix(full, name) && strings.HasPrefix(full, "--") && (best == "" || len(full) < len(best) || len(full) == len(best) && full < best) {
				best = full
			}
		}
		o, ok = e.options[best]
	}
	if !ok {
		c.seen[name] = true
		return i
	}
	return o.take(c, p, i, name, val, has)
}

// short reads a cluster of short options.
func (e *entry) short(c *call, p *parsed, i int) int {
	a := c.args[i]
	if o, ok := e.options[a.text]; ok && len(a.text) > 2 { // -TT, of one that has -T too
		return o.take(c, p, i, a.text, "", false)
	}
	for k := 1; k < len(a.text); k++ {
		name := "-" + a.text[k:k+1]
		o, ok := e.options[name]
		if !ok {
			c.seen[name] = true
			if a.text[k] >= utfStart {
				return i
			}
			continue
		}
		if o.flag != "" || !o.none && o.role == "" {
			o.take(c, p, i, name, "", false)
			continue
		}
		val := a.text[k+1:]
		return o.take(c, p, i, name, val, val != "")
	}
	return i
}

const utfStart = 0x80

// take notes an option, with its value if it has one.
func (o option) take(c *call, p *parsed, i int, name, val string, has bool) int {
	c.seen[name] = true
	if o.flag != "" {
		for flag := range strings.SplitSeq(o.flag, "+") {
			c.seen[flag] = true
		}
		return i
	}
	if !o.none && o.role == "" {
		return i
	}
	f := c.args[i]
	if has {
		f.text, f.pattern = val, escapeGlob(val)
		if f.glob {
			f.pattern = val
		}
	} else {
		if i+1 >= len(c.args) {
			return i
		}
		i++
		f = c.args[i]
	}
	if c.value == nil {
		c.value = map[string]string{}
	}
	c.value[name] = f.text
	p.valued = append(p.valued, valued{name, o.role, f})
	return i
}
