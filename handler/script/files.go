package script

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// maxFile bounds what a script reads or writes at once.
const maxFile = 16 << 20

// fileOp is one thing that a script does with files. Relative names start from
// the folder in which the agent works.
type fileOp struct {
	grant Grant
	do    func(path string, args []json.RawMessage) (any, error)
}

var fileOps = map[string]fileOp{
	"readFile":   {Read, readFile},
	"readdir":    {Read, readDir},
	"stat":       {Read, stat},
	"writeFile":  {Write, func(path string, args []json.RawMessage) (any, error) { return nil, writeFile(path, args, os.O_TRUNC) }},
	"appendFile": {Write, func(path string, args []json.RawMessage) (any, error) { return nil, writeFile(path, args, os.O_APPEND) }},
	"mkdir":      {Write, func(path string, _ []json.RawMessage) (any, error) { return nil, os.MkdirAll(path, 0o755) }},
	"rm":         {Write, remove},
}

// now does it at once. What fails is thrown with its code, by the script.
func (op fileOp) now(name string) func(*machine, []json.RawMessage) (any, error) {
	return func(m *machine, args []json.RawMessage) (any, error) {
		value, err := m.p.file(name, op, m.folder(), args)
		if err != nil {
			return map[string]any{"error": json.RawMessage(failure(err))}, nil
		}
		return map[string]any{"value": value}, nil
	}
}

// later does it while the script goes on.
func (op fileOp) later(name string) work {
	return func(ctx context.Context, p *Program, args json.RawMessage) (any, error) {
		return p.file(name, op, p.workDir(ctx), texts(args))
	}
}

func (p *Program) file(name string, op fileOp, dir string, args []json.RawMessage) (any, error) {
	if err := p.need(op.grant, name); err != nil {
		return nil, err
	}
	path := str(args, 0)
	if path == "" {
		return nil, fmt.Errorf("%s needs the name of a file", name)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, filepath.FromSlash(path))
	}
	value, err := op.do(path, args)
	if err == nil {
		return value, nil
	}
	code := "EIO"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = "ENOENT"
	case errors.Is(err, fs.ErrPermission):
		code = "EACCES"
	case errors.Is(err, fs.ErrExist):
		code = "EEXIST"
	}
	return nil, &told{Message: fmt.Sprintf("%s: %s: %v", code, name, err), More: map[string]any{"code": code, "path": path}}
}

func readFile(path string, _ []json.RawMessage) (any, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s has more than %d MiB", path, maxFile>>20)
	}
	if utf8.Valid(data) {
		return map[string]string{"text": string(data)}, nil
	}
	return map[string]string{"base64": base64.StdEncoding.EncodeToString(data)}, nil
}

func readDir(path string, _ []json.RawMessage) (any, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

func stat(path string, _ []json.RawMessage) (any, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return map[string]any{"size": info.Size(), "mtimeMs": info.ModTime().UnixMilli(), "file": info.Mode().IsRegular(), "folder": info.IsDir()}, nil
}

// writeFile writes {text} or {base64}.
func writeFile(path string, args []json.RawMessage, how int) error {
	var body struct{ Text, Base64 string }
	if len(args) > 1 {
		if err := json.Unmarshal(args[1], &body); err != nil {
			return err
		}
	}
	data := []byte(body.Text)
	if body.Base64 != "" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(body.Base64); err != nil {
			return err
		}
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return fmt.Errorf("%s is no file", path) // a pipe would keep the script, which nothing could stop then
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|how, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// remove takes away a file, or an empty folder.
func remove(path string, args []json.RawMessage) (any, error) {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) && len(args) > 1 && string(args[1]) == "true" {
		return nil, nil
	}
	return nil, err
}
