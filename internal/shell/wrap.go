package shell

import (
	"slices"
	"strings"
)

// wrappers are programs that run the command which follows them: their options with a
// value, and how many operands come before the command.
var wrappers = map[string]struct {
	valued   string
	operands int
}{
	"exec": {"-a", 0}, "command": {"", 0}, "builtin": {"", 0}, "nohup": {"", 0}, "setsid": {"", 0}, "nice": {"-n --adjustment", 0},
	"ionice": {"-c -n --class --classdata", 0}, "time": {"-f -o --format --output", 0}, "timeout": {"-k -s --kill-after --signal", 1}, "gtimeout": {"-k -s --kill-after --signal", 1},
	"sudo": {"-u -g -h -p -C -D -R -T -U -r -t --user --group --chdir --host --prompt", 0}, "doas": {"-u -C", 0},
	"stdbuf": {"-i -o -e --input --output --error", 0}, "chronic": {"", 0}, "ifne": {"", 0}, "unbuffer": {"", 0}, "ts": {"", 0},
	"taskset": {"-c --cpu-list", 1}, "chrt": {"", 1}, "strace": {"-o -e -p -s -u -E", 0}, "ltrace": {"-o -e", 0}, "caffeinate": {"-t -w", 0}, "setarch": {"", 1},
	"chroot": {"", 1}, "faketime": {"", 1}, "prlimit": {"", 0}, "systemd-run": {"-p -u --unit --property", 0}, "dbus-run-session": {"", 0},
	"xvfb-run": {"-n -s -e", 0}, "direnv": {"", 2}, "tsp": {"", 0}, "coproc": {"", 0}, "rlwrap": {"", 0}, "catchsegv": {"", 0},
	"firejail": {"", 0}, "bwrap": {"--bind --ro-bind --dev --proc --tmpfs --chdir", 0}, "unshare": {"", 0}, "setpriv": {"--reuid --regid", 0}, "pkexec": {"--user", 0},
	"pipx": {"", 1}, "poetry": {"", 1}, "pipenv": {"", 1}, "bundle": {"", 1}, "mise": {"", 1}, "asdf": {"", 1}, "dotenv": {"-f -e", 0}, "op": {"", 1}, "chpst": {"-u -U -b -e -d -n -m", 0},
}

func wrap(a *analysis, name string, args []arg) {
	how := wrappers[name]
	asks := false
	operands := options(args, how.valued, func(option string, val *arg) {
		asks = asks || name == "command" && (option == "-v" || option == "-V")
		if val != nil && (option == "-D" || option == "--chdir" || option == "-C") {
			chdir(a, name, []arg{*val})
		} else if val != nil && option == "-o" {
			a.writes(*val)
		}
	})
	if asks {
		return
	}
	a.wrapped(operands, how.operands)
}

// wrapped is the command of a wrapper, after some operands and assignments.
func (a *analysis) wrapped(args []arg, skip int) {
	for skip > 0 && len(args) > 0 {
		args, skip = args[1:], skip-1
	}
	for len(args) > 0 {
		name, text, ok := strings.Cut(args[0].text, "=")
		if !ok || name == "" || strings.ContainsAny(name, "/.-$'\"") || strings.HasPrefix(args[0].src, "'") {
			break
		}
		a.assign(name, []value{{text: text}}, args[0].known)
		a.special(name, []value{{text: text}}, args[0].known, args[0].src)
		args = args[1:]
	}
	for len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) > 0 {
		a.call(args)
	}
}

// env runs a command in a changed environment; -S has it in one word.
func env(a *analysis, _ string, args []arg) {
	var whole *arg
	operands := options(args, "-u -C -S --unset --chdir --split-string", func(option string, val *arg) {
		switch {
		case val == nil:
		case option == "-S" || option == "--split-string":
			whole = val
		case option == "-C" || option == "--chdir":
			chdir(a, "env", []arg{*val})
		}
	})
	if whole != nil {
		a.line(*whole)
		a.readAll(operands)
		return
	}
	a.wrapped(operands, 0)
}

// flock FILE COMMAND, or flock FILE -c LINE.
func flock(a *analysis, _ string, args []arg) {
	operands := options(args, "-w -E --timeout --wait --conflict-exit-code", func(string, *arg) {})
	if len(operands) == 0 {
		return
	}
	a.writes(operands[0])
	rest := operands[1:]
	if len(rest) > 1 && (rest[0].text == "-c" || rest[0].text == "--command") {
		a.line(rest[1])
		return
	}
	if len(rest) > 0 {
		a.call(rest)
	}
}

