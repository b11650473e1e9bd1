package doctor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/install"
)

// canaryTime bounds the run of an agent.
const canaryTime = 60 * time.Second

// headless says how an agent is run without a terminal, so that it may run a
// shell command.
var headless = map[string]struct {
	args func(prompt string) []string
	env  []string
}{
	"claude":   {args: func(p string) []string { return []string{"--allowedTools", "Bash", "-p", p} }},
	"codex":    {args: func(p string) []string { return []string{"exec", "--skip-git-repo-check", p} }},
	"gemini":   {args: func(p string) []string { return []string{"--approval-mode", "yolo", "-p", p} }, env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}},
	"qwen":     {args: func(p string) []string { return []string{"--approval-mode", "yolo", "-p", p} }},
	"copilot":  {args: func(p string) []string { return []string{"--allow-all-tools", "-p", p} }, env: []string{"COPILOT_AUTO_UPDATE=false"}},
	"opencode": {args: func(p string) []string { return []string{"run", p} }},
}

// Runnable are the agents that a canary can be sent with: they are found, and
// hookway is installed for the user, whose hooks run in every folder.
func (c *Checkup) Runnable() (names []string) {
	for i := range c.agents {
		if p := &c.agents[i]; p.runnable() == "" {
			names = append(names, p.name)
		}
	}
	return names
}

// runnable says why no canary can be sent with an agent; "" if one can.
func (p *patient) runnable() string {
	_, known := headless[p.name]
	forUser := slices.ContainsFunc(p.installed, func(s install.State) bool { return s.Scope == install.User })
	switch {
	case !known:
		return "it is not known how to run it without its user"
	case p.missing != nil:
		return p.missing.Error()
	case !forUser:
		return "hookway is installed for this project only, and the canary is sent from a folder of its own"
	}
	return ""
}

// Canary runs agents themselves, without their user, on a prompt that asks for
// the marked command, and tells which events came to hookway. It costs calls of a
// model: yes says whether that may be.
func (c *Checkup) Canary(ctx context.Context, yes bool) Section {
	s := Section{Name: "canary", Title: "Canary: the agents themselves"}
	for i := range c.agents {
		p := &c.agents[i]
		switch why := p.runnable(); {
		case len(p.installed) == 0:
		case why != "":
			s.note("%s: not sent: %s", p.name, why)
		case !yes:
			s.note("%s: not sent, since it may cost a call of a model; hookway doctor --live --yes sends it", p.name)
		default:
			c.canary(ctx, &s, p)
		}
	}
	return s
}

func (c *Checkup) canary(ctx context.Context, s *Section, p *patient) {
	g, err := c.newGround()
	if err != nil {
		s.fail(mendGround, "%s: %v", p.name, err)
		return
	}
	defer func() {
		if err := g.remove(); err != nil {
			s.warn("remove "+g.dir, "%v", err)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, canaryTime)
	defer cancel()
	run := headless[p.name]
	session := canarySession + g.id
	prompt := "Run this shell command once, exactly as it is, and then stop, whatever comes of it: echo " + g.mark
	cmd := exec.CommandContext(ctx, p.found.Path, run.args(prompt)...)
	cmd.Dir, cmd.Env = g.dir, g.environ(session, append([]string{"NO_COLOR=1", "DISABLE_AUTOUPDATER=1"}, run.env...)...)
	var said limited
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	err = runGroup(cmd)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it was ended after %v", canaryTime)
	}
	events, refused := c.came(g, session, began)
	c.result(s, p, events, refused, err, said.String())
}

// came lists the native events that came to hookway from a run, in their order.
func (c *Checkup) came(g *ground, session string, since time.Time) (events []string, refused bool) {
	for r, err := range audit.Read(c.auditDir(), audit.Filter{Since: since.Add(-time.Second)}) {
		if err != nil || r.Session != session && r.Workspace != g.dir || r.Source == "" {
			continue
		}
		if !slices.Contains(events, r.Native) {
			events = append(events, r.Native)
		}
		if r.By == "hookway-doctor" && r.Action == "block" {
			refused = true
		}
	}
	return events, refused
}

func (c *Checkup) result(s *Section, p *patient, events []string, refused bool, err error, said string) {
	ended := ""
	if err != nil {
		ended = "; " + err.Error() + lastWords(said)
	}
	switch {
	case refused:
		s.ok("%s: its hooks fire, and the marked command was refused; it brought %s", p.name, strings.Join(events, ", "))
	case len(events) > 0:
		s.warn("try again; if the model did run the command, the events before tools do not come", "%s: its hooks fire, but it did not ask for the marked command; it brought %s%s",
			p.name, strings.Join(events, ", "), ended)
	case err != nil:
		s.warn("see that it runs by itself, with an account and a network", "%s: no event came, and it did not end well%s", p.name, ended)
	default:
		s.fail("approve the hooks in the agent, or see above what keeps it from running them", "%s: it ran, and no event came to hookway%s", p.name, lastWords(said))
	}
}
