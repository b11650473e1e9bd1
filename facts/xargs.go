package facts

import (
	"slices"
	"strings"

	parser "github.com/hookway/hookway/internal/shell"
)

// xargsCall is xargs with its options read.
type xargsCall struct {
	*call
	command []field
	replace string // the mark that stands for a word, or ""
	lines   bool   // each line is a word
	file    *field // what it reads in place of its input
}

// xargs gives words from its input to a command.
func (c eachCall) xargs() values {
	x := xargsCall{call: c.call, command: c.args}
	x.options()
	in := c.stdin
	if x.file != nil {
		in = c.load(*x.file, c.at)
	}
	if len(in) == 0 {
		in = anything("stdin")
	}
	if len(x.command) == 0 {
		x.command = []field{{value: value{text: "echo"}, bare: true, at: c.at}}
	}
	c.stdin = text("")
	var out values
	for _, v := range in {
		if len(in) > 1 {
			c.unsure(func() { out = out.or(x.feed(v)) })
		} else {
			out = out.or(x.feed(v))
		}
	}
	return out
}

// xargsValued are options of xargs that take a value of no interest.
var xargsValued = []string{"-n", "-P", "-L", "-s", "-d", "-E", "-R", "-S", "--max-args", "--max-procs", "--max-lines", "--delimiter", "--max-chars", "--process-slot-var", "--eof"}

// options takes the options off the command.
func (x *xargsCall) options() {
	for len(x.command) > 0 && strings.HasPrefix(x.command[0].text, "-") && x.command[0].text != "-" {
		t := x.command[0].text
		x.command = x.command[1:]
		if t == "--" {
			return
		}
		x.lines = x.lines || t == "-0" || t == "--null" || strings.HasPrefix(t, "-d")
		if x.option(t) && len(x.command) > 0 {
			x.command = x.command[1:]
		}
	}
}

// option reads one option, and says whether the next word is its value.
func (x *xargsCall) option(t string) (takes bool) {
	switch {
	case t == "-I" || t == "-J":
		x.replace = "{}"
		if len(x.command) > 0 {
			x.replace = x.command[0].text
		}
		return true
	case t == "-i" || t == "--replace":
		x.replace = "{}"
	case strings.HasPrefix(t, "-I") || strings.HasPrefix(t, "-J") || strings.HasPrefix(t, "-i"):
		x.replace = t[2:]
	case strings.HasPrefix(t, "--replace="):
		x.replace = t[len("--replace="):]
	case t == "-a" || t == "--arg-file":
		if len(x.command) > 0 {
			x.file = &x.command[0]
		}
		return true
	case strings.HasPrefix(t, "--arg-file="):
		x.file = &field{value: value{text: t[len("--arg-file="):]}, at: x.at}
	}
	return slices.Contains(xargsValued, t)
}

// feed runs the command with the words of a text.
func (x *xargsCall) feed(v value) values {
	v.from = union(v.from, []string{"stdin"})
	words := x.split(v)
	if len(words) > maxLoops {
		words = append(words[:maxLoops:maxLoops], field{value: value{string(hole), v.from}, at: x.at, many: true})
	}
	args := x.command
	if x.replace == "" {
		return x.shell.run(append(args[:len(args):len(args)], words...), nil, x.at)
	}
	marked := slices.ContainsFunc(args, func(f field) bool { return strings.Contains(f.text, x.replace) })
	var out values
	for _, w := range words {
		out = out.or(x.shell.run(put(args, x.replace, w), nil, x.at))
		if !marked { // some take -i for an option without a meaning, and add the word
			x.unsure(func() { x.shell.run(append(args[:len(args):len(args)], w), nil, x.at) })
		}
	}
	return out
}

// split takes a text apart into the words for the command.
func (x *xargsCall) split(v value) []field {
	var words []field
	if x.replace != "" || x.lines {
		for l := range strings.FieldsFuncSeq(v.text, func(r rune) bool { return r == '\n' || r == 0 }) {
			if x.replace != "" {
				l = strings.TrimSpace(l)
			}
			words = append(words, field{value: value{l, v.from}, at: x.at})
		}
		return words
	}
	for w := range strings.FieldsSeq(v.text) {
		words = append(words, field{value: value{strings.Trim(w, `"'`), v.from}, at: x.at, many: !v.known()})
	}
	return words
}

