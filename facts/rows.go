package facts

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hookway/hookway/hook"
)

// rowActs are calls by which code that maps rows to objects takes rows away or changes them,
// with the verb of SQL that they come to. Most of them are names of other things too.
var rowActs = map[string]string{
	"delete_all": "delete", "destroy_all": "delete", "deleteAll": "delete", "update_all": "update", "drop_all": "drop", "drop_database": "drop", "dropDatabase": "drop", "dropSchema": "drop",
	"dropAllTables": "drop", "drop_table": "drop", "dropTable": "drop", "truncate": "truncate", "delete": "delete", "update": "update", "deleteMany": "delete", "updateMany": "update", "destroy": "delete", "sync": "drop",
}

// rowConditions are calls that leave some rows out.
var rowConditions = []string{"where", "filter", "filter_by", "find", "find_by", "get", "first", "last", "one", "exclude", "limit", "take", "only", "whereIn", "whereKey", "whereNull", "findOne", "scope", "in_bulk"}

// rows tells of calls that take away, or change, all rows of a table.
func (r *reader) rows() {
	for i, t := range r.tokens {
		verb := rowActs[t.text]
		if t.kind != 'i' || verb == "" || !r.step() {
			continue
		}
		chain, args := r.chainTo(i), r.given(i)
		if len(chain) == 0 || !r.allRows(t.text, chain, args) {
			continue
		}
		if r.sdk != "" { // the things that a cloud keeps are called so, too
			r.tell(hook.Fact{Does: "infra", System: r.sdk, Verb: "delete", Object: visible(strings.Join(chain, ".")), Bulk: true, At: r.at, Sure: true})
			continue
		}
		r.tell(hook.Fact{Does: "sql", Verb: verb, Object: visible(strings.Join(chain, ".")), Where: r.table().rowsLie(), At: r.at, Sure: true})
	}
}

// maxChain bounds how far back a call's chain is followed.
const maxChain = 200

// chainTo gives the names before a token that are joined to it by dots, as they stand. What
// is in brackets among them is passed over.
func (r *reader) chainTo(i int) (names []string) {
	start := max(0, i-maxChain)
	for i--; i > start && r.tokens[i].kind == '.'; {
		i--
		level := 0
		for ; i >= start; i-- {
			if k := r.tokens[i].kind; k == ')' || k == ']' {
				level++
			} else if k == '(' || k == '[' {
				level--
			} else if level == 0 {
				break
			}
		}
		if i < start || r.tokens[i].kind != 'i' {
			break
		}
		names = append(names, r.tokens[i].text)
		i--
	}
	slices.Reverse(names)
	return names
}

// given is what stands in the brackets behind a name.
func (r *reader) given(i int) []token {
	if i+1 >= len(r.tokens) || r.tokens[i+1].kind != '(' {
		return nil
	}
	level := 0
	for k := i + 1; k < len(r.tokens) && k < i+maxChain; k++ {
		switch r.tokens[k].kind {
		case '(':
			level++
		case ')':
			if level--; level == 0 {
				return r.tokens[i+2 : k]
			}
		}
	}
	return r.tokens[i+2:]
}

