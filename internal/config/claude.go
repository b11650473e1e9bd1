package config

import (
	"slices"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
)

// Claude Code keeps hooks of its own in settings.json. With `import: claude` they
// run here, under every agent but itself, where they would run twice.

// importClaude is the word for Claude Code's hooks.
const importClaude = "claude"

// importer reads Claude Code's hooks into the set.
func (l *load) importer() *claudehooks.Import {
	i := &claudehooks.Import{
		Managed: l.opts.managedClaude, Known: l.known, Tools: l.checkTools, Pins: &l.pinned, Report: &l.set.Report,
		Check: func(url string, headers map[string]string) error {
			return (&web.Config{URL: url, Headers: headers, AllowLoopback: true}).Check()
		},
	}
	if i.Dir, i.Plugins = claudehooks.Places(l.opts.getenv, l.opts.home()); i.Managed == "" {
		i.Managed = claudehooks.ManagedDir()
	}
	return i
}

// claudeFolder is the folder with a workspace's settings, or "" for the user's.
func claudeFolder(src *source) string {
	if src.layer == LayerWorkspace {
		return src.dir
	}
	return ""
}

// importHooks adds the hooks that a hookway.yaml imports.
func (l *files) importHooks(into *layer, spec *fileSpec) {
	if !slices.Contains(spec.imports, importClaude) {
		return
	}
	l.claude.Workspace = l.workspace
	for _, s := range l.claude.Read(claudeFolder(into.yaml)) {
		from := *into.yaml
		from.path, from.dir, from.rank = s.Path, s.Dir, from.rank+s.Rank
		if s.Managed {
			from.layer, from.root, from.runs = LayerUser, "", true
		} else {
			into.imports = append(into.imports, &from)
		}
		for _, h := range s.Hooks {
			into.found = append(into.found, imported(&from, h))
		}
	}
}

// imported is a hook of Claude Code as one of ours.
func imported(src *source, h *claudehooks.Hook) *found {
	profile := hook.ProfileClaude
	spec := &hookSpec{
		node: h.Node, id: h.ID, events: []*hook.EventInfo{h.Event}, match: h.Match, profile: &profile, timeout: &h.Timeout, onFail: h.OnFailure, claude: h,
		env: h.Env, handler: handlerSpec{kind: h.Kind, shell: h.Shell, argv: h.Argv},
	}
	if h.Name != h.Event.Name {
		spec.told = map[string]string{h.Event.Name: h.Name}
	}
	if h.Background {
		spec.lane = hook.Observe
	}
	f := &found{spec: spec, source: src, file: h.File, broken: h.Broken}
	if h.Server != nil {
		spec.handler.web = &webSpec{Config: web.Config{URL: h.URL, Headers: h.Server.Headers, AllowLoopback: true}, url: h.At}
		return f
	}
	f.command = spec.command(src.dir)
	return f
}

// settleImports takes over what the settings of all layers together say of each hook.
func (l *files) settleImports() {
	l.claude.Settle(l.set.Trust.State.Runs())
	for _, la := range []*layer{&l.user, &l.work} {
		la.found = slices.DeleteFunc(la.found, func(f *found) bool { return f.spec.claude != nil && f.spec.claude.Twice })
		for _, f := range la.found {
			if h := f.spec.claude; h != nil {
				f.spec.disabled, f.spec.env, f.broken = h.Off, h.Env, h.Broken
			}
		}
	}
}