// put replaces a mark in words by a word.
func put(args []field, mark string, w field) []field {
	out := make([]field, len(args))
	for i, f := range args {
		if strings.Contains(f.text, mark) {
			f.text = strings.ReplaceAll(f.text, mark, w.text)
			f.from = union(f.from, w.from)
			f.pattern, f.glob = "", false
			f.many = f.many || w.many && f.text == w.text
		}
		out[i] = f
	}
	return out
}

// parallelValued are options of parallel that take a value.
var parallelValued = []string{"-j", "--jobs", "-P", "-n", "-N", "--delay", "--timeout", "-a", "--colsep", "-C", "-I"}

// parallel runs a command, or lines, for words after ::: or of its input.
func (c eachCall) parallel() values {
	command, words, fed := c.parallelWords()
	if len(words) > maxLoops {
		words = append(words[:maxLoops:maxLoops], anything(words.sources()...)...)
	}
	line := ""
	for i, f := range command {
		if i > 0 {
			line += " "
		}
		line += f.text
	}
	var out values
	for _, w := range words {
		if len(command) == 0 {
			out = out.or(c.builtin().runText(w, nil))
			continue
		}
		given := func() { out = out.or(c.shell.run(c.parallelGiven(command, w, fed), nil, c.at)) }
		whole := fill(line, quote(w.text))
		if len(command) > 1 && !readable(whole) { // no shell runs any of that
			given()
			continue
		}
		out = out.or(c.builtin().runText(value{whole, w.from}, nil))
		c.unsure(given)
	}
	return out
}

// parallelGiven is a command with a word in place, each word of it as it stands: so it is
// with -q, and with other programs of that name. A whole word of the input is then given
// as xargs gives it.
func (c eachCall) parallelGiven(command []field, w value, fed bool) []field {
	given, mark := field{value: w, at: c.at}, false
	for _, f := range command {
		mark = mark || strings.Contains(f.text, "{}")
		fed = fed && (f.text == "{}" || !strings.Contains(f.text, "{}"))
	}
	if fed {
		given.from = union(w.from, []string{"stdin"})
	}
	if args := put(command, "{}", given); mark {
		return args
	}
	return append(command[:len(command):len(command)], given)
}

// parallelWords takes the command from the words that it is run for.
// fed says that they come from its input.
func (c eachCall) parallelWords() (command []field, words values, fed bool) {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		n := 1
		if slices.Contains(parallelValued, args[0].text) {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	given := slices.IndexFunc(args, func(f field) bool { return strings.HasPrefix(f.text, ":::") && strings.Trim(f.text, ":+") == "" })
	if given < 0 {
		for _, v := range c.stdin {
			for l := range strings.Lines(v.text) {
				words = append(words, value{strings.TrimSuffix(l, "\n"), v.from})
			}
		}
		if len(c.stdin) == 0 {
			words = anything("stdin")
		}
		return args, words, true
	}
	for i, f := range args[given:] {
		switch f.text {
		case ":::", ":::+":
		case "::::":
			for _, g := range args[given+i+1:] {
				words = words.or(c.load(g, g.at))
			}
			return args[:given:given], words, true
		default:
			words = append(words, f.value)
		}
	}
	return args[:given:given], words, false
}

// readable reports whether a line has no mistake for a shell: it is made of words that
// were quoted, and are no more.
func readable(line string) bool {
	if strings.ContainsAny(line, "\n\r") {
		return true
	}
	_, err := parser.Parse(line)
	return err == nil
}

// fill puts a word where a line of parallel has its marks, or at its end.
func fill(line, w string) string {
	placed := false
	for _, mark := range []string{"{}", "{1}", "{.}", "{/}", "{2}"} {
		if strings.Contains(line, mark) {
			line, placed = strings.ReplaceAll(line, mark, w), true
		}
	}
	if !placed {
		line += " " + w
	}
	return strings.TrimSpace(line)
}
