package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// findCall is find with what its words say.
type findCall struct {
	*call
	roots    []field
	tests    []field  // all words after the roots
	names    []string // patterns of -name
	narrowed bool     // not all that lies below the roots is meant
	follows  bool     // links
	prints   bool
	out      values
}

// find looks through folders; it deletes, writes and runs by its expressions.
func (c eachCall) find() values {
	f := findCall{call: c.call, prints: true}
	f.read()
	for i := 0; i < len(f.tests); i++ {
		i += f.act(i)
	}
	if !f.prints {
		return f.out
	}
	return c.foundWords(f.roots, f.names)
}

// read takes the roots from the tests, and the names from these.
func (f *findCall) read() {
	args := f.args
	f.follows = slices.ContainsFunc(args, func(f field) bool { return f.text == "-L" || f.text == "-follow" })
	for len(args) > 0 {
		t := args[0].text
		if t == "-H" || t == "-L" || t == "-P" || strings.HasPrefix(t, "-O") {
			args = args[1:]
			continue
		}
		if t == "-D" {
			args = args[min(2, len(args)):]
			continue
		}
		if strings.HasPrefix(t, "-") || t == "(" || t == "!" || t == ")" {
			break
		}
		f.roots = append(f.roots, args[0])
		args = args[1:]
	}
	if len(f.roots) == 0 {
		f.roots = []field{{value: value{text: "."}, at: f.at}}
	}
	f.tests = args
	for i := 0; i+1 < len(args); i++ {
		switch t := args[i].text; {
		case t == "-name" || t == "-iname":
			if i == 0 || args[i-1].text != "-not" && args[i-1].text != "!" {
				f.names = append(f.names, args[i+1].text)
			}
			f.narrowed = true
		case slices.Contains(findNarrows, t):
			f.narrowed = true
		}
	}
}

// findNarrows are tests that leave some of what lies below a root alone.
var findNarrows = []string{"-path", "-wholename", "-ipath", "-regex", "-iregex", "-size", "-mtime", "-mmin", "-atime", "-newer", "-empty", "-user", "-perm", "-inum", "-maxdepth"}

// findValued are tests that take a value.
var findValued = []string{"-name", "-iname", "-path", "-wholename", "-ipath", "-regex", "-iregex", "-inum", "-lname", "-ilname", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-user", "-group", "-perm", "-maxdepth", "-mindepth", "-printf", "-newer", "-type", "-links", "-fstype", "-samefile", "-used", "-uid", "-gid", "-regextype", "-newermt", "-newerct", "-anewer", "-cnewer", "-context", "-depth-n"}

// act tells what the word at a place does, and gives how many words belong to it.
func (f *findCall) act(i int) (more int) {
	switch t := f.tests[i].text; {
	case t == "-delete":
		f.deletes()
	case t == "-exec" || t == "-execdir" || t == "-ok" || t == "-okdir":
		return f.runs(i)
	case t == "-fprint" || t == "-fprint0" || t == "-fls" || t == "-fprintf":
		if i+1 < len(f.tests) {
			f.shell.path("write", f.tests[i+1], effect{})
		}
		return 1
	case slices.Contains(findValued, t):
		return 1
	}
	return 0
}

func (f *findCall) deletes() {
	for _, r := range f.roots {
		f.each().foundPath("delete", r, f.names, f.narrowed)
	}
	if f.follows {
		f.tell(hook.Fact{Does: "delete", Path: "…", Recursive: true, Many: true, At: f.at})
		f.unknown(f.at, "find follows links, and where they lead shows only when it runs")
	}
	f.prints = false
}

// runs reads the command of -exec, which ends with ; or with {} +.
func (f *findCall) runs(i int) (more int) {
	end := i + 1
	for end < len(f.tests) && f.tests[end].text != ";" && !(f.tests[end].text == "+" && f.tests[end-1].text == "{}") {
		end++
	}
	for _, r := range f.roots {
		f.out = f.out.or(f.each().foundRun(f.tests[i+1:end], r, f.names))
	}
	f.prints = false
	return end - i
}

// foundWords are names that find prints: known only in their shape.
func (c eachCall) foundWords(roots []field, names []string) values {
	var out values
	for _, r := range roots {
		base := string(word)
		if len(names) == 1 {
			base = strings.NewReplacer("*", string(word), "?", string(word)).Replace(names[0])
		}
		found := strings.TrimRight(r.text, "/") + "/" + base
		if start := strings.TrimRight(found, string(word)); start != found && secretFile(start, c.world) != "" {
			found += "\n" + start // .env is one of .env*
		}
		out = append(out, value{found, r.from})
	}
	return out.bounded()
}

// foundPath tells that what find finds below a root is deleted.
func (c eachCall) foundPath(does string, root field, names []string, narrowed bool) {
	f := root
	e := effect{recursive: true, many: true}
	if narrowed {
		f.glob = true
		name := "*"
		if len(names) == 1 {
			name = names[0]
		}
		f.text = strings.TrimRight(root.text, "/") + "/**/" + name
		f.pattern = f.text
	}
	c.shell.path(does, f, e)
}

// foundRun runs the command of -exec for what is found below a root.
func (c eachCall) foundRun(command []field, root field, names []string) values {
	base := "*"
	if len(names) == 1 {
		base = names[0]
	}
	f := field{value: value{strings.TrimRight(root.text, "/") + "/**/" + base, root.from}, at: c.at, many: true, glob: true}
	f.pattern = f.text
	args := make([]field, len(command))
	for i, a := range command {
		if a.text == "{}" {
			g := f
			args[i] = g
			continue
		}
		if strings.Contains(a.text, "{}") {
			a.text = strings.ReplaceAll(a.text, "{}", strings.TrimRight(root.text, "/")+"/"+string(word))
		}
		args[i] = a
	}
	if len(args) == 0 {
		return nil
	}
	return c.shell.run(args, nil, c.at)
}

// fd is a find with other words: -x and -X run.
func (c eachCall) fd() values {
	root := field{value: value{text: "."}, at: c.at}
	var names []string
	for i, f := range c.args {
		switch f.text {
		case "-e", "--extension":
			if i+1 < len(c.args) {
				names = []string{"*." + c.args[i+1].text}
			}
			continue
		case "-x", "--exec", "-X", "--exec-batch":
			command := c.args[i+1:]
			has := false
			for _, a := range command {
				has = has || strings.Contains(a.text, "{")
			}
			if !has {
				command = append(command[:len(command):len(command)], field{value: value{text: "{}"}, at: f.at})
			}
			return c.foundRun(command, root, names)
		}
		before := ""
		if i > 0 {
			before = c.args[i-1].text
		}
		if !strings.HasPrefix(f.text, "-") && names == nil && before != "-t" && before != "--type" && before != "-d" && before != "-E" && before != "-e" {
			names = []string{f.text}
		} else if names != nil && !strings.HasPrefix(f.text, "-") && strings.Contains(f.text, "/") {
			root.text = f.text
		}
	}
	return c.foundWords([]field{root}, names)
}
