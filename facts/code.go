package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// program reads code of a script language: its calls with texts that are known.
func (c langCall) program(language string, v value) {
	if !v.known() && v.text == string(hole) {
		c.tell(hook.Fact{Does: "execute", From: origin(v), Path: filePath(v), Language: language, At: c.at, Sure: true})
		c.unknown(c.at, "code is run that shows only when it runs")
		return
	}
	if c.nested >= maxNested || len(v.text) > maxText {
		c.unread(c.at, "the code is too long or lies too deep to be read")
		return
	}
	c.shared.nested++
	r := &reader{call: c.call, language: language, vars: map[string]values{}, names: map[string]string{}}
	if language == "awk" {
		v.text = withoutPatterns(v.text)
	}
	r.tokens = tokens(language, v.text)
	if !r.typed() {
		r.tellUnread(v)
	}
	if !r.typed() && !r.onlyShows() {
		for _, t := range r.tokens {
			if t.kind == 's' && t.text != "" && len(t.text) < 512 && (!strings.ContainsAny(t.text, " \n") || isPath(t.text)) {
				c.mayRead(field{value: value{text: r.homed(t.text)}, at: c.at})
			}
		}
	}
	r.sdk = sdkOf(v.text)
	if language == "awk" {
		r.pipes()
	}
	if language == "javascript" {
		r.renamed()
	}
	r.rows()
	r.stored(v.text)
	r.readsBrowser()
	r.readsKeyring(v.text)
	r.ownFiles(v.text)
	r.read()
	if r.socket && r.shell0 {
		c.tell(hook.Fact{Does: "connect", Scheme: "tcp", What: "shell", At: c.at, Sure: true})
	}
	c.shared.nested--
}

// reader goes through the tokens of a program.
type reader struct {
	*call
	language string
	tokens   []token
	vars     map[string]values
	names    map[string]string // x = os.remove
	carried  []string          // where the values of keywords come from
	verb     string            // of HTTP, that a keyword of the call at hand names
	hosts    values            // machines that keywords of the call at hand name
	sdk      string            // the cloud of which it has the library
	store    string            // of which kind of store it has the library
	socket   bool              // it talks to a host by itself
	shell0   bool              // it runs what shows only when it runs, or a shell
	pos      int
}

func (r *reader) peek(n int) token {
	if r.pos+n < len(r.tokens) && r.pos+n >= 0 {
		return r.tokens[r.pos+n]
	}
	return token{kind: ';'}
}

func (r *reader) read() {
	for r.pos < len(r.tokens) {
		if !r.step() {
			return
		}
		start := r.pos
		r.expression(0)
		if r.pos == start {
			r.pos++
		}
	}
}

// expression reads operands joined by + or . and gives the text, if it is one.
func (r *reader) expression(depth int) values {
	if depth > 60 {
		r.unread(r.at, "the code lies too deep to be read")
		r.pos++
		return anything()
	}
	vs := r.operand(depth)
	for r.pos < len(r.tokens) {
		t := r.peek(0)
		switch {
		case t.kind == '+' || t.kind == '.' && (r.language == "perl" || r.language == "php") && r.peek(1).kind != 'i', t.kind == '/' && vs != nil:
			sep := ""
			if t.kind == '/' {
				sep = "/" // pathlib
			}
			r.pos++
			right := r.operand(depth + 1)
			if vs == nil {
				vs = anything()
			}
			if right == nil {
				right = anything()
			}
			vs = vs.join(text(sep)).join(right)
		case r.language == "awk" && vs != nil && (t.kind == 's' || t.kind == 'i' && r.vars[t.text] != nil): // side by side
			vs = vs.join(r.operand(depth + 1))
		default:
			return vs
		}
	}
	return vs
}

// operand reads one thing: a string, a name with what is called of it, a bracket.
func (r *reader) operand(depth int) values {
	t := r.peek(0)
	switch t.kind {
	case 's':
		r.pos++
		vs := values{{text: t.text}}
		for _, e := range t.expr {
			inner := &reader{call: r.call, language: r.language, vars: r.vars, names: r.names, tokens: tokens(r.language, e)}
			got := inner.expression(depth + 1)
			if len(got) == 1 && got[0].known() {
				vs = vs.each(func(s string) string { return strings.Replace(s, string(hole), got[0].text, 1) })
			}
		}
		if r.language == "python" || r.language == "php" || r.language == "ruby" {
			for r.peek(0).kind == 's' && r.language == "python" { // adjacent strings
				vs = vs.join(text(r.peek(0).text))
				r.pos++
			}
		}
		return r.after(vs, depth)
	case 'b':
		r.pos++
		r.shell0 = true
		return r.inner(t.text, r.at, nil, nil, false)
	case 'n':
		r.pos++
		return text(t.text)
	case 'i':
		return r.name(depth)
	case ':': // a symbol
		if before := r.peek(-1).kind; r.peek(1).kind == 'i' && (before == '(' || before == ',') && r.language == "ruby" {
			r.pos += 2
			return text(r.peek(-1).text)
		}
	case '&', '*': // the address of something, and what lies there
		if r.typed() {
			r.pos++
			return r.operand(depth + 1)
		}
	case '(', '[', '{':
		if words, ok := r.listOfWords(depth); ok {
			return words
		}
		items := r.list(depth)
		if len(items) == 1 {
			return r.after(items[0], depth)
		}
		return r.after(joinWords(items), depth)
	case '-': // a negative number
		if r.peek(1).kind == 'n' {
			r.pos += 2
			return text("-" + r.peek(-1).text)
		}
	case '.':
		r.pos++
		return nil
	}
	r.pos++
	return nil
}