// suLine runs the line after -c.
func suLine(a *analysis, name string, args []arg) {
	operands := options(args, "-c --command -s --shell -g -G -p -i -l -o -F", func(option string, val *arg) {
		if val == nil {
			return
		}
		if name != "ssh" && (option == "-c" || option == "--command") {
			a.line(*val)
		} else {
			a.reads(*val)
		}
	})
	if name == "script" && len(operands) > 0 {
		a.writes(operands[0])
		return
	}
	a.readAll(operands)
}

// watch runs its words as a line.
func watch(a *analysis, _ string, args []arg) {
	eval(a, "", options(args, "-n --interval -q", func(string, *arg) {}))
}

// find runs commands for what it finds.
func find(a *analysis, _ string, args []arg) {
	var starts []arg
	i := 0
	for ; i < len(args) && !strings.HasPrefix(args[i].text, "-") && args[i].text != "(" && args[i].text != "!"; i++ {
		starts = append(starts, args[i])
	}
	if len(starts) == 0 {
		starts = []arg{{value: value{text: "."}, known: true, src: "."}}
	}
	tests := args[i:]
	match := ""
	for k, g := range tests {
		if (g.text == "-name" || g.text == "-iname") && k+1 < len(tests) {
			if match != "" || !tests[k+1].known || g.text == "-iname" { // several, perhaps of one another's choice
				match = "*"
			} else {
				match = tests[k+1].text
			}
		}
		if g.text == "-o" || g.text == "-or" || g.text == "!" || g.text == "-not" {
			match = "*"
		}
	}
	for k := 0; k < len(tests); k++ {
		switch tests[k].text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := k + 1
			for end < len(tests) && tests[end].text != ";" && tests[end].text != "+" {
				end++
			}
			for _, s := range starts {
				a.forEach(tests[min(k+1, end):end], "{}", arg{value: value{text: s.text, tree: true, match: match, glob: false}, known: s.known, src: s.src})
			}
			k = end
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if k+1 < len(tests) {
				a.writes(tests[k+1])
				k++
			}
		case "-files0-from", "-newer", "-anewer", "-cnewer", "-samefile":
			if k+1 < len(tests) {
				a.reads(tests[k+1])
				k++
			}
		}
	}
}

// forEach is a command in which a word stands for others.
func (a *analysis) forEach(words []arg, mark string, by arg) {
	if len(words) == 0 {
		return
	}
	out := slices.Clone(words)
	for i, g := range words {
		switch {
		case mark == "" || !strings.Contains(g.text, mark):
		case g.text == mark:
			out[i] = by
		default:
			out[i] = arg{value: value{text: g.text}, src: g.src}
			a.reads(by) // it is part of a line, or of a name
		}
	}
	a.call(out)
}

// xargs runs a command with what it reads as arguments.
func xargs(a *analysis, name string, args []arg) {
	mark := ""
	operands := options(args, "-I -i -n -P -L -d -E -s -a --max-args --max-procs --max-lines --delimiter --arg-file --replace -j", func(option string, val *arg) {
		switch {
		case val == nil:
		case option == "-I" || option == "--replace":
			mark = val.text
		case option == "-a" || option == "--arg-file":
			a.reads(*val)
		}
	})
	if len(operands) == 0 {
		return
	}
	if name == "parallel" && mark == "" {
		mark = "{}"
	}
	more := a.read1(name)
	if mark == "" {
		for _, m := range more {
			a.call(append(slices.Clone(operands), m))
		}
		return
	}
	for _, m := range more {
		a.forEach(operands, mark, m)
	}
}

// read1 gives the words that a program reads, one by one.
func (a *analysis) read1(name string) []arg {
	unknown := arg{src: name, value: value{}}
	in := a.input
	if in == nil || !in.known || len(in.files) > 0 {
		return []arg{unknown}
	}
	var out []arg
	for _, l := range in.lines {
		for _, f := range strings.Fields(l) {
			out = append(out, arg{value: value{text: f}, known: true, src: f})
		}
	}
	if len(out) > maxValues {
		return []arg{unknown}
	}
	return out
}
