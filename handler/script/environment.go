package script

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/bundle"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/environ"
)

// A script sees of the environment what every program needs, and the variables whose
// names stand in its own text, which trust has pinned; so it cannot look through all
// that the agent was given, its keys among it. One that may run programs sees all.

// everyones are the variables that any script sees, and those whose names begin so.
var (
	everyones = []string{
		"HOME", "PATH", "PWD", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "USER", "LOGNAME", "SHELL", "TMPDIR", "CI", "NODE_ENV", "DEBUG",
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "OS",
	}
	everyonesBegin = []string{"HOOKWAY_", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_", "LC_", "XDG_"}
	// ofOthers begin like those, and may be secret.
	ofOthers = []string{"HOOKWAY_TOKEN", "CLAUDE_PLUGIN_OPTION_"}
)

// readsOf finds where code reads a variable: env.NAME, env["NAME"], and {NAME} = env.
var readsOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\benv\\s*\\??\\.\\s*([A-Za-z_]\\w*)|\\benv\\s*(?:\\?\\.)?\\[\\s*[\"'`]([A-Za-z_]\\w*)[\"'`]|\\{([^{}]*)\\}\\s*=\\s*(?:[\\w$]+\\s*\\.\\s*)*env\\b")
})

// Variables are those of the environment that the script names, beside what any script
// sees: those that its own code reads in plain text, those that environ has and whose
// names stand in it, and those that the user gives it. all: it sees every variable.
func (p *Program) Variables(environ []string) (names []string, all bool) {
	found := map[string]bool{}
	for _, file := range p.b.Files {
		text, err := disk.Read(file, bundle.MaxSource)
		if err != nil || strings.Contains(filepath.ToSlash(file), "/node_modules/") {
			continue
		}
		for _, m := range readsOf().FindAllSubmatch(text, -1) {
			found[string(m[1])+string(m[2])] = true
			for part := range strings.SplitSeq(string(m[3]), ",") {
				name, _, _ := strings.Cut(part, ":")
				name, _, _ = strings.Cut(name, "=")
				found[strings.TrimSpace(name)] = true
			}
		}
	}
	for _, entry := range slices.Concat(environ, p.c.Env) {
		if name, _, _ := strings.Cut(entry, "="); p.b.Names[name] || p.named()[name] {
			found[name] = true
		}
	}
	for _, name := range p.c.Needs {
		found[name] = true
	}
	names = slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(name string) bool {
		return name == "" || name == "_" || strings.HasPrefix(name, "...") || everyone(name)
	})
	return names, slices.Contains(p.c.Allow, Exec)
}

// sees reports whether the script may read a variable.
func (p *Program) sees(name string) bool {
	return slices.Contains(p.c.Allow, Exec) || p.b.Names[name] || p.named()[name] || everyone(name)
}

// everyone reports whether any script sees a variable.
func everyone(name string) bool {
	upper := name
	if runtime.GOOS == "windows" {
		upper = strings.ToUpper(name)
	}
	begins := func(with string) bool { return strings.HasPrefix(upper, with) }
	return slices.Contains(everyones, upper) || slices.ContainsFunc(everyonesBegin, begins) && !slices.ContainsFunc(ofOthers, begins)
}

// named are the names in what the user says: to a plugin, as "${TOKEN}", or beside the
// script.
func (p *Program) named() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asSettings == nil {
		p.asSettings = bundle.AddNames(nil, string(p.c.Settings))
		for _, name := range p.c.Needs {
			p.asSettings[name] = true
		}
		for _, entry := range p.c.Env {
			name, _, _ := strings.Cut(entry, "=")
			p.asSettings[name] = true
		}
	}
	return p.asSettings
}

// environOf is the environment of the event that is handled.
func (m *machine) environOf() []string {
	if m.cur == nil {
		return os.Environ()
	}
	return environIn(m.cur.ctx, m.p)
}

func environIn(ctx context.Context, p *Program) []string {
	if r := runOf(ctx); r != nil && r.Environ != nil {
		return r.Environ
	}
	env := eventEnviron(ctx, p)
	return append(env[:len(env):len(env)], p.c.Env...)
}

func eventEnviron(ctx context.Context, p *Program) []string {
	if w, ok := hook.SessionOf(ctx); ok {
		return w.Env()
	}
	if p.c.Environ != nil {
		return p.c.Environ(ctx)
	}
	return os.Environ()
}

// folder is where the agent works whose event is handled.
func (m *machine) folder() string {
	if m.cur == nil {
		return m.p.c.Root
	}
	return m.p.workDir(m.cur.ctx)
}

// headKey finds the envelope of the event that is handled in a context.
type headKey struct{}

func headOf(ctx context.Context) *hook.Envelope {
	if head, ok := ctx.Value(headKey{}).(*hook.Envelope); ok {
		return head
	}
	return new(hook.Envelope)
}

func (p *Program) workDir(ctx context.Context) string {
	if r := runOf(ctx); r != nil && cmp.Or(r.dir, r.Dir) != "" {
		return cmp.Or(r.dir, r.Dir)
	}
	if w, ok := hook.SessionOf(ctx); ok && w.Dir() != "" {
		return w.Dir()
	}
	if dir := headOf(ctx).CWD; filepath.IsAbs(dir) {
		return dir
	}
	return p.c.Root
}

// lookPath finds a program on the PATH that it will have, or returns "".
func lookPath(name string, env []string) string {
	if _, set := environ.Lookup(env, "PATH"); !set {
		env = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
	}
	found, _ := environ.LookPath(env, name, "")
	return found
}
