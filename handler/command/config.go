package command

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/environ"
)

// DefaultGrace is the time between SIGTERM and SIGKILL.
const DefaultGrace = 2 * time.Second

// Config says which program to run, and how. Either Argv or Shell is needed.
type Config struct {
	// Argv is the program and its arguments. A bare name is looked up on PATH; a
	// relative path starts from Dir, else from Project, else from the event's CWD.
	Argv []string

	// Shell is a line for the system's shell: /bin/sh -c, on Windows cmd.exe /c.
	Shell string

	// Worker keeps one process for all events; see the package comment.
	Worker bool

	// Dir is the working directory. Empty is the event's CWD, else ours; for a
	// worker, which serves events of many folders, Project, else ours.
	Dir string

	// Env is added to the environment, KEY=VALUE each.
	Env []string

	// Needs names the variables that a worker gets of the environment it is run
	// for, besides those that every program gets; see WithEnviron.
	Needs []string

	// Project is HOOKWAY_PROJECT_DIR and CLAUDE_PROJECT_DIR. Empty is the working directory.
	Project string

	// Profile keeps the habits of another hook system when answers are read.
	Profile hook.Profile

	// TextPasses makes text on stdout that is not JSON no opinion; see wire.Answer.
	TextPasses bool

	// EventNames gives, by canonical event name, the hook_event_name that this
	// hook gets, where that is another one.
	EventNames map[string]string

	// Log gets what the program prints on stderr without failing, and warnings: a
	// record for each line, clean and bounded. Nil drops them.
	Log *slog.Logger

	// Grace is the time between SIGTERM and SIGKILL; zero is DefaultGrace.
	Grace time.Duration
}

// check finds all that is wrong with a configuration.
func (c *Config) check() error {
	var errs []error
	switch {
	case len(c.Argv) > 0 && c.Shell != "":
		errs = append(errs, errors.New("a command is either a list (program and arguments) or a shell line, not both"))
	case len(c.Argv) == 0 && strings.TrimSpace(c.Shell) == "":
		errs = append(errs, errors.New("the command is empty; name a program"))
	case len(c.Argv) > 0 && strings.TrimSpace(c.Argv[0]) == "":
		errs = append(errs, errors.New("the command's first entry is empty; it must be the program"))
	}
	for _, text := range append([]string{c.Shell, c.Dir, c.Project}, c.Argv...) {
		if strings.ContainsRune(text, 0) {
			errs = append(errs, fmt.Errorf("%q has a NUL byte, which no program can be given", text))
		}
	}
	for _, entry := range c.Env {
		if name, _, ok := strings.Cut(entry, "="); !ok || name == "" || strings.ContainsRune(entry, 0) {
			errs = append(errs, fmt.Errorf("environment entry %q must be NAME=VALUE", hook.LogLine(entry)))
		}
	}
	for _, name := range c.Needs {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			errs = append(errs, fmt.Errorf("invalid variable name %q in what the worker needs", hook.LogLine(name)))
		}
	}
	if c.Grace < 0 {
		errs = append(errs, fmt.Errorf("a grace of %v is impossible; zero is the default of %v", c.Grace, DefaultGrace))
	}
	return errors.Join(errs...)
}

// settled is the configuration with its folders made absolute, so that they mean
// the same wherever the program is started.
func (c Config) settled() (Config, error) {
	for _, dir := range []*string{&c.Dir, &c.Project} {
		if *dir == "" {
			continue
		}
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return c, fmt.Errorf("the folder %s cannot be found: %w", *dir, err)
		}
		*dir = abs
	}
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	return c, nil
}

// label names the program in errors.
func (c *Config) label() string {
	text := c.Shell
	if text == "" {
		text = strings.Join(c.Argv, " ")
	}
	text = hook.LogLine(text)
	if cut := []rune(text); len(cut) > 120 {
		text = string(cut[:120]) + "…"
	}
	return text
}

// spec says what to start, for whom. cwd is the event's working directory,
// possibly empty.
func (c *Config) spec(base *environment, cwd string, env ...string) spec {
	s := spec{argv: c.Argv, dir: c.Dir, base: base, left: c.Profile.Together}
	if c.Shell != "" {
		s.argv = shellArgv(c.Shell)
	}
	if s.dir == "" && filepath.IsAbs(cwd) {
		s.dir = cwd
	}
	project := c.Project
	if project == "" {
		project = s.dir
	}
	if project == "" {
		project = base.folder()
	}
	if name := s.argv[0]; c.Dir == "" && c.Project != "" && !filepath.IsAbs(name) && filepath.Base(name) != name {
		s.argv = append([]string{filepath.Join(c.Project, name)}, s.argv[1:]...)
	}
	s.env = append(base.all(), "HOOKWAY_PROJECT_DIR="+project, "CLAUDE_PROJECT_DIR="+project)
	if s.dir != "" {
		s.env = append(s.env, "PWD="+s.dir)
	}
	s.env = append(append(s.env, env...), c.Env...)
	s.env = append(s.env, environ.Deeper(base.depth())) // last: a hook cannot set it back
	return s
}

// maxLogLines bounds what one run of a program may log.
const maxLogLines = 100

// logLines returns text to Log, line by line.
func (c *Config) logLines(text []byte) {
	if c.Log == nil || len(text) == 0 {
		return
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if n++; n > maxLogLines {
			c.log(fmt.Sprintf("%s: more than %d lines on stderr; the rest is left out", c.label(), maxLogLines))
			return
		}
		c.log(line)
	}
}

func (c *Config) log(line string) {
	if c.Log == nil {
		return
	}
	if line = hook.LogLine(line); line != "" {
		c.Log.Info(line)
	}
}
