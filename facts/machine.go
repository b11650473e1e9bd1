package facts

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// protectors are services that protect a machine, or write down what happens on it.
var protectors = []string{"firewalld", "ufw", "iptables", "ip6tables", "nftables", "apparmor", "auditd", "fail2ban", "crowdsec", "clamav-daemon", "osqueryd", "falcon-sensor", "wazuh-agent", "snort", "suricata"}

// endsProtection reports whether a program that manages services ends one of those.
func (c *call) endsProtection(p parsed) bool {
	words := append(strings.Fields(p.sub), shown(fieldsOf(p.operands))...)
	ends := slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"stop", "disable", "mask", "kill", "remove", "off", "down"}, w)
	})
	return ends && slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(protectors, strings.TrimSuffix(w, ".service"))
	})
}

// approves notes what a line says before, or beside, a program that would ask: yes | x,
// TF_CLI_ARGS_destroy=-auto-approve. Of Terraform, apply with -destroy deletes.
func (c *call) approves(p parsed, f *hook.Fact) {
	for _, v := range c.stdin {
		if answer := strings.ToLower(strings.TrimSpace(v.text)); strings.HasPrefix(answer, "y") && len(answer) < 8 {
			f.Approved = true
		}
	}
	if module := cmp.Or(c.value["-m"], c.value["--module-name"]); f.System == "ansible" && slices.Contains([]string{"ping", "setup", "debug", "stat", "gather_facts", "service_facts", "package_facts"}, strings.TrimPrefix(module, "ansible.builtin.")) {
		f.Verb = "get"
	}
	if raw := c.value["--raw"]; raw != "" {
		below, ok := kubernetesPath(strings.Split(strings.Trim(raw, "/"), "/"))
		f.Object, f.Bulk = visible(raw), ok && (len(below)%2 == 1 || below[0] == "namespaces" && len(below) == 2)
	}
	if f.System != "terraform" {
		return
	}
	for name, vs := range c.st.vars {
		for _, v := range vs {
			if strings.HasPrefix(name, "TF_CLI_ARGS") && (name == "TF_CLI_ARGS" || name == "TF_CLI_ARGS_"+p.sub) {
				f.Approved = f.Approved || strings.Contains(v.text, "-auto-approve")
				c.seen["bulk"] = c.seen["bulk"] || strings.Contains(v.text, "-destroy")
			}
		}
	}
	if f.Verb == "apply" && c.seen["bulk"] {
		f.Verb, f.Bulk = "delete", false
	}
}

// capabilities are those with which a container has the machine.
var capabilities = []string{"ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_RAWIO", "DAC_READ_SEARCH"}

// capability tells of a right or a name space of the machine that a container is given.
func (c *call) capability(f field) {
	name := strings.TrimPrefix(strings.ToUpper(f.text), "CAP_")
	if name == "HOST" || slices.Contains(capabilities, name) {
		c.tell(hook.Fact{Does: "infra", System: "docker", Verb: "privileged", Object: visible(f.text), At: f.at, Sure: true})
	}
}

// ofTheMachine finds in the description of a pod or a container, without blanks between a key
// and its value, what gives it the machine.
var ofTheMachine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)["']?(privileged|hostPID)["']?:\s*true|["']?hostPath["']?:\s*\{?\s*["']?path["']?:\s*["']?(/|/etc|/root|/home|/proc|/sys|/dev|/boot|/usr|/var|/var/lib/kubelet|/(var/)?run/docker\.sock|/(var/)?run/containerd/containerd\.sock)/?["']?\s*([,}\n]|$)|-\s*["']?(/|/etc|/root|/(var/)?run/docker\.sock):/`)
})

// describes tells that a description which the line itself gives has a pod take the machine.
func (c *call) describes(v value, f field) {
	if len(v.text) <= maxText && v.text != string(hole) {
		if found := ofTheMachine().FindString(v.text); found != "" {
			c.tell(hook.Fact{Does: "infra", System: "docker", Verb: "privileged", Object: visible(strings.TrimSpace(found)), At: f.at, Sure: v.known()})
		}
	}
}

// cmakeTools are commands of cmake -E, by the programs that do the same.
var cmakeTools = map[string][]string{"rm": {"rm"}, "remove": {"rm", "-f"}, "remove_directory": {"rm", "-r"}, "copy": {"cp"}, "copy_directory": {"cp", "-r"}, "rename": {"mv"}, "touch": {"touch"}, "env": {"env"}, "time": {"time"}, "cat": {"cat"}, "create_symlink": {"ln", "-s"}}

// cmake runs what is behind -E as the program that does the same.
func (c *call) cmake() values {
	if len(c.args) < 2 || c.args[0].text != "-E" {
		return programs()["cmake"].run(c)
	}
	var words []field
	for _, w := range cmakeTools[c.args[1].text] {
		words = append(words, field{value: value{text: w}, at: c.args[1].at})
	}
	if len(words) == 0 {
		return anything()
	}
	return c.shell.run(append(words, c.args[2:]...), c.stdin, c.at)
}

// ansible tells what a module would do on the machines that are meant: run a line, or
// take a path away.
func (c *call) ansible(f field) {
	switch module := cmp.Or(c.value["-m"], c.value["--module-name"], "command"); module {
	case "command", "shell", "raw", "ansible.builtin.shell", "ansible.builtin.command":
		c.table().runThere("hosts", f)
	case "file", "ansible.builtin.file":
		if strings.Contains(f.text, "state=absent") {
			for w := range strings.FieldsSeq(f.text) {
				if p, ok := strings.CutPrefix(w, "path="); ok {
					c.table().runThere("hosts", field{value: value{text: "rm -rf " + quote(p)}, at: f.at})
				}
			}
		}
	}
}

// cypher reads a statement of Neo4j.
func (c *call) cypher(f field) {
	low := strings.ToLower(f.text)
	fact := hook.Fact{Does: "sql", Dialect: "cypher", Verb: "select", Where: "local", At: f.at, Sure: f.known()}
	for _, name := range []string{"-a", "--address"} {
		for _, a := range addresses(c.value[name]) {
			if hostClass(a.host) != "loopback" {
				fact.Where = "remote"
			}
		}
	}
	switch {
	case strings.Contains(low, "drop database"):
		fact.Verb = "drop"
	case strings.Contains(low, "delete"):
		fact.Verb, fact.Bounded = "delete", strings.Contains(low, "where") || strings.Contains(low, "{")
	}
	c.tell(fact)
}
