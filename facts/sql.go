package facts

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// sql tells what the statements of a text do. Where says on which server: local,
// test, remote or unknown.
func (sh *shell) sql(src, dialect, where string, at hook.Span) {
	for _, one := range split(sqlTokens(src, dialect)) {
		sh.statement(one, dialect, where, at, 0)
	}
}

// split takes the words of a text apart into statements.
func split(ts []sqlToken) [][]sqlToken {
	var out [][]sqlToken
	for len(ts) > 0 {
		end := slices.IndexFunc(ts, func(t sqlToken) bool { return t.kind == ';' })
		if end < 0 {
			return append(out, ts)
		}
		if end > 0 {
			out = append(out, ts[:end:end])
		}
		ts = ts[end+1:]
	}
	return out
}

// sqlStatement is one statement, or one within another.
type sqlStatement struct {
	*shell
	tokens []sqlToken
	fact   hook.Fact // what it tells has this dialect, server and place
	depth  int
}

// statement tells what one statement does, and those within it.
func (sh *shell) statement(ts []sqlToken, dialect, where string, at hook.Span, depth int) {
	if depth > 8 || !sh.step() {
		return
	}
	s := sqlStatement{shell: sh, tokens: ts, depth: depth,
		fact: hook.Fact{Does: "sql", Dialect: dialect, Where: where, At: at, Sure: true}}
	s.read()
}

// within reads what begins at a token as a statement of its own.
func (s *sqlStatement) within(i int) {
	s.statement(s.tokens[i:], s.fact.Dialect, s.fact.Where, s.fact.At, s.depth+1)
}

// word is the word at a place, or "".
func (s *sqlStatement) word(i int) string {
	if i < len(s.tokens) && s.tokens[i].kind == 'w' {
		return s.tokens[i].text
	}
	return ""
}

// does tells of an act on the object that is named from token i on.
func (s *sqlStatement) does(i int, bounded bool) {
	f := s.fact
	f.Verb, f.Object, f.Bounded = strings.ToLower(s.word(0)), s.object(i), bounded
	s.tell(f)
}

func (s *sqlStatement) read() {
	switch verb := s.word(0); verb {
	case "SELECT":
		s.selects()
	case "DELETE", "UPDATE":
		s.does(1, s.bounded())
	case "DROP", "TRUNCATE":
		kind := s.word(1)
		s.fact.Bulk = kind == "DATABASE" || kind == "SCHEMA" || kind == "OWNED"
		s.does(1, false)
	case "ALTER":
		s.fact.Verb, s.fact.Object = "alter", s.object(2)
		for i := 2; i+1 < len(s.tokens); i++ { // a default or a constraint that goes takes no data along
			if s.word(i) == "DROP" && !slices.Contains([]string{"CONSTRAINT", "NOT", "DEFAULT", "EXPRESSION", "IDENTITY", "INDEX", "KEY", "FOREIGN", "PRIMARY", "CHECK"}, s.word(i+1)) {
				s.fact.Verb = "alter drop"
			}
		}
		s.tell(s.fact)
	case "INSERT", "REPLACE", "MERGE", "CREATE", "GRANT", "REVOKE", "COPY", "VACUUM", "REINDEX", "CALL", "EXEC", "EXECUTE", "LOAD", "FLUSH", "RESET", "PURGE", "SHUTDOWN", "KILL", "ATTACH", "DETACH", "RENAME", "OPTIMIZE":
		s.runs(verb)
		s.does(1, false)
		if verb == "EXECUTE" || verb == "EXEC" && !strings.Contains(s.object(1), "xp_cmdshell") { // EXECUTE 'DROP …', and format('DROP …')
			s.texts()
		}
	case "WITH":
		s.with()
	case "EXPLAIN": // it runs the statement with ANALYZE
		for i, t := range s.tokens[1:] {
			if t.text == "ANALYZE" || t.text == "ANALYSE" {
				s.within(i + 2)
			}
		}
	case "DO":
		s.texts()
	case "BEGIN", "IF", "WHILE", "DECLARE", "FOR", "LOOP", "ELSE", "THEN": // of a block: what it does stands further on
		if i := slices.IndexFunc(s.tokens, sqlWords("DROP", "DELETE", "TRUNCATE", "UPDATE", "EXECUTE", "EXEC")); i > 0 {
			s.within(i)
		}
	}
}

