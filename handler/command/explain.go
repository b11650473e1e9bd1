package command

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// program finds the file to run. A bare name is looked up on PATH; a relative
// path starts from the folder the program runs in.
func program(s spec) (string, error) {
	name := s.argv[0]
	if filepath.Base(name) == name {
		path, err := s.base.lookPath(name, s.dir)
		if err != nil && !errors.Is(err, exec.ErrDot) {
			return "", fmt.Errorf("%q is not on PATH; install it, or write the whole path (./%s for a file beside the config): %w", name, name, fs.ErrNotExist)
		}
		return path, err
	}
	if !filepath.IsAbs(name) && s.dir != "" {
		return filepath.Join(s.dir, name), nil
	}
	return name, nil
}

// explain turns an error of starting a program into one that says what to do.
func explain(s spec, err error) error {
	if err == nil {
		return nil
	}
	if info, statErr := os.Stat(s.dir); s.dir != "" && (statErr != nil || !info.IsDir()) {
		return fmt.Errorf("its working folder %s is not there; create it or set another: %w", s.dir, err)
	}
	path := s.argv[0]
	if filepath.Base(path) == path && errors.Is(err, fs.ErrNotExist) {
		return err // program has said it
	}
	if found, lookErr := program(s); lookErr == nil {
		path = found
	}
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("%s is not there; create it or correct the path: %w", path, fs.ErrNotExist)
	case statErr != nil:
		return fmt.Errorf("%s cannot be looked at: %w", path, statErr)
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a program in it: %w", path, err)
	case !executable(path, info):
		return fmt.Errorf("%s is not executable; run chmod +x %s: %w", path, path, err)
	}
	if advice := shebangAdvice(s, path); advice != "" {
		return fmt.Errorf("%s cannot be run: %s: %w", path, advice, err)
	}
	if errors.Is(err, syscall.ENOEXEC) {
		return fmt.Errorf("%s is not a program for this system; if it is a script, its first line must name its interpreter, as in #!/bin/sh: %w", path, err)
	}
	return fmt.Errorf("%s cannot be run: %w", path, err)
}

// shebangAdvice says what is wrong with a script's first line, or "".
func shebangAdvice(s spec, path string) string {
	line, err := shebang(path)
	if err != nil || line == "" {
		return ""
	}
	_, err = shebangArgv(s.base, line)
	if err != nil {
		return err.Error()
	}
	return ""
}

// shebang returns the first line of a script behind "#!", or "" if it has none.
// The line may end in a carriage return, which is part of what the system sees.
func shebang(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	first, err := bufio.NewReaderSize(f, 4096).ReadSlice('\n')
	if len(first) == 0 && err != nil {
		return "", nil // empty: no first line
	}
	line, ok := strings.CutPrefix(string(first), "#!")
	if !ok {
		return "", nil
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// shebangArgv splits the line as the system does, into the interpreter and at
// most one argument, and checks that the interpreter is there.
func shebangArgv(base *environment, line string) ([]string, error) {
	if strings.HasSuffix(line, "\r") {
		return nil, errors.New("its first line ends in a carriage return; save it with Unix line ends")
	}
	line = strings.TrimSpace(line)
	name, rest, _ := strings.Cut(line, " ")
	if i := strings.IndexByte(name, '\t'); i >= 0 {
		name, rest = line[:i], line[i+1:]
	}
	if name == "" {
		return nil, errors.New("its first line, #!, names no interpreter")
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("its interpreter %s is not there; install it or correct the first line", name)
	case info.IsDir() || !executable(name, info):
		return nil, fmt.Errorf("its interpreter %s is not executable; correct the first line", name)
	}
	argv := []string{name}
	if rest = strings.TrimSpace(rest); rest == "" {
		return argv, nil
	}
	if filepath.Base(name) == "env" && !strings.HasPrefix(rest, "-") && !strings.Contains(rest, "=") {
		if _, err := base.lookPath(rest, ""); err != nil {
			return nil, fmt.Errorf("its interpreter %s is not on PATH; install it or correct the first line", rest)
		}
	}
	return append(argv, rest), nil
}
