package facts

import (
	"strings"

	"github.com/hookway/hookway/hook"
)

// laterOfPatch reads what a patch adds to files that are run later.
func (t *toolCall) laterOfPatch(text string) {
	if !isPatch(text) {
		return
	}
	name, adds := "", ""
	flush := func() {
		for _, place := range t.places(name) {
			if name != "" && adds != "" {
				t.runsLater(place, values{{text: adds}})
			}
		}
		adds = ""
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "+"); ok && !strings.HasPrefix(line, "+++ ") {
			adds += rest
			continue
		}
		if heads := hook.PatchedFiles("*** Begin Patch\n" + line); len(heads) > 0 {
			flush()
			name = heads[len(heads)-1].Name
		}
	}
	flush()
}

// isPatch reports whether a text is a patch, of the form that models write or of diff.
func isPatch(text string) bool { return hook.IsPatch(text) }

// added blanks the lines of a patch that it does not add, so that places stay.
func added(patch string) string {
	var b strings.Builder
	for line := range strings.Lines(patch) {
		if strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++ ") {
			b.WriteString(line)
			continue
		}
		b.WriteString(strings.Repeat(" ", max(len(line)-1, 0)) + "\n")
	}
	return b.String()
}

// patches reads which files patches among the arguments add, change, delete and move.
func (t *toolCall) patches() {
	t.walk(t.input, "", 0, func(_, text string) {
		eachPatched(text, func(does string, f field) { t.path(does, f, effect{}) })
	})
}

// patchesOf is patches for a tool of a server, if its name says that it applies one.
func (t *toolCall) patchesOf(name string) {
	if strings.Contains(name, "patch") || strings.Contains(name, "diff") || strings.Contains(name, "apply") {
		t.patches()
	}
}

// eachPatched gives what a patch does to files, if a text is one.
func eachPatched(text string, act func(does string, f field)) {
	for _, p := range hook.PatchedFiles(text) {
		act(p.Does, field{value: value{text: clean(p.Name)}})
	}
}

// patched tells which files a patch changes that a program is given: by name, or by a pipe.
func (c *call) patched(p parsed) {
	texts := c.stdin
	for _, o := range p.operands {
		texts = texts.join(c.content(o.field))
	}
	for _, v := range c.shell.code(texts) {
		if v.known() {
			eachPatched(v.text, func(does string, f field) {
				f.at = c.at
				c.shell.path(does, f, effect{})
			})
		}
	}
}