// sqlWords finds the first of some words.
func sqlWords(words ...string) func(sqlToken) bool {
	return func(t sqlToken) bool { return t.kind == 'w' && slices.Contains(words, t.text) }
}

// sqlActs are functions that do more than give rows.
var sqlActs = []string{"PG_TERMINATE_BACKEND", "PG_READ_FILE", "LO_EXPORT", "DBLINK_EXEC", "LOAD_FILE", "LOAD_EXTENSION", "QUERY_TO_XML"}

// selects tells of a SELECT, of files that it writes, and of functions that act.
func (s *sqlStatement) selects() {
	f := s.fact
	for i, t := range s.tokens {
		if t.kind == 'w' && i+1 < len(s.tokens) && s.tokens[i+1].kind == '(' && slices.Contains(sqlActs, t.text) {
			f.Verb, f.Object = "call", strings.ToLower(t.text)
			s.tell(f)
		}
		if t.text == "OUTFILE" || t.text == "DUMPFILE" {
			f.Verb = "export"
			s.tell(f)
		}
	}
	f.Verb = "select"
	s.tell(f)
}

// texts reads the texts of a statement as SQL.
func (s *sqlStatement) texts() {
	for _, t := range s.tokens {
		if t.kind == 's' && s.depth < 4 {
			for _, one := range split(sqlTokens(t.text, s.fact.Dialect)) {
				s.statement(one, s.fact.Dialect, s.fact.Where, s.fact.At, s.depth+1)
			}
		}
	}
}

// with reads the statements in the brackets of WITH, and the one after them.
func (s *sqlStatement) with() {
	level := 0
	for i, t := range s.tokens {
		switch {
		case t.kind == '(':
			level++
			if i+1 < len(s.tokens) {
				s.within(i + 1)
			}
		case t.kind == ')':
			level--
		case level == 0 && sqlWords("DELETE", "UPDATE", "INSERT", "MERGE")(t):
			s.within(i)
			return
		}
	}
}

// runs reads the lines of a shell that COPY … PROGRAM and xp_cmdshell run.
func (s *sqlStatement) runs(verb string) {
	every := (verb == "EXEC" || verb == "EXECUTE") && strings.Contains(s.object(1), "xp_cmdshell")
	for i, t := range s.tokens {
		if t.kind == 's' && (every || verb == "COPY" && i > 0 && s.tokens[i-1].text == "PROGRAM") {
			if every { // of a server on Windows
				s.cmd(t.text, s.fact.At)
				continue
			}
			s.line(t.text, s.fact.At, nil)
		}
	}
}

// sqlFillers may stand between a verb and the name of its object.
var sqlFillers = []string{"IF", "EXISTS", "NOT", "ONLY", "FROM", "INTO", "TABLE", "DATABASE", "SCHEMA", "VIEW", "INDEX", "LOW_PRIORITY", "IGNORE", "QUICK", "CONCURRENTLY", "MATERIALIZED", "TOP"}

// object is the name that begins at a token, its parts joined by dots.
func (s *sqlStatement) object(i int) string {
	ts := s.tokens
	for i < len(ts) && sqlWords(sqlFillers...)(ts[i]) {
		i++
	}
	name := ""
	for ; i < len(ts) && strings.IndexByte("wq.s", ts[i].kind) >= 0; i++ {
		if name != "" && ts[i].kind != '.' && !strings.HasSuffix(name, ".") {
			break
		}
		name += strings.ToLower(ts[i].text)
	}
	return name
}

// bounded reports whether a condition of the statement itself leaves rows alone.
func (s *sqlStatement) bounded() bool {
	level := 0
	for i, t := range s.tokens {
		switch {
		case t.kind == '(':
			level++
		case t.kind == ')':
			level--
		case level == 0 && sqlWords("WHERE", "LIMIT")(t):
			return !always(s.tokens[i+1:])
		}
	}
	return false
}

