package facts

import (
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// handsOn are programs of the table of which some words are another program's.
var handsOn = []string{"open", "start", "gdb", "lldb", "dbus-send", "gdbus", "busctl", "launchctl", "npm", "pnpm", "yarn", "bun", "deno"}

// answers tells that words which a program is given are those by which hookway takes an
// answer, or becomes milder. Who may run them shows only when it runs, and a person says
// them without another program.
func (c *call) answers(args []field, since int) {
	if c.asText || c.st.calls >= maxCalls || !c.mayRunWords() || slices.ContainsFunc(c.out[min(since, len(c.out)):], func(f hook.Fact) bool { return f.Does == "self" }) {
		return
	}
	for i, f := range args {
		if i > 0 && isCodeOption(args[i-1].text) {
			continue
		}
		if fact, changes := answersAt(args[i:]); changes {
			fact.At = c.at
			c.tell(fact)
			return
		}
		c.saysAnswer(values{f.value})
		if vs, written := c.files[path.Join(c.st.dirs[0], f.text)]; written {
			c.saysAnswer(vs)
		}
	}
	c.saysAnswer(c.stdin)
	if len(c.st.vars) <= maxNamed {
		for _, name := range slices.Sorted(maps.Keys(c.st.vars)) {
			c.saysAnswer(c.st.vars[name])
		}
	}
}

// maxNamed bounds the variables that are looked into for a program that may run them.
const maxNamed = 64

// mayRunWords reports whether a program may run its words: one of which nothing is known,
// or that runs code which nobody has read.
func (c *call) mayRunWords() bool {
	_, known := programs()[c.name]
	return !known && special[c.name] == nil || interpreters[c.name] != "" || isShell(c.name) || !systemBin(c.path) || slices.Contains(handsOn, c.name)
}

// isCodeOption reports whether behind an option stands code, which has been read as such.
func isCodeOption(t string) bool {
	return slices.Contains([]string{"-c", "-e", "-E", "-r", "-p", "--eval", "--print", "--command"}, t)
}

// codeOfCall is what a call is answered by, as hookway reads it.
var codeOfCall = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^([cdfhjkmnpqrtvwxy3479][ -]*){5}$`) })

// answersAt reads words as a command of hookway, with its name or without.
func answersAt(words []field) (hook.Fact, bool) {
	if name := programName(words[0].text); name == "hookway" || strings.HasPrefix(name, "hookway-") {
		words = words[1:]
	} else if words[0].text != "approvals" {
		return hook.Fact{}, false
	}
	fact, changes := ownChange(words)
	return fact, changes && namesACall(words)
}

// namesACall reports whether words for hookway name a call, if they are to answer one:
// without a code they answer nothing, and are perhaps what a program looks for.
func namesACall(words []field) bool {
	verb, _ := ownVerb(words)
	if verb != "allow" && verb != "approvals" || slices.ContainsFunc(words, func(f field) bool { return f.text == "pin" || f.text == "mint" }) {
		return true
	}
	return slices.ContainsFunc(words, func(f field) bool {
		return unclear(f.text) || strings.Contains(f.text, "\uFFFD") || codeOfCall().MatchString(f.text)
	})
}

// saysAnswer tells what a text would change of hookway, if somebody ran it in a shell.
func (c *call) saysAnswer(vs values) {
	for _, v := range vs {
		if len(v.text) > maxText || !strings.ContainsAny(v.text, " \n") || !strings.Contains(v.text, "hookway") {
			continue
		}
		before := len(c.out)
		c.asText = true
		c.inner(strings.TrimPrefix(strings.TrimPrefix(v.text, "string:"), "!"), c.at, nil, nil, false)
		c.asText = false
		told := c.out[before:]
		c.shared.out = append(c.out[:before], slices.DeleteFunc(slices.Clone(told), func(f hook.Fact) bool { return f.Does != "self" })...)
	}
}

// ownSecrets are files in which hookway keeps who may answer.
var ownSecrets = []string{"minted.json", "pin.db", "page.json"}

// ownSecret reports whether what answers hookway is kept in a file.
func (sh *shell) ownSecret(name string) bool {
	return slices.Contains(ownSecrets, path.Base(name)) && (strings.Contains(name, "/hookway/") || sh.selfPath(name) != "")
}

// changesRows finds what changes a database.
var changesRows = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(update|insert|delete|replace|drop|alter|create|commit|executescript|vacuum|attach)\b`)
})

// ownFiles tells that code has the name of something of hookway's in it by which answers are
// given: its socket, its database of requests, and what is kept of those who may answer.
func (r *reader) ownFiles(src string) {
	r.ownRequests(src)
	about := strings.Contains(src, "hookway") || slices.ContainsFunc(r.st.dirs, func(d string) bool { return r.selfPath(d) != "" })
	if !about || r.onlyShows() {
		return
	}
	for _, t := range r.tokens {
		if t.kind != 's' || t.text == "" || len(t.text) > 512 || strings.ContainsAny(t.text, "\n") {
			continue
		}
		what := ""
		switch base := path.Base(t.text); {
		case strings.HasSuffix(base, ".sock") && !strings.Contains(base, " "):
			what = "daemon"
		case slices.Contains(ownSecrets, base), base == "approvals.db" && changesRows().MatchString(src):
			what = "files"
		}
		if what != "" {
			r.tell(hook.Fact{Does: "self", What: what, Object: visible(t.text), At: r.at, Sure: true})
			return
		}
	}
}

// ownPaths are those under which hookway is answered and changed over HTTP.
var ownPaths = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/v1/(approvals|standing|memories)/[^/\s"'?]+|/v1/(guards|page)\b`)
})

// asksToChange finds requests that change something.
var asksToChange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(post|put|delete|patch)\b|\bdata\s*=`) })

// ownRequests tells of a request in code to this machine that would answer for a person.
func (r *reader) ownRequests(src string) {
	if !ownPaths().MatchString(src) || !asksToChange().MatchString(src) {
		return
	}
	here := strings.Contains(src, "localhost") || strings.Contains(src, "127.0.0.1") || strings.Contains(src, "AF_UNIX") || strings.Contains(src, ".sock")
	for _, t := range r.tokens {
		if t.kind != 's' || !ownPaths().MatchString(t.text) {
			continue
		}
		u, err := url.Parse(t.text)
		if err == nil && u.Host != "" && hostClass(u.Hostname()) == "public" || (err != nil || u.Host == "") && !here {
			continue
		}
		r.tell(hook.Fact{Does: "self", What: "approvals", Object: visible(t.text), At: r.at, Sure: true})
		return
	}
}

// changesByHTTP reports whether a request to an address would change what guards the agent.
func changesByHTTP(address string) bool { return ownPaths().MatchString(address) }

// answersHTTP tells of a request that would answer for a person, or make the rules milder.
func (c *call) answersHTTP(address, method, class string, at hook.Span) {
	if class == "public" || slices.Contains([]string{"GET", "HEAD", "OPTIONS", ""}, strings.ToUpper(method)) || !changesByHTTP(address) {
		return
	}
	c.tell(hook.Fact{Does: "self", What: "approvals", Object: visible(address), Verb: strings.ToLower(method), At: at, Sure: true})
}
