package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// git reads the options before its sub-command, then hands over to it.
func (c gitCall) git() values {
	old := c.st
	defer func() { c.shell.st = old }()
	c.shell.st = old.clone()
	aliases := map[string]string{}
	for len(c.args) > 0 && strings.HasPrefix(c.args[0].text, "-") {
		c.gitOption(aliases)
	}
	for name, line := range c.shared.git {
		aliases[name] = line
	}
	c.gitEnvironment(aliases)
	if len(c.args) == 0 {
		return nil
	}
	verb := c.args[0]
	c.args = c.args[1:]
	if !verb.known() {
		c.unknown(verb.at, "which command of git runs shows only when it runs")
		return nil
	}
	for range 5 { // an alias of an alias
		line, ok := aliases[verb.text]
		if !ok {
			break
		}
		delete(aliases, verb.text)
		if cmd, runs := strings.CutPrefix(line, "!"); runs {
			for _, f := range c.args {
				cmd += " " + quote(f.text)
			}
			return c.inner(cmd, c.at, c.stdin, nil, false)
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			break
		}
		verb.text = words[0]
		var more []field
		for _, w := range words[1:] {
			more = append(more, field{value: value{text: strings.Trim(w, `"'`)}, at: c.at})
		}
		c.args = append(more, c.args...)
	}
	return c.gitVerb(strings.ToLower(verb.text))
}

// gitOption reads one option before the sub-command.
func (c gitCall) gitOption(aliases map[string]string) {
	t := c.args[0].text
	c.args = c.args[1:]
	switch {
	case t == "--":
	case strings.HasPrefix(t, "-C"):
		if f, ok := c.gitValue(t, "-C"); ok {
			c.chdir(f)
		}
	case strings.HasPrefix(t, "--work-tree"):
		if f, ok := c.gitValue(t, "--work-tree"); ok {
			c.chdir(f)
			c.shared.repointed = true // git looks for the repository where the line is
		}
	case strings.HasPrefix(t, "--git-dir"):
		if f, ok := c.gitValue(t, "--git-dir"); ok {
			if f.text == "" { // of a variable, it seems
				f.text = string(hole)
			}
			c.st.set("GIT_DIR", values{f.value})
		}
	case strings.HasPrefix(t, "--namespace"):
		if f, ok := c.gitValue(t, "--namespace"); ok {
			c.st.set("GIT_NAMESPACE", values{f.value})
		}
	case strings.HasPrefix(t, "--exec-path="):
		c.gitValue(t, "--exec-path")
	case strings.HasPrefix(t, "--config-env"):
		c.gitValue(t, "--config-env")
		c.unknown(c.at, "git takes a setting from a variable")
	case strings.HasPrefix(t, "-c"):
		if f, ok := c.gitValue(t, "-c"); ok {
			c.gitSetting(f, aliases)
		}
	}
}

// gitValue is the value of an option: what is joined to it, or the next word.
func (c gitCall) gitValue(t, name string) (field, bool) {
	if rest := strings.TrimPrefix(t, name); rest != "" {
		return field{value: value{text: strings.TrimPrefix(rest, "=")}, at: c.at}, true
	}
	if len(c.args) == 0 {
		return field{}, false
	}
	f := c.args[0]
	c.args = c.args[1:]
	return f, true
}

