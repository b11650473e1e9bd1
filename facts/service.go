package facts

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// cloud reads the words of a cloud's own program: service, resource, verb. The verb
// is the word that says what happens, in whatever place it stands.
func (c serviceCall) cloud(args []field) {
	fact := hook.Fact{Does: "infra", System: cloudNames[c.name], At: c.at, Sure: true, Verb: "get", Dry: c.seen["--dry-run"] || c.seen["--dryrun"] || c.seen["--validate-only"]}
	if fact.System == "" {
		fact.System = c.name
	}
	var words []string
	for _, f := range args {
		if strings.HasPrefix(f.text, "-") {
			break
		}
		words = append(words, visible(f.text))
	}
	for i, w := range words {
		if i > 3 {
			break
		}
		if i == 0 && len(words) > 1 && (w == "run" || w == "deploy" || w == "compute" || w == "functions") {
			continue // the service, and not what is done
		}
		if verb := cloudVerb(strings.ToLower(w[strings.LastIndexByte(w, ':')+1:])); verb != "" {
			fact.Verb = verb
			if verb != "get" {
				break
			}
		}
	}
	fact.Object = strings.Join(words, " ")
	fact.Bulk = fact.Verb == "delete" && whole(words)
	if n := len(words); c.name == "aws" && n > 3 && words[0] == "s3" && (words[1] == "cp" || words[1] == "sync") && strings.HasPrefix(words[2], "s3://") && !strings.HasPrefix(words[3], "s3://") || c.name == "gsutil" && n > 2 && words[0] == "cp" && strings.HasPrefix(words[1], "gs://") && !strings.HasPrefix(words[2], "gs://") {
		fact.Verb = "get" // to here
	}
	c.cloudLines(words)
	if len(words) > 1 && words[1] == "ssh" {
		c.tell(hook.Fact{Does: "connect", Scheme: "ssh", Host: c.name, Class: "public", At: c.at, Sure: true})
	}
	for _, f := range c.args {
		switch f.text {
		case "--recursive", "-r", "-R", "--all", "--all-namespaces", "--force", "--delete":
			fact.Bulk = true
			if f.text == "--delete" && fact.Verb != "get" {
				fact.Verb = "delete"
			}
		case "-m":
			fact.Bulk = fact.Bulk || c.name == "gsutil"
		case "--yes", "-y", "--quiet", "-q", "--no-prompt", "--confirm", "--skip-confirmation":
			fact.Approved = true
		case "--dry-run", "--dryrun", "--no-execute-changeset":
			fact.Dry = true
		}
	}
	if u := c.value["--endpoint-url"]; u != "" && (strings.Contains(u, "localhost") || strings.Contains(u, "127.0.0.1")) {
		fact.Where = "local"
	}
	c.tell(fact)
	if c.name == "aws" && len(words) > 1 && (words[1] == "get-secret-value" || c.seen["--with-decryption"] || words[1] == "get-login-password" || words[1] == "get-session-token" || words[1] == "export-credentials" || words[0] == "configure" && words[1] == "get") ||
		slices.Contains(words, "print-access-token") || slices.Contains(words, "get-access-token") || slices.Contains(words, "access") && slices.Contains(words, "secrets") || c.name == "az" && givesKeys(words) {
		c.tell(hook.Fact{Does: "read", Path: c.name + ":" + strings.Join(words, " "), Secret: "cloud credentials", At: c.at, Sure: true})
	}
}

// givesKeys reports whether words of Azure's program have it print keys of a service.
func givesKeys(words []string) bool {
	for i, w := range words {
		if slices.Contains([]string{"list-keys", "show-connection-string", "list-connection-strings", "regenerate-keys", "listkeys"}, w) || (w == "keys" || w == "credential") && i > 0 && i+1 < len(words) && slices.Contains([]string{"list", "show", "renew"}, words[i+1]) {
			return true
		}
	}
	return false
}

// cloudLines reads what a cloud's program runs on machines there: compute ssh --command,
// ssm send-command --parameters commands=["…"].
func (c serviceCall) cloudLines(words []string) {
	ssh, command := slices.Contains(words, "ssh"), slices.Contains(words, "send-command") || slices.Contains(words, "run-command")
	for i, f := range c.args {
		option, line, joined := strings.Cut(f.text, "=")
		switch {
		case ssh && joined && option == "--command":
			f.text = line
			c.table().runThere("host", f)
		case ssh && i > 0 && c.args[i-1].text == "--command":
			c.table().runThere("host", f)
		case command && strings.Contains(f.text, "commands"), command && i > 0 && c.args[i-1].text == "--scripts":
			for n, part := range strings.Split(f.text, `"`) {
				if n%2 == 1 || !strings.Contains(f.text, `"`) {
					f.text = strings.TrimPrefix(part, "commands=")
					c.table().runThere("hosts", f)
				}
			}
		}
	}
}

