package facts

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"path"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
)

// What follows are programs that print a text which can be known.

func (c textCall) echo() values {
	args, escapes, newline := c.args, false, "\n"
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && strings.Trim(args[0].text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].text, "e")
		if strings.Contains(args[0].text, "n") {
			newline = ""
		}
		args = args[1:]
	}
	out := c.builtin().joined(c.unglob(args))
	if escapes {
		out = out.each(ansi)
	}
	return out.join(text(newline))
}

// unglob gives the words with patterns replaced by what they match.
func (c textCall) unglob(args []field) []field {
	var out []field
	for _, f := range args {
		for _, v := range c.matches(f) {
			g := f
			g.value = v
			out = append(out, g)
		}
	}
	return out
}

func (c textCall) printf() values {
	args := c.args
	variable := ""
	if len(args) > 1 && args[0].text == "-v" {
		variable, args = args[1].text, args[2:]
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil
	}
	out := values{format(args[0].text, args[1:], args[0].from)}
	if variable != "" {
		c.st.set(variable, out)
		return nil
	}
	return out
}

// format does what printf does with its words.
func format(pattern string, args []field, from []string) value {
	out := value{from: from}
	next := func() string {
		if len(args) == 0 {
			return ""
		}
		f := args[0]
		args = args[1:]
		out.from = union(out.from, f.from)
		return f.text
	}
	var b strings.Builder
	for round := 0; round == 0 || len(args) > 0 && round < maxFields; round++ {
		before := len(args)
		for i := 0; i < len(pattern); i++ {
			if pattern[i] != '%' || i+1 == len(pattern) { // escapes are read apart: one of a percent sign is none that begins something
				n := 1 + span(pattern[i+1:], func(c byte) bool { return c != '%' })
				b.WriteString(ansi(pattern[i : i+n]))
				i += n - 1
				continue
			}
			start := i + 1
			for i++; i < len(pattern)-1 && strings.IndexByte("-+ #0123456789.*'", pattern[i]) >= 0; i++ {
				if pattern[i] == '*' {
					next() // a width
				}
			}
			switch pattern[i] {
			case '%':
				b.WriteByte('%')
			case 'b':
				b.WriteString(ansi(next()))
			case 'q':
				b.WriteString(quote(next()))
			case 'c':
				if s := next(); s != "" {
					b.WriteString(s[:1])
				}
			case 'x', 'X', 'o':
				s := next()
				n, err := strconv.ParseInt(s, 0, 64)
				switch {
				case err != nil:
					b.WriteRune(word)
				case pattern[i] == 'o':
					b.WriteString(strconv.FormatInt(n, 8))
				default:
					b.WriteString(strconv.FormatInt(n, 16))
				}
			default:
				b.WriteString(cutTo(pattern[start:i], next()))
			}
		}
		if len(args) == before {
			break
		}
	}
	out.text = b.String()
	return out
}