// gitSetting reads what -c sets: an alias, or a program that git will run.
func (c gitCall) gitSetting(f field, aliases map[string]string) {
	key, val, _ := strings.Cut(f.text, "=")
	key = strings.ToLower(key)
	if name, ok := strings.CutPrefix(key, "alias."); ok {
		aliases[name] = val
		return
	}
	if key == "core.sshcommand" {
		c.st.set("GIT_SSH_COMMAND", values{{val, f.from}})
		return
	}
	switch {
	case strings.HasPrefix(key, "url.") && (strings.HasSuffix(key, ".insteadof") || strings.HasSuffix(key, ".pushinsteadof")): // what goes to one address goes to another
		address := strings.TrimSuffix(strings.TrimSuffix(key[len("url."):], ".insteadof"), ".pushinsteadof")
		if !strings.HasPrefix(address, "git@") && !strings.HasPrefix(address, "ssh://") && !sameHost(address, val) {
			c.tell(hook.Fact{Does: "git", Verb: "remote set-url", Remote: visible(address), At: f.at, Sure: true})
		}
	case strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".push") && strings.HasPrefix(val, "+"):
		c.tell(hook.Fact{Does: "git", Verb: "push", Force: true, Ref: visible(strings.TrimPrefix(val[strings.LastIndexByte(val, ':')+1:], "+")), At: f.at, Sure: true})
	case strings.HasPrefix(key, "remote.") && (strings.HasSuffix(key, ".url") || strings.HasSuffix(key, ".pushurl")):
		c.gitRemote(strings.TrimSuffix(strings.TrimSuffix(key[len("remote."):], ".pushurl"), ".url"), val)
		c.tell(hook.Fact{Does: "git", Verb: "remote set-url", Remote: visible(val), At: f.at, Sure: true})
	case key == "clean.requireforce" && val == "false":
		c.tell(hook.Fact{Does: "git", Verb: "clean", Uncommitted: true, At: f.at, Sure: true})
	case key == "gc.reflogexpire" || key == "gc.pruneexpire" || key == "gc.reflogexpireunreachable":
		c.tell(hook.Fact{Does: "git", Verb: "reflog expire", At: f.at, Sure: true})
	case key == "core.hookspath" && val == "/dev/null":
		c.tell(hook.Fact{Does: "git", Verb: "config", What: "no-verify", At: f.at, Sure: true})
		return
	}
	if gitRuns(key) && val != "" && val != "cat" && val != "true" && val != "false" && val != ":" {
		val = strings.TrimPrefix(val, "!")
		c.inner(val, f.at, nil, nil, true)
		c.tell(hook.Fact{Does: "system", What: "variable", Object: "git " + key, At: f.at, Sure: true})
	}
}

// sameHost reports whether two addresses name one host.
func sameHost(a, b string) bool {
	host := func(s string) string {
		_, rest, found := strings.Cut(s, "://")
		if !found {
			rest = s
		}
		rest = rest[strings.LastIndexByte(rest, '@')+1:]
		return rest[:span(rest, func(c byte) bool { return c != '/' && c != ':' })]
	}
	return host(a) == host(b)
}

// gitRuns reports whether a setting names a program that git runs.
func gitRuns(key string) bool {
	switch key {
	case "core.sshcommand", "core.editor", "core.pager", "core.fsmonitor", "core.askpass", "core.gitproxy", "core.hookspath", "sequence.editor", "diff.external", "gpg.program", "credential.helper", "uploadpack.packobjectshook":
		return true
	}
	for _, end := range []string{".textconv", ".clean", ".smudge", ".process", ".driver", ".cmd", ".helper", ".command", ".program", ".sshcommand"} {
		if strings.HasSuffix(key, end) {
			return true
		}
	}
	return strings.HasPrefix(key, "pager.")
}

// gitEnvironment reads settings out of variables of the call.
func (c gitCall) gitEnvironment(aliases map[string]string) {
	get := func(name string) (string, bool) {
		vs, ok := c.st.vars[name]
		if !ok || len(vs) == 0 {
			return "", false
		}
		return vs[0].text, true
	}
	for n := range 16 {
		i := string(rune('0' + n%10))
		if n > 9 {
			i = "1" + i
		}
		key, ok := get("GIT_CONFIG_KEY_" + i)
		if !ok {
			break
		}
		val, _ := get("GIT_CONFIG_VALUE_" + i)
		c.gitSetting(field{value: value{text: key + "=" + val}, at: c.at}, aliases)
	}
	if all, ok := get("GIT_CONFIG_PARAMETERS"); ok {
		for part := range strings.SplitSeq(all, "'") {
			if strings.Contains(part, "=") {
				c.gitSetting(field{value: value{text: part}, at: c.at}, aliases)
			}
		}
	}
}

