package facts

import (
	"slices"
	"strings"
)

// cmdLoop is the loop of cmd in which a command stands: for %i in (set) do command.
type cmdLoop struct {
	name    string   // of its variable, with the sign
	prefix  string   // the folder that /r goes through
	values  []string // what the variable stands for in turn
	set     bool     // the next command is no command but the set
	lines   bool     // of /f: the lines of a file, or what a command prints
	numbers bool     // of /l
}

// looped runs a command, once for each thing that the variable of the loop stands for.
func (r *cmdReader) looped(words []string) {
	switch {
	case r.loop.set:
		r.loop.set = false
		r.inSet(words)
		return
	case strings.EqualFold(words[0], "for"):
		r.loop = cmdLoopOf(words)
	}
	named := func(w string) bool { return r.loop.name != "" && strings.Contains(w, r.loop.name) }
	if !slices.ContainsFunc(words[1:], named) || len(r.loop.values) == 0 || r.loop.set {
		r.cmdRun(words, r.at)
		return
	}
	for _, v := range r.loop.values[:min(len(r.loop.values), maxLoops)] {
		if r.full || !r.step() {
			return
		}
		one := slices.Clone(words)
		for i, w := range one {
			one[i] = strings.ReplaceAll(w, r.loop.name, v)
		}
		r.cmdRun(one, r.at)
	}
}

// inSet takes in the set of a loop: names and patterns, or for /f a command that is run.
func (r *cmdReader) inSet(words []string) {
	if r.loop.numbers {
		return
	}
	if r.loop.lines {
		if line := strings.Join(words, " "); strings.HasPrefix(line, "'") {
			r.cmd(strings.Trim(line, "'"), r.at)
		} else { // the lines of a file
			r.cmdRun(append([]string{"type"}, words...), r.at)
		}
		return
	}
	for _, w := range words {
		r.loop.values = append(r.loop.values, r.loop.prefix+w)
	}
}

// cmdLoopOf reads the words of a loop up to its set.
func cmdLoopOf(words []string) cmdLoop {
	l := cmdLoop{set: strings.EqualFold(words[len(words)-1], "in")}
	for i, w := range words {
		switch {
		case strings.EqualFold(w, "/f"):
			l.lines = true
		case strings.EqualFold(w, "/l"):
			l.numbers = true
		case strings.HasPrefix(w, "%") && len(strings.TrimLeft(w, "%")) == 1:
			l.name = w
		case strings.EqualFold(words[max(i-1, 0)], "/r"):
			l.prefix = strings.TrimRight(w, `\`) + `\`
		}
	}
	return l
}
