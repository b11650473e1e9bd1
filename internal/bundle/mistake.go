package bundle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Mistake is one thing that is wrong with a script.
type Mistake struct {
	File         string // from the root of the bundle
	Line, Column int    // from 1
	Text         string
}

// Error gives the place and what is wrong.
func (m *Mistake) Error() string {
	if m.Line == 0 {
		return m.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Text)
}

// maxMistakes bounds how many are listed.
const maxMistakes = 20

// Mistakes is the error of what esbuild found wrong, each thing a [Mistake].
func Mistakes(list []api.Message) error {
	var errs []error
	for _, m := range list[:min(len(list), maxMistakes)] {
		one := &Mistake{Text: m.Text}
		if m.Location != nil && !strings.HasSuffix(m.Location.File, EntryName) {
			one.File, one.Line, one.Column = m.Location.File, m.Location.Line, m.Location.Column+1
		}
		if strings.HasPrefix(m.Text, "Could not resolve") {
			one.Text += "; " + missing(m.Text)
		}
		errs = append(errs, one)
	}
	return errors.Join(errs...)
}

// missing says what to do about an import that is not there.
func missing(text string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, `Could not resolve "`), `"`)
	switch {
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "/"), strings.HasPrefix(name, "file:"):
		return "there is no such file"
	case strings.HasPrefix(name, "node:"), slices.Contains(nodeOnly, name):
		return "this module of Node is not built in; write runtime: node beside script:, which has Node run the file"
	}
	return "it is not built in, and no node_modules folder from the file upwards has it; install it there"
}

// nodeOnly are modules of Node that people import without node: in front.
var nodeOnly = []string{"http2", "tls", "dns", "dgram", "cluster", "inspector", "v8", "sqlite", "async_hooks", "repl", "domain"}
