package facts

import (
	"slices"
	"strings"
)

// Bounds of what is read to find out which cluster is meant.
const (
	maxKubeConfig = 256 << 10
	maxKubeFiles  = 8
)

// clusterVerbs are the commands with which clients of clusters call nobody, or, of helm, the
// only ones with which it does.
var (
	kubeHere  = []string{"", "config", "completion", "help", "options", "plugin", "kustomize", "login", "logout"}
	helmThere = []string{"install", "upgrade", "list", "ls", "uninstall", "delete", "del", "un", "rollback", "status", "get", "history", "hist", "test"}
)

// kubeOptions are options that take a word which is no command.
var kubeOptions = []string{"-n", "--namespace", "--context", "--kube-context", "--kubeconfig", "--cluster", "--user", "--as", "--token", "-s", "--server", "--kube-apiserver", "-v", "--request-timeout"}

// cluster tells of the server of the cluster that a call talks to, if its words name none:
// the one of the context that it names, or of the one that is current.
func (c netCall) cluster(args []field, since int) {
	if !slices.Contains([]string{"kubectl", "oc", "k", "helm", "k9s", "stern"}, c.name) || c.world.ReadFile == nil || c.st.remote != "" {
		return
	}
	verb, options := kubeWords(args)
	if c.name == "helm" && !slices.Contains(helmThere, verb) || (c.name == "kubectl" || c.name == "oc" || c.name == "k") && (slices.Contains(kubeHere, verb) || slices.ContainsFunc(args, func(f field) bool { return f.text == "--client" || f.text == "--client=true" })) {
		return
	}
	if c.name == "helm" && len(c.environment("HELM_KUBEAPISERVER")) > 0 {
		return
	}
	for _, name := range []string{"-s", "--server", "--kube-apiserver"} {
		if _, ok := options[name]; ok {
			return
		}
	}
	server, sure := c.kubeServer(options)
	for _, a := range addresses(server) {
		if a.scheme == "" {
			a.scheme = "https"
		}
		c.shell.connects(endpoint{hostPort: a, at: field{at: c.at}, maybe: !sure}, nil, c.at, since)
	}
}

// kubeWords takes the first command out of words, and the options that say which cluster
// is meant.
func kubeWords(args []field) (verb string, options map[string]field) {
	options = map[string]field{}
	for i := 0; i < len(args); i++ {
		name, val, has := strings.Cut(args[i].text, "=")
		switch {
		case name == "--":
			return verb, options
		case slices.Contains(kubeOptions, name):
			f := args[i]
			if f.text = val; !has && i+1 < len(args) {
				i++
				f = args[i]
			}
			options[name] = f
		case verb == "" && !strings.HasPrefix(name, "-"):
			verb = args[i].text
		}
	}
	return verb, options
}

// kubeServer is the address of a server, and whether it is sure.
func (c netCall) kubeServer(options map[string]field) (server string, sure bool) {
	var files values
	if f, ok := options["--kubeconfig"]; ok {
		files = values{f.value}
	} else if files = c.environment("KUBECONFIG"); len(files) == 0 && c.world.Home != "" {
		files = text(c.world.Home + "/.kube/config")
	}
	if len(files) != 1 || !files[0].known() {
		return "", false
	}
	cfg := kubeConfig{contexts: map[string]string{}, servers: map[string]string{}}
	for i, name := range strings.Split(files[0].text, ":") {
		if i >= maxKubeFiles || name == "" || !c.step() {
			break
		}
		if b, err := c.world.ReadFile(c.places(name)[0], maxKubeConfig); err == nil {
			c.steps += len(b) / 256
			cfg.read(clean(string(b[:min(len(b), maxKubeConfig)])))
		}
	}
	context := cfg.current
	for _, name := range []string{"--context", "--kube-context"} {
		if f, ok := options[name]; ok {
			if !f.known() {
				return "", false
			}
			context = f.text
		}
	}
	cluster := cfg.contexts[context]
	if f, ok := options["--cluster"]; ok && f.known() {
		cluster = f.text
	}
	return cfg.servers[cluster], true
}

// kubeConfig is what files say of clusters. Of two the first counts.
type kubeConfig struct {
	current           string
	contexts, servers map[string]string // clusters by contexts, and addresses by clusters
}

// read takes in a file, as kubectl writes it: YAML in blocks, a list of clusters and one
// of contexts.
func (k *kubeConfig) read(src string) {
	section, name, value, item := "", "", "", -1
	flush := func() {
		to := map[string]map[string]string{"clusters": k.servers, "contexts": k.contexts}[section]
		if _, known := to[name]; to != nil && name != "" && !known {
			to[name] = value
		}
		name, value = "", ""
	}
	for line := range strings.Lines(src) {
		line = strings.TrimRight(line, " \t\r\n")
		text := strings.TrimLeft(line, " ")
		if text == "" || text[0] == '#' {
			continue
		}
		indent := len(line) - len(text)
		if rest, ok := strings.CutPrefix(text, "- "); ok && (item < 0 || indent <= item) {
			flush()
			item, text = indent, strings.TrimLeft(rest, " ")
			indent += 2
		} else if indent == 0 {
			flush()
			section, item = strings.TrimSuffix(text, ":"), -1
			if val, ok := strings.CutPrefix(text, "current-context:"); ok && k.current == "" {
				k.current = kubeValue(val)
			}
			continue
		}
		key, val, ok := strings.Cut(text, ":")
		switch {
		case !ok || item < 0:
		case key == "name" && indent == item+2:
			name = kubeValue(val)
		case key == "server" && section == "clusters" && value == "", key == "cluster" && section == "contexts" && value == "" && indent > item+2:
			value = kubeValue(val)
		}
	}
	flush()
}

// kubeValue is a value without its quotes.
func kubeValue(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	return s
}
