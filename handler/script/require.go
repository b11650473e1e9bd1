package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// require finds what a script asks for by a name that is computed: a module of
// ours, or a file, which is bundled now. That reads it, so it needs the grant.
func require(m *machine, args []json.RawMessage) (any, error) {
	name, from := str(args, 0), str(args, 1)
	if part, ok := nodes[strings.TrimPrefix(name, "node:")]; ok {
		return map[string]string{"part": part}, nil
	}
	if err := m.p.need(Read, "require"); err != nil {
		return nil, fmt.Errorf("an import whose name is computed is not bundled; import each file by its name: %w", err)
	}
	dir := from
	if filepath.Ext(from) != "" {
		dir = filepath.Dir(from)
	}
	files, err := newFinder(dir, dir, true)
	if err != nil {
		return nil, err
	}
	path, err := files.find(dir, name, true)
	if errors.Is(err, errNotThere) {
		return wrong("MODULE_NOT_FOUND", fmt.Sprintf("Cannot find module '%s'\nRequire stack:\n- %s", name, from)), nil
	}
	if err != nil {
		return wrong("ERR_INVALID_MODULE_SPECIFIER", err.Error()), nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	found := map[string]string{"file": path, "folder": filepath.Dir(path)}
	if len(args) > 2 && string(args[2]) == "true" {
		return found, nil
	}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		text, err := files.read(path)
		if err != nil {
			return wrong("EACCES", err.Error()), nil
		}
		found["json"] = text
		return found, nil
	}
	code, err := m.p.module(files, path)
	if err != nil {
		return wrong("ERR_REQUIRE", err.Error()), nil
	}
	found["code"] = "(function (module, exports, require, __filename, __dirname) {" + code + "\n})"
	return found, nil
}

// module bundles one more file, with what it imports.
func (p *Program) module(files *finder, path string) (string, error) {
	files.entry = p.real()
	options := buildOptions(path, filepath.Dir(path))
	options.Stdin, options.EntryPoints = nil, []string{path}
	options.Format, options.Sourcemap, options.Outfile = api.FormatCommonJS, api.SourceMapNone, filepath.Join(filepath.Dir(path), "required.js")
	if p.b.program {
		options.Supported = watched
	}
	options.TsconfigRaw, options.Plugins = files.config.raw(), append(options.Plugins, files.plugin())
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return "", mistakes(result.Errors)
	}
	for _, out := range result.OutputFiles {
		return string(out.Contents), nil
	}
	return "", errors.New("nothing came of " + path)
}
