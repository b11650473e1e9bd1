package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// kill tells which processes a call ends: by number, by name, or all of somebody.
func (c *call) kill() values {
	byName := c.name != "kill"
	var targets []field
	signal := ""
	whose := ""
	for i := 0; i < len(c.args); i++ {
		f := c.args[i]
		t := f.text
		switch {
		case t == "-l" || t == "-L" || t == "--list":
			return anything()
		case t == "--":
			targets = append(targets, c.args[i+1:]...)
			i = len(c.args)
		case t == "-s" || t == "--signal" || t == "-n":
			if i++; i < len(c.args) {
				signal = c.args[i].text
			}
		case byName && (t == "-u" || t == "--user" || t == "-U" || t == "--euid" || t == "-G" || t == "-g" || t == "-P" || t == "-t"):
			if i++; i < len(c.args) && t != "-P" {
				whose = visible(c.args[i].text)
			}
		case strings.HasPrefix(t, "--signal="):
			signal = t[len("--signal="):]
		case len(t) > 1 && t[0] == '-' && (signal == "" && len(targets) == 0 && !(t == "-1" && i == len(c.args)-1) || byName):
			signal = t[1:]
		default:
			targets = append(targets, f)
		}
	}
	if signal == "0" {
		return anything()
	}
	if len(targets) == 0 && whose != "" {
		c.tell(hook.Fact{Does: "system", What: "process", Object: "all of " + whose, Bulk: true, Global: true, At: c.at, Sure: true})
	}
	for _, f := range targets {
		name := visible(f.text)
		fact := hook.Fact{Does: "system", What: "process", Object: name, Name: programName(name), At: f.at, Sure: f.known(), Bulk: byName, Many: f.many || !f.known() && slices.Contains(f.from, "stdin")}
		for _, from := range f.from {
			if name, ok := strings.CutPrefix(from, "pids:"); ok { // of a name that was asked for
				c.named(name, f)
				fact.Many = false
			}
		}
		if slices.Contains(f.from, "pids") {
			fact.Many = false // of a port, a job or a file
		}
		if !byName {
			fact.Global = name == "-1" || name == "1"
		} else if i := strings.LastIndexAny(name, "/ "); i >= 0 { // pkill -f 'node server.js': one of them, likely
			fact.Name = programName(strings.Fields(name)[0])
		}
		if name == "" {
			continue
		}
		if byName && slices.Contains(vital, fact.Name) || name == "." || name == ".*" || name == "/" {
			fact.Global = true
		}
		if fact.Name == "hookway" || fact.Name == "hookway-hook" {
			c.tell(hook.Fact{Does: "self", What: "daemon", Object: name, At: f.at, Sure: true})
		}
		c.tell(fact)
	}
	return anything()
}

// vital are programs without which a machine, or the work on it, ends.
var vital = []string{"sshd", "init", "systemd", "launchd", "dbus-daemon", "login", "gdm", "xorg", "wayland", "windowserver", "loginwindow", "kernel_task", "networkmanager", "dockerd", "containerd", "bash", "zsh", "sh", "tmux", "screen"}

// pids prints the numbers of processes, by name or by port.
func (c *call) pids() values {
	user, name := "", ""
	for i := 0; i < len(c.args); i++ {
		t := c.args[i].text
		switch {
		case (t == "-u" || t == "-U") && i+1 < len(c.args) && c.name != "lsof":
			i++
			user = visible(c.args[i].text)
		case c.name == "fuser" && (t == "-k" || t == "-ki"):
			for _, f := range c.args[i+1:] {
				if strings.Contains(f.text, "hookway") {
					c.tell(hook.Fact{Does: "self", What: "daemon", Object: visible(f.text), At: f.at, Sure: true})
				}
			}
		case strings.HasPrefix(t, "-"):
		default:
			name = visible(t)
		}
	}
	switch {
	case c.name == "lsof" || c.name == "fuser" || user == "" && name == "":
		return anything("pids")
	case name == "":
		return anything("pids:*" + user)
	}
	return anything("pids:" + name)
}

// named tells that processes of a name are ended, whoever found their numbers.
func (c *call) named(name string, f field) {
	fact := hook.Fact{Does: "system", What: "process", Object: name, Name: programName(name), At: f.at, Sure: true, Bulk: true}
	if strings.HasPrefix(name, "*") || slices.Contains(vital, fact.Name) {
		fact.Global = true
	}
	if strings.HasPrefix(fact.Name, "hookway") {
		c.tell(hook.Fact{Does: "self", What: "daemon", Object: name, At: f.at, Sure: true})
	}
	c.tell(fact)
}
