package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// killCall is kill, pkill or killall with its words read.
type killCall struct {
	*call
	byName  bool
	targets []field
	signal  string
	whose   string // all of a user or group
	lists   bool   // it only lists signals
}

// kill tells which processes a call ends: by number, by name, or all of somebody.
func (c *call) kill() values {
	k := killCall{call: c, byName: c.name != "kill"}
	for i := 0; i < len(c.args) && !k.lists; i++ {
		i += k.word(i)
	}
	if k.lists || k.signal == "0" {
		return anything()
	}
	if len(k.targets) == 0 && k.whose != "" {
		c.tell(hook.Fact{Does: "system", What: "process", Object: "all of " + k.whose, Bulk: true, Global: true, At: c.at, Sure: true})
	}
	for _, f := range k.targets {
		k.ends(f)
	}
	return anything()
}

// word reads one word, and gives how many more belong to it.
func (k *killCall) word(i int) (more int) {
	next := ""
	if i+1 < len(k.args) {
		next = visible(k.args[i+1].text)
	}
	switch t := k.args[i].text; {
	case t == "-l" || t == "-L" || t == "--list":
		k.lists = true
	case t == "--":
		k.targets = append(k.targets, k.args[i+1:]...)
		return len(k.args)
	case t == "-s" || t == "--signal" || t == "-n":
		k.signal = next
		return 1
	case k.byName && t == "-P":
		return 1
	case k.byName && slices.Contains([]string{"-u", "--user", "-U", "--euid", "-G", "-g", "-t"}, t):
		k.whose = next
		return 1
	case strings.HasPrefix(t, "--signal="):
		k.signal = t[len("--signal="):]
	case len(t) > 1 && t[0] == '-' && (k.signal == "" && len(k.targets) == 0 && !(t == "-1" && i == len(k.args)-1) || k.byName):
		k.signal = t[1:]
	default:
		k.targets = append(k.targets, k.args[i])
	}
	return 0
}

// ends tells of one target.
func (k *killCall) ends(f field) {
	name := visible(f.text)
	fact := hook.Fact{Does: "system", What: "process", Object: name, Name: programName(name), At: f.at, Sure: f.known(), Bulk: k.byName, Many: f.many || !f.known() && slices.Contains(f.from, "stdin")}
	for _, from := range f.from {
		if file, ok := strings.CutSuffix(from, ".pid"); ok { // it holds one number
			fact.Many = false
			if base := programName(path.Base(file)); slices.Contains(vital, base) || strings.HasPrefix(base, "hookway") {
				k.named(base, f)
			}
		}
		if name, ok := strings.CutPrefix(from, "pids:"); ok { // of a name that was asked for
			k.named(name, f)
			fact.Many = false
		}
	}
	if strings.TrimSpace(name) == "" {
		return
	}
	if slices.Contains(f.from, "pids") {
		fact.Many = false // of a port, a job or a file
	}
	if !k.byName {
		fact.Global = name == "-1" || name == "1"
	} else if strings.ContainsAny(name, "/ ") { // pkill -f 'node server.js': one of them, likely
		fact.Name = programName(strings.Fields(name)[0])
	}
	if k.byName && slices.Contains(vital, fact.Name) || name == "." || name == ".*" || name == "/" {
		fact.Global = true
	}
	if fact.Name == "hookway" || fact.Name == "hookway-hook" || k.name == "pkill" && len(name) > 2 && strings.Contains("hookway-hook", name) {
		k.tell(hook.Fact{Does: "self", What: "daemon", Object: name, At: f.at, Sure: true})
	}
	k.tell(fact)
}

// vital are programs without which a machine, or the work on it, ends.
var vital = []string{"sshd", "init", "systemd", "launchd", "dbus-daemon", "login", "gdm", "xorg", "wayland", "windowserver", "loginwindow", "kernel_task", "explorer", "lsass", "winlogon", "csrss", "wininit", "smss", "services", "svchost", "networkmanager", "dockerd", "containerd", "bash", "zsh", "sh", "tmux", "screen"}

// pids prints the numbers of processes, by name or by port.
func (c *call) pids() values {
	user, name := "", ""
	for i := 0; i < len(c.args); i++ {
		t := c.args[i].text
		switch {
		case (t == "-u" || t == "-U") && i+1 < len(c.args) && c.name != "lsof":
			i++
			user = visible(c.args[i].text)
		case c.name == "fuser" && strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.Contains(t, "k") || t == "--kill":
			c.endsUsers()
			for _, f := range c.args {
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

// endsUsers tells that fuser ends all who use a file. Who uses the top of something, a folder
// of the system or all that is mounted there, is nearly everybody.
func (c *call) endsUsers() {
	mounted := slices.ContainsFunc(c.args, func(f field) bool {
		return f.text == "--mount" || f.text == "--ismountpoint" || strings.HasPrefix(f.text, "-") && !strings.HasPrefix(f.text, "--") && strings.ContainsAny(f.text, "mcM")
	})
	for _, f := range c.args {
		if strings.HasPrefix(f.text, "-") || strings.Contains(f.text, "/tcp") || strings.Contains(f.text, "/udp") || strings.Trim(f.text, "0123456789") == "" {
			continue
		}
		for _, place := range c.places(f.text) {
			scope := c.world.scope(path.Clean(place))
			if scope == scopeRoot || scope == scopeSystem || mounted {
				c.tell(hook.Fact{Does: "system", What: "process", Object: "all who use " + visible(f.text), Bulk: true, Global: true, At: f.at, Sure: f.known()})
			}
		}
	}
}