// allRows reports whether a call of that name, behind these others, means every row.
func (r *reader) allRows(name string, chain []string, args []token) bool {
	some := func(words ...string) bool {
		return slices.ContainsFunc(chain, func(n string) bool { return slices.Contains(words, n) })
	}
	sets := func(words ...string) bool {
		return slices.ContainsFunc(args, func(t token) bool { return slices.Contains(words, t.text) })
	}
	if some(rowConditions...) {
		return false
	}
	head := chain[0]
	model := unicode.IsUpper(rune(head[0])) && !slices.Contains([]string{"File", "IO", "Pathname", "FileUtils", "Dir", "Math", "Set", "Map", "Deno", "Bun"}, head)
	asks := some("table", "query", "repo", "repository", "Repo", "knex", "session")
	switch name {
	case "delete_all", "destroy_all", "deleteAll", "update_all":
		return !sets("where", "limit")
	case "drop_all", "drop_database", "dropDatabase", "dropSchema", "dropAllTables":
		return true
	case "drop_table", "dropTable":
		return model || asks || some("schema", "op", "connection", "db")
	case "truncate":
		return model || asks
	case "delete", "update":
		return some("objects") && (name == "update" || some("all")) || r.language == "php" && (some("query", "all") || some("table")) || r.language == "python" && some("query")
	case "deleteMany", "updateMany":
		return !slices.ContainsFunc(args, func(t token) bool {
			return strings.IndexByte("{}:", t.kind) < 0 && t.text != "where" && t.text != "data"
		}) || name == "updateMany" && len(args) > 1 && args[0].kind == '{' && args[1].kind == '}'
	case "destroy":
		return sets("truncate") && sets("true") || len(args) == 6 && sets("where") && args[3].kind == '{' && args[4].kind == '}'
	case "sync":
		return sets("force") && sets("true")
	}
	return false
}

// stages are variables that say for which of its databases an application runs.
var stages = []string{"RAILS_ENV", "RACK_ENV", "MIX_ENV", "APP_ENV", "NODE_ENV", "FLASK_ENV", "DJANGO_ENV", "DJANGO_SETTINGS_MODULE", "ENVIRONMENT"}

// rowsLie says where the rows are that an application's own code reaches.
func (c tableCall) rowsLie() string {
	var said []string
	for _, name := range stages {
		if vs, ok := c.st.vars[name]; ok {
			for _, v := range vs {
				said = append(said, v.text)
			}
		} else {
			said = append(said, c.world.Env[name])
		}
	}
	for i, f := range c.args { // rails runner -e production, artisan --env=production
		if name, val, ok := strings.Cut(f.text, "="); ok && (name == "--env" || name == "--environment") {
			said = append(said, val)
		} else if i > 0 && (c.args[i-1].text == "-e" || c.args[i-1].text == "--environment" || c.args[i-1].text == "--env") && len(f.text) < 20 {
			said = append(said, f.text)
		}
	}
	where := "local"
	for _, s := range said {
		switch s = strings.ToLower(s); {
		case strings.Contains(s, "test") && where == "local":
			where = "test"
		case strings.Contains(s, "prod"), strings.Contains(s, "stag"), strings.Contains(s, "live"), strings.ContainsRune(s, hole):
			where = "remote"
		}
	}
	if c.st.remote != "" && where == "local" {
		return "unknown"
	}
	return where
}

// codeWord runs a word that an application's program takes as code, or as a file with code.
func (c tableCall) codeWord(language string, f field) {
	if !strings.ContainsAny(f.text, " (;") && slices.ContainsFunc([]string{".rb", ".py", ".php", ".exs", ".ex"}, func(end string) bool { return strings.HasSuffix(f.text, end) }) {
		c.lang().runFile(f, language)
		return
	}
	c.lang().program(language, f.value)
}

// pipedCode reads code that an application's program is given by a pipe.
func (c tableCall) pipedCode(p parsed) {
	if len(p.operands) == 0 && slices.Contains(p.entry.operands, "source") {
		for _, v := range c.stdin {
			if v.known() {
				c.unsure(func() { c.builtin().runText(v, nil) })
			}
		}
	}
	language := ""
	for _, r := range p.entry.operands {
		if l, ok := strings.CutPrefix(string(r), "code-"); ok {
			language = l
		}
	}
	for _, o := range p.entry.options {
		if l, ok := strings.CutPrefix(string(o.role), "code-"); ok {
			language = l
		}
	}
	if language == "" || slices.ContainsFunc(p.valued, func(v valued) bool { return strings.HasPrefix(string(v.role), "code-") }) {
		return
	}
	for _, v := range c.stdin {
		if v.known() {
			c.lang().program(language, v)
		}
	}
}
