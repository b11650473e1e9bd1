package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/guardset"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

// sayRules tells people what became of each name, and what holds it here.
func sayRules(a *app, c *guardset.Changed) {
	for _, name := range c.Named {
		var of []guardset.RuleChanged
		changed, held := 0, []guardset.RuleChanged{}
		for _, r := range c.Rules {
			if r.Rule != name && !strings.HasPrefix(r.Rule, name+"/") {
				continue
			}
			of = append(of, r)
			if r.Was != r.Now {
				changed++
			}
			if r.Here != "" {
				held = append(held, r)
			}
		}
		switch {
		case len(of) == 1 && changed == 0:
			fmt.Fprintf(a.out, "%s: %s, as it was.\n", name, of[0].Now)
		case len(of) == 1:
			fmt.Fprintf(a.out, "%s: %s; it was %s.\n", name, of[0].Now, of[0].Was)
		case changed == 0:
			fmt.Fprintf(a.out, "%s: its %s are as they were.\n", name, visible.Count(len(of), "rule"))
		default:
			fmt.Fprintf(a.out, "%s: %d of its %s changed.\n", name, changed, visible.Count(len(of), "rule"))
		}
		sayHeld(a, held)
	}
	if len(c.Named) == 0 {
		sayHeld(a, c.Rules)
	}
}

// sayHeld tells which rules another layer makes stricter.
func sayHeld(a *app, held []guardset.RuleChanged) {
	switch {
	case len(held) == 1:
		fmt.Fprintf(a.out, "Here %s is %s, by %s.\n", held[0].Rule, held[0].Here, relative(server.Cwd(), held[0].Place))
	case len(held) > 1:
		var by []string
		for _, r := range held {
			if at := relative(server.Cwd(), r.Place); !slices.Contains(by, at) {
				by = append(by, at)
			}
		}
		fmt.Fprintf(a.out, "Here %d of them are stricter, by %s; hookway guards --rules shows them.\n", len(held), strings.Join(by, " and "))
	}
}