// cutTo is as much of a text as the precision of a directive lets through: "5.2" is two
// characters.
func cutTo(flags, s string) string {
	_, most, ok := strings.Cut(flags, ".")
	n, err := strconv.Atoi(most)
	if !ok || err != nil && most != "" || n >= len(s) || !(value{text: s}).known() {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

func (c textCall) cat() values {
	var out values
	files := 0
	for _, f := range c.args {
		if strings.HasPrefix(f.text, "-") && f.text != "-" {
			continue
		}
		files++
		if f.text == "-" {
			out = out.join(c.stdin)
			continue
		}
		for _, v := range c.matches(f) {
			g := f
			g.value = v
			out = out.join(c.content(g))
		}
		c.shell.path("read", f, effect{})
	}
	if files == 0 {
		return c.stdin
	}
	return out
}

func (c textCall) tee() values {
	for _, f := range c.args {
		if strings.HasPrefix(f.text, "-") {
			continue
		}
		c.shell.path("write", f, effect{})
		if c.fedNothing() && (len(c.args) == 0 || c.args[0].text != "-a") {
			c.leavesNothing(f)
		}
		for _, p := range c.places(f.text) {
			c.store(p, c.stdin)
		}
	}
	return c.stdin
}

// decode is base64 -d and its kin.
func (c textCall) decode() values {
	undo, in := false, c.stdin
	for i := 0; i < len(c.args); i++ {
		f := c.args[i]
		switch t := f.text; {
		case t == "--decode" || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "dD") && c.name != "xxd" || c.name == "xxd" && strings.HasPrefix(t, "-r"):
			undo = true
		case t == "-w" || t == "--wrap" || t == "-c" || t == "-l" || t == "-s":
			i++
		case t == "-i" && i+1 < len(c.args) && c.name == "base64":
		case strings.HasPrefix(t, "-") && t != "-":
		case t != "-":
			in = c.load(f, f.at)
		}
	}
	if !undo {
		return anything(in.sources()...)
	}
	out := in.eachKnown(func(s string) (string, bool) {
		s = strings.Join(strings.Fields(s), "")
		switch c.name {
		case "base64":
			return fromBase64(s)
		case "base32":
			b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(s, "="))
			return clean(string(b)), err == nil
		}
		b, err := hex.DecodeString(s)
		return clean(string(b)), err == nil
	})
	for i := range out {
		out[i].from = union(out[i].from, []string{"decoded"})
	}
	return out
}

// urlBase64 is the alphabet of addresses, and the usual one in its place.
var urlBase64 = strings.NewReplacer("-", "+", "_", "/")

// fromBase64 decodes either alphabet of base64, with padding or without.
func fromBase64(s string) (string, bool) {
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(urlBase64.Replace(s), "="))
	return clean(string(b)), err == nil
}

func (c textCall) rev() values {
	return c.stdin.eachKnown(func(s string) (string, bool) {
		lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
		for i, l := range lines {
			r := []rune(l)
			for a, b := 0, len(r)-1; a < b; a, b = a+1, b-1 {
				r[a], r[b] = r[b], r[a]
			}
			lines[i] = string(r)
		}
		return strings.Join(lines, "\n") + "\n", true
	})
}

func (c textCall) tr() values {
	var sets []string
	drop := false
	for _, f := range c.args {
		if strings.HasPrefix(f.text, "-") && len(f.text) > 1 && len(sets) == 0 {
			drop = drop || strings.Contains(f.text, "d")
			continue
		}
		sets = append(sets, spread(f.text))
	}
	if len(sets) == 0 {
		return c.stdin
	}
	return c.stdin.eachKnown(func(s string) (string, bool) {
		return strings.Map(func(r rune) rune {
			i := strings.IndexRune(sets[0], r)
			if i < 0 {
				return r
			}
			if drop {
				return -1
			}
			if len(sets) < 2 || sets[1] == "" {
				return r
			}
			return rune(sets[1][min(i, len(sets[1])-1)])
		}, s), true
	})
}

