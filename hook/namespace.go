package hook

import (
	"errors"
	"slices"
)

// How specific a hook is about the directives it wants, the most specific first.
const (
	exactTarget = iota
	globTarget
	exactNamespace
	globNamespace
	noNamespace
)

// namespaceRank orders hooks of equal priority at a directive: the more specific
// one first, then hookway's own before the users'. It is zero for hooks that are
// not about directives.
func (e *entry) namespaceRank() int {
	rank := 2 * (closeness(&e.hook.Match) - noNamespace)
	if rank == 0 || !e.every && !slices.Contains(e.events, Directive.info) {
		return 0
	}
	if e.hook.Builtin {
		rank--
	}
	return rank
}

// closeness is how closely a match names a directive's address: a hook for one target runs
// before one for its namespace, and that before one for many.
func closeness(m *Match) int {
	switch {
	case len(m.Namespace) == 0:
		return noNamespace
	case hasMeta(m.Namespace):
		return globNamespace
	case len(m.Target) == 0:
		return exactNamespace
	case hasMeta(m.Target):
		return globTarget
	}
	return exactTarget
}

// ExactNamespaces reports whether the match names namespaces of directives, and
// each of them exactly. Matches nested in it do not count. A hook with Override
// needs such a match.
func (m Match) ExactNamespaces() bool { return closeness(&m) <= exactNamespace }

// checkOverride finds what is wrong with a hook that replaces built-in ones.
func (e *entry) checkOverride() error {
	h := &e.hook
	if !h.Override {
		return nil
	}
	var errs []error
	if e.every || len(e.events) != 1 || e.events[0] != Directive.info {
		errs = append(errs, errors.New("override is for hooks of Directive and of no other event"))
	}
	if !h.Match.ExactNamespaces() {
		errs = append(errs, errors.New("override needs a match that names its namespaces exactly"))
	}
	if h.Lane != Transform {
		errs = append(errs, errors.New("override needs the transform lane: a hook that judges or watches does not stand in for another"))
	}
	if h.Builtin {
		errs = append(errs, errors.New("a built-in hook overrides nothing"))
	}
	return errors.Join(errs...)
}

// overridden reports whether a user's hook replaces the built-in ones at this
// event.
func (r *run) overridden() bool {
	for _, e := range r.chain.overriding {
		if e.match.holds(r.known()) {
			return true
		}
	}
	return false
}

// TakesDirective reports whether a hook wants a directive; it runs no hook. Hooks
// of every event ("*") count only if they name its namespace: a hook that watches
// everything does not give a namespace a meaning. Readers of an agent's output ask
// it, to tell a directive from text that only looks like one.
func (e *Engine) TakesDirective(env *Envelope, d DirectiveCall) bool {
	c := e.table.Load().find(Directive.info)
	if c == nil {
		return false
	}
	if env == nil {
		env = &noEnvelope
	}
	c.once.Do(c.index)
	r := run{e: e, chain: c, info: Directive.info, ev: &Event[DirectiveCall]{Envelope: env, Payload: d, info: Directive.info}}
	return slices.ContainsFunc(c.source, func(e *entry) bool {
		return (!e.every || closeness(&e.hook.Match) < noNamespace) && len(e.match.tools) == 0 && r.matches(e)
	})
}
