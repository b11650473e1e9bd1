package facts

import (
	"slices"
	"strings"
)

// everyOne begins the source of a text that names all that a system has of a kind: what
// docker ps -aq prints. The rest is the program.
const everyOne = "all:"

// keepers are programs that list what they keep, and take it away by its name. Each has the
// letters of the options that leave some of a list out.
var keepers = map[string]string{
	"docker": "fnl", "podman": "fnl", "nerdctl": "fnl", "crictl": "", "lxc": "", "incus": "", "kubectl": "flk", "oc": "flk", "k": "flk", "helm": "fl",
	"virsh": "", "vagrant": "", "multipass": "", "limactl": "", "aws": "", "gcloud": "", "az": "", "doctl": "", "hcloud": "", "linode-cli": "", "heroku": "", "fly": "", "flyctl": "",
	"redis-cli": "n", "valkey-cli": "n", "keydb-cli": "n",
	"gh": "R", "glab": "R", "oci": "", "scw": "", "civo": "", "openstack": "", "vultr-cli": "", "exo": "", "ibmcloud": "", "nomad": "", "vercel": "", "wrangler": "", "firebase": "",
}

// narrowing are long options that leave some of a list out.
var narrowing = []string{"--filter", "--filters", "--selector", "--field-selector", "--last", "--latest", "--label", "--labels", "--tag", "--tags", "--name", "--names", "--id", "--ids", "--search", "--prefix", "--state", "--status", "--filename", "--state-shutoff", "--failed", "--pending", "--superseded"}

// listValued are options of lists that take a value which says nothing about what is listed.
var listValued = []string{"--format", "-o", "--output", "--template", "--namespace", "--context", "--kubeconfig", "--sort-by", "--sort", "-H", "--host", "-c", "--columns", "--project", "--region", "--profile", "--subscription", "--chunk-size"}

// lists reports whether a program prints the names of all that it has of a kind.
func (c *call) lists(args []field) bool {
	letters, keeps := keepers[c.name]
	if !keeps {
		return false
	}
	if strings.HasSuffix(c.name, "-cli") && letters == "n" {
		return listsKeys(args)
	}
	var words []string
	for i := 0; i < len(args); i++ {
		name, val, has := strings.Cut(args[i].text, "=")
		switch {
		case !strings.HasPrefix(name, "-"):
			words = append(words, strings.ToLower(args[i].text))
		case slices.Contains(narrowing, name):
			return false
		case name == "--query" || name == "--jq" || c.name == "gh" && name == "-q":
			if !has && i+1 < len(args) {
				i++
				val = args[i].text
			}
			if strings.ContainsAny(val, "?") || strings.Contains(val, "select(") || strings.Contains(val, "[0]") || strings.Contains(val, "contains(") {
				return false
			}
		case slices.Contains(listValued, name) || name == "-n" && !strings.Contains(letters, "n"):
			if !has {
				i++
			}
		case !strings.HasPrefix(name, "--") && strings.ContainsAny(name[1:], letters):
			return false
		}
	}
	return listWords(words, letters)
}

// listsKeys reports whether words ask a store for the names of all its keys.
func listsKeys(args []field) bool {
	scans, every := false, true
	for i, f := range args {
		switch next := args[min(i+1, len(args)-1)].text; {
		case f.text == "--scan":
			scans = true
		case f.text == "--pattern":
			every = every && next == "*"
		case strings.EqualFold(f.text, "keys") && i+1 < len(args):
			scans, every = true, every && next == "*"
		case strings.EqualFold(f.text, "scan") && i+1 < len(args):
			scans = true
		case strings.EqualFold(f.text, "match") && i+1 < len(args):
			every = every && next == "*"
		}
	}
	return scans && every
}

// listWords reports whether words without options ask for a list and name nothing in it.
func listWords(words []string, letters string) bool {
	at := slices.IndexFunc(words, func(w string) bool {
		return slices.Contains([]string{"ls", "list", "ps", "get", "images", "global-status"}, w) || strings.HasPrefix(w, "list-") || strings.HasPrefix(w, "describe-")
	})
	if at < 0 || words[0] == "compose" || words[0] == "get" && len(words) > 2 || slices.ContainsFunc(words, func(w string) bool { return words[0] == "get" && strings.Contains(w, "/") }) {
		return false
	}
	return words[0] == "get" || !strings.Contains(letters, "f") || len(words) == at+1 // docker images NAME
}

// narrows reports whether a program lets only some lines of its input pass, by what they say
// or how many there are. What leaves some out by their name still lets nearly all pass.
func (c *call) narrows() bool {
	words := shown(c.args)
	has := func(some ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.ContainsFunc(some, func(s string) bool { return strings.Contains(w, s) })
		})
	}
	switch c.name {
	case "head", "tail":
		return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "+") })
	case "grep", "egrep", "fgrep", "rg":
		return !slices.ContainsFunc(words, func(w string) bool {
			return w == "--invert-match" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "v")
		})
	case "fzf", "peco", "gum", "shuf", "wc":
		return true
	case "awk", "gawk", "mawk":
		return slices.ContainsFunc(words, func(w string) bool {
			pattern, _, _ := strings.Cut(w, "{")
			return !strings.HasPrefix(w, "-") && (strings.ContainsAny(pattern, "/~") || strings.Contains(pattern, "=="))
		})
	case "sed":
		return slices.Contains(words, "-n") && has("/")
	case "jq", "yq":
		return has("select(", "[0]", "first", "last", "limit(")
	}
	return false
}

// counted marks what a program prints as all of a kind if it is that, and takes the mark off
// where only some of it passes.
func (c *call) counted(out values, args []field) values {
	if c.lists(args) {
		return anything(union(out.sources(), []string{everyOne + c.name})...)
	}
	if slices.ContainsFunc(out, func(v value) bool { return slices.ContainsFunc(v.from, isEvery) }) && c.narrows() {
		for i, v := range out {
			out[i].from = notEvery(v.from)
		}
	}
	return out
}

// eachName is the source of a text that is each of the names in a folder, one after the other.
const eachName = "names"

// notEvery is sources without those that only say that a text stands for many.
func notEvery(from []string) []string {
	many := func(s string) bool { return isEvery(s) || s == eachName }
	if !slices.ContainsFunc(from, many) {
		return from
	}
	return slices.DeleteFunc(slices.Clone(from), many)
}

func isEvery(source string) bool { return strings.HasPrefix(source, everyOne) }

// everyIn says of what a call takes away that it is all of its kind, if a list of all is
// among its words. What docker takes away without force is what nobody uses.
func (c *call) everyIn(args []field, before int) {
	if !slices.ContainsFunc(args, func(f field) bool { return slices.ContainsFunc(f.from, isEvery) }) {
		return
	}
	for i := before; i < len(c.out); i++ {
		f := &c.out[i]
		if f.By == c.name && f.Does == "sql" && f.Verb == "delete" {
			f.Bounded, f.Object = false, "every key"
		}
		if f.By != c.name || f.Does != "infra" || f.Verb != "delete" && f.Verb != "stop" && f.Verb != "prune" {
			continue
		}
		f.Bulk = f.System != "docker" || f.Verb != "delete" || c.seen["force"] || strings.HasPrefix(f.Object, "volume")
		f.Object = "every " + f.Object
	}
}