// gitVerb tells what a command of git does.
func (c gitCall) gitVerb(verb string) values {
	if gitTalks(verb, c.args) {
		c.gitTransport()
	}
	top := programs()["git"]
	e := top.subs[verb]
	if e == nil { // an alias may do anything
		c.shared.repointed = true
	}
	fact := hook.Fact{Does: "git", Verb: verb, At: c.at, Sure: true}
	c.seen = map[string]bool{}
	if e == nil {
		c.tell(fact)
		return anything()
	}
	if top, ok := c.topOfProject(verb); ok {
		c.tell(fact)
		return top
	}
	p, since := e.read(c.call), len(c.out)
	if c.seen["--help"] || c.seen["-h"] {
		return anything()
	}
	fact.Dry = c.seen["dry"]
	fact.Force = c.seen["force"]
	fact.Deletes = c.seen["deletes"]
	if c.seen["noverify"] {
		fact.What = "no-verify"
	}
	if p.sub != "" {
		fact.Verb += " " + p.sub
	}
	if f, ok := gitVerbs[verb]; ok {
		f(c.call, p, &fact)
	}
	c.tell(fact)
	for _, t := range p.entry.facts {
		c.table().tellTemplate(t, p)
	}
	before := len(c.out)
	p.entry.inOrder(c.call, p, func(r role, f field) { c.table().act(r, f, p) })
	c.table().movedTo(before)
	if gitTalks(verb, append(fieldsOf(p.operands), c.args...)) || p.sub == "add" && verb == "submodule" || p.sub == "update" && verb == "submodule" {
		c.gitConnects(verb, p, since)
	}
	return anything()
}

// topOfProject is what git rev-parse --show-toplevel prints in the project.
func (c gitCall) topOfProject(verb string) (values, bool) {
	project := c.world.project()
	if verb != "rev-parse" || len(c.args) != 1 || c.args[0].text != "--show-toplevel" || len(c.st.dirs) != 1 || !under(c.st.dirs[0], project) {
		return nil, false
	}
	return text(project + "\n"), true
}

// gitTransport tells of the programs by which git reaches a server.
func (c gitCall) gitTransport() {
	for _, name := range []string{"GIT_SSH_COMMAND", "GIT_SSH", "GIT_PROXY_COMMAND", "GIT_SSH_VARIANT"} {
		for _, v := range c.st.vars[name] {
			if v.text == "" {
				continue
			}
			c.tell(hook.Fact{Does: "system", What: "variable", Object: name, At: c.at, Sure: true})
			if v.known() && name != "GIT_SSH_VARIANT" {
				c.inner(v.text, c.at, nil, nil, true)
			}
		}
	}
	for _, f := range c.args { // ext::COMMAND is an address that is run
		if line, ok := strings.CutPrefix(f.text, "ext::"); ok {
			c.tell(hook.Fact{Does: "system", What: "variable", Object: "git ext::", At: f.at, Sure: true})
			c.inner(strings.ReplaceAll(line, "% ", " "), f.at, nil, nil, true)
		}
	}
}

// gitPath is the place of a file that a command of git names.
func (c gitCall) gitPath(name string) string {
	p := c.places(name)[0]
	if strings.ContainsRune(p, hole) {
		return visible(p)
	}
	return visible(path.Clean(p))
}

// gitRemoves tells which files git takes away, one fact for each.
func gitRemoves(c *call, p parsed, f *hook.Fact) {
	if c.seen["cached"] {
		return
	}
	f.Recursive = c.seen["recursive"]
	for i, o := range p.operands {
		f.Path, f.Glob = c.git().gitPath(o.text), strings.ContainsAny(o.text, "*?[")
		if i < len(p.operands)-1 {
			c.tell(*f)
		}
	}
}

