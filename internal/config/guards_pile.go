package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/guards"
)

// PackNames says which packs are on, in a line.
func PackNames(names []string) string {
	switch n := len(names); {
	case n == len(guards.Names()):
		return "every pack"
	case n == 1:
		return "pack " + names[0]
	case n < 5:
		return "packs " + strings.Join(names, ", ")
	default:
		return fmt.Sprintf("%d packs", n)
	}
}

// in is a layer as it is in a folder, and whether a project there may be milder.
func (l *guardLayer) in(folder, home string) (*guardLayer, bool) {
	if l == nil {
		return nil, false
	}
	own := l.spec.project(folder, home)
	if own == nil {
		return l, false
	}
	return &guardLayer{own.over(l.spec), l.file, l.layer}, own.loosen
}

// settings works out what counts in a folder. Nil: they are off.
func (g *guardLayers) settings(folder string) *Guards {
	g.refused = nil
	managed, _ := g.managed.in(folder, g.home)
	user, loosen := g.user.in(folder, g.home)
	var sum pile
	if managed != nil {
		g.refuse(sum.lay(managed, managed))
	}
	switch {
	case user != nil && g.work != nil && loosen: // by the user's word the project's goes over the user's
		g.refuse(sum.milder(user, stanceOf(user, nil)))
		both := g.work.spec.over(user.spec)
		both.node = user.spec.node
		g.refuse(sum.lay(&guardLayer{both, user.file, LayerUser}, g.work))
	case user != nil:
		g.refuse(sum.lay(user, user))
	}
	if g.work != nil && (user == nil || !loosen) {
		g.refuse(sum.lay(g.work, g.work))
	}
	if sum.total == nil {
		return nil
	}
	policy := sum.total.policy()
	if len(policy.Packs) == 0 && len(policy.Hosts.Block) == 0 {
		return nil
	}
	return &Guards{Policy: policy, Place: sum.first.place(), Packs: sum.named(), From: sum.from(), layer: sum.each[0].layer}
}

// refuse notes what counts for nothing, each entry once.
func (g *guardLayers) refuse(list Problems) {
	for _, p := range list {
		if !slices.ContainsFunc(g.refused, func(q Problem) bool {
			return q.File == p.File && q.Line == p.Line && q.Column == p.Column && p.Line > 0
		}) {
			g.refused = append(g.refused, p)
		}
	}
}

// pile is layers over each other, the outermost first.
type pile struct {
	each  []*stance
	total *stance     // what they want together
	first *guardLayer // that switches rules on
}

// lay puts a layer on the pile. It gives what the file of it says in vain.
func (p *pile) lay(l, says *guardLayer) Problems {
	below := p.total
	if l.layer != LayerWorkspace { // a user's file means by itself what it says
		below = nil
	}
	s := stanceOf(l, below)
	refused := p.milder(says, s)
	if p.each = append(p.each, s); p.total == nil {
		p.total, p.first = s, l
		return nil
	}
	if len(p.total.rules) == 0 {
		p.first = l
	}
	p.total = p.total.tighten(s)
	return refused
}

// milder lists what a layer says that would make the pile milder.
func (p *pile) milder(l *guardLayer, by *stance) (out Problems) {
	for _, s := range p.each {
		out = append(out, s.loosened(l, by)...)
	}
	return out
}

// named are the packs that are on because a layer says so, and not for what others need.
func (p *pile) named() (names []string) {
	for _, pack := range guards.Packs() {
		if slices.ContainsFunc(pack.Rules, func(r guards.Rule) bool {
			return slices.ContainsFunc(p.each, func(s *stance) bool {
				_, on := s.rules[r.ID]
				return on && !slices.Contains(s.implied, r.ID)
			})
		}) {
			names = append(names, pack.Name)
		}
	}
	return names
}

// blockedHost is the rule that is on as soon as a host is named.
const blockedHost = "network/blocked-host"

// from is, of each rule, the layer that makes it what it is.
func (p *pile) from() map[string]string {
	from := map[string]string{}
	for _, s := range p.each {
		if _, known := from[blockedHost]; !known && len(s.hosts.Block) > 0 {
			from[blockedHost] = s.layer.layer
		}
	}
	for id, is := range p.total.rules {
		for _, s := range p.each {
			set, on := s.rules[id]
			if _, known := from[id]; on && (set == is || !known && set.Verdict == is.Verdict) {
				from[id] = s.layer.layer
				if set == is {
					break
				}
			}
		}
	}
	return from
}
