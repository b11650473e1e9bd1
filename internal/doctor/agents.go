package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/wire/call"
)

// agent looks at one agent, and at what is installed for it.
func (c *Checkup) agent(p *patient) Section {
	about := c.about(p)
	s := Section{Name: "agent:" + p.name, Title: about.Title}
	switch {
	case p.missing == nil && p.found.Version == "":
		s.ok("%s (it does not tell its version)", p.found.Path)
	case p.missing == nil:
		s.ok("version %s, %s", p.found.Version, p.found.Path)
	case len(p.installed) > 0:
		s.warn("install it, or run hookway uninstall "+p.name, "%v, but hookway is installed for it", p.missing)
	default:
		s.warn("", "%v", p.missing)
	}
	for _, err := range p.errs {
		s.fail("mend the file; the agent may read nothing from it either", "%v", err)
	}
	if len(p.installed) == 0 && len(p.errs) == 0 {
		mend := "hookway install " + p.name
		if _, _, ok := install.SessionArgs(p.name, "hookway-hook"); ok {
			mend += " (or: hookway run -- " + p.name + ")"
		}
		if p.named {
			s.fail(mend, "hookway is not installed: no hook runs in it")
		} else {
			s.warn(mend, "hookway is not installed: no hook runs in it")
		}
		return s
	}
	for i := range p.installed {
		elsewhere := slices.ContainsFunc(p.installed, func(other install.State) bool {
			return other.Scope != p.installed[i].Scope && len(other.Off)+len(other.Unapproved)+len(other.Gone) == 0
		})
		c.installed(&s, &p.installed[i], elsewhere)
	}
	if len(p.installed) > 1 {
		s.note("it is installed for you and for the project: each event comes twice, and is judged once")
	}
	if len(p.installed) > 0 {
		for _, sentence := range about.Blind {
			s.note("%s", sentence)
		}
		c.eventNotes(&s, about)
		gate(&s, p)
	}
	return s
}

// gate looks whether hookway is asked before each call of a tool: without that
// nothing can be stopped.
func gate(s *Section, p *patient) {
	event, only := "", ""
	for _, st := range p.installed {
		before, _, err := markedCall(st.Events[0].Codec, "", "", "")
		if err != nil {
			return
		}
		event = before
		for _, e := range st.Events {
			if e.Name == event && e.Only == "" {
				return
			}
			if e.Name == event {
				only = e.Only
			}
		}
	}
	switch {
	case only != "":
		s.fail("hookway install "+p.name, "hookway is asked at %s only %s: other calls run unseen", event, only)
	case event != "":
		s.fail("hookway install "+p.name, "hookway is not asked at %s: whatever a tool does, it runs unseen", event)
	}
}

// about is what is known of an agent, as the codec that is installed speaks.
func (c *Checkup) about(p *patient) *adapter.About {
	name := p.name
	for _, st := range p.installed {
		name = st.Events[0].Codec
	}
	codec, err := adapter.Lookup(name)
	if err != nil { // every agent has a codec of its name
		return &adapter.About{Name: name, Agent: p.name, Title: p.name}
	}
	return codec.About()
}

// called looks at the programs that an agent calls.
func (c *Checkup) called(s *Section, st *install.State, again string) {
	for _, program := range st.Gone {
		s.fail(again, "%s calls %s, which cannot be run", st.File, program)
	}
	for _, program := range st.Shims {
		switch path := filepath.FromSlash(program); {
		case slices.Contains(st.Gone, program), c.shim == "", same(path, c.shim):
		case c.foreign(path):
			s.fail(again, "%s calls %s, which is not a hookway-hook: what it answers is its own", st.File, program)
		default:
			s.warn(again, "%s calls %s, and not the hookway-hook of this hookway", st.File, program)
		}
	}
}