// joinWords makes a shell line of a list of words.
func joinWords(items []values) values {
	var out values
	for i, vs := range items {
		if vs == nil {
			vs = anything()
		}
		w := vs.each(quote)
		if i > 0 {
			w = text(" ").join(w)
		}
		out = out.join(w)
	}
	return out
}

// list reads what stands in brackets, by commas.
func (r *reader) list(depth int) []values {
	open := r.peek(0).kind
	end := map[byte]byte{'(': ')', '[': ']', '{': '}'}[open]
	r.pos++
	r.comprehension(depth)
	var items []values
	var cur values
	has := false
	for r.pos < len(r.tokens) {
		t := r.peek(0)
		switch {
		case t.kind == end:
			r.pos++
			if has {
				items = append(items, cur)
			}
			return items
		case t.kind == ',':
			r.pos++
			items = append(items, cur)
			cur, has = nil, false
			continue
		case t.kind == 'i' && r.peek(1).kind == '=' && r.peek(2).kind != '=' && open == '(': // keyword=value
			if got, counts := r.keyword(depth); counts {
				cur, has = got, true
			}
			continue
		case t.kind == 'i' && t.text == "as" && r.language == "php" && has && r.peek(1).kind == 'i': // foreach (x as $f)
			r.vars[r.peek(1).text] = cur
			r.pos += 2
			continue
		case (t.kind == ':' || t.kind == '=' && r.peek(1).kind == '>') && has: // key: value
			key := r.peek(-1).text
			r.pos++
			if t.kind == '=' {
				r.pos++
			}
			cur = r.expression(depth + 1)
			r.carried = union(r.carried, cur.sources())
			r.hosted(key, cur)
			continue
		}
		before := r.pos
		got := r.expression(depth + 1)
		if r.pos == before {
			r.pos++
		}
		if !has {
			cur, has = got, true
		}
	}
	if has {
		items = append(items, cur)
	}
	return items
}

// keyword reads keyword=value, and reports whether the value counts as what is acted on.
func (r *reader) keyword(depth int) (got values, counts bool) {
	key := r.peek(0).text
	r.pos += 2
	got = r.expression(depth + 1)
	r.carried = union(r.carried, got.sources())
	r.hosted(key, got)
	return got, key == "args" || key == "path" || key == "file" || key == "url" || key == "cmd"
}

// hosted notes the machine that a key of a call names.
func (r *reader) hosted(key string, vs values) {
	if (key == "method" || key == "type") && len(vs) == 1 && slices.Contains([]string{"DELETE", "PUT", "PATCH", "POST"}, strings.ToUpper(vs[0].text)) {
		r.verb = strings.ToUpper(vs[0].text)
	}
	if slices.Contains(hostKeys, strings.ToLower(key)) && len(r.hosts) < maxValues {
		r.hosts = append(r.hosts, vs...)
	}
}

// maxComprehensions is how deep they are read ahead: each level doubles the work.
const maxComprehensions = 6

// maxSum bounds a text that grows by +=.
const maxSum = 8 << 10

// comprehension sets the variable of [f(x) for x in y] before f(x) is read.
func (r *reader) comprehension(depth int) {
	if r.language != "python" || depth > maxComprehensions || !r.step() {
		return
	}
	level := 0
	for i := r.pos; i+3 < len(r.tokens) && i < r.pos+200; i++ {
		switch t := r.tokens[i]; {
		case strings.IndexByte("([{", t.kind) >= 0:
			level++
		case strings.IndexByte(")]}", t.kind) >= 0:
			if level--; level < 0 {
				return
			}
		case level == 0 && t.kind == 'i' && t.text == "for":
			names, next := r.forTargets(i + 1)
			if len(names) == 0 {
				continue
			}
			inner := &reader{call: r.call, language: r.language, vars: r.vars, names: r.names, tokens: r.tokens[next:]}
			r.bindsTargets(names, inner.expression(depth+1))
		}
	}
}

