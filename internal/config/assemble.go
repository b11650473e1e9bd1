package config

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

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

// sources lists the places of a layer.
func (la *layer) sources() []*source {
	var out []*source
	if la.yaml != nil {
		out = append(out, la.yaml)
	}
	out = append(out, la.imports...)
	for _, f := range la.folders {
		out = append(out, &f.source)
	}
	return out
}

// assemble puts everything in order.
func (l *loader) assemble(ctx context.Context) {
	for _, la := range []*layer{&l.user, &l.work} {
		if la.file == nil { // it has problems, or is not there
			la.found = nil
		}
		for _, f := range la.folders {
			la.found = append(la.found, f.found...)
		}
		for _, f := range la.found {
			h, err := l.builder.build(f)
			if err != nil {
				l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: f.spec.node.Line, Hook: f.spec.id, Message: strict.Line(err.Error())})
				l.set.Failed = append(l.set.Failed, f.file)
				continue
			}
			l.checkProgram(ctx, f)
			l.set.Hooks = append(l.set.Hooks, h)
		}
		if la.file != nil && la.yaml.runs {
			l.set.Settings.take(la.file)
			if la.file.gateway != nil {
				l.set.Gateway = la.file.gateway.config(la.yaml.dir)
			}
		}
	}
	if idle := time.Duration(slices.Max(append(l.asker.idle, 0))) * time.Millisecond; idle > 0 && l.set.Settings.IdleThreshold == DefaultIdleThreshold {
		l.set.Settings.IdleThreshold = min(idle, hook.MaxTimeout)
	}
	l.asker.settleWrapped()
	l.laterHook()
	l.memories.memory()
	l.set.name()
	l.set.pinned, l.set.awaited = slices.Sorted(maps.Keys(l.pinned.Files)), l.pinned.Awaited
}

// checkProgram warns of a program that is not there. It is no mistake of the
// file: the program may be installed later, and until then the hook's failure
// policy speaks.
func (l *loader) checkProgram(ctx context.Context, f *found) {
	program := f.command.program()
	if f.spec.handler.kind != "command" || program == "" || f.spec.disabled || !f.source.runs {
		return
	}
	if _, err := command.LookPath(ctx, program); err != nil && !errors.Is(err, exec.ErrDot) {
		l.set.Warn(f.place(), f.spec.id, fmt.Sprintf("the program %s is not there, or may not be executed", program), "until it is, the hook fails")
	}
}
