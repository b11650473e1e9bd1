package owner

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/process"
)

// tmuxTime bounds how long tmux may take to answer.
const tmuxTime = 30 * time.Second

// multiplexer checks a terminal that tmux made. Anything that can reach the server can
// open a window there and type into it, so a person must sit at a client that shows this
// window, and the answer must come from its keys.
func (r Rule) multiplexer(m *machine, terminal string) (typing, error) {
	self, ok := m.look(r.pid())
	if !ok {
		return nil, nil
	}
	chain, err := r.chain(m, self.PID)
	if err != nil {
		return nil, err
	}
	var server *process.Process
	for _, pid := range m.holders(self.Terminal) {
		if p, ok := m.look(pid); ok && pid != r.Until {
			chain = append(chain, p)
		}
	}
	for i := range chain {
		if slices.Contains(names(&chain[i]), "tmux") {
			server = &chain[i]
			break
		}
	}
	if server == nil {
		return nil, nil
	}
	t := &tmux{rule: r, machine: m, server: server, terminal: terminal}
	address := variable(m.mine, "TMUX")
	for i := 0; i < len(chain) && address == ""; i++ {
		address = variable(m.environ(chain[i].PID), "TMUX")
	}
	if t.socket, _, ok = strings.Cut(address, ","); !ok {
		return nil, notOwner("this window of tmux cannot be looked at, because TMUX is not set in it; open another one")
	}
	clients, err := t.clients()
	if err != nil {
		return nil, err
	}
	if len(clients) == 0 {
		return nil, notOwner("no person sees this window of tmux: select it in a client that you attached in a terminal of your own")
	}
	return t, nil
}

// tmux is the server that made a terminal.
type tmux struct {
	rule     Rule
	machine  *machine
	server   *process.Process
	socket   string
	terminal string
}

// client is a person's terminal in which the window is seen.
type client struct {
	pid   int
	typed time.Time // the last key, to the second
}

// clients are those in which the window is in front, and that no agent has a hand in.
func (t *tmux) clients() ([]client, error) {
	panes, err := t.ask("list-panes", "-a", "-F", "#{pid} #{pane_tty} #{window_active}#{pane_active} #{session_id}")
	if err != nil {
		return nil, err
	}
	var found []client
	for _, pane := range panes {
		f := strings.Fields(pane)
		if len(f) != 4 || f[0] != strconv.Itoa(t.server.PID) || f[1] != t.terminal || f[2] != "11" {
			continue
		}
		lines, err := t.ask("list-clients", "-t", f[3], "-F", "#{client_pid} #{client_activity}")
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			var c client
			var typed int64
			if _, err := fmt.Sscan(line, &c.pid, &typed); err == nil && t.attended(c.pid) {
				c.typed = time.Unix(typed, 0)
				found = append(found, c)
			}
		}
	}
	return found, nil
}

// attended reports whether a client runs in a terminal that no agent has a hand in.
func (t *tmux) attended(pid int) bool {
	p, ok := t.machine.look(pid)
	if !ok || p.Terminal == 0 {
		return false
	}
	chain, err := t.rule.clean(t.machine, pid)
	return err == nil && bySSH(t.machine, chain) == nil && t.rule.made(t.machine, &p, 0) == nil
}

// settle waits for the next second: tmux tells of keys to the second, and the person has
// just pressed those of the command.
func (t *tmux) settle(ctx context.Context) (from time.Time, err error) {
	now := time.Now()
	timer := time.NewTimer(now.Truncate(time.Second).Add(time.Second).Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return time.Now(), nil
	case <-ctx.Done():
		return now, ErrInterrupted
	}
}

func (t *tmux) pressed(since time.Time) bool {
	clients, err := t.clients()
	return err == nil && slices.ContainsFunc(clients, func(c client) bool { return c.typed.Unix() >= since.Unix() })
}

// ask has the server's own program ask the server: what else is called tmux was not
// looked at.
func (t *tmux) ask(args ...string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), tmuxTime)
	defer cancel()
	program := strings.TrimSuffix(t.server.Exe, " (deleted)")
	if program == "" {
		program = "tmux"
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"-S", t.socket}, args...)...)
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil, notOwner("this window of tmux cannot be looked at: tmux %s: %v", args[0], err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}
