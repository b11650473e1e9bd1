package scaffold

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookway/hookway/docs/schema"
	"github.com/hookway/hookway/internal/config"
)

//go:embed template/hookway.yaml
var templateConfig []byte

//go:embed template/user.yaml
var templateUser []byte

//go:embed template/hooks_test.yaml
var templateCases []byte

// Workspace writes three hooks with their tests into a folder, switches hookway's own
// rules on, and trusts them if there are no others.
func Workspace(options config.Options, dir string) (written []string, trusted bool, err error) {
	editorSchema, err := schema.Get("config")
	if err != nil {
		return nil, false, err
	}
	if other := existing(dir, "hookway.yaml", "hookway.yml"); other != "" {
		return nil, false, fmt.Errorf("%s exists already; edit it, or remove it first", other)
	}
	alone := existing(dir, ".hookway/hooks", ".acai/hooks") == ""
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"hookway.yaml", templateConfig},
		{"hooks_test.yaml", templateCases},
		{".hookway/config.schema.json", editorSchema},
	} {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		switch err := writeNew(path, f.text); {
		case errors.Is(err, fs.ErrExist): // kept as it is
		case err != nil:
			return written, false, err
		default:
			written = append(written, path)
		}
	}
	if alone {
		options.Dir = dir
		if _, err := config.Trust(options); err != nil {
			return written, false, fmt.Errorf("the files are written, but the folder cannot be trusted: %w", err)
		}
	}
	return written, alone, nil
}

// User writes the user's own configuration.
func User(dir string) (written []string, err error) {
	editorSchema, err := schema.Get("config")
	if err != nil {
		return nil, err
	}
	if other := existing(dir, "hookway.yaml", "hookway.yml"); other != "" {
		return nil, fmt.Errorf("%s exists already; add to it: hookway schema config describes its keys", other)
	}
	written = []string{filepath.Join(dir, "hookway.yaml")}
	if existing(dir, "config.schema.json") == "" { // else it is kept as it is
		path := filepath.Join(dir, "config.schema.json")
		if err := writeNew(path, editorSchema); err != nil {
			return nil, err
		}
		written = append(written, path)
	}
	return written, writeNew(written[0], templateUser)
}

// existing gives the first of the names that is there.
func existing(dir string, names ...string) string {
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	return ""
}

// writeNew writes a file that must not exist yet.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("the folder cannot be made: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("the file cannot be written: %w", err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
