package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// loader has the steps of one load, in the order in which they are taken.
type loader struct {
	*load
	scripts  *scripts
	files    *files
	pinner   *pinner
	asker    *asker
	builder  *builder
	memories *memories
}

func newLoader(opts Options) (*loader, error) {
	base, err := newLoad(opts)
	if err != nil {
		return nil, err
	}
	l := &loader{load: base, scripts: &scripts{load: base}, memories: &memories{load: base}}
	l.files = &files{load: base, scripts: l.scripts}
	l.pinner = &pinner{load: base, scripts: l.scripts}
	l.asker = &asker{load: base, scripts: l.scripts, memories: l.memories}
	l.builder = &builder{load: base, scripts: l.scripts}
	l.scripts.late = l.builder.buildLate
	return l, nil
}

// Load finds and reads the configuration. Mistakes in files are not errors: they
// are the set's Problems, and each file that has one is left out whole while the
// others are used. The error means that nothing could be looked for at all. The
// set must be closed.
//
// Executables in hook folders that run are asked for their events, once for each
// version of them; the context bounds that.
func Load(ctx context.Context, opts Options) (*Set, error) {
	l, err := newLoader(opts)
	if err != nil {
		return nil, err
	}
	if opts.Environ != nil {
		ctx = command.WithEnviron(ctx, opts.Environ)
	}
	defer l.scripts.closePrograms()
	l.readTrust()
	l.passOver()
	l.tellGraphQLRelay()
	l.files.readManaged()
	l.files.readUser()
	if l.settled() {
		l.files.readWorkspace()
		l.pinner.pinWorkspace()
		l.judge()
	}
	l.files.settleImports()
	l.asker.expand(ctx, &l.managed)
	l.asker.expand(ctx, &l.user)
	l.asker.expand(ctx, &l.work)
	l.asker.askFolders(ctx)
	l.assemble(ctx)
	for i := range l.set.Hooks {
		within(&l.set.Hooks[i].Match, l.workspace)
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the configuration was cancelled: %w", err), l.set.Close())
	}
	return l.set, nil
}

// judge decides whether the workspace's hooks may run.
func (l *load) judge() {
	if l.workspace == "" {
		return
	}
	status := l.trust.Status(l.workspace, l.pinned.Manifest)
	switch {
	case l.opts.File != "":
		status.State, status.Changes = trust.Named, nil
	case l.opts.getenv("HOOKWAY_TRUST") == "1":
		status.State, status.Changes = trust.Environment, nil
	}
	l.set.Trust = status
	for _, s := range l.work.sources() {
		s.runs, s.pinned = status.State.Runs(), status.State == trust.Given
	}
	broken := l.work.yaml != nil && l.work.file == nil
	if !broken || status.State != trust.Changed || !l.onlyYAML(l.trust.Workspaces[l.workspace].Files) {
		return
	}
	for _, f := range l.work.folders {
		f.runs, f.pinned = true, true
	}
}

// onlyYAML reports whether hookway.yaml alone is not as it was trusted. If it has
// a mistake, the executables of the hook folders, which do not depend on it,
// still run: a bad file does not disable the hooks of a good one.
func (l *load) onlyYAML(trusted trust.Manifest) bool {
	isYAML := func(name string) bool { return name == fileName || name == fileNameYML }
	for name, value := range trusted {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.workspace, path)
		}
		if now, err := trust.HashFile(path); !isYAML(name) && (err != nil || now.Value != value) {
			return false
		}
	}
	for name := range l.pinned.Manifest {
		for _, f := range workspaceFolders {
			if _, known := trusted[name]; !known && strings.HasPrefix(name, f.path+"/") {
				return false
			}
		}
	}
	return true
}

