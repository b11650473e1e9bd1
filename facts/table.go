package facts

import (
	_ "embed"
	"slices"
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
		at = &entry{name: names[0], rest: -1}
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
					q := sub.read(&inner)
					c.seen, c.value, c.args = inner.seen, inner.value, inner.args
					q.valued = append(p.valued, q.valued...)
					q.sub = strings.TrimSpace(a.text + " " + q.sub)
					return q
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

// sub is the sub-command of a call, for the fact that the program runs.
func (e *entry) sub(c *call) string {
	probe := *c
	probe.seen, probe.value = nil, nil
	return e.read(&probe).sub
}

// run tells what a program of the table does.
func (e *entry) run(c *call) values {
	p := e.read(c)
	e = p.entry
	if slices.ContainsFunc(e.facts, func(t template) bool { return t.kind == "elevate" }) {
		old := c.st
		c.shell.st = old.clone()
		c.st.elevated = true
		defer func() { c.shell.st = old }()
	}
	reads, before := false, len(c.out)
	var from []string
	if c.name == "tar" && c.value["-f"] == "" && c.stdin != nil {
		for _, d := range c.st.dirs {
			c.taint(d, c.stdin.sources())
		}
		if dir := c.value["-C"]; dir != "" {
			for _, d := range c.places(dir) {
				c.taint(d, c.stdin.sources())
			}
		}
	}
	if c.name == "unzip" && len(p.operands) > 0 {
		to := "."
		if d := c.value["-d"]; d != "" {
			to = d
		}
		for _, d := range c.places(to) {
			c.taint(d, c.content(p.operands[0].field).sources())
		}
	}
	ran := e.inOrder(c, p, func(r role, f field) {
		switch r {
		case "read", "secretread":
			reads = true
			from = union(from, c.content(f).sources())
		}
		c.act(r, f, p)
	})
	c.movedTo(before)
	if n := len(p.operands); (c.name == "cp" || c.name == "install" || c.name == "mv") && n > 1 && p.operands[0].text == "/dev/null" || c.name == "truncate" {
		for i, o := range p.operands {
			if i > 0 || c.name == "truncate" {
				c.shell.path("delete", o.field, effect{}) // emptied
			}
		}
	}
	for _, t := range e.facts {
		if t.kind == "system" && c.onlyLooks(p) {
			continue
		}
		if c.name == "sysctl" && !c.seen["-w"] && !c.seen["-p"] && !slices.ContainsFunc(p.operands, func(o operand) bool { return strings.Contains(o.text, "=") }) {
			continue
		}
		if t.kind == "elevate" || t.kind == "system" && t.parts[0] == "device" && !c.onDevice(p) {
			continue
		}
		if t.kind == "package" || t.kind == "package-global" {
			if t.kind == "package-global" {
				t.kind = "package"
				c.seen["global"] = true
			}
			if t.needs == "" || c.seen[t.needs] {
				c.packages(t, p)
			}
			continue
		}
		if t.needs == "" || c.seen[t.needs] || strings.HasPrefix(t.needs, "!") && !c.seen[t.needs[1:]] {
			c.tell(t.fact(c, p))
		}
	}
	given := slices.ContainsFunc(p.valued, func(v valued) bool { return v.role == "sql" || v.role == "sqlfile" })
	if dialect := dialects[c.name]; dialect != "" && !given { // what is piped in
		for _, v := range c.stdin {
			if v.known() {
				c.sql(v.text, dialect, c.database(p), c.at)
			} else {
				c.unknown(c.at, "SQL is run that shows only when it runs")
			}
		}
	}
	if ran != nil {
		return ran
	}
	if !reads {
		from = union(from, c.stdin.sources())
	}
	return anything(from...)
}

// inOrder gives each value of an option and each operand with its role.
func (e *entry) inOrder(c *call, p parsed, f func(role, field)) values {
	for _, v := range p.valued {
		if v.role != "" {
			f(v.role, v.field)
		}
	}
	var out values
	n, after := len(p.operands), 0
	if e.rest >= 0 {
		after = len(e.operands) - e.rest - 1
	}
	for i, o := range p.operands {
		r := role("")
		switch {
		case e.rest < 0:
			if i < len(e.operands) {
				r = e.operands[i]
			}
		case i < e.rest:
			r = e.operands[i]
		case i >= n-after && n > e.rest+after:
			r = e.operands[len(e.operands)-(n-i)]
		case i >= n-after && i > e.rest:
			r = e.operands[len(e.operands)-(n-i)]
		default:
			r = e.operands[e.rest]
		}
		switch {
		case r == "run":
			return c.wrapped(c.args[o.index:])
		case r == "line" && e.rest == i:
			for _, v := range c.joined(c.args[o.index:]) {
				out = out.or(c.runText(v, c.stdin))
			}
			if len(c.args)-o.index > 1 { // with -x, and elsewhere, the words are kept apart
				c.unsure(func() { c.wrapped(c.args[o.index:]) })
			}
			return out
		case r == "keys": // typed into a terminal, where a shell reads them
			for _, v := range c.joined(c.args[o.index:]) {
				c.unsure(func() { c.runText(v.typed(), nil) })
			}
			return nil
		case r == "container":
			return c.container(c.args[o.index:])
		case r == "cloud":
			c.cloud(fieldsOf(p.operands[i:]))
			return nil
		case r == "forge":
			c.forge(fieldsOf(p.operands[i:]))
			return nil
		case r == "vault" || r == "redis":
			c.keyValue(fieldsOf(p.operands[i:]))
			return nil
		}
		f(r, o.field)
	}
	return nil
}

func fieldsOf(operands []operand) []field {
	out := make([]field, len(operands))
	for i, o := range operands {
		out[i] = o.field
	}
	return out
}