// cloudNames are the systems behind programs.
var cloudNames = map[string]string{"gcloud": "gcp", "gsutil": "gcp", "bq": "gcp", "az": "azure", "gh": "github", "glab": "gitlab", "hub": "github", "mc": "minio", "s3cmd": "aws"}

// cloudVerb gives what a word of a cloud's program does: get, apply, delete or "".
func cloudVerb(w string) string {
	head, rest, _ := strings.Cut(w, "-")
	if head == "batch" || head == "force" || head == "bulk" { // batch-delete-image
		return cloudVerb(rest)
	}
	switch head {
	case "delete", "rm", "rb", "remove", "terminate", "destroy", "purge", "deregister", "del", "drop", "wipe", "empty", "uninstall", "schedule", "abandon", "undelete", "revoke", "detach", "disassociate", "release", "reset", "stop", "deactivate", "disable", "cancel", "archive", "unpublish", "leave", "close":
		return "delete"
	case "create", "put", "update", "apply", "deploy", "run", "start", "set", "add", "modify", "attach", "associate", "cp", "mv", "sync", "upload", "enable", "register", "invoke", "publish", "import", "restore", "resize", "scale", "patch", "replace", "edit", "promote", "rollback", "reboot", "restart", "copy", "change", "authorize", "assign", "merge", "transfer", "rename", "submit", "send", "execute", "insert", "load", "mk", "mb", "rewrite", "grant", "ch":
		return "apply"
	case "list", "ls", "describe", "get", "show", "view", "status", "cat", "head", "help", "version", "info", "config", "login", "auth", "print", "tail", "logs", "diff", "search", "checks", "query", "wait", "validate", "plan", "preview", "checkout", "clone", "whoami", "browse":
		return "get"
	}
	return ""
}

// forge reads the words of gh and glab, of which api is a REST client.
func (c serviceCall) forge(args []field) {
	if len(args) > 0 && args[0].text == "api" {
		c.forgeAPI(args)
		return
	}
	c.forgeWords(args)
}

// forgeAPI reads a request to the API of a forge.
func (c serviceCall) forgeAPI(args []field) {
	if len(args) > 1 && args[1].text == "graphql" && c.asksGraph() {
		return
	}
	method := "GET"
	for i, f := range c.args {
		switch {
		case (f.text == "-X" || f.text == "--method") && i+1 < len(c.args):
			method = strings.ToUpper(c.args[i+1].text)
		case strings.HasPrefix(f.text, "-X") && len(f.text) > 2:
			method = strings.ToUpper(f.text[2:])
		case strings.HasPrefix(f.text, "--method="):
			method = strings.ToUpper(f.text[len("--method="):])
		case f.text == "-f" || f.text == "-F" || f.text == "--field" || f.text == "--raw-field" || f.text == "--input":
			if method == "GET" {
				method = "POST"
			}
		}
	}
	object, body := "", ""
	for i, f := range c.args {
		valued := i > 0 && slices.Contains([]string{"-X", "--method", "-H", "--header", "-f", "-F", "--field", "--raw-field", "--input", "-q", "--jq", "-t", "--template", "--hostname", "--cache", "-p", "--preview"}, c.args[i-1].text)
		switch {
		case valued && strings.Contains(f.text, "="):
			body += f.text + "\n"
		case !valued && !strings.HasPrefix(f.text, "-") && f.text != "api" && object == "":
			object = strings.TrimPrefix(visible(f.text), "/")
		}
	}
	for _, v := range c.stdin {
		body += visible(v.text)
	}
	steps := strings.Split(object, "/")
	c.forgeAct(steps, method, body, field{at: c.at}, true)
	bulk := method == "DELETE" && (len(steps) == 3 && steps[0] == "repos" || len(steps) == 2 && holdsMany(steps[0]))
	c.tell(hook.Fact{Does: "infra", System: cloudNames[c.name], Verb: restVerb(method), Object: object, Bulk: bulk, At: c.at, Sure: true})
}