// always reports whether a condition holds for every row: 1=1, true, 1.
func always(ts []sqlToken) bool {
	for i, t := range ts {
		if t.kind == 'w' && (t.text == "ORDER" || t.text == "LIMIT" || t.text == "RETURNING") {
			ts = ts[:i]
			break
		}
	}
	switch len(ts) {
	case 1:
		return ts[0].text == "TRUE" || ts[0].kind == 'n' && ts[0].text != "0"
	case 3:
		return ts[1].kind == '=' && ts[0].text == ts[2].text
	}
	for i, t := range ts {
		if t.kind == 'w' && t.text == "OR" && always(ts[i+1:]) {
			return true
		}
	}
	return false
}

// database says where a call's server is, by its words.
func (c *call) database(p parsed) string {
	host := c.value["-h"]
	for _, name := range []string{"--host", "-S", "--server"} {
		if host == "" {
			host = c.value[name]
		}
	}
	for _, o := range p.operands {
		if strings.Contains(o.text, "://") {
			for _, a := range addresses(o.text) {
				host = a.host
			}
		}
	}
	if k, ok := c.net().clientOf(p); ok {
		if all := k.endpoints(); len(all) > 0 {
			host = ""
			for _, e := range all {
				if host == "" || hostClass(host) == "loopback" || strings.ContainsRune(e.host, hole) {
					host = e.host
				}
			}
		}
	}
	if slices.Contains(hostedClients, c.name) || c.seen["--linked"] || c.seen["remote"] {
		return "remote"
	}
	name := c.value["-d"] + c.value["--dbname"] + c.value["-D"] + c.value["--database"]
	for _, o := range p.operands {
		name += " " + o.text
	}
	switch {
	case strings.ContainsRune(host+name, hole):
		return "unknown"
	case host != "" && !strings.HasPrefix(host, "/") && hostClass(host) != "loopback":
		return "remote"
	case strings.Contains(strings.ToLower(name), "test") || strings.Contains(name, ":memory:"):
		return "test"
	case c.st.remote != "":
		return "unknown"
	case c.ownFile(p):
		return "test"
	case c.name == "sqlite3" || c.name == "sqlite" || c.name == "duckdb" || host != "":
		return "local"
	}
	for _, v := range []string{"DATABASE_URL", "PGHOST", "MYSQL_HOST", "PGSERVICE"} {
		if _, ok := c.world.Env[v]; ok {
			return "unknown"
		}
		if _, ok := c.st.vars[v]; ok {
			return "unknown"
		}
	}
	return "local"
}

// hostedClients are clients of databases that nobody has on the own machine.
var hostedClients = []string{"snowsql", "athenacli", "spanner-cli", "bq", "heroku", "fly", "flyctl", "pscale", "turso", "neonctl", "cockroach-cloud"}

// dialects are the dialects of programs that take SQL.
var dialects = map[string]string{"psql": "postgres", "pgcli": "postgres", "cockroach": "postgres", "mysql": "mysql", "mariadb": "mysql", "mycli": "mysql",
	"sqlite3": "sqlite", "sqlite": "sqlite", "litecli": "sqlite", "duckdb": "sqlite", "sqlcmd": "tsql", "isql": "tsql", "usql": "postgres", "clickhouse-client": "clickhouse", "clickhouse": "clickhouse"}

// ownFile reports whether the database is a file in a folder for temporary ones, and no
// word can lead to another.
func (c *call) ownFile(p parsed) bool {
	if c.name != "sqlite3" && c.name != "sqlite" && c.name != "duckdb" || len(p.operands) == 0 {
		return false
	}
	for _, f := range c.args {
		if strings.ContainsRune(f.text, hole) || otherDatabase().MatchString(f.text) {
			return false
		}
	}
	for _, v := range c.stdin {
		if !v.known() || otherDatabase().MatchString(v.text) {
			return false
		}
	}
	places := c.places(p.operands[0].text)
	if len(places) != 1 {
		return false
	}
	file := path.Clean(places[0])
	return c.world.scope(file) == "temp" && c.world.scope(cmp.Or(c.world.real(file, false), file)) == "temp"
}

// otherDatabase finds what may open a further database.
var otherDatabase = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\battach\b|(?m:^\s*\.[a-z])|^--?(init|cmd)\b`) })
