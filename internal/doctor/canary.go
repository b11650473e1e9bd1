package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
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
			s.warn("", "%s: not sent, so it is not proved that it runs its hooks: %s", p.name, why)
		case !yes:
			s.warn("hookway doctor --live --yes, which sends it", "%s: not sent, since it may cost a call of a model, so it is not proved that it runs its hooks", p.name)
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
	prompt := "Run this shell command once, exactly as it is, and then stop, whatever comes of it: touch " + g.mark
	cmd := exec.CommandContext(ctx, p.found.Path, run.args(prompt)...)
	cmd.Dir, cmd.Env = g.dir, g.environ(session, append([]string{"NO_COLOR=1", "DISABLE_AUTOUPDATER=1"}, run.env...)...)
	var said limited
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	err = runGroup(cmd)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it was ended after %v", canaryTime)
	}
	o := c.came(g, session, began)
	_, missing := os.Lstat(filepath.Join(g.dir, g.mark))
	o.ran, o.err, o.said = missing == nil, err, said.String()
	o.tell(s, p)
}

// outing is what came of a canary.
type outing struct {
	events  []string // native, in their order
	asked   bool     // hookway was asked before a tool
	refused bool     // the marked command
	ran     bool     // the marked command, by what it leaves
	err     error    // of the agent
	said    string
}

// came lists the native events that came to hookway from a run, in their order.
func (c *Checkup) came(g *ground, session string, since time.Time) (o outing) {
	for r, err := range audit.Read(c.auditDir(), audit.Filter{Since: since.Add(-time.Second)}) {
		if err != nil || r.Session != session && r.Workspace != g.dir || r.Source == "" {
			continue
		}
		if !slices.Contains(o.events, r.Native) {
			o.events = append(o.events, r.Native)
		}
		o.asked = o.asked || r.Event == hook.PreToolUse.Name()
		o.refused = o.refused || r.By == "hookway-doctor" && r.Action == "block"
	}
	return o
}

// tell says what is proved: that a refused command does not run, or that it does.
func (o *outing) tell(s *Section, p *patient) {
	ended := ""
	if o.err != nil {
		ended = "; " + o.err.Error() + lastWords(o.said)
	}
	brought := strings.Join(o.events, ", ")
	const seeAbove = "approve the hooks in the agent, or see above what keeps it from running them"
	switch {
	case o.ran && o.refused:
		s.fail("update the agent, or tell its makers", "%s: the marked command was refused, and ran all the same", p.name)
	case o.ran && len(o.events) > 0:
		s.fail("hookway install "+p.name, "%s: the marked command ran, and hookway was not asked before it; it brought %s", p.name, brought)
	case o.ran:
		s.fail(seeAbove, "%s: the marked command ran, and no event came to hookway", p.name)
	case o.refused:
		s.ok("%s: its hooks fire, and the marked command was refused; it brought %s", p.name, brought)
	case o.asked:
		s.fail("try again", "%s: nothing is proved: its hooks fire, but it did not ask for the marked command; it brought %s%s", p.name, brought, ended)
	case len(o.events) > 0:
		s.fail("try again; if it ran a tool, hookway is not asked before tools: hookway install "+p.name,
			"%s: nothing is proved: no event came before a tool; it brought %s%s", p.name, brought, ended)
	case o.err != nil:
		s.fail("see that it runs by itself, with an account and a network", "%s: nothing is proved: no event came, and it did not end well%s", p.name, ended)
	default:
		s.fail(seeAbove, "%s: it ran, and no event came to hookway%s", p.name, lastWords(o.said))
	}
}