// forgeWords reads a command of a forge's program: what it is about, and what is done.
func (c serviceCall) forgeWords(args []field) {
	if len(args) > 1 && args[0].text == "auth" && args[1].text == "token" {
		c.tell(hook.Fact{Does: "read", Path: c.name + ":auth token", Secret: "token", At: c.at, Sure: true})
		return
	}
	if len(args) > 1 && (args[0].text == "gist" || args[0].text == "snippet") && args[1].text == "create" || len(args) > 2 && args[0].text == "release" && (args[1].text == "upload" || args[1].text == "create") {
		fact := hook.Fact{Does: "connect", Scheme: "https", Host: cloudNames[c.name] + ".com", Class: "public", Method: "POST", At: c.at, Sure: true}
		for _, f := range args[2:] {
			c.mayRead(f)
			fact.Sends = union(fact.Sends, c.net().sourcesOf(f))
		}
		fact.Sends = c.net().secretsOf(fact.Sends)
		c.tell(fact)
		return
	}
	if len(args) > 1 && slices.Contains([]string{"pr", "mr", "issue", "gist", "label", "discussion"}, args[0].text) {
		verb := cloudVerb(args[1].text)
		if args[1].text != "delete" && args[1].text != "merge" { // to talk about work is no change of a system
			verb = "get"
		}
		c.tell(hook.Fact{Does: "infra", System: cloudNames[c.name], Verb: verb, Object: visible(args[0].text + " " + args[1].text), At: c.at, Sure: true})
		return
	}
	if len(args) > 1 {
		verb := cloudVerb(args[1].text)
		if args[0].text == "delete" || args[0].text == "rm" { // of hub, which has no nouns
			verb = "delete"
		}
		if verb == "" {
			verb = "get"
		}
		if args[0].text == "codespace" && args[1].text == "ssh" {
			c.tell(hook.Fact{Does: "connect", Scheme: "ssh", Host: "codespace", Class: "public", At: c.at, Sure: true})
		}
		yes := slices.ContainsFunc(c.args, func(f field) bool { return f.text == "--yes" || f.text == "-y" || f.text == "--confirm" })
		c.tell(hook.Fact{Does: "infra", System: cloudNames[c.name], Verb: verb, Object: shownWords(args), Bulk: verb == "delete" && whole(shown(args)), Approved: yes, At: c.at, Sure: true})
	}
}

// asksGraph tells of a query of GraphQL that only asks, or of one that takes something away.
// It is false where that does not show.
func (c serviceCall) asksGraph() bool {
	for _, f := range c.args {
		name, query, ok := strings.Cut(f.text, "=")
		if !ok || name != "query" || !f.known() {
			continue
		}
		verb := "get"
		if first, _, _ := strings.Cut(strings.TrimLeft(query, " \n\t"), "{"); strings.Contains(first, "mutation") {
			verb = "apply"
			if low := strings.ToLower(query); strings.Contains(low, "delete") || strings.Contains(low, "remove") || strings.Contains(low, "archive") {
				verb = "delete"
			}
		}
		c.tell(hook.Fact{Does: "infra", System: cloudNames[c.name], Verb: verb, Object: "graphql", At: c.at, Sure: true})
		return true
	}
	return false
}

func shownWords(args []field) string { return strings.Join(shown(args), " ") }

func restVerb(method string) string {
	switch method {
	case "DELETE":
		return "delete"
	case "GET", "HEAD", "OPTIONS":
		return "get"
	}
	return "apply"
}

// keyValue reads a command of Redis, of etcd or of Vault.
func (c serviceCall) keyValue(args []field) {
	if len(args) == 0 {
		for _, v := range c.stdin {
			for l := range strings.Lines(v.text) {
				c.keyValueCommand(strings.Fields(visible(l)))
			}
		}
		return
	}
	var words []string
	for _, f := range args {
		words = append(words, visible(f.text))
	}
	c.keyValueCommand(words)
}

