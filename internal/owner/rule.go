package owner

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/process"
)

// Rule finds out who a command comes from. The zero value is ready.
type Rule struct {
	// Until is a process that counts as the first one of the machine, which takes on what
	// is left behind: neither it nor what is above it is looked at. 0 is none. Tests run
	// below an agent, perhaps.
	Until int

	// Daemon tells the number of hookway's daemon, as it is seen from here; 0 is that none
	// runs, and below 0 that it runs where its number is not seen. Nil is none.
	Daemon func() int

	self   int      // 0 is this process
	system *machine // nil is this one
}

// machine is what is asked about processes.
type machine struct {
	look    func(pid int) (process.Process, bool)
	environ func(pid int) []string
	all     func() []int
	holders func(terminal int) []int
	rights  func(pid int) (user int, raised, ok bool)
	marked  func(pid int) bool
	tracer  func(pid int) int // that looks into another one, and can make it do anything; 0 is none
	types   func() bool       // processes of a terminal can type into it
	users   func() bool       // this process belongs to what a logged in user started
	own     func() []netip.Addr
	links   func() (list []link, told bool)
	mine    []string // this process's environment, as it is now
}

func (r Rule) machine() *machine {
	if r.system != nil {
		return r.system
	}
	return &machine{look: process.Look, environ: process.Environ, all: process.All, holders: process.Holders, rights: process.Rights, marked: process.Marked, tracer: process.Tracer, types: canType, users: inUsersPrograms, own: ownAddresses, links: links, mine: os.Environ()}
}

func (r Rule) pid() int {
	if r.self != 0 {
		return r.self
	}
	return os.Getpid()
}

// NotOwner says why a command does not come from a terminal of the owner's own.
type NotOwner struct{ Why string }

func (e *NotOwner) Error() string { return e.Why }

func notOwner(format string, args ...any) error {
	return &NotOwner{Why: fmt.Sprintf(format, args...)}
}

// maxParents bounds how far up a process is looked for. A person has a few; what lies
// deeper is refused, because what is not looked at may be an agent.
const maxParents = 64

// Agent reports whether an agent, or something that runs without a person, has started
// this process: the error is a *NotOwner.
func (r Rule) Agent() error {
	m := r.machine()
	if mark := markOf(m.mine); mark != "" {
		return notOwner("an agent, or hookway for one, has started this command: %s is set", mark)
	}
	_, err := r.clean(m, r.pid())
	return err
}

// Script reports whether a program without a terminal may say here what otherwise a person
// says: on top of what [Rule.Agent] looks at, it must see the daemon that judges calls, if
// that runs, and nothing that a user's programs left behind may have started it. The error
// is a *NotOwner.
func (r Rule) Script() error {
	if err := r.Agent(); err != nil {
		return err
	}
	m := r.machine()
	here, daemon := process.Namespaces(), r.daemon()
	there := process.NamespacesOf(daemon)
	if alone() || daemon < 0 && here != "" || daemon > 0 && there != "" && there != here {
		return notOwner("this command runs in a process or user namespace of its own, where it is not seen who started it; run it outside")
	}
	chain, err := r.chain(m, r.pid())
	if err != nil || len(chain) == 0 || r.attached(m, &chain[0]) {
		return err
	}
	if top := r.top(m, chain); r.orphan(m, top) && r.Until == 0 && r.adopts(m) && m.users() {
		return notOwner("whoever started %s (process %d), below which this command runs, has ended; run it in a terminal", base(first(top.Args)), top.PID)
	}
	return nil
}

// daemon is the number of the daemon; 0 is none, and below 0 one that is not seen.
func (r Rule) daemon() int {
	if r.Daemon == nil {
		return 0
	}
	return r.Daemon()
}

// apart refuses a process namespace, or a user's, of its own: there nobody sees who has
// started what. It is taken where the daemon that judges calls runs in the same ones, as in
// a container.
func (r Rule) apart(m *machine) error {
	here := process.Namespaces()
	if here == process.FirstNamespaces || r.system != nil {
		return nil
	}
	if _, seen := m.look(r.Until); r.Until != 0 && seen {
		return nil
	}
	if pid := r.daemon(); pid > 0 && here != "" && process.NamespacesOf(pid) == here {
		return nil
	}
	return notOwner("this command runs in a process or user namespace of its own, where it is not seen who started it; run it outside, or where hookway's daemon runs, while that runs")
}