// installed looks at what stands in one file.
// elsewhere: what is installed in another one is asked all the same.
func (c *Checkup) installed(s *Section, st *install.State, elsewhere bool) {
	again := "hookway install " + st.Agent
	if st.Scope == install.Project {
		again += " --project"
	}
	s.ok("%s to hookway, for the %s: %s", eventsCome(len(st.Events)), st.Scope, st.File)
	c.called(s, st, again)
	for _, fault := range st.Faults {
		s.fail(again, "%s: %s", st.File, fault)
	}
	for _, member := range st.Odd {
		s.warn(again, "%s: %s", st.File, member)
	}
	for _, other := range st.Others {
		s.note("%s", other)
	}
	if len(st.Missing) > 0 {
		s.warn(again, "hookway is not asked at %s", few(st.Missing))
	} else if len(st.Short) > 0 {
		s.warn(again, "the agent waits too short a time at %s for a call to be held until a person has answered: it is refused sooner", few(st.Short))
	} else if st.Stale && len(st.Gone) == 0 {
		s.warn(again, "%s is not as this hookway would write it", st.File)
	}
	if twice := copies(st); len(twice) > 0 {
		s.warn(again, "hookway stands more than once at %s", few(twice))
	}
	if n := len(st.Unapproved); n > 0 {
		s.fail(again+" --yes, or approve them in the agent", "%d of hookway's hooks wait for approval; until then the agent does not run them and says nothing: %s", n, few(st.Unapproved))
	}
	for _, text := range st.Off {
		if elsewhere {
			s.warn("change that, if you rely on it", "%s", text)
		} else {
			s.fail("change that, then run hookway doctor again", "%s", text)
		}
	}
	for _, text := range st.Notes {
		c.installNote(s, st, text)
	}
	c.patience(s, st, again)
}

// installNote sorts what the agent's files say: some of it stops every hook.
func (c *Checkup) installNote(s *Section, st *install.State, text string) {
	switch {
	case strings.Contains(text, "drops the whole file"):
		s.fail("change that setting, then run hookway doctor again", "%s", text)
	case len(st.Unapproved) > 0 && strings.Contains(text, "approve the hooks"): // it was said
	case strings.Contains(text, "trusted"):
		s.warn("start the agent there once, and say yes", "%s", text)
	default:
		s.note("%s", text)
	}
}

// patience looks at how long the agent waits, and what happens if hookway fails.
func (c *Checkup) patience(s *Section, st *install.State, again string) {
	var opens []string
	for _, e := range st.Events {
		if e.OnFailure == call.PolicyContinue {
			opens = append(opens, e.Name)
		}
	}
	if len(opens) == len(st.Events) {
		s.warn(again, "--on-failure continue: if hookway itself fails, everything passes, guards or not")
	} else if len(opens) > 0 {
		s.warn(again, "--on-failure continue at %s: if hookway itself fails there, everything passes, guards or not", few(opens))
	} else {
		s.ok("if hookway itself fails, what can be stopped before it happens is stopped")
	}
	wait := st.Timeout
	var slow []string
	for _, h := range c.active() {
		if wait > 0 && (h.Timeout == 0 || h.Timeout > wait) {
			slow = append(slow, h.ID)
		}
	}
	if len(slow) > 0 {
		s.warn(fmt.Sprintf("give them a timeout below %v, or: %s --timeout 5m", wait, again),
			"the agent waits %v, and these hooks may take longer, which counts as a failure: %s", wait, few(slow))
	}
}

func copies(st *install.State) (names []string) {
	for _, e := range st.Events {
		if e.Copies > 1 {
			names = append(names, e.Name)
		}
	}
	return names
}

func eventsCome(n int) string {
	if n == 1 {
		return "1 event comes"
	}
	return fmt.Sprintf("%d events come", n)
}

// others names the agents that were not looked at because there is nothing.
func (c *Checkup) others() Section {
	s := Section{Name: "others", Title: "Other agents"}
	if len(c.Agents) > 0 {
		return s
	}
	var names []string
	for _, name := range install.Agents() {
		if !slices.ContainsFunc(c.agents, func(p patient) bool { return p.name == name }) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		s.ok("neither in PATH nor configured: %s", strings.Join(names, ", "))
	}
	return s
}
