package owner

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/process"
)

// desk is a machine with a person: processes by number, each with its parent, its
// terminal and its command line.
type desk struct {
	processes map[int]process.Process
	environs  map[int][]string
	held      []int // can type into terminal 5
	marked    []int
	traced    map[int]int
	links     []link // nil: they are not told
	mine      []string
	users     bool
}

func newDesk(lines map[int]string) *desk {
	d := &desk{processes: map[int]process.Process{}, environs: map[int][]string{}}
	parent := map[int]int{}
	for pid := range lines {
		parent[pid] = pid / 10 // 1234 is started by 123, and that by 12
	}
	for pid, line := range lines {
		d.processes[pid] = process.Process{PID: pid, Parent: max(parent[pid], 1), Args: strings.Split(line, " ")}
	}
	self := d.processes[1234]
	self.Terminal = 5
	d.processes[1234] = self
	return d
}

func (d *desk) rule() Rule {
	return Rule{self: 1234, system: &machine{
		look:    func(pid int) (process.Process, bool) { p, ok := d.processes[pid]; return p, ok },
		environ: func(pid int) []string { return d.environs[pid] },
		all: func() (all []int) {
			for pid := range d.processes {
				all = append(all, pid)
			}
			return all
		},
		holders: func(terminal int) []int {
			if terminal == 5 {
				return d.held
			}
			return nil
		},
		rights: func(int) (int, bool, bool) { return 0, false, false },
		marked: func(pid int) bool { return slices.Contains(d.marked, pid) },
		tracer: func(pid int) int { return d.traced[pid] },
		types:  func() bool { return true },
		users:  func() bool { return d.users },
		own: func() []netip.Addr {
			return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.9"), netip.MustParseAddr("fe80::9")}
		},
		links: func() ([]link, bool) { return d.links, d.links != nil },
		mine:  d.mine,
	}}
}

// judge is what Open asks about processes.
func (d *desk) judge() error {
	r := d.rule()
	if err := r.Agent(); err != nil {
		return err
	}
	return r.terminal(r.machine())
}

func TestWhoTellsWhoHasStartedACommand(t *testing.T) {
	for want, lines := range map[string]map[int]string{
		"hookway (1234) < bash (123) < gnome-terminal-server (12) by ": {1234: "hookway allow K7QX4", 123: "-bash", 12: "/usr/libexec/gnome-terminal-server"},
		"hookway (1234) < sh (123) < node (12) by claude-code":         {1234: "hookway allow K7QX4", 123: "sh -c x", 12: "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"},
		"hookway (1234) < codex (123) by codex":                        {1234: "hookway allow K7QX4", 123: "/usr/bin/codex exec"},
	} {
		if line, agent := newDesk(lines).rule().Who(); line+" by "+agent != want {
			t.Errorf("got %q by %q, want %q", line, agent, want)
		}
	}
}

// sshFrom is the environment of a session from an address.
func sshFrom(address string) map[int][]string {
	return map[int][]string{123: {"SSH_CONNECTION=" + address + " 5000 192.0.2.1 22"}}
}

func linkTo(from string) link {
	return link{here: netip.MustParseAddrPort("192.0.2.1:22"), there: netip.AddrPortFrom(netip.MustParseAddr(from), 5000)}
}