// renamed reads const {execSync: e} = require("child_process").
func (r *reader) renamed() {
	for i := 0; i+2 < len(r.tokens); i++ {
		if t := r.tokens[i]; t.kind == 'i' && r.act(strings.ToLower(t.text)) != "" && r.tokens[i+1].kind == ':' && r.tokens[i+2].kind == 'i' {
			r.names[r.tokens[i+2].text] = t.text
		}
	}
}

// leads are words before an expression that say nothing about it.
var leads = []string{"const", "let", "var", "my", "our", "local", "return", "print", "puts", "await", "new", "if", "for", "while", "in", "of", "and", "or", "not", "echo", "use", "say"}

// name reads a dotted name, and what is assigned to it or called by it.
func (r *reader) name(depth int) values {
	if words, ok := r.listOfWords(depth); ok {
		return words
	}
	full := r.dotted()
	if full == "for" && r.forMany(depth) {
		return nil
	}
	switch {
	case slices.Contains(leads, full) && (r.peek(0).kind != '(' || full == "return" || full == "await"):
		return r.expression(depth + 1)
	case (full == "import" || full == "from") && (r.language == "python" || r.language == "javascript" && r.peek(0).kind != '('):
		r.imports()
		return nil
	case r.sets() > 0:
		r.pos += r.sets()
		r.assigns(full, depth)
		return nil
	case (r.peek(0).kind == '+' || r.peek(0).kind == '.') && r.peek(1).kind == '=': // x += y
		r.pos += 2
		before := r.vars[full]
		r.assigns(full, depth)
		if len(before) > 0 && len(before[0].text) > maxSum {
			return nil
		}
		r.vars[full] = before.join(r.vars[full])
		return nil
	case (r.peek(0).text == "in" || r.peek(0).text == "of") && r.peek(-2).text != "if" && r.peek(-2).text != "not": // for x in y
		r.pos++
		r.assigns(full, depth)
		return nil
	}
	if target, ok := r.names[full]; ok {
		full = target
	}
	head, method := full, ""
	if i := strings.LastIndexByte(full, '.'); i > 0 && !slices.Contains(environments, full) {
		head, method = full[:i], full[i+1:]
	}
	if out, ok := r.oddly(full, depth); ok {
		return out
	}
	switch next := r.peek(0).kind; {
	case next == '(' && r.onPath(full):
		head, last := full[:strings.LastIndexByte(full, '.')], full[strings.LastIndexByte(full, '.')+1:]
		return r.after(r.method(r.vars[head], last, r.list(depth+1)), depth)
	case slices.Contains(environments, head) && (method == "" && next != '(' || slices.Contains(environmentMethods, method)):
		r.environment(method)
		return r.after(anything("env:*"), depth)
	case next == '(':
		return r.after(r.called(full, r.list(depth+1), depth), depth)
	case r.language == "javascript" && next == 's' && r.act(lastPart(full)) == "run": // $`line`
		return r.called(full, r.bare(depth), depth)
	case r.callsBare() && r.act(lastPart(full)) != "" && (next == 's' || next == 'i' || next == 'b'):
		return r.called(full, r.bare(depth), depth)
	}
	return r.named(full, depth)
}

// sets is how many signs of an assignment come next: =, or := of Go.
func (r *reader) sets() int {
	switch first, next := r.peek(0).kind, r.peek(1).kind; {
	case first == '=' && strings.IndexByte("=~>", next) < 0:
		return 1
	case first == ':' && next == '=':
		return 2
	}
	return 0
}

// pathMethods are those of Python's paths that act on the path itself.
var pathMethods = []string{"write_text", "write_bytes", "read_text", "read_bytes", "unlink", "rmdir", "open", "touch", "rename", "joinpath", "expanduser"}

// onPath reports whether a call is a method of a variable that holds a path.
func (r *reader) onPath(full string) bool {
	i := strings.LastIndexByte(full, '.')
	return i > 0 && slices.Contains(pathMethods, full[i+1:]) && r.vars[full[:i]].known()
}

// imports goes past an import. What is imported under another name is kept:
// from shutil import rmtree as r, import {rmSync as r} from "fs".
func (r *reader) imports() {
	for r.peek(0).kind != ';' && r.pos < len(r.tokens) {
		if t := r.peek(0); t.kind == 'i' && r.peek(1).text == "as" && r.peek(2).kind == 'i' && r.act(strings.ToLower(t.text)) != "" {
			r.names[r.peek(2).text] = t.text
		}
		r.pos++
	}
}

// dotted reads a name with its parts.
func (r *reader) dotted() string {
	if first := r.peek(0).text; r.peek(1).kind != '.' {
		r.pos++
		return first
	}
	var full strings.Builder
	full.WriteString(r.peek(0).text)
	r.pos++
	for r.peek(0).kind == '.' && r.peek(1).kind == 'i' {
		full.WriteString("." + r.peek(1).text)
		r.pos += 2
	}
	return full.String()
}

