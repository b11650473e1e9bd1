package config

import (
	"cmp"

	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

var budgetTable, agentTable table[guards.Budget]

func budgetKeys() []key[guards.Budget] {
	return budgetTable.get(func() []key[guards.Budget] {
		return append(amountKeys(),
			choiceKey("per", "What is counted together: a session (the default), or a day of one agent.", []string{guards.PerSession, guards.PerDay}, func(b *guards.Budget, word string) { b.Per = word }),
			key[guards.Budget]{name: "agents", doc: "The same for single agents, by name.", shape: schema{"type": "object", "additionalProperties": objectSchema(agentKeys())}, read: readAgents})
	})
}

func agentKeys() []key[guards.Budget] { return agentTable.get(amountKeys) }

func amountKeys() []key[guards.Budget] {
	return []key[guards.Budget]{
		integerKey("calls", "Calls of tools.", 1, 1<<31-1, func(b *guards.Budget) *int { return &b.Calls }),
		integerKey("minutes", "Minutes at work.", 1, 1<<31-1, func(b *guards.Budget) *int { return &b.Minutes }),
		{name: "tokens", doc: "Tokens, where the agent tells them: 200000, 200k or 2M.", shape: schema{"anyOf": []schema{integerShape(1, 1<<53), {"type": "string", "pattern": `^[0-9]+(\.[0-9]+)?[kKmMgG]?$`}}},
			read: func(r *reader, n *yaml.Node, b *guards.Budget) {
				text, ok := r.Scalar(n, "tokens")
				if !ok {
					return
				}
				v, err := guards.ParseCount(text)
				if err != nil || v < 1 {
					r.Fail(n, "write 200000, 200k or 2M", "tokens must be a number of tokens, not %q", strict.Clip(text))
				}
				b.Tokens = v
				r.tokens = append(r.tokens, strict.Word{Entry: strict.Entry{Node: n}})
			}},
	}
}

func readAgents(r *reader, n *yaml.Node, b *guards.Budget) {
	for _, p := range r.mapOf(n, "agents", "write agents: {claude: {calls: 500}}") {
		of, tokens := guards.Budget{}, len(r.tokens)
		object(r, p.Value, "the budget of "+strict.Clip(p.Key.Value), agentKeys(), &of)
		if b.Agents == nil {
			b.Agents = map[string]guards.Budget{}
		}
		b.Agents[p.Key.Value] = of
		for i := tokens; i < len(r.tokens); i++ {
			r.tokens[i].Text = p.Key.Value
		}
		r.agents = append(r.agents, strict.Word{Entry: strict.Entry{Text: p.Key.Value, Node: p.Key}})
		if p.Value.Kind == yaml.MappingNode && len(p.Value.Content) == 0 {
			r.Fail(p.Key, "write how many calls, minutes or tokens", "the budget of %s counts nothing", strict.Clip(p.Key.Value))
		}
	}
}

// smaller is the smaller of two budgets, amount by amount, of which 0 counts nothing.
// Where they count different spans, the lower layer's stands.
func smaller(below, above guards.Budget) guards.Budget {
	switch {
	case amounts(above) == amounts(guards.Budget{}) && len(above.Agents) == 0:
		return below
	case amounts(below) == amounts(guards.Budget{}) && len(below.Agents) == 0:
		return above
	case cmp.Or(below.Per, guards.PerSession) != cmp.Or(above.Per, guards.PerSession):
		return below
	}
	out := least(below, above)
	out.Per = below.Per
	for _, b := range []guards.Budget{below, above} {
		for name := range b.Agents {
			if out.Agents == nil {
				out.Agents = map[string]guards.Budget{}
			}
			out.Agents[name] = least(budgetOf(below, name), budgetOf(above, name))
		}
	}
	return out
}

func amounts(b guards.Budget) [3]int64 { return [3]int64{int64(b.Calls), int64(b.Minutes), b.Tokens} }

func budgetOf(b guards.Budget, agent string) guards.Budget {
	if own, ok := b.Agents[agent]; ok {
		return own
	}
	return b
}

func least(a, b guards.Budget) guards.Budget {
	x, y := amounts(a), amounts(b)
	for i := range x {
		if x[i] == 0 || y[i] != 0 && y[i] < x[i] {
			x[i] = y[i]
		}
	}
	return guards.Budget{Calls: int(x[0]), Minutes: int(x[1]), Tokens: x[2]}
}
