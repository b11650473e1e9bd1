package guards

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// What a budget may count.
const (
	PerSession = "session" // the default
	PerDay     = "day"     // of one agent, in UTC
)

// Percents of a budget at which something is said.
const (
	budgetNear = 80  // the agent is told
	budgetOver = 100 // a person is asked
	budgetFar  = 150 // calls are stopped
	budgetStep = 10  // how much further a person's yes goes
)

// Budget is how much one session, or one agent in a day, may use. Zero counts nothing.
type Budget struct {
	Calls   int               // of tools
	Minutes int               // at work: a pause counts as five at most
	Tokens  int64             // where the agent tells them: see TellsTokens
	Per     string            // PerSession or PerDay
	Agents  map[string]Budget // for single agents, in place of the above
}

// TellsTokens reports whether an agent that hookway knows tells at GenerateEnd how many
// tokens it took.
func TellsTokens(agent string) bool { return agent == "codex" || agent == "gemini" }

// Check finds what is wrong with a budget.
func (b Budget) Check() error {
	var errs []error
	if b.Calls < 0 || b.Minutes < 0 || b.Tokens < 0 {
		errs = append(errs, errors.New("invalid budget: want numbers above 0"))
	}
	if b.Per != "" && b.Per != PerSession && b.Per != PerDay {
		errs = append(errs, fmt.Errorf("invalid per %q: want session or day", b.Per))
	}
	for name, of := range b.Agents {
		if len(of.Agents) > 0 || of.Per != "" {
			errs = append(errs, fmt.Errorf("the budget of %s has more than calls, minutes and tokens", name))
		}
		if err := of.Check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// ParseCount reads a number as people write large ones: 500, 20k, 2M.
func ParseCount(s string) (int64, error) {
	number, unit := strings.TrimSpace(s), int64(1)
	for end, n := range map[string]int64{"k": 1e3, "m": 1e6, "g": 1e9} {
		if cut, ok := strings.CutSuffix(strings.ToLower(number), end); ok {
			number, unit = cut, n
			break
		}
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f < 0 || f*float64(unit) > 1e15 {
		return 0, fmt.Errorf("invalid number %q: want e.g. 500, 20k or 2M", s)
	}
	return int64(f * float64(unit)), nil
}

// of is the budget of one agent.
func (b Budget) of(agent string) Budget {
	if own, ok := b.Agents[agent]; ok {
		return own
	}
	return b
}

// words say what an agent may use; "" is no budget.
func (b Budget) words(agent string) string {
	of := b.of(agent)
	if of.Calls <= 0 && of.Minutes <= 0 && of.Tokens <= 0 {
		return ""
	}
	return fmt.Sprintf("%d calls, %d minutes, %d tokens, %s", of.Calls, of.Minutes, of.Tokens, cmp.Or(b.Per, PerSession))
}

// spent gives the fact that a budget is used up, or nearly: at most one.
func (s *session) spent(b Budget) []hook.Fact {
	percent, what, how := 0.0, "", "" // not whole: the 501st call of 500 is over
	look := func(name string, used, of int64) {
		if p := 100 * float64(used) / float64(of); of > 0 && p > percent {
			percent, what, how = min(p, 1e6), name, fmt.Sprintf("%d of %d %s", used, of, name)
		}
	}
	look("calls", int64(s.Calls), int64(b.Calls))
	look("minutes", int64(s.Work/time.Minute), int64(b.Minutes))
	look("tokens", s.Tokens, b.Tokens)
	fact := hook.Fact{Does: "budget", Kind: what, Object: how, Sure: true}
	switch {
	case percent > budgetFar && percent > float64(s.Granted):
		fact.What = "far over"
	case percent > budgetOver && percent > float64(s.Granted):
		fact.What = "over"
	case percent >= budgetNear && s.Warned < budgetNear:
		fact.What = "near"
	default:
		return nil
	}
	s.Warned = int(percent)
	return []hook.Fact{fact}
}
