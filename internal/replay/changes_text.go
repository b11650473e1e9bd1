package replay

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hookway/hookway/internal/visible"
)

// WriteText writes a comparison for people.
func (c *Comparison) WriteText(w io.Writer) error {
	var b strings.Builder
	c.head(&b)
	c.sourceTable(&b)
	c.samples(&b)
	c.rest(&b)
	c.saved(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Comparison) head(b *strings.Builder) {
	if c.Events == 0 {
		b.WriteString("There is no event to be replayed.\n")
		return
	}
	fmt.Fprintf(b, "%s of %s, %s compared.\n\n", visible.Count(c.Events, "event"), visible.Count(c.Sessions, "session"), visible.Number(c.Compared()))
	for _, line := range []struct {
		name string
		n    int
	}{
		{"newly blocked", c.Blocked}, {"newly asked", c.Asked}, {"newly passed", c.Passed}, {"changed in another way", c.Other}, {"the same", c.Same},
		{"not comparable", c.Incomparable}, {"not replayable", c.NotReplayable},
	} {
		fmt.Fprintf(b, "  %-24s%s\n", line.name, visible.Number(line.n))
	}
}

func (c *Comparison) sourceTable(b *strings.Builder) {
	if len(c.Sources) == 0 {
		return
	}
	b.WriteString("\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "blocked\tasked\tpassed\totherwise\t  hook or rule\n")
	for _, s := range c.Sources {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t  %s\n", visible.Number(s.Blocked), visible.Number(s.Asked), visible.Number(s.Passed), visible.Number(s.Other), s.ID)
	}
	_ = t.Flush() // to a text
}

// inWords says what became of an event.
var inWords = map[Kind]string{Blocked: "blocked", Asked: "asked about", Passed: "passes", Other: "changed"}

func (c *Comparison) samples(b *strings.Builder) {
	for _, s := range c.Sources {
		fmt.Fprintf(b, "\n%s\n", s.ID)
		shown := map[Kind]int{}
		for _, one := range s.Samples {
			if shown[one.Kind]++; shown[one.Kind] > mostChanges {
				continue
			}
			fmt.Fprintf(b, "  %-12s%s\n", inWords[one.Kind], first(one.Call, one.Event))
			fmt.Fprintf(b, "      %s (%s, %s, %s)\n", one.What, first(one.Agent, "no agent"), day(one.Time), one.Place)
			if one.Lacks != "" {
				fmt.Fprintf(b, "      not on record: %s\n", one.Lacks)
			}
		}
	}
}

// rest tells what was not compared, and why.
func (c *Comparison) rest(b *strings.Builder) {
	if n := len(c.NotAsked); n > 0 {
		fmt.Fprintf(b, "\n%s not asked, because what they run could act; --run asks them:\n", visible.Count(n, "hook was", "hooks were"))
		for _, a := range c.NotAsked[:min(n, mostLines)] {
			fmt.Fprintf(b, "  %s (%s), at %s\n", a.Hook, a.Kind, visible.Count(a.Events, "event"))
		}
		more(b, n, "more hook")
	}
	if n := len(c.Why); n > 0 {
		b.WriteString("\nNot compared:\n")
		for _, r := range c.Why[:min(n, mostLines)] {
			fmt.Fprintf(b, "  %s: %s (first: %s)\n", visible.Count(r.Events, "event"), r.Why, r.Place)
		}
		more(b, n, "more reason")
	}
	c.past(b)
	if c.Undecided > 0 {
		fmt.Fprintf(b, "\nOf %s no decision is known: they count as passed then.\n", visible.Count(c.Undecided, "event"))
	}
	if c.Anew > 0 {
		fmt.Fprintf(b, "\n%s analysed anew, over the files of today.\n", visible.Count(c.Anew, "call was", "calls were"))
	}
	if c.Aged > 0 {
		fmt.Fprintf(b, "\n%s analysed anew, because another version of hookway's analyser found what is on record of them.\n", visible.Count(c.Aged, "call was", "calls were"))
	}
	if c.Moved > 0 {
		fmt.Fprintf(b, "\n%s analysed anew, because other places may be emptied now than then.\n", visible.Count(c.Moved, "call was", "calls were"))
	}
	if c.Lacking > 0 {
		fmt.Fprintf(b, "\n%s analysed anew, and not all that they looked at then is on record:\n", visible.Count(c.Lacking, "call was", "calls were"))
		for _, l := range c.Lacks[:min(len(c.Lacks), mostChanges)] {
			fmt.Fprintf(b, "  %s\n", l)
		}
	}
	if n := len(c.Problems) + c.MoreProblems; n > 0 {
		b.WriteString("\nNot read")
		if c.Torn+c.Unversed > 0 {
			fmt.Fprintf(b, " (%s, %s of an unknown version)", visible.Count(c.Torn, "line"), visible.Count(c.Unversed, "record"))
		}
		b.WriteString(":\n")
		for _, p := range c.Problems[:min(len(c.Problems), mostLines)] {
			fmt.Fprintf(b, "  %s\n", p)
		}
		more(b, n, "more problem")
	}
}

// past tells what became of calls of which agents' own records tell.
func (c *Comparison) past(b *strings.Builder) {
	if c.Then.All() == 0 {
		return
	}
	fmt.Fprintf(b, "\nThen, as the agents' own records say, %s and passed;", visible.Count(c.Then.Ran, "call ran", "calls ran"))
	fmt.Fprintf(b, " a person refused or stopped %s, of which hooks hold %s now;", visible.Number(c.Then.Refused), visible.Number(c.Then.Held))
	fmt.Fprintf(b, " a hook or an agent's settings stopped %s; of %s it is not known.\n", visible.Number(c.Then.Stopped), visible.Number(c.Then.NotKnown))
	b.WriteString("What a hook decided then is not in these records. What hooks hold that a person refused counts as the same.\n")
}

func more(b *strings.Builder, n int, what string) {
	if n > mostLines {
		fmt.Fprintf(b, "  and %s; --json has more of them\n", visible.Count(n-mostLines, what))
	}
}

// saved tells which cases were written.
func (c *Comparison) saved(b *strings.Builder) {
	for _, s := range c.Saved {
		fmt.Fprintf(b, "\n%s got %s; hookway test runs them.\n", s.File, visible.Count(len(s.Added), "case"))
		if len(s.Taken) > 0 {
			fmt.Fprintf(b, "  %s left out: the name is taken\n", visible.Count(len(s.Taken), "more was", "more were"))
		}
		if len(s.Failing) > 0 {
			fmt.Fprintf(b, "  %s left out: alone it would be decided otherwise\n", visible.Count(len(s.Failing), "more was", "more were"))
		}
		if s.Away > 0 {
			fmt.Fprintf(b, "  %s left out: it happened in another folder\n", visible.Count(s.Away, "more was", "more were"))
		}
	}
}
