package guards

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
)

// standsIn says in which script that a call runs, and in which line of it, the act
// stands that a rule is about; "" if that is the call itself. The facts of a script are
// the call's, and say of where only that the call runs it: so the script is read again.
// The rules have decided by then: nothing that goes wrong here, nor the time that it takes,
// may change what they said.
func standsIn(ctx context.Context, f *hook.Fact, all []hook.Fact, command, dir string) (where string) {
	defer func() {
		if recover() != nil { // a bug of ours in the reading
			where = ""
		}
	}()
	if f.At.IsZero() || f.Does == "execute" {
		return ""
	}
	whole := "" // a script of which the lines are not known
	for _, name := range scriptsAt(f, all, command, dir) {
		if nearlyOver(ctx) {
			return ""
		}
		i := slices.IndexFunc(all, func(e hook.Fact) bool { return e.Does == "execute" && e.Path == name })
		other := i >= 0 && all[i].Language != "sh"
		if other && (whole != "" || f.Does == "run") {
			continue
		}
		shown := strings.TrimPrefix(name, strings.TrimSuffix(dir, "/")+"/")
		text, err := disk.Read(name, maxScript)
		if err != nil || !utf8.Valid(text) {
			continue
		}
		if other {
			whole = fmt.Sprintf("%s%s.", inScript, shown)
		} else if n, line := lineOf(f, string(text), dir); n > 0 {
			return fmt.Sprintf("%s%s, line %d: `%s`.", inScript, shown, n, line)
		}
	}
	return whole
}

// inScript begins what standsIn says.
const inScript = " It stands in "

// answerTime is what an answer needs once it is decided.
const answerTime = time.Second

// nearlyOver reports whether there is only time left to answer.
func nearlyOver(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	end, ok := ctx.Deadline()
	return ok && time.Until(end) < answerTime
}

// scriptsAt are the files that a call runs where it says so of an act, the outermost first.
func scriptsAt(f *hook.Fact, all []hook.Fact, command, dir string) []string {
	var names []string
	for i := range all {
		if e := &all[i]; e.Does == "execute" && e.From == "file" && rooted(e.Path) && f.At.From <= e.At.From && e.At.To <= f.At.To && !slices.Contains(names, e.Path) && len(names) < maxTargets {
			names = append(names, e.Path)
		}
	}
	if f.At.From >= 0 && f.At.From < f.At.To && f.At.To <= len(command) { // ./x.sh, which is a program
		if words := strings.Fields(command[f.At.From:f.At.To]); len(words) > 0 && strings.Contains(words[0], "/") {
			names = append(names, absolute(strings.Trim(words[0], `"'`), dir))
		}
	}
	return names
}

// lineOf finds the line of a shell script that does the same as a fact.
func lineOf(f *hook.Fact, text, dir string) (n int, line string) {
	for _, g := range facts.Shell(text, World(dir, os.Environ())) {
		same := g.Does == f.Does && g.Path == f.Path && g.Host == f.Host && g.Object == f.Object && g.Verb == f.Verb && g.Ref == f.Ref && g.Name == f.Name && g.What == f.What
		if !same || g.By != f.By && g.By != "" || g.At.From < 0 || g.At.To > len(text) || g.At.IsZero() {
			continue
		}
		from := strings.LastIndexByte(text[:g.At.From], '\n') + 1
		line, _, _ := strings.Cut(text[from:], "\n")
		return 1 + strings.Count(text[:from], "\n"), clip(facts.Mask(strings.Join(strings.Fields(line), " ")), 120)
	}
	return 0, ""
}
