package facts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// ofServer reports whether a tool is that of a server, which may mean something of its own
// by what it is called.
func (t *toolCall) ofServer() bool { return strings.HasPrefix(t.name, "mcp") }

// program is the program whose commands a tool of a server runs, by its name: kubectl,
// run_helm, git_push.
func (t *toolCall) program() string {
	own := strings.ToLower(t.name[strings.LastIndex(t.name, "__")+1:])
	for w := range strings.FieldsFuncSeq(own, func(r rune) bool { return r == '_' || r == '-' }) {
		if e := programs()[w]; e != nil && len(e.subs) > 0 {
			return w
		}
	}
	return ""
}

// ofProgram is a line for the program that the tool runs, with its name before the words.
func (t *toolCall) ofProgram(line string) string {
	name := t.program()
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if name == "" || first == name || knownProgram(first) && programs()[name].subs[first] == nil {
		return line
	}
	return name + " " + line
}

// method is the one of HTTP that the tool is told, or GET.
func (t *toolCall) method() string {
	if m := strings.ToUpper(t.text("method", "http_method", "verb")); m != "" {
		return m
	}
	return "GET"
}

// aboutData reports whether the names of a tool and its server say that it asks a database.
func (t *toolCall) aboutData() bool {
	low := strings.ToLower(t.name)
	return slices.ContainsFunc([]string{"sql", "query", "database", "postgres", "maria", "snowflake", "clickhouse", "duckdb", "supabase", "redshift", "databricks", "oracle", "_db", "db_", "neon", "planetscale", "turso", "cockroach", "execute"}, func(w string) bool { return strings.Contains(low, w) })
}

// rowsLie says where the database is that a tool asks: here, if an argument or its kind says so.
func (t *toolCall) rowsLie() string {
	where := "unknown"
	if low := strings.ToLower(t.name); strings.Contains(low, "sqlite") || strings.Contains(low, "duckdb") {
		where = "local"
	}
	t.walk(t.input, "", 0, func(key, s string) {
		for _, a := range addresses(s) {
			if strings.Contains(s, "://") && hostClass(a.host) == "loopback" || (key == "host" || key == "hostname") && hostClass(s) == "loopback" {
				where = "local"
			}
		}
	})
	return where
}

// codeKeys are arguments in which tools are given code that they run.
var codeKeys = []string{"code", "source", "javascript", "js", "python", "python_code", "snippet", "program"}

// language is the one of the code that a tool runs, or "" if it only keeps it, or runs it
// in a page.
func (t *toolCall) language(name, key string) string {
	low := strings.ToLower(t.name)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
	}
	runs := slices.ContainsFunc([]string{"run", "exec", "eval", "interpret", "repl"}, func(w string) bool { return strings.Contains(name, w) })
	switch {
	case !runs || has("browser", "playwright", "puppeteer", "chrome"):
		return ""
	case key == "javascript" || key == "js" || has("node", "javascript", "deno", "typescript", "_js"):
		return "javascript"
	case has("ruby"):
		return "ruby"
	case has("php"):
		return "php"
	case has("shell", "bash"):
		return "sh"
	}
	return "python"
}

// runsCode reads code that a tool runs; of a notebook's cell, lines for a shell too.
func (t *toolCall) runsCode(language, src string) {
	var code strings.Builder
	for line := range strings.Lines(src) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok && language == "python" {
			t.line(rest, hook.Span{}, nil)
			line = "\n"
		}
		code.WriteString(line)
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(src), "%%"); ok && language == "python" {
		if kind, script, _ := strings.Cut(rest, "\n"); kind == "bash" || kind == "sh" {
			t.line(script, hook.Span{}, nil)
			return
		}
	}
	if language == "sh" {
		t.line(src, hook.Span{}, nil)
		return
	}
	(&call{shell: t.shell, name: language}).lang().program(language, value{text: code.String()})
}

// serves tells what arguments say of a container: what it has of this machine.
func (t *toolCall) serves(name string) {
	low := strings.ToLower(t.name)
	if !slices.ContainsFunc([]string{"docker", "container", "podman", "pod"}, func(w string) bool { return strings.Contains(low, w) }) {
		return
	}
	if on, _ := t.input["privileged"].(bool); on {
		t.tell(hook.Fact{Does: "infra", System: "docker", Verb: "privileged", Object: name, Sure: true})
	}
	t.walk(t.input, "", 0, func(key, s string) {
		if slices.Contains([]string{"volumes", "binds", "mounts", "volume", "mount", "source"}, strings.ToLower(key)) {
			(&call{shell: t.shell, name: "docker"}).service().mount(field{value: value{text: s}})
		}
	})
}

// ends tells which process a tool ends.
func (t *toolCall) ends() {
	for _, key := range []string{"pid", "process_id", "processId", "id"} {
		if v, ok := t.input[key]; ok {
			id := fmt.Sprint(v)
			t.tell(hook.Fact{Does: "system", What: "process", Object: id, Name: id, Global: id == "1" || id == "-1", Sure: true})
			return
		}
	}
	t.other()
}

// uploads tells that a tool sends a file of this machine to its service.
func (t *toolCall) uploads(name string) {
	c := &call{shell: t.shell, name: t.name}
	f := field{value: value{text: name}}
	t.path("read", f, effect{sends: true})
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, ".") {
		server, _, _ := strings.Cut(strings.TrimPrefix(t.name, "mcp__"), "__")
		t.tell(hook.Fact{Does: "connect", Scheme: "https", Host: server, Class: "public", Method: "POST", Sends: c.net().sourcesOf(f), Sure: true})
	}
}

// saidYes reports whether an argument says that nobody is to be asked.
func (t *toolCall) saidYes() bool {
	for _, key := range []string{"auto_approve", "autoApprove", "yes", "force", "skip_confirmation", "confirm", "no_prompt"} {
		if on, _ := t.input[key].(bool); on {
			return true
		}
	}
	return false
}

// loosens tells that arguments switch off what protects a branch.
func (t *toolCall) loosens() {
	for _, key := range []string{"enforce_admins", "enabled", "required_status_checks", "required_pull_request_reviews", "enforcement"} {
		if v, ok := t.input[key]; ok && (v == nil || v == false || v == "disabled") {
			t.tell(hook.Fact{Does: "git", Verb: "unprotect", Ref: t.text("branch", "name", "ref"), Sure: true})
			return
		}
	}
}

// takesWhole reports whether a tool that deletes is about something that holds many others, by
// its name or by the kind that an argument names; or about all there is.
func (t *toolCall) takesWhole(name string) bool {
	kind := strings.ToLower(t.text("kind", "resourceType", "resource_type", "type", "resource"))
	if holdsMany(kind) || strings.Contains(name, "_all") || strings.HasSuffix(name, "all") {
		return true
	}
	if filter, ok := t.input["filter"].(map[string]any); ok && len(filter) == 0 && strings.Contains(plainName(name), "many") {
		return true
	}
	return whole([]string{name, "", ""})
}