// spread writes out the ranges of a set of tr.
func spread(s string) string {
	s = strings.NewReplacer("[:lower:]", "a-z", "[:upper:]", "A-Z", "[:digit:]", "0-9").Replace(ansi(s))
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i+1] == '-' && s[i] <= s[i+2] {
			for c := int(s[i]); c <= int(s[i+2]); c++ {
				b.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// part is head and tail: of a text that is known the whole counts.
func (c textCall) part() values {
	in := c.stdin
	for i := 0; i < len(c.args); i++ {
		f := c.args[i]
		if f.text == "-n" || f.text == "-c" {
			i++
			continue
		}
		if strings.HasPrefix(f.text, "-") || strings.HasPrefix(f.text, "+") {
			continue
		}
		in = in.or(c.load(f, f.at))
	}
	return in
}

func (c textCall) names() values {
	var out values
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		args = args[1:]
	}
	for _, f := range args {
		f := value{f.text, f.from}
		switch c.name {
		case "basename":
			f.text = path.Base(f.text)
		case "dirname":
			f.text = path.Dir(f.text)
		default:
			if ps := c.places(f.text); len(ps) == 1 && !strings.ContainsRune(ps[0], hole) {
				f.text = c.world.resolve(path.Clean(ps[0]))
			}
		}
		f.text += "\n"
		out = append(out, f)
		if c.name == "basename" {
			break
		}
	}
	if len(out) > 1 {
		return anything(out.sources()...)
	}
	return out
}

func (c textCall) mktemp() values {
	dir := c.world.temps()[0]
	for i, f := range c.args {
		if f.text == "-p" && i+1 < len(c.args) {
			dir = c.args[i+1].text
		}
		if strings.HasPrefix(f.text, "/") {
			return text(f.text[:strings.LastIndexByte(f.text, '/')+1] + "tmp" + string(word))
		}
	}
	return text(dir + "/tmp" + string(word) + "\n")
}

// sed writes its files with -i, and runs code with the commands e, w and r.
func (c textCall) sed() values {
	scripts, files, inPlace := c.sedWords()
	for _, s := range scripts {
		c.sedScript(s)
	}
	empties := inPlace && !c.seen["suffix"] && sedEmpties(scripts, c.seen["quiet"])
	var from []string
	for _, f := range files {
		if inPlace {
			c.shell.path("write", f, effect{})
		} else {
			c.shell.path("read", f, effect{})
		}
		if empties {
			c.leavesNothing(f)
		}
		from = union(from, c.content(f).sources())
	}
	if len(files) == 0 {
		from = c.stdin.sources()
		if len(scripts) == 1 {
			if out, ok := substitute(scripts[0].text, c.stdin); ok {
				return out
			}
		}
	}
	return anything(from...)
}

// sedWords tells apart what sed runs, which files it works on, and whether it writes them.
func (c textCall) sedWords() (scripts, files []field, inPlace bool) {
	c.seen = map[string]bool{}
	for i := 0; i < len(c.args); i++ {
		f := c.args[i]
		switch t := f.text; {
		case t == "-e" || t == "--expression":
			if i++; i < len(c.args) {
				scripts = append(scripts, c.args[i])
			}
		case t == "-f" || t == "--file":
			if i++; i < len(c.args) {
				c.load(c.args[i], f.at)
				scripts = append(scripts, field{})
			}
		case strings.HasPrefix(t, "--expression="):
			f.text = t[len("--expression="):]
			scripts = append(scripts, f)
		case strings.HasPrefix(t, "-i") || strings.HasPrefix(t, "--in-place"):
			inPlace = true
			c.seen["suffix"] = t != "-i" && t != "--in-place" // what was there is kept under another name
			if t == "-i" && i+1 < len(c.args) && c.args[i+1].text == "" {
				i++ // BSD: -i ''
			}
		case strings.HasPrefix(t, "-") && len(t) > 1:
			if t == "--quiet" || t == "--silent" || t[1] != '-' && strings.Contains(t, "n") {
				c.seen["quiet"] = true
			}
			if !strings.HasPrefix(t, "--") {
				inPlace = inPlace || strings.Contains(t, "i")
				if strings.HasSuffix(t, "e") && i+1 < len(c.args) {
					i++
					scripts = append(scripts, c.args[i])
				}
			}
		default:
			files = append(files, f)
		}
	}
	if len(scripts) == 0 && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	return scripts, files, inPlace
}

// substitute does a plain s/a/b/ on a text that is known.
func substitute(script string, in values) (values, bool) {
	if len(script) < 4 || script[0] != 's' || !in.known() {
		return nil, false
	}
	parts := strings.Split(script[2:], script[1:2])
	if len(parts) != 3 || strings.ContainsAny(parts[0], `\.*[^$+?`) || strings.ContainsAny(parts[1], `\&`) || strings.Trim(parts[2], "g") != "" {
		return nil, false
	}
	n := 1
	if parts[2] != "" {
		n = -1
	}
	return in.each(func(s string) string {
		lines := strings.SplitAfter(s, "\n")
		for i := range lines {
			lines[i] = strings.Replace(lines[i], parts[0], parts[1], n)
		}
		return strings.Join(lines, "")
	}), true
}

// sedScript looks for the commands of sed that run, write or read.
func (c textCall) sedScript(f field) {
	for l := range strings.FieldsFuncSeq(f.text, func(r rune) bool { return r == '\n' || r == ';' }) {
		l = strings.TrimSpace(l)
		l = strings.TrimLeft(l, "0123456789,$!{ ")
		if strings.HasPrefix(l, "/") {
			if i := strings.LastIndexByte(l, '/'); i > 0 {
				l = strings.TrimLeft(l[i+1:], " ,")
			}
		}
		switch {
		case l == "e":
			c.unknown(f.at, "sed runs what it reads")
		case strings.HasPrefix(l, "e "):
			c.inner(l[2:], f.at, nil, nil, false)
		case strings.HasPrefix(l, "w ") || strings.HasPrefix(l, "W "):
			c.shell.path("write", field{value: value{text: strings.TrimSpace(l[2:])}, at: f.at}, effect{})
		case strings.HasPrefix(l, "r ") || strings.HasPrefix(l, "R "):
			c.shell.path("read", field{value: value{text: strings.TrimSpace(l[2:])}, at: f.at}, effect{})
		case len(l) > 3 && l[0] == 's':
			parts := strings.Split(l[2:], l[1:2])
			if len(parts) == 3 {
				if strings.Contains(parts[2], "e") {
					c.unsure(func() { c.inner(parts[1], f.at, nil, nil, false) })
					c.unknown(f.at, "sed runs what it makes of its input")
				}
				if i := strings.IndexByte(parts[2], 'w'); i >= 0 {
					c.shell.path("write", field{value: value{text: strings.TrimSpace(parts[2][i+1:])}, at: f.at}, effect{})
				}
			}
		}
	}
}

// dd reads if= and writes of=.
func (c textCall) dd() values {
	var from []string
	set := map[string]string{}
	for _, f := range c.args {
		if key, val, ok := strings.Cut(f.text, "="); ok {
			set[key] = val
		}
	}
	nothing := set["if"] == "/dev/null" || set["count"] == "0" || set["if"] == "" && c.stdin.known() && c.stdin[0].text == ""
	for _, f := range c.args {
		key, val, ok := strings.Cut(f.text, "=")
		if !ok {
			continue
		}
		g := f
		g.text = val
		switch key {
		case "if":
			before := len(c.out)
			from = c.load(g, f.at).sources()
			for i := before; i < len(c.out) && set["of"] != ""; i++ { // an image is kept where it goes
				if out := c.places(set["of"]); !strings.ContainsRune(out[0], hole) {
					c.out[i].Where = c.world.scope(path.Clean(out[0]))
				}
			}
		case "of":
			c.shell.path("write", g, effect{})
			if nothing && !strings.Contains(set["conv"], "notrunc") && !strings.HasPrefix(val, "/dev/") {
				c.shell.path("delete", g, effect{empties: true})
			}
			if strings.HasPrefix(val, "/dev/") && !harmlessDevice(val) {
				c.tell(hook.Fact{Does: "system", What: "device", Object: visible(val), At: f.at, Sure: true})
			}
		}
	}
	return anything(from...)
}

// harmlessDevice is a device to which writing does nothing lasting.
func harmlessDevice(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full", "/dev/stdin":
		return true
	}
	return strings.HasPrefix(p, "/dev/fd/") || strings.HasPrefix(p, "/dev/pts/") || strings.HasPrefix(p, "/dev/shm/") || strings.HasPrefix(p, "/dev/tcp/")
}