// before gives the operands up to "--", and those after it.
func (c gitCall) before(p parsed) (revs, paths []operand, cut bool) {
	at := len(c.args)
	for i, f := range c.args {
		if f.text == "--" {
			at, cut = i, true
			break
		}
	}
	for _, o := range p.operands {
		if o.index < at {
			revs = append(revs, o)
		} else {
			paths = append(paths, o)
		}
	}
	return revs, paths, cut
}

// gitVerbs are the commands whose meaning depends on how options go together.
var gitVerbs map[string]func(*call, parsed, *hook.Fact)

func init() {
	gitVerbs = map[string]func(*call, parsed, *hook.Fact){
		"push": gitPush, "send-pack": gitPush,
		"reset": func(c *call, p parsed, f *hook.Fact) {
			f.Uncommitted = c.seen["loses"]
		},
		"clean": func(c *call, p parsed, f *hook.Fact) {
			f.Uncommitted = c.seen["force"] && !c.seen["dry"]
			f.Path, f.Recursive = c.git().gitPath("."), true
		},
		"checkout": gitCheckout,
		"switch": func(c *call, p parsed, f *hook.Fact) {
			f.Uncommitted = c.seen["loses"]
			f.Force = c.seen["force"]
		},
		"restore": func(c *call, p parsed, f *hook.Fact) {
			f.Uncommitted = c.git().restores() && (len(p.operands) > 0 || c.seen["--pathspec-from-file"] || c.seen["patch"])
		},
		"rm": func(c *call, p parsed, f *hook.Fact) {
			f.Uncommitted = c.seen["force"] && !c.seen["cached"] && !c.seen["dry"]
			gitRemoves(c, p, f)
		},
		"branch": func(c *call, p parsed, f *hook.Fact) {
			f.Deletes = c.seen["deletes"]
			f.Force = c.seen["force"]
			if len(p.operands) > 0 {
				f.Ref = visible(p.operands[0].text)
			}
		},
		"tag": func(c *call, p parsed, f *hook.Fact) {
			if len(p.operands) > 0 {
				f.Ref = visible(p.operands[0].text)
			}
		},
		"config": gitSets,
		"apply": func(c *call, p parsed, f *hook.Fact) {
			gitLoses(c, p, f)
			if !c.seen["--check"] && !c.seen["--stat"] && !c.seen["dry"] {
				c.patched(p)
			}
		},
		"read-tree":      gitLoses,
		"checkout-index": gitLoses,
		"submodule":      gitLoses,
		"remote": func(c *call, p parsed, f *hook.Fact) {
			if len(p.operands) > 0 {
				f.Remote = visible(p.operands[0].text)
			}
			if (p.sub == "add" || p.sub == "set-url") && len(p.operands) > 1 {
				c.git().gitRemote(p.operands[0].text, p.operands[1].text)
			}
		},
		"update-ref": gitUpdateRef, "symbolic-ref": gitSymbolicRef,
	}
}

// gitSets looks at what git config sets.
func gitSets(c *call, p parsed, _ *hook.Fact) {
	ops := p.operands
	if len(ops) > 0 && ops[0].text == "set" {
		ops = ops[1:]
	}
	if len(ops) < 2 || c.seen["reads"] {
		return
	}
	if name, ok := strings.CutPrefix(strings.ToLower(ops[0].text), "alias."); ok {
		c.shared.git[name] = ops[1].text
		c.saysAnswer(values{ops[1].value})
		return
	}
	if strings.EqualFold(ops[0].text, "core.sshcommand") && (programName(firstOf(ops[1].text)) != "ssh" || strings.Contains(strings.ToLower(ops[1].text), "command")) {
		c.tell(hook.Fact{Does: "system", What: "variable", Object: "git core.sshcommand", At: c.at, Sure: true})
	}
	c.git().gitSetting(field{value: value{ops[0].text + "=" + ops[1].text, ops[1].from}, at: c.at}, map[string]string{})
}