// Who tells who has started this process: it and those above it, by name and number, as
// far as they may be looked at, and the agent that is among them.
func (r Rule) Who() (line, agent string) {
	m := r.machine()
	chain, _ := r.chain(m, r.pid()) // too many tell enough
	var all []string
	for i := range chain {
		p := &chain[i]
		all = append(all, fmt.Sprintf("%s (%d)", base(first(p.Args)), p.PID))
		if agent == "" {
			agent = agentOf(p)
		}
	}
	return strings.Join(all, " < "), agent
}

// clean checks a process and those above it, and gives them.
func (r Rule) clean(m *machine, pid int) ([]process.Process, error) {
	chain, err := r.chain(m, pid)
	if err != nil {
		return nil, err
	}
	for i := range chain {
		p := &chain[i]
		if name := agentOf(p); name != "" {
			return nil, notOwner("the agent %s (process %d) has started this command, or what it runs in", name, p.PID)
		}
		if i > 0 && slices.ContainsFunc(names(p), func(name string) bool { return name == "hookway" || name == "hookway-hook" }) {
			return nil, notOwner("hookway itself (process %d) has started this command, or what it runs in", p.PID)
		}
		if is(p, machines) {
			return nil, notOwner("%s (process %d) has started this command, and no person", base(first(p.Args)), p.PID)
		}
		if mark := markOf(m.environ(p.PID)); mark != "" {
			return nil, notOwner("an agent, or hookway for one, has started %s (process %d), in which this command runs: %s is set there", base(first(p.Args)), p.PID, mark)
		}
		if r.marked(m, p.PID) {
			return nil, notOwner("an agent, or hookway for one, has started this command, or what it runs in: %s (process %d) has the limit of file locks that hookway sets for agents, 0", base(first(p.Args)), p.PID)
		}
	}
	return chain, nil
}

// chain is a process and those above it, as far as they may be looked at. More than
// maxParents are a *NotOwner.
func (r Rule) chain(m *machine, pid int) ([]process.Process, error) {
	var list []process.Process
	for pid > 1 && pid != r.Until {
		if len(list) == maxParents {
			return list, notOwner("more than %d processes lie above this command, or above what made its terminal; run it in a shell that you opened yourself", maxParents)
		}
		p, ok := m.look(pid)
		if !ok {
			break
		}
		list = append(list, p)
		pid = p.Parent
	}
	return list, nil
}

// terminal checks the terminal of this process: who else is on it, and who can type
// into it.
func (r Rule) terminal(m *machine) error {
	self, ok := m.look(r.pid())
	if !ok {
		return nil // a system that tells nothing
	}
	chain, err := r.clean(m, self.PID)
	if err == nil {
		err = r.traced(m, chain)
	}
	if err != nil {
		return err
	}
	if self.Terminal != 0 {
		for _, pid := range m.all() {
			if p, ok := m.look(pid); ok && pid != r.Until && p.Terminal == self.Terminal {
				if err := r.beside(m, &p); err != nil {
					return err
				}
			}
		}
		if err := r.made(m, &self, 0); err != nil {
			return err
		}
	}
	return bySSH(m, chain)
}

// traced refuses processes that one of an agent's has attached itself to, as a debugger
// does: it can make them do anything.
func (r Rule) traced(m *machine, chain []process.Process) error {
	for i := range chain {
		tracer := m.tracer(chain[i].PID)
		if tracer == 0 || slices.ContainsFunc(chain, func(p process.Process) bool { return p.PID == tracer }) {
			continue
		}
		if _, err := r.clean(m, tracer); err != nil {
			return notOwner("process %d is attached to %s (process %d) as a debugger is: %v", tracer, base(first(chain[i].Args)), chain[i].PID, err)
		}
	}
	return nil
}

// beside checks a process that runs in the terminal, too.
func (r Rule) beside(m *machine, p *process.Process) error {
	if name := agentOf(p); name != "" {
		return notOwner("the agent %s (process %d) runs in this terminal, too; use one of your own", name, p.PID)
	}
	if mark := markOf(m.environ(p.PID)); mark != "" {
		return notOwner("%s (process %d) runs in this terminal, too, and an agent has started it: %s is set there; use a terminal of your own", base(first(p.Args)), p.PID, mark)
	}
	if r.marked(m, p.PID) {
		return notOwner("%s (process %d) runs in this terminal, too, and an agent has started it: its limit of file locks is the one that hookway sets for agents, 0; use a terminal of your own", base(first(p.Args)), p.PID)
	}
	parent, _ := m.look(p.Parent)
	if leads := p.PID == p.Session; !leads && p.PID != r.pid() && parent.Terminal != p.Terminal && m.types() {
		return notOwner("%s (process %d) runs in this terminal, too, and could type into it; whoever started it there has ended: end it, or use another terminal", base(first(p.Args)), p.PID)
	}
	return nil
}
