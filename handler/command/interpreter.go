package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// interpreters run scripts that do not say themselves what runs them: by
// extension, in the order in which they are looked for.
var interpreters = map[string][]string{
	".sh":   {"sh"},
	".bash": {"bash"},
	".py":   {"python3"},
	".rb":   {"ruby"},
	".pl":   {"perl"},
	".js":   {"node"},
	".mjs":  {"node"},
	".cjs":  {"node"},
	".ts":   {"tsx", "bun", "node"},
}

// Interpreter returns the program and arguments that run a file of a hooks
// folder: what its first line (#!) says, else by its extension, else the file
// itself if it may be executed. The error says what to do. A TypeScript file is
// run by tsx, bun or node, whichever is found first; node has to be 22.18 or
// newer. They are looked for on the PATH of WithEnviron, else on ours.
func Interpreter(ctx context.Context, path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be run: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file; a hook is a program or a script", path)
	}
	line, err := shebang(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read; give yourself leave to (chmod +r): %w", path, err)
	}
	if line != "" {
		argv, err := shebangArgv(environOf(ctx), line)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be run: %w", path, err)
		}
		if executable(path, info) {
			return []string{path}, nil
		}
		return append(argv, path), nil
	}
	if names := interpreters[strings.ToLower(filepath.Ext(path))]; names != nil {
		return byExtension(environOf(ctx), path, names)
	}
	if executable(path, info) {
		return []string{path}, nil
	}
	return nil, fmt.Errorf("%s cannot be run: it is not executable and names no interpreter; run chmod +x %s, or begin it with a line such as #!/bin/sh", path, path)
}

func byExtension(base *environment, path string, names []string) ([]string, error) {
	for _, name := range names {
		if found, err := base.lookPath(name, ""); err == nil {
			return []string{found, path}, nil
		}
	}
	if len(names) == 1 {
		return nil, fmt.Errorf("%s needs %s, which is not on PATH; install %s", path, names[0], names[0])
	}
	return nil, fmt.Errorf("%s needs one of %s, and none is on PATH; install %s, or Node 22.18 or newer", path, strings.Join(names, ", "), names[0])
}