// restores reports whether git restore writes files of the work tree, as it does unless
// it is told of one place only. Who takes back an option has named a place, too.
func (c gitCall) restores() bool {
	told := c.seen["staged"] || c.seen["--no-staged"] || c.seen["--no-worktree"]
	return (c.seen["worktree"] || !told) && !c.seen["--version"]
}

// firstOf is the first word of a text.
func firstOf(s string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return first
}

func gitLoses(c *call, p parsed, f *hook.Fact) { f.Uncommitted = c.seen["loses"] }

// gitPush reads what is pushed where: "+ref", ":ref" and their options.
func gitPush(c *call, p parsed, f *hook.Fact) {
	if len(p.operands) > 0 {
		f.Remote = visible(p.operands[0].text)
		if strings.Contains(f.Remote, "://") || strings.HasPrefix(f.Remote, "git@") {
			c.tell(hook.Fact{Does: "git", Verb: "remote add", Remote: f.Remote, At: c.at, Sure: true})
		}
	}
	f.Verb = "push"
	if c.seen["mirror"] {
		f.Force, f.Deletes = true, true
	}
	if c.seen["--all"] && f.Force {
		f.Ref = everyBranch
	}
	refs := p.operands
	if len(refs) > 0 {
		refs = refs[1:]
	}
	for i, o := range refs {
		one := *f
		src, dst, both := strings.Cut(o.text, ":")
		if strings.HasPrefix(src, "+") || strings.HasPrefix(dst, "+") {
			one.Force = true
			src, dst = strings.TrimPrefix(src, "+"), strings.TrimPrefix(dst, "+")
		}
		if both && src == "" {
			one.Deletes = true
		}
		if !both {
			dst = src
		}
		one.Ref = visible(strings.TrimPrefix(dst, "refs/heads/"))
		one.Sure = o.known()
		if i == len(refs)-1 {
			*f = one
		} else {
			c.tell(one)
		}
	}
}

// everyBranch is the reference of a push of all branches.
const everyBranch = "*"

// gitWords are what options of git checkout take behind "=". Behind a blank they are no
// branch that anybody has: git stops at them.
var gitWords = map[string][]string{"--recurse-submodules": {"checkout", "on-demand", "no"}, "--track": {"direct", "inherit"}, "-t": {"direct", "inherit"}}

// gitCheckout tells a change of branch from files that are overwritten.
func gitCheckout(c *call, p parsed, f *hook.Fact) {
	revs, paths, cut := c.git().before(p)
	revs = slices.DeleteFunc(revs, func(o operand) bool { return o.index > 0 && slices.Contains(gitWords[c.args[o.index-1].text], o.text) })
	f.Force = c.seen["force"]
	switch {
	case c.seen["force"], c.seen["patch"], c.seen["from"]:
		f.Uncommitted = true
	case c.seen["creates"] && len(revs) < 2:
	case cut && len(paths) > 0:
		f.Uncommitted = true
	case !cut && len(revs) > 1:
		f.Uncommitted = true
	case len(revs) == 1 && (revs[0].text == "." || strings.HasPrefix(revs[0].text, "./") || strings.HasPrefix(revs[0].text, ":")):
		f.Uncommitted = true
	}
	if len(revs) > 0 {
		f.Ref = visible(revs[0].text)
	}
}

// gitTalks reports whether a command of git talks to another machine.
func gitTalks(verb string, args []field) bool {
	switch verb {
	case "push", "fetch", "pull", "clone", "ls-remote", "fetch-pack", "send-pack", "lfs":
		return true
	case "submodule":
		return len(args) > 0 && (args[0].text == "update" || args[0].text == "add")
	case "remote":
		return slices.ContainsFunc(args, func(f field) bool { return f.text == "update" || f.text == "show" || f.text == "prune" })
	case "archive":
		for _, f := range args {
			if strings.HasPrefix(f.text, "--remote") {
				return true
			}
		}
	}
	return false
}