func (c serviceCall) keyValueCommand(words []string) {
	if len(words) == 0 {
		return
	}
	fact := hook.Fact{Does: "sql", Dialect: c.name, At: c.at, Sure: true, Where: "local", Object: strings.Join(words[1:min(len(words), 3)], " ")}
	if c.net().elsewhere() {
		fact.Where = "remote"
	}
	if !strings.HasSuffix(c.name, "-cli") && c.value["--endpoints"] == "" && c.value["-address"] == "" {
		fact.Where = "unknown"
	}
	switch strings.ToLower(words[0]) {
	case "flushall", "flushdb", "swapdb", "shutdown", "debug", "failover", "cluster", "replicaof", "slaveof":
		fact.Verb = "truncate"
	case "del", "unlink", "hdel", "delete", "rm", "destroy", "delete-all":
		fact.Verb, fact.Bounded = "delete", !c.seen["--prefix"] && !c.seen["-prefix"] && !c.seen["--from-key"]
	case "secrets", "auth", "audit", "token", "lease", "policy", "operator", "member", "user", "role", "acl", "session", "namespace", "plugin", "job", "system", "node", "volume":
		fact.Verb = "select"
		if i := slices.IndexFunc(words[1:], takesAway); i >= 0 && i < 2 {
			fact.Verb, fact.Bounded = "delete", words[0] != "secrets" && words[0] != "auth"
		}
	case "kv", "secret":
		fact.Verb = "select"
		if len(words) > 1 {
			switch words[1] {
			case "delete", "destroy", "metadata", "rm":
				fact.Verb, fact.Bounded = "delete", !c.seen["-recurse"]
			case "put", "patch":
				fact.Verb, fact.Bounded = "update", true
			case "get", "read":
				if c.name == "consul" { // it keeps settings
					break
				}
				c.tell(hook.Fact{Does: "read", Path: c.name + ":" + strings.Join(words, " "), Secret: "vault secret", At: c.at, Sure: true})
			}
		}
	case "read", "unwrap", "print":
		fact.Verb = "select"
		if c.name == "vault" {
			c.tell(hook.Fact{Does: "read", Path: c.name + ":" + strings.Join(words, " "), Secret: "vault secret", At: c.at, Sure: true})
		}
	case "config":
		fact.Verb = "select"
		if len(words) > 1 && strings.EqualFold(words[1], "set") {
			fact.Verb = "alter"
		}
	case "set", "hset", "put", "lpush", "rpush", "sadd", "zadd", "incr", "expire", "mset", "write":
		fact.Verb, fact.Bounded = "update", true
	case "eval", "evalsha", "script":
		fact.Verb = "call"
		for _, m := range redisCall().FindAllStringSubmatch(strings.Join(words[1:], " "), maxValues) {
			c.keyValueCommand(strings.Fields(strings.NewReplacer("'", " ", `"`, " ", ",", " ").Replace(m[1])))
		}
	default:
		fact.Verb = "select"
	}
	c.tell(fact)
}

// redisCall finds the commands that a script for Redis calls.
var redisCall = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`redis\.p?call\(([^)]*)\)`) })

// takesAway reports whether a word of a keeper of secrets or settings ends something there.
func takesAway(w string) bool {
	return slices.Contains([]string{"delete", "disable", "revoke", "remove", "destroy", "seal", "step-down", "stop", "purge", "deregister", "leave", "gc"}, w)
}

// mount reads what a container gets of this machine: -v HOST:CONTAINER and --mount.
func (c serviceCall) mount(f field) {
	source, target, readonly := f.text, "", false
	if strings.Contains(source, "=") {
		for part := range strings.SplitSeq(f.text, ",") {
			switch k, v, _ := strings.Cut(part, "="); k {
			case "readonly", "ro":
				readonly = v == "" || v == "true" || v == "1"
			case "source", "src":
				source = v
			case "target", "destination", "dst":
				target = v
			}
		}
	} else {
		var options string
		source, target, _ = strings.Cut(f.text, ":")
		target, options, _ = strings.Cut(target, ":")
		readonly = slices.Contains(strings.Split(options, ","), "ro")
	}
	if !strings.HasPrefix(source, "/") && !strings.HasPrefix(source, ".") && !strings.HasPrefix(source, "~") {
		return // a volume by its name
	}
	for _, p := range c.places(source) {
		if kind := secretFile(path.Clean(strings.TrimSuffix(p, "/")), c.world); kind != "" && !strings.ContainsRune(p, hole) {
			c.tell(hook.Fact{Does: "read", Path: visible(p), Secret: kind, At: f.at, Sure: true})
		}
		scope := ""
		if !strings.ContainsRune(p, hole) {
			scope = c.world.scope(strings.TrimSuffix(p, "/."))
			if p == c.world.project() {
				scope = scopeProject
			}
		}
		verb := "mount"
		if strings.HasSuffix(source, "docker.sock") || strings.HasSuffix(source, "containerd.sock") || strings.HasSuffix(source, "podman.sock") {
			verb = "mount-socket"
		}
		c.bind(p, target, readonly)
		c.tell(hook.Fact{Does: "infra", System: "docker", Verb: verb, Object: visible(p), Scope: scope, Bounded: readonly, At: f.at, Sure: scope != ""})
	}
}