// assigns sets a variable; of another name for a function that name is kept.
func (r *reader) assigns(full string, depth int) {
	if r.peek(0).kind == 'i' {
		if alias, ok := r.alias(); ok {
			r.names[full] = alias
		}
	}
	vs := r.expression(depth + 1)
	if vs == nil {
		vs = anything()
	}
	r.vars[full] = vs
}

// callsBare reports whether the language has calls without brackets.
func (r *reader) callsBare() bool {
	return slices.Contains([]string{"ruby", "perl", "php", "awk", "haskell", "ocaml"}, r.language)
}

// bare reads the words of a call without brackets.
func (r *reader) bare(depth int) []values {
	items := []values{r.expression(depth + 1)}
	for r.peek(0).kind == ',' || r.language == "haskell" && (r.peek(0).kind == 's' || r.peek(0).kind == '[') {
		if r.peek(0).kind == ',' {
			r.pos++
		}
		items = append(items, r.expression(depth+1))
	}
	return items
}

// named is what a name stands for: a variable, the environment, or nothing known.
func (r *reader) named(full string, depth int) values {
	if vs, ok := r.vars[full]; ok {
		return r.after(vs, depth)
	}
	if name, ok := strings.CutPrefix(full, "process.env."); ok {
		vs, _ := r.lookup(name)
		return r.after(vs, depth)
	}
	if r.peek(0).kind == '[' {
		if full == "Dir" && r.language == "ruby" { // Dir["*.log"]
			if items := r.list(depth + 1); len(items) > 0 {
				return r.after(items[0], depth)
			}
			return anything()
		}
		if vs, ok := r.indexed(nil, full, depth); ok {
			return r.after(vs, depth)
		}
		return r.after(anything(), depth)
	}
	if r.peek(0).kind == '{' && r.language != "python" {
		r.list(depth + 1)
		return r.after(anything(), depth)
	}
	if full == "Dir.home" || full == "Dir.pwd" || full == "Dir.tmpdir" {
		return r.after(r.called(full, nil, depth), depth)
	}
	return nil
}

// environments are the names of the whole environment.
var environments = []string{"os.environ", "process.env", "ENV", "$ENV", "ENVIRON", "%ENV", "$_ENV", "$_SERVER", "Deno.env", "Bun.env"}

// environmentMethods give values of the environment.
var environmentMethods = []string{"copy", "items", "to_h", "inspect", "values", "each", "toObject", "sort", "to_a", "to_s"}

// environment tells that the whole environment is read, if its values and not only
// its names or one of them are asked for.
func (r *reader) environment(method string) {
	before, outer := r.peek(-2), r.peek(-3)
	if before.text == "in" || before.text == "keys" || before.kind == '(' && slices.Contains([]string{"sorted", "len", "list", "keys", "iter", "set", "enumerate", "count"}, outer.text) {
		return
	}
	switch r.peek(0).kind {
	case '[', '{':
		return
	case '.':
		if method == "" && !slices.Contains(environmentMethods, r.peek(1).text) {
			return
		}
	}
	r.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: r.at, Sure: true})
}

// alias is a name to which another is set: f = os.remove.
func (r *reader) alias() (string, bool) {
	full, n := r.peek(0).text, 1
	for r.peek(n).kind == '.' && r.peek(n+1).kind == 'i' {
		full += "." + r.peek(n+1).text
		n += 2
	}
	if k := r.peek(n).kind; k != ';' && k != ',' && k != ')' {
		return "", false
	}
	_, known := acts[lastPart(full)]
	return full, known || r.act(lastPart(full)) != ""
}

// after reads what is called of a value: .replace(…), .unlink(), [0].
func (r *reader) after(vs values, depth int) values {
	for {
		switch {
		case (r.peek(0).kind == '.' || r.peek(0).kind == ':' && r.language == "lua") && r.peek(1).kind == 'i' && r.peek(2).kind == '(':
			name := r.peek(1).text
			r.pos += 2
			r.bindsParameter(name, vs)
			items := r.list(depth + 1)
			vs = r.method(vs, name, items)
		case r.peek(0).kind == '.' && r.peek(1).kind == 'i':
			name := r.peek(1).text
			r.pos += 2
			r.bindsParameter(name, vs)
			if act := r.act(strings.ToLower(name)); act != "" && r.language == "ruby" {
				vs = r.method(vs, name, nil)
			}
		case r.peek(0).kind == '[':
			got, ok := r.indexed(vs, "", depth)
			if !ok {
				got = anything(vs.sources()...)
			}
			vs = got
		default:
			return vs
		}
	}
}
