package bundle

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/disk"
)

// Required is what a script asks for while it runs, by a name that is computed.
type Required struct {
	File string // with links followed

	files *finder
	of    *Bundle
}

// Errors of Require.
var (
	ErrNotFound  = errors.New("no such module")
	ErrSpecifier = errors.New("no such name of a module")
)

// Require finds the file that a name means in a folder. The error is ErrNotFound or
// ErrSpecifier if it means none.
func (b *Bundle) Require(dir, name string) (*Required, error) {
	files, err := newFinder(dir, dir, true)
	if err != nil {
		return nil, err
	}
	path, err := files.find(dir, name, true)
	if errors.Is(err, errNotThere) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSpecifier, err)
	}
	files.entry = disk.Real(b.File)
	return &Required{disk.Real(path), files, b}, nil
}

// Text is the text of the file.
func (r *Required) Text() (string, error) { return r.files.read(r.File) }

// Code is the file with what it imports, as a module of CommonJS.
func (r *Required) Code(exports func() (*Exports, error)) (string, error) {
	dir := filepath.Dir(r.File)
	options := buildOptions(r.File, dir, exports)
	options.Stdin, options.EntryPoints = nil, []string{r.File}
	options.Format, options.Sourcemap, options.Outfile = api.FormatCommonJS, api.SourceMapNone, filepath.Join(dir, "required.js")
	if r.of.Program {
		options.Supported = watched
	}
	options.TsconfigRaw, options.Plugins = r.files.config.raw(), append(options.Plugins, r.files.plugin())
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return "", Mistakes(result.Errors)
	}
	for _, out := range result.OutputFiles {
		return string(out.Contents), nil
	}
	return "", errors.New("nothing came of " + r.File)
}
