package approve

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// The shape of a call is what it would do, and not how that is written: a rule over
// facts. Calls of one shape are of the same agent, workspace and tool, and the same rule
// asks about them. For a no it does not matter which rule asks: what a person does not want
// done may be stopped by another one the next time.

// written are the members of inputs that facts speak for, and words for people. All
// others are the same in calls of one shape: one may say that there is to be no sandbox.
var written = []string{"command", "cmd", "script", "content", "contents", "new_string", "old_string", "file_text", "description", "timeout"}

// assigns finds what facts do not speak for in a command line: variables that it sets, and
// texts that it gives a program to read.
var assigns = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[\s;&|(` + "`" + `])[A-Za-z_][A-Za-z0-9_]*\+?=|\$env:|(?i)\b(set|export|declare|env)\s|<<`)
})

// shape is the same for calls of one shape; "" is a call that has none: what it would do
// is not known for sure.
func (c *Call) shape() (string, error) {
	facts := shapely(c.Facts)
	if len(facts) == 0 {
		return "", nil
	}
	runs := c.running()
	if !runs.known || runs.err != nil {
		return "", runs.err
	}
	rest := maps.Clone(c.Input)
	for _, name := range written {
		text, _ := rest[name].(string)
		if assigns().MatchString(text) && slices.Index(written, name) < 3 {
			return "", nil
		}
		delete(rest, name)
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return "", err
	}
	parts := [][]byte{[]byte("shape"), []byte(c.Agent), []byte(c.folder()), c.tool(), canonical(rest), text}
	deed := sum(append(parts, runs.parts...)...)
	return deed + ":" + sum([]byte(c.Hook), []byte(c.Rule), []byte(c.kind())), nil
}

// deedOf is the part of a shape that a no is for: what would be done, whoever asks about it.
func deedOf(shape string) string {
	deed, _, _ := strings.Cut(shape, ":")
	return deed
}

// shapely gives facts as they are in every call of the same shape, or nil.
func shapely(all []hook.Fact) []hook.Fact {
	told := spoken{}
	for i := range all {
		f := &all[i]
		if !f.Sure || f.Does == "unknown" || f.Does == "execute" {
			return nil
		}
		told.hear(f)
	}
	facts := slices.Clone(all)
	for i := range facts {
		facts[i].At = hook.Span{}
		facts[i].Args = told.plain(facts[i].Args)
	}
	slices.SortStableFunc(facts, func(a, b hook.Fact) int {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return slices.Compare(x, y)
	})
	return facts
}

// spoken are the paths that facts speak for. A word of a program that facts do not speak for
// is the same in calls of one shape: an option may send a file, or ask a proxy.
type spoken struct{ paths []string }

func (s *spoken) hear(f *hook.Fact) {
	if f.Path != "" {
		s.paths = append(s.paths, f.Path)
	}
}

// plain gives words as they are however they are written: the letters of an option in their
// order, and a path as its fact has it.
func (s *spoken) plain(words []string) []string {
	var out []string
	for _, w := range words {
		if letters := strings.TrimPrefix(w, "-"); len(letters) > 1 && len(letters) < 6 && letters != w && strings.Trim(letters, lowerLetters) == "" {
			b := []byte(letters)
			slices.Sort(b)
			w = "-" + string(b)
		} else if p := s.path(w); p != "" {
			w = p
		}
		out = append(out, w)
	}
	return out
}

const lowerLetters = "abcdefghijklmnopqrstuvwxyz"

// path is the path that a word names, if a fact has it.
func (s *spoken) path(w string) string {
	clean := path.Clean(w)
	if w == "" || strings.HasPrefix(w, "-") || strings.HasPrefix(clean, "..") || strings.Contains(w, "://") {
		return ""
	}
	for _, p := range s.paths {
		if p == clean || !strings.HasPrefix(clean, "/") && strings.HasSuffix(p, "/"+clean) {
			return p
		}
	}
	return ""
}