// assemble puts everything in order.
func (l *loader) assemble(ctx context.Context) {
	for _, la := range []*layer{&l.managed, &l.user, &l.work} {
		if la.file == nil { // it has problems, or is not there
			la.found = nil
		}
		for _, f := range la.folders {
			la.found = append(la.found, f.found...)
		}
		for _, f := range la.found {
			la.settleTrial(f)
			h, err := l.builder.build(f)
			if err != nil {
				l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: f.spec.node.Line, Hook: f.spec.id, Message: strict.Line(err.Error())})
				l.set.leaveOut(f)
				continue
			}
			l.checkProgram(ctx, f)
			l.set.Hooks = append(l.set.Hooks, h)
		}
		if la.file != nil && la.yaml.runs {
			l.set.Settings.take(la.file)
			if la != &l.work {
				l.set.userAsk = l.set.Settings.AskFallback
			}
			if la == &l.managed {
				l.set.managedAsk = l.set.Settings.AskFallback
			}
			if la.file.gateway != nil {
				l.set.Gateway = la.file.gateway.config(la.yaml.dir)
			}
			if la != &l.work {
				var above *approvalsSpec
				if la != &l.managed && l.managed.file != nil {
					above = l.managed.file.approvals
				}
				l.set.Approvals.take(la.file.approvals, la.yaml.layer, la.yaml.dir, above)
			}
		}
	}
	if idle := time.Duration(slices.Max(append(l.asker.idle, 0))) * time.Millisecond; idle > 0 && l.set.Settings.IdleThreshold == DefaultIdleThreshold {
		l.set.Settings.IdleThreshold = min(idle, hook.MaxTimeout)
	}
	l.answerHooks()
	l.asker.settleWrapped()
	l.laterHook()
	l.memories.memory()
	l.readGuardLayers()
	l.set.settleGuards(l.opts.Guards)
	l.set.pinned, l.set.awaited = slices.Sorted(maps.Keys(l.pinned.Files)), l.pinned.Awaited
}

// settleTrial takes over what the layer's hookway.yaml says of all hooks: whether they
// are monitored. What an organisation has imported into Claude Code is not the layer's.
func (la *layer) settleTrial(f *found) {
	if f.spec.trial == nil && la.file != nil && (f.spec.claude == nil || !f.spec.claude.Managed) {
		f.spec.trial = la.file.trial
	}
	if f.script != nil {
		f.script.trial = f.spec.trial
	}
}

// checkProgram warns of a program that is not there. It is not a mistake of the
// file: the program may be installed later, and until then the hook's failure
// policy speaks.
func (l *loader) checkProgram(ctx context.Context, f *found) {
	program := f.command.program()
	if f.spec.handler.kind != "command" || program == "" || f.spec.disabled || !f.source.runs {
		return
	}
	_, err := command.LookPath(ctx, program)
	switch {
	case err == nil || errors.Is(err, exec.ErrDot):
	case errors.Is(err, fs.ErrPermission):
		l.set.Warn(f.place(), f.spec.id, fmt.Sprintf("the program %s may not be executed", program), "until it may (chmod +x), the hook fails")
	default:
		l.set.Warn(f.place(), f.spec.id, fmt.Sprintf("the program %s is not there", program), "until it is, the hook fails")
	}
}

// laterHook adds the hook that tells agents what imported hooks say in the background.
func (l *loader) laterHook() {
	for i := range l.set.Hooks {
		h := &l.set.Hooks[i]
		if h.Profile.Name != hook.ProfileClaude.Name || h.Lane != hook.Observe || h.State != Active {
			continue
		}
		options := []hook.Option{hook.Origin(h.Origin), hook.Timeout(memoryTimeout), hook.Priority(hook.DefaultPriority + 1), hook.Matching(hook.Match{Not: &hook.Match{Source: claudehooks.Readers}})}
		for _, info := range claudehooks.ToldAt {
			options = append(options, hook.For(info.Name))
		}
		told := Hook{Hook: hook.New("", claudehooks.TellLater{Texts: l.builder.laters()}, options...), State: Active, Layer: h.Layer, File: h.File, Kind: "command", Command: "hookway",
			Description: "tells agents what hooks in the background have said", name: laterID, source: h.source, rank: h.rank, mark: laterID + l.stateDir}
		l.set.Hooks = append(l.set.Hooks, told)
		return
	}
}
