package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// Wrapped is what a script says of the session in which a program runs: what
// relay.wrap and new Relay({name}) name.
type Wrapped struct {
	File string   // that says it, for people
	Name string   // of the session; "": none is said
	Line []string // the program: one word is a line of the shell, more are its words
	Left string   // why a program that was named is not run
	From string   // the folder in which alone it means what trust has pinned; "": here
}

// Command is the program with its arguments.
func (w *Wrapped) Command() []string {
	if len(w.Line) != 1 {
		return w.Line
	}
	if strings.ContainsAny(w.Line[0], "\n\\\"'`$&|;<>()*?[]#~{}!=") {
		return []string{"sh", "-c", w.Line[0]}
	}
	return strings.Fields(w.Line[0])
}

// askWrapped takes what a script says of the session.
func (l *asker) askWrapped(src *source, file *scriptFile, settings map[string]any) {
	w := Wrapped{File: file.path}
	w.Name, _ = settings["name"].(string)
	list, _ := settings["wrap"].([]any)
	for _, word := range list {
		text, _ := word.(string)
		w.Line = append(w.Line, text)
	}
	if len(w.Line) > 0 && src.layer == LayerWorkspace && l.opts.File == "" && !toldByText(file.bundle, w.Line) {
		why, hint := fmt.Sprintf("relay.wrap names %s, which trust could not see in the text; hookway run does not run it", hookLine(w.Line)), "write it as plain text, as in relay.wrap('claude'), or name it: hookway run -- PROGRAM"
		l.set.Warn(file.path, "", why, hint)
		w.Line, l.set.Wrapped.Left = nil, file.path+": "+why+"; "+hint
	}
	if src.layer == LayerWorkspace && l.opts.File == "" && l.dir != l.workspace && namesFiles(l.readLine(w.Line)) {
		w.From = l.workspace
	}
	if w.Name != "" || len(w.Line) > 0 {
		l.wrapped = append(l.wrapped, wrappedIn{w, src.layer})
	}
}

// wrappedIn is Wrapped, and the layer that says it.
type wrappedIn struct {
	Wrapped
	layer string
}

// toldByText reports whether the program stands in the text of a script, or trust has
// asked about what does not.
func toldByText(b *script.Bundle, line []string) bool {
	plain, computed := b.Wraps()
	return computed || slices.ContainsFunc(plain, func(words []string) bool { return slices.Equal(words, line) })
}

// settleWrapped chooses among what scripts say of the session: the workspace's before
// the user's, the first file before others.
func (l *asker) settleWrapped() {
	said := &l.set.Wrapped
	for _, layer := range []string{LayerWorkspace, LayerUser} {
		for _, w := range l.wrapped {
			switch {
			case w.layer != layer:
				continue
			case len(w.Line) > 0 && len(said.Line) > 0 && !slices.Equal(w.Line, said.Line) && layer == l.layerOf(said.File):
				l.set.Warn(w.File, "", fmt.Sprintf("relay.wrap names %s, and %s names %s, which goes first", hookLine(w.Line), said.File, hookLine(said.Line)), "")
			}
			said.Name = cmp.Or(said.Name, w.Name)
			if len(said.Line) == 0 {
				said.Line, said.File, said.From = w.Line, w.File, w.From
			}
		}
	}
}

// layerOf is the layer of a file that says something of the session.
func (l *asker) layerOf(file string) string {
	at := slices.IndexFunc(l.wrapped, func(w wrappedIn) bool { return w.File == file })
	return l.wrapped[max(at, 0)].layer
}

// readWrapped pins what the programs that a script wraps run, as it does for commands.
func (l *pinner) readWrapped(src *source, file *scriptFile) {
	plain, computed := file.bundle.Wraps()
	name := src.shown(file.path)
	for _, words := range plain {
		l.wraps = append(l.wraps, trust.Wrap{File: name, Command: strings.Join(words, " ")})
		l.pinned.Command(shell.Reader{Dirs: []string{l.workspace}}, "relay.wrap", filepath.Base(file.path), readsLine(words))
	}
	if computed {
		l.pinned.Doubt(trust.Doubt{Hook: "relay.wrap", Origin: file.path, Word: "wrap(…)", Why: "which program hookway run runs is only known when the script runs"})
	}
}

// readsLine reads what relay.wrap names as a shell would.
func readsLine(words []string) func(shell.Reader) shell.Reading {
	return func(r shell.Reader) shell.Reading {
		if len(words) == 1 {
			return r.Line(words[0])
		}
		return r.Words(words)
	}
}

func (l *load) readLine(words []string) shell.Reading {
	return readsLine(words)(l.pinned.Equipped(shell.Reader{Dirs: []string{l.workspace}}))
}

// namesFiles reports whether a line means one thing in one folder, and another in
// another.
func namesFiles(r shell.Reading) bool {
	return slices.ContainsFunc(slices.Concat(r.Runs, r.Sources, r.Reads), func(n shell.Name) bool {
		return filepath.IsAbs(n.Path) && n.Script == "" && !filepath.IsAbs(n.Word) && !strings.HasPrefix(n.Word, "~")
	})
}

func hookLine(words []string) string { return strict.Line(strings.Join(words, " ")) }
