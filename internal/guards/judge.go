package guards

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Judged is a rule that holds for a fact, and what comes of it under a policy.
type Judged struct {
	Rule    *Rule
	Fact    hook.Fact
	Verdict Verdict // the rule's, unless the policy changes it
	Counts  bool    // false: it is monitored
}

// Judge gives the findings of the policy's rules over the facts of one call: those that
// count before those that do not, of these the strictest first.
func (p *Policy) Judge(facts []hook.Fact) []Judged {
	var out []Judged
	for _, pack := range Packs() {
		on := slices.Contains(p.Packs, pack.Name)
		for i := range pack.Rules {
			rule := &pack.Rules[i]
			if !on && !p.blocks(rule) {
				continue
			}
			set := p.setting(pack, rule)
			if set.Verdict == Allow {
				continue
			}
			for f := range facts {
				if p.holds(pack, rule, &facts[f]) {
					out = append(out, Judged{rule, facts[f], set.Verdict, counts(set, rule, &facts[f])})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Judged) int {
		return cmp.Or(-compare(a.Counts, b.Counts), -compare(a.Verdict == Block, b.Verdict == Block), compare(a.Verdict == Warn, b.Verdict == Warn))
	})
	return out
}

// blockedHost is the rule for the hosts that a policy names. It is on with them, also
// where its pack is not, and no other host that is named lets them pass.
const blockedHost = "network/blocked-host"

func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// counts reports whether a finding is more than a line on the record. In auto mode a
// block counts where there is no other reading, and where the analysis gave up: more
// than it can read would switch the rules off. So would an answer in a person's name,
// whoever types it: of hookway itself each reading counts.
func counts(set Setting, rule *Rule, f *hook.Fact) bool {
	switch set.Mode {
	case Enforce:
		return true
	case Monitor:
		return false
	}
	return set.Verdict == Block && (f.Sure || f.Does == "self") || rule.Limit
}

// blocks reports whether a rule is that for hosts, and the policy names some.
func (p *Policy) blocks(rule *Rule) bool { return len(p.Hosts.Block) > 0 && rule.ID == blockedHost }

// holds reports whether a rule holds for a fact, with the branches and hosts of the
// policy in place of the usual ones.
func (p *Policy) holds(pack *Pack, rule *Rule, f *hook.Fact) bool {
	if f.Dry && f.Does != "execute" && !rule.Strict {
		return false
	}
	if pack.Name == "network" && rule.ID != blockedHost && f.Does == "connect" && anyHost(p.Hosts.Allow, f.Host) {
		return false
	}
	in := branches{p.Protected, p.Hosts.Block}
	return rule.When.hold(f, in) && !rule.Unless.hold(f, in)
}

// Says is what a rule says of a fact: its words with the members filled in.
func (j Judged) Says() string {
	says := j.Rule.Says
	if j.Fact.Verb == "empty" { // the file stays
		says = strings.Replace(says, "would delete", "would empty", 1)
	}
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(says, "{")
		b.WriteString(before)
		if !open {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		text, known := j.member(name)
		if !closed || !known {
			b.WriteByte('{')
			says = rest
			continue
		}
		b.WriteString(text)
		says = after
	}
}

// member is what words say for a member of the fact.
func (j Judged) member(name string) (text string, known bool) {
	f := &j.Fact
	switch name {
	case "by":
		if text = f.By; text == "" && (f.Does == "write" || f.Does == "delete") { // no program does it, but the shell
			text = "a redirection"
		}
	case "path":
		text = f.Path
	case "host":
		text = f.Host
	case "verb":
		text = f.Verb
	case "ref":
		text = f.Ref
	case "object":
		text = f.Object
	case "secret":
		text = f.Secret
	case "link":
		text = f.Link
	case "because":
		text = f.Because
	case "kind":
		text = f.Kind
	case "name":
		text = f.Name
	case "remote":
		text = f.Remote
	case "system":
		text = f.System
	case "manager":
		text = f.Manager
	case "what":
		text = f.What
	case "program":
		text = f.Program
	default:
		return "", false
	}
	return cmp.Or(text, "something"), true
}

// message says what matched, why it matters and what to do instead.
func (j Judged) message(command string) string {
	var b strings.Builder
	verb := "stopped this call"
	switch j.Verdict {
	case Ask:
		verb = "asks before this call"
	case Warn:
		verb = "says something about this call"
	}
	fmt.Fprintf(&b, "hookway, which the user installed, %s (rule %s): %s", verb, j.Rule.ID, j.Says())
	if quote := Quote(command, j.Fact.At); quote != "" && quote != command {
		fmt.Fprintf(&b, " The part that says so: `%s`.", quote)
	}
	if j.Rule.Instead != "" {
		b.WriteString(" " + j.Rule.Instead)
	}
	return b.String()
}

// Quote is the part of a command that a fact is about, short enough for a message.
func Quote(command string, at hook.Span) string {
	if at.IsZero() || at.From < 0 || at.To > len(command) || at.From >= at.To {
		return ""
	}
	text := strings.ToValidUTF8(command[at.From:at.To], "")
	return clip(strings.Join(strings.Fields(text), " "), 120)
}

// clip shortens a text to a number of characters.
func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
