package doctor

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/internal/visible"
)

// module is what every program of hookway is built from.
const module = "github.com/hookway/hookway"

// build says which hookway a program is.
type build struct{ version, revision string }

// String is the version, and where it does not say enough, the revision.
func (b build) String() string {
	if b.version == "devel" && b.revision != "" {
		return "devel " + b.revision[:min(12, len(b.revision))]
	}
	return b.version
}

// buildOf reads from a program which hookway it is.
func buildOf(path string) (build, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return build{}, err
	}
	if info.Main.Path != module {
		return build{}, fmt.Errorf("it is not a program of hookway but of %s", info.Main.Path)
	}
	b := build{version: info.Main.Version}
	if b.version == "" || b.version == "(devel)" {
		b.version = "devel"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.revision = s.Value
		}
	}
	return b, nil
}

// foreign reports whether a program is none of hookway's. Where hookway's own does not say
// what it is, others of it need not either.
func (c *Checkup) foreign(path string) bool {
	_, own := buildOf(c.Executable)
	_, theirs := buildOf(path)
	return own == nil && theirs != nil
}

const getShim = "go install github.com/hookway/hookway/cmd/...@latest, or make build in the source"

// programs looks at hookway's two programs.
func (c *Checkup) programs() Section {
	s := Section{Name: "programs", Title: "Programs"}
	s.ok("hookway %s, %s", c.Version, c.Executable)
	if _, err := install.FindShim(c.Executable); err != nil {
		s.fail(getShim, "hookway-hook, the program that agents call, is neither beside hookway nor in PATH")
		return s
	}
	c.compare(&s, c.shim)
	if full, ok := c.fullOf(c.shim); !ok {
		s.warn("put hookway beside "+c.shim+", or its folder into PATH", "hookway-hook finds no hookway: it can start no daemon, and refuses where there is none")
	} else if !same(full, c.Executable) && c.differs(full) {
		s.warn("remove the older of the two", "hookway-hook calls another hookway than this: %s", full)
	}
	for _, name := range []string{"hookway", "hookway-hook"} {
		if all := c.inPath(name); len(all) > 1 {
			s.warn("keep one of them: agents may find another than you", "PATH has %s of %s: %s", visible.Count(len(all), "version"), name, strings.Join(all, ", "))
		}
	}
	return s
}

// compare looks whether the shim is of this version.
func (c *Checkup) compare(s *Section, shim string) {
	theirs, err := buildOf(shim)
	if err != nil {
		s.warn("install it anew: "+getShim, "%s: its version cannot be read: %v", shim, err)
		return
	}
	ours, err := buildOf(c.Executable)
	if err == nil && ours != theirs {
		s.warn("install both at once: "+getShim, "%s is of another version: %v, and hookway is %v", shim, theirs, ours)
		return
	}
	s.ok("hookway-hook %v, %s", theirs, shim)
}

// differs reports whether another program is a hookway of another version.
func (c *Checkup) differs(path string) bool {
	theirs, err1 := buildOf(path)
	ours, err2 := buildOf(c.Executable)
	return err1 != nil || err2 != nil || theirs != ours
}

// fullOf finds the hookway that a shim starts: beside it, else in PATH.
func (c *Checkup) fullOf(shim string) (string, bool) {
	if real, err := filepath.EvalSymlinks(shim); err == nil {
		shim = real
	}
	for _, dir := range append([]string{filepath.Dir(shim)}, filepath.SplitList(c.Getenv("PATH"))...) {
		if file := filepath.Join(dir, "hookway"+suffix()); filepath.IsAbs(dir) && runnable(file) {
			return file, true
		}
	}
	return "", false
}

// inPath lists the programs of a name in PATH that are of different versions.
func (c *Checkup) inPath(name string) []string {
	var files []string
	var builds []build
	for _, dir := range filepath.SplitList(c.Getenv("PATH")) {
		file := filepath.Join(dir, name+suffix())
		if !runnable(file) || slices.ContainsFunc(files, func(other string) bool { return same(other, file) }) {
			continue
		}
		b, err := buildOf(file)
		if err == nil && slices.Contains(builds, b) {
			continue
		}
		files, builds = append(files, file), append(builds, b)
	}
	return files
}

func suffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// runnable reports whether a file can be run.
func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}

// same reports whether two paths lead to one file.
func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
