package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/internal/bundle"
)

// require finds what a script asks for by a name that is computed: a module of
// ours, or a file, which is bundled now. That reads it, so it needs the grant.
func require(m *machine, args []json.RawMessage) (any, error) {
	name, from := str(args, 0), str(args, 1)
	if part, ok := bundle.Nodes[strings.TrimPrefix(name, "node:")]; ok {
		return map[string]string{"part": part}, nil
	}
	if err := m.p.need(Read, "require"); err != nil {
		return nil, fmt.Errorf("an import whose name is computed is not bundled; import each file by its name: %w", err)
	}
	dir := from
	if filepath.Ext(from) != "" {
		dir = filepath.Dir(from)
	}
	file, err := m.p.b.Require(dir, name)
	switch {
	case errors.Is(err, bundle.ErrNotFound):
		return wrong("MODULE_NOT_FOUND", fmt.Sprintf("Cannot find module '%s'\nRequire stack:\n- %s", name, from)), nil
	case errors.Is(err, bundle.ErrSpecifier):
		return wrong("ERR_INVALID_MODULE_SPECIFIER", err.Error()), nil
	case err != nil:
		return nil, err
	}
	found := map[string]string{"file": file.File, "folder": filepath.Dir(file.File)}
	if len(args) > 2 && string(args[2]) == "true" {
		return found, nil
	}
	if strings.EqualFold(filepath.Ext(file.File), ".json") {
		if found["json"], err = file.Text(); err != nil {
			return wrong("EACCES", err.Error()), nil
		}
		return found, nil
	}
	code, err := file.Code(exports)
	if err != nil {
		return wrong("ERR_REQUIRE", err.Error()), nil
	}
	found["code"] = "(function (module, exports, require, __filename, __dirname) {" + code + "\n})"
	return found, nil
}