func TestWhoCanSpeakForTheOwner(t *testing.T) {
	const self = "hookway allow K7QX4"
	for name, c := range map[string]struct {
		lines   map[int]string
		environ map[int][]string
		held    []int
		mine    []string
		marked  []int
		links   []link
		why     string // "" is the owner
	}{
		"a terminal":                  {lines: map[int]string{1234: self, 123: "-bash", 12: "/usr/libexec/gnome-terminal-server"}, held: []int{12}},
		"a console":                   {lines: map[int]string{1234: self, 123: "-zsh", 12: "login -- anna"}},
		"ssh":                         {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: map[int][]string{123: {"SSH_CONNECTION=192.0.2.7 5000 192.0.2.1 22"}}},
		"an editor's terminal":        {lines: map[int]string{1234: self, 123: "/bin/bash", 12: "/usr/share/code/code --type=utility", 2: "/usr/share/code/code"}, held: []int{12}},
		"a recording":                 {lines: map[int]string{1234: self, 123: "script log", 12: "bash"}, held: []int{123}},
		"terminator":                  {lines: map[int]string{1234: self, 123: "bash", 12: "/usr/bin/python3 /usr/bin/terminator"}, held: []int{12}},
		"xterm, left behind":          {lines: map[int]string{1234: self, 123: "bash", 77: "xterm"}, held: []int{77}},
		"settings of an agent":        {lines: map[int]string{1234: self, 123: "bash"}, mine: []string{"CLAUDE_CODE_USE_BEDROCK=1", "CODEX_HOME=/x", "HOOKWAY_HOME=/y", "HOOKWAY_DEPTH=0", "CLAUDECODE="}},
		"a folder called claude":      {lines: map[int]string{1234: self, 123: "vim claude", 12: "bash /home/u/claude/x"}},
		"an agent elsewhere":          {lines: map[int]string{1234: self, 123: "bash", 88: "claude", 888: "bash"}, held: []int{1}},
		"no process is told":          {lines: map[int]string{}},
		"a variable":                  {lines: map[int]string{1234: self}, mine: []string{"CLAUDECODE=1"}, why: "CLAUDECODE is set"},
		"a wrapped session":           {lines: map[int]string{1234: self}, mine: []string{"HOOKWAY_SESSION=s-1"}, why: "HOOKWAY_SESSION is set"},
		"a hook":                      {lines: map[int]string{1234: self, 123: "sh -c x"}, mine: []string{"HOOKWAY_DEPTH=1"}, why: "HOOKWAY_DEPTH is set"},
		"an agent":                    {lines: map[int]string{1234: self, 123: "bash -c x", 12: "claude"}, why: "the agent claude (process 12) has started"},
		"an agent's path":             {lines: map[int]string{1234: self, 123: "/opt/x/codex exec"}, why: "the agent codex"},
		"a script of node":            {lines: map[int]string{1234: self, 123: "node --no-warnings /usr/bin/gemini"}, why: "the agent gemini"},
		"a package of node":           {lines: map[int]string{1234: self, 123: "/usr/bin/node /usr/lib/node_modules/@openai/codex/bin/x.js"}, why: "the agent codex"},
		"a version of claude":         {lines: map[int]string{1234: self, 123: "/home/u/.local/share/claude/versions/2.1.3"}, why: "the agent claude"},
		"a script of python":          {lines: map[int]string{1234: self, 123: "/usr/bin/python3.12 -I /home/u/.local/bin/aider"}, why: "the agent aider"},
		"hookway itself":              {lines: map[int]string{1234: self, 123: "sh -c x", 12: "hookway serve"}, why: "hookway itself (process 12)"},
		"the shim":                    {lines: map[int]string{1234: self, 123: "/x/hookway-hook claude"}, why: "hookway itself (process 123)"},
		"cron":                        {lines: map[int]string{1234: self, 123: "script -c x", 12: "/usr/sbin/CRON -f"}, why: "CRON (process 12)"},
		"crond":                       {lines: map[int]string{1234: self, 123: "script -c x", 12: "/usr/sbin/crond -n"}, why: "crond (process 12) has started this command, and no person"},
		"at":                          {lines: map[int]string{1234: self, 123: "sh", 12: "/usr/sbin/atd -f"}, why: "atd (process 12)"},
		"an emptied environment":      {lines: map[int]string{1234: self, 123: "bash -c x", 12: "bash"}, environ: map[int][]string{12: {"A=b", "GEMINI_CLI=1"}}, why: "GEMINI_CLI is set there"},
		"an agent on the terminal":    {lines: map[int]string{1234: self, 123: "bash", 88: "claude"}, why: "the agent claude (process 88) runs in this terminal, too"},
		"an agent's on the terminal":  {lines: map[int]string{1234: self, 88: "perl x.pl"}, environ: map[int][]string{88: {"CLAUDECODE=1"}}, why: "perl (process 88) runs in this terminal, too, and an agent has started it: CLAUDECODE is set there"},
		"left behind on the terminal": {lines: map[int]string{1234: self, 88: "perl x.pl"}, why: "perl (process 88) runs in this terminal, too, and could type into it"},
		"an agent holds it":           {lines: map[int]string{1234: self, 88: "codex"}, held: []int{88}, why: "the agent codex (process 88)"},
		"an agent's child holds it":   {lines: map[int]string{1234: self, 88: "codex", 888: "python3 x.py"}, held: []int{888}, why: "the agent codex (process 88)"},
		"script, left behind":         {lines: map[int]string{1234: self, 88: "script -qec x /dev/null"}, held: []int{88}, why: "this terminal was made by script (process 88), which a process that has ended left behind"},
		"python, left behind":         {lines: map[int]string{1234: self, 88: "/usr/bin/python3.12 -c terminator"}, held: []int{88}, why: "made by python3.12 (process 88)"},
		"script, below what was left": {lines: map[int]string{1234: self, 1: "/sbin/init", 8: "sh -c x", 88: "script -qec x /dev/null"}, held: []int{88}, why: "script (process 88), below sh (process 8), which"},
		"script, below `timeout`":     {lines: map[int]string{1234: self, 1: "/server", 8: "timeout 9 sh", 88: "sh -c x", 888: "perl5.36.0 x.pl"}, held: []int{888}, why: "perl5.36.0 (process 888), below timeout (process 8)"},
		"script, in a container":      {lines: map[int]string{1234: self, 1: "/server", 8: "bash", 88: "python3 x.py"}, held: []int{88}},
		"an unknown one of a desktop": {lines: map[int]string{1234: self, 1: "/sbin/init", 8: "gnome-shell", 88: "python3 x.py"}, held: []int{88}},
		"an editor on a server":       {lines: map[int]string{1234: self, 1: "/sbin/init", 8: "sh code-server", 88: "node /x/out/bootstrap-fork --type=ptyHost"}, held: []int{88}},
		"the loader, left behind":     {lines: map[int]string{1234: self, 88: "/lib64/ld-linux-x86-64.so.2 /usr/bin/python3 x.py"}, held: []int{88}, why: "this terminal was made by ld-linux"},
		"below a session's helper":    {lines: map[int]string{1234: self, 1: "/server", 8: "dbus-run-session -- python3 x.py", 88: "python3 x.py"}, held: []int{88}, why: "below dbus-run-session (process 8)"},
		"vim, left behind":            {lines: map[int]string{1234: self, 88: "vim -s x"}, held: []int{88}, why: "this terminal was made by vim"},
		"screen":                      {lines: map[int]string{1234: self, 88: "SCREEN -dmS x"}, held: []int{88}, why: "does not tell whether a person"},
		"ssh to itself":               {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd-session: anna@pts/0"}, environ: map[int][]string{123: {"SSH_CONNECTION=127.0.0.1 5000 127.0.0.1 22"}}, why: "comes from this machine itself (127.0.0.1)"},
		"ssh to its own address":      {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: map[int][]string{123: {"SSH_CONNECTION=192.0.2.1 5000 192.0.2.1 22"}}, why: "comes from this machine itself (192.0.2.1)"},
		"ssh, hidden":                 {lines: map[int]string{1234: self, 123: "bash", 12: "sshd: anna@pts/0"}, why: "where this ssh session comes from was hidden"},
		"ssh, said otherwise":         {lines: map[int]string{1234: self, 123: "bash", 12: "sshd: anna@pts/0"}, environ: map[int][]string{1234: {"SSH_CONNECTION=192.0.2.7 1 192.0.2.1 22"}, 123: {"SSH_CONNECTION=::1 1 ::1 22"}}, why: "comes from this machine itself (::1)"},
		"ssh, as the kernel has it":   {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: sshFrom("192.0.2.7"), links: []link{linkTo("192.0.2.7"), linkTo("192.0.2.8")}},
		"ssh by IPv6":                 {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: map[int][]string{123: {"SSH_CONNECTION=fe80::7%eth0 5000 fe80::9%eth0 22"}}},
		"ssh from another address":    {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: sshFrom("192.0.2.9"), why: "comes from this machine itself (192.0.2.9)"},
		"ssh, mapped":                 {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: sshFrom("::ffff:127.0.0.1"), why: "comes from this machine itself"},
		"ssh over a pipe":             {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: map[int][]string{123: {"SSH_CONNECTION=UNKNOWN 65535 UNKNOWN 65535"}}, why: "comes from this machine itself (UNKNOWN)"},
		"ssh from nowhere":            {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: map[int][]string{123: {"SSH_CONNECTION=elsewhere 1 192.0.2.1 22"}}, why: "is not known"},
		"ssh, faked":                  {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: sshFrom("192.0.2.7"), links: []link{linkTo("192.0.2.1")}, why: "does not come from where it says"},
		"ssh as another session":      {lines: map[int]string{1234: self, 123: "-bash", 12: "sshd: anna@pts/0"}, environ: sshFrom("192.0.2.7"), links: []link{linkTo("192.0.2.7"), linkTo("192.0.2.1")}, why: "to itself is open, and cannot be told from this one"},
		"what an agent left":          {lines: map[int]string{1234: self, 123: "bash", 88: "anything"}, held: []int{88}, marked: []int{88}, why: "anything (process 88) has the limit of file locks"},
		"below what an agent left":    {lines: map[int]string{1234: self, 123: "bash"}, marked: []int{123, 1234}, why: "has started this command"},
		"marked on the terminal":      {lines: map[int]string{1234: self, 88: "npm run dev"}, marked: []int{88}, why: "npm (process 88) runs in this terminal, too, and an agent has started it"},
		"an agent's child elsewhere":  {lines: map[int]string{1234: self, 123: "bash", 88: "anything"}, marked: []int{88}},
	} {
		d := newDesk(c.lines)
		d.held, d.mine, d.marked, d.links = c.held, c.mine, c.marked, c.links
		if c.environ != nil {
			d.environs = c.environ
		}
		if name == "a recording" { // in another terminal
			p := d.processes[123]
			p.Terminal = 6
			d.processes[123] = p
		}
		if strings.HasSuffix(name, "on the terminal") {
			p := d.processes[88]
			p.Terminal, p.Session = 5, 12
			d.processes[88] = p
		}
		err := d.judge()
		var not *NotOwner
		if refused := errors.As(err, &not); refused != (c.why != "") || refused != (err != nil) || !strings.Contains(fmt.Sprint(err), c.why) {
			t.Errorf("%s: %v; want %q", name, err, c.why)
		}
	}
}

// What a person's terminal starts at the same moment holds the terminal until it begins.
func TestAProgramThatHasJustBegunHoldsNoTerminal(t *testing.T) {
	d := newDesk(map[int]string{1234: "hookway allow K7QX4", 123: "-bash", 12: "/usr/libexec/gnome-terminal-server", 88: "claude"})
	r := d.rule()
	looks := 0
	r.system.holders = func(int) []int {
		if looks++; looks == 1 {
			return []int{12, 88}
		}
		return []int{12}
	}
	if err := r.terminal(r.machine()); err != nil {
		t.Errorf("got %v, want the owner", err)
	}
}

func TestWhatMaySpeakWithoutATerminal(t *testing.T) {
	const self = "hookway trust --yes"
	for name, c := range map[string]struct {
		lines map[int]string
		users bool
		why   string
	}{
		"a service":         {lines: map[int]string{1234: self, 123: "sh -c x", 1: "/sbin/init"}},
		"a runner":          {lines: map[int]string{1234: self, 123: "sh -c x", 12: "runner", 1: "/sbin/init"}},
		"a container":       {lines: map[int]string{1234: self, 123: "sh -c x", 1: "/entry"}, users: true},
		"what was left":     {lines: map[int]string{1234: self, 77: "sh", 1: "/sbin/init"}, users: true, why: "whoever started hookway (process 1234)"},
		"below what was":    {lines: map[int]string{1234: self, 123: "sh -c x", 12: "timeout 9 sh", 1: "/lib/systemd/systemd"}, users: true, why: "whoever started timeout (process 12)"},
		"a user's own init": {lines: map[int]string{1234: self, 123: "sh -c x", 12: "systemd --user", 1: "/sbin/init"}, users: true, why: "whoever started sh (process 123)"},
		"an agent":          {lines: map[int]string{1234: self, 123: "claude", 1: "/sbin/init"}, why: "the agent claude"},
	} {
		d := newDesk(c.lines)
		p := d.processes[1234]
		p.Terminal = 0
		d.processes[1234] = p
		d.users = c.users
		if err := d.rule().Script(); (err != nil) != (c.why != "") || !strings.Contains(fmt.Sprint(err), c.why) {
			t.Errorf("%s: %v; want %q", name, err, c.why)
		}
	}
}

func TestALoopOfParentsEnds(t *testing.T) {
	d := newDesk(map[int]string{1234: "a", 123: "b"})
	p := d.processes[123]
	p.Parent = 1234
	d.processes[123] = p
	if err := d.judge(); err == nil || !strings.Contains(err.Error(), "more than 64 processes") {
		t.Errorf("%v, want that there are too many", err)
	}
}
