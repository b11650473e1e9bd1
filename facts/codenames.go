package facts

import (
	"slices"
	"strconv"
	"strings"
)

// byName are calls whose first word is the name of what is called.
var byName = []string{"send", "__send__", "public_send", "call_user_func", "call_user_func_array"}

// indirectly reads a call of a function that a text names: getattr(os, "system")(…),
// send(:system, …), call_user_func("system", …).
func (r *reader) indirectly(last string, items []values, depth int) (values, bool) {
	at := 0
	switch {
	case last == "getattr" && len(items) > 1 && r.peek(0).kind == '(':
		at = 1
	case slices.Contains(byName, last) && len(items) > 0:
	default:
		return nil, false
	}
	name := items[at]
	if len(name) != 1 {
		return nil, false
	}
	if !name.known() {
		r.unknown(r.at, "which function the code calls shows only when it runs")
		return nil, false
	}
	if at == 1 {
		items = r.list(depth + 1)
	} else {
		items = items[1:]
	}
	return r.called(name[0].text, items, depth), true
}

// indexed reads x["name"](…), which is x.name(…).
func (r *reader) indexed(vs values, full string, depth int) (values, bool) {
	items := r.list(depth + 1)
	if len(items) != 1 || len(items[0]) != 1 || r.peek(0).kind != '(' || r.language == "perl" {
		return nil, false
	}
	name := items[0][0]
	switch {
	case !name.known():
		return nil, false
	case full != "":
		return r.called(full+"."+name.text, r.list(depth+1), depth), true
	}
	return r.method(vs, name.text, r.list(depth+1)), true
}

// variableOf reads the environment's variable that a key names: ENV["HOME"], $ENV{HOME}.
func (r *reader) variableOf() (values, bool) {
	open, key, end := r.peek(0).kind, r.peek(1), r.peek(2).kind
	if open != '[' && open != '{' || key.kind != 's' && key.kind != 'i' || end != ']' && end != '}' {
		return nil, false
	}
	r.pos += 3
	vs, _ := r.lookup(key.text)
	return vs, true
}

// loops are methods that call a function with each thing of what is before them.
var loops = []string{"each", "foreach", "map", "filter", "flatmap", "each_with_index", "each_entry", "each_child", "select", "some", "every", "then"}

// bindsParameter sets the variable of a function that is called with each thing of a list:
// .forEach(f => …), .each { |f| … }.
func (r *reader) bindsParameter(name string, vs values) {
	if vs == nil || !slices.Contains(loops, strings.ToLower(name)) && !strings.HasPrefix(name, "each_") {
		return
	}
	i := 0
	for r.peek(i).kind == '(' || r.peek(i).kind == '{' || r.peek(i).kind == '|' || slices.Contains([]string{"do", "async", "function"}, r.peek(i).text) {
		i++
	}
	first, next := r.peek(i), r.peek(i+1)
	arrow := next.kind == '=' || next.kind == ',' || next.kind == ')'
	if first.kind == 'i' && (next.kind == '|' || i > 0 && arrow && r.language == "javascript") {
		r.vars[first.text] = vs
	}
}

// forTargets are the names behind for, if what follows them is in: for d, _, fs in os.walk(x).
func (r *reader) forTargets(i int) (names []string, next int) {
	for i < len(r.tokens) {
		switch t := r.tokens[i]; {
		case t.text == "in" && t.kind == 'i':
			return names, i + 1
		case t.kind == 'i':
			names = append(names, t.text)
		case t.kind != ',' && t.kind != '(' && t.kind != ')':
			return nil, i
		}
		i++
	}
	return nil, i
}

// bindsTargets sets the names of a loop: the first to what is looped over, the others to
// names that are not known.
func (r *reader) bindsTargets(names []string, vs values) {
	for i, name := range names {
		if r.vars[name] = vs; i > 0 || vs == nil {
			r.vars[name] = someName(union(vs.sources(), []string{eachName})...)
		}
	}
	if len(names) == 1 && vs == nil {
		r.vars[names[0]] = anything()
	}
}

// forMany reads a loop of Python with several names. It is false for any other.
func (r *reader) forMany(depth int) bool {
	if r.language != "python" {
		return false
	}
	names, next := r.forTargets(r.pos)
	if len(names) < 2 {
		return false
	}
	r.pos = next
	r.bindsTargets(names, r.expression(depth+1))
	return true
}

// oddly reads names with which a language says more than by a call: ENV["HOME"], .then(eval),
// glob "*.log", map(chr, [114, 109]).
func (r *reader) oddly(full string, depth int) (values, bool) {
	switch next := r.peek(0).kind; {
	case slices.Contains(environments, full) && (next == '[' || next == '{'):
		if vs, ok := r.variableOf(); ok {
			return r.after(vs, depth), true
		}
		return r.named(full, depth), true
	case full == "eval" && (next == ')' || next == ',') && r.peek(-2).kind == '(' && r.language == "javascript":
		return r.does(full, []values{anything()}), true
	case full == "glob" && next == 's' && r.callsBare():
		return r.expression(depth + 1), true
	case full == "map" && next == '(' && r.peek(1).text == "chr" && r.peek(2).kind == ',':
		r.pos += 3
		codes := r.expression(depth + 1)
		if r.peek(0).kind == ')' {
			r.pos++
		}
		if s, ok := characters(codes); ok {
			return r.after(s.each(listed), depth), true
		}
		return anything(), true
	}
	return nil, false
}

// characters is the text of character codes that stand side by side.
func characters(codes values) (values, bool) {
	if len(codes) != 1 || !codes.known() || codes[0].text == "" {
		return nil, false
	}
	var b strings.Builder
	for w := range strings.FieldsSeq(codes[0].text) {
		n, err := strconv.ParseUint(w, 0, 21)
		if err != nil || n == 0 {
			return nil, false
		}
		b.WriteRune(rune(n))
	}
	return values{{clean(b.String()), codes[0].from}}, true
}

// risky are parts of the words of code that no reader reads by which it may do harm.
var risky = []string{"delete", "remove", "unlink", "rename", "kill", "system", "shell", "process", "exec", "spawn", "popen", "write", "save", "copy", "url", "http", "socket", "connect", "load", "eval", "chmod", "file-", "f-", "run", "script", "quit", "shut"}

// mayHarm reports whether code without a reader has such a word.
func (r *reader) mayHarm() bool {
	return slices.ContainsFunc(r.tokens, func(t token) bool {
		low := strings.ToLower(t.text)
		return slices.ContainsFunc(risky, func(w string) bool { return strings.Contains(low, w) })
	})
}

// listed is a text as the list of its characters, and together is the text of a list.
func listed(s string) string {
	return strings.Join(strings.Split(strings.ReplaceAll(s, " ", blankInList), ""), " ")
}

func together(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), blankInList, " ")
}

// blankInList is a blank that is one of the things of a list, between which stand blanks.
const blankInList = "\x00"

// tellUnread tells of code that no reader reads and that may do harm, and of a text that is no
// code of its language.
func (r *reader) tellUnread(v value) {
	noReader := r.language == "lisp" || r.language == "tcl" || r.language == "applescript" && !r.appleScript(v)
	if noReader && r.mayHarm() {
		r.unknown(r.at, "it cannot be read: code in "+r.language)
	} else if !r.readable() {
		r.unknown(r.at, "it cannot be read as "+r.language)
	}
}
