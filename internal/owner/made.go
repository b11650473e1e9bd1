package owner

import (
	"os"
	"slices"

	"github.com/hookway/hookway/internal/process"
)

// maxTerminals bounds how many terminals lie in one another: a recording in a recording.
const maxTerminals = 8

// made checks what made the terminal of a process, and can type into it. depth counts the
// terminals that lie in it.
//
// A program of terminals, a server of ssh or a container's engine makes the terminal of a
// person. It holds the other end, or that cannot be looked at because another user runs it,
// or it has rights that others have not. Whoever hides the other end in another way is not
// believed: it may be on its way from one process to another.
func (r Rule) made(m *machine, p *process.Process, depth int) error {
	if depth > maxTerminals {
		return notOwner("this terminal lies in more than %d others; use one that you opened yourself", maxTerminals)
	}
	holders := m.holders(p.Terminal)
	for _, pid := range holders {
		// A program has the files of its starter until it begins: one that holds the end no
		// more was just started.
		if err := r.holder(m, p.Terminal, pid, depth); err != nil && slices.Contains(m.holders(p.Terminal), pid) {
			return err
		}
	}
	leader, seen := m.look(p.Session)
	if !process.IsPseudo(p.Terminal) || !seen { // it leads from outside of a container, or /proc hides it
		return nil
	}
	above, err := r.above(m, &leader)
	switch {
	case err != nil:
		return err
	case r.vouched(m, &leader, above):
		return nil
	case len(holders) == 0 && process.TellsHolders():
		return notOwner("it cannot be seen what made this terminal, and who could type into it; use one that you opened yourself")
	case len(holders) == 0, slices.Contains(holders, leader.Parent), slices.ContainsFunc(above, func(p process.Process) bool { return slices.Contains(holders, p.PID) }):
		return nil
	case len(above) == 0 || is(&above[0], tools):
		return notOwner("what began this terminal (process %d) was started by none of those that hold it; use one that you opened yourself", leader.PID)
	}
	return nil
}

// above are the processes above one. In some of them people cannot be told from programs.
func (r Rule) above(m *machine, p *process.Process) ([]process.Process, error) {
	list, err := r.chain(m, p.Parent)
	for i := range list {
		if is(&list[i], blind) {
			return nil, notOwner("%s (process %d) made this terminal, and does not tell whether a person presses its keys; use a terminal outside of it, or tmux", base(first(list[i].Args)), list[i].PID)
		}
	}
	return list, err
}

// vouched reports whether something made a terminal that this user's programs cannot pass
// for: another user's, such as root's login or sshd, one outside of this container, or
// one that has a group of its own by its file, as xterm has.
func (r Rule) vouched(m *machine, leader *process.Process, above []process.Process) bool {
	if leader.Parent == 0 {
		return true // a container's engine put it here
	}
	for i := range above {
		p := &above[i]
		user, raised, ok := m.rights(p.PID)
		if ok && (user != os.Getuid() || raised && i == 0) || p.Parent == 0 && p.PID != 1 {
			return true
		}
	}
	return false
}

// holder checks a process that can type into a terminal. A tool of scripts makes a
// person's terminal only if it runs in one itself, or if a program that is none started it.
func (r Rule) holder(m *machine, terminal, pid, depth int) error {
	chain, err := r.clean(m, pid)
	if err == nil {
		err = r.traced(m, chain)
	}
	if err != nil || len(chain) == 0 {
		return err
	}
	p := &chain[0]
	name := base(first(p.Args))
	switch {
	case is(p, blind):
		return notOwner("%s (process %d) made this terminal, and does not tell whether a person presses its keys; use a terminal outside of it, or tmux", name, pid)
	case slices.Contains(written, base(scriptOf(p))):
		return nil
	case is(p, editors) && r.orphan(m, p), is(p, tools) && r.orphan(m, p):
		return notOwner("this terminal was made by %s (process %d), which a process that has ended left behind; use one that you opened yourself", name, pid)
	case !is(p, tools):
		return nil
	case p.Terminal != terminal && r.attached(m, p):
		return r.made(m, p, depth+1)
	}
	if top := r.top(m, chain); is(top, helpers) || is(top, editors) || is(top, tools) && r.adopts(m) {
		return notOwner("this terminal was made by %s (process %d), below %s (process %d), which a process that has ended left behind; use one that you opened yourself", name, pid, base(first(top.Args)), top.PID)
	}
	return nil
}

// top is the highest process of a chain below the first one of the machine, or of a user.
func (r Rule) top(m *machine, chain []process.Process) *process.Process {
	for i := range chain {
		if r.orphan(m, &chain[i]) {
			return &chain[i]
		}
	}
	return &chain[len(chain)-1]
}

// adopts reports whether the first process of the machine does nothing but take on what is
// left behind, and start services. In a container or a virtual machine for one program,
// it may be what starts shells for people.
func (r Rule) adopts(m *machine) bool {
	if r.Until != 0 {
		return true
	}
	p, ok := m.look(1)
	return ok && is(&p, inits)
}

// attached reports whether a process runs in a terminal, below what leads its session
// there: what was left behind does not.
func (r Rule) attached(m *machine, p *process.Process) bool {
	if p.Terminal == 0 {
		return false
	}
	q, ok := *p, true
	for n := 0; ok && q.Terminal == p.Terminal && n < maxParents; n++ {
		if q.PID == q.Session || q.Session == 0 { // 0: it leads from outside of a container
			return true
		}
		q, ok = m.look(q.Parent)
	}
	return false
}

// orphan reports whether the process that started p has ended.
func (r Rule) orphan(m *machine, p *process.Process) bool {
	if p.Parent <= 1 || p.Parent == r.Until {
		return true
	}
	parent, ok := m.look(p.Parent)
	return !ok || base(first(parent.Args)) == "systemd" // a user's, which takes on what is left behind
}
