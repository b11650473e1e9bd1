package facts

import (
	"strings"

	"github.com/hookway/hookway/hook"
)

// sqlToken is one word of SQL: a name or keyword in capitals, a string, a sign.
type sqlToken struct {
	kind byte // 'w' word, 'q' quoted name, 's' string, 'n' number, or the sign itself
	text string
}

// sqlTokens takes SQL apart: strings, comments, quoted names and dollar quotes in
// the dialects of PostgreSQL, MySQL, SQLite and T-SQL. What MySQL runs in /*! … */
// counts as code.
func sqlTokens(src, dialect string) []sqlToken {
	var out []sqlToken
	for i := 0; i < len(src) && len(out) < 20000; {
		c := src[i]
		rest := src[i:]
		switch {
		case c <= ' ':
			i++
		case strings.HasPrefix(rest, "--") || c == '#' && dialect == "mysql":
			if j := strings.IndexByte(rest, '\n'); j >= 0 {
				i += j
			} else {
				i = len(src)
			}
		case strings.HasPrefix(rest, "/*!"):
			i += 3
			for i < len(src) && src[i] >= '0' && src[i] <= '9' {
				i++
			}
		case strings.HasPrefix(rest, "*/"):
			i += 2
		case strings.HasPrefix(rest, "/*"):
			i += comment(rest, dialect)
		case c == '\'':
			n := sqlString(rest, dialect)
			out = append(out, sqlToken{'s', rest[1:max(1, n-1)]})
			i += n
		case c == '"' || c == '`' || c == '[' && dialect == "tsql":
			end := c
			if c == '[' {
				end = ']'
			}
			j := strings.IndexByte(rest[1:], end)
			if j < 0 {
				return out
			}
			kind := byte('q')
			if c == '"' && dialect == "mysql" {
				kind = 's'
			}
			out = append(out, sqlToken{kind, rest[1 : 1+j]})
			i += j + 2
		case c == '$' && dialect != "mysql":
			j := strings.IndexByte(rest[1:], '$')
			tag := ""
			if j >= 0 {
				tag = rest[:j+2]
			}
			if tag == "" || strings.Trim(tag, "$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
				i++
				continue
			}
			k := strings.Index(rest[len(tag):], tag)
			if k < 0 {
				return out
			}
			out = append(out, sqlToken{'s', rest[len(tag) : len(tag)+k]})
			i += k + 2*len(tag)
		case c == '_' || c >= utfStart || c|0x20 >= 'a' && c|0x20 <= 'z':
			j := i
			for j < len(src) && (src[j] == '_' || src[j] == '$' || src[j] >= utfStart || src[j]|0x20 >= 'a' && src[j]|0x20 <= 'z' || src[j] >= '0' && src[j] <= '9') {
				j++
			}
			out = append(out, sqlToken{'w', strings.ToUpper(src[i:j])})
			i = j
		case c >= '0' && c <= '9':
			j := i
			for j < len(src) && (src[j] >= '0' && src[j] <= '9' || src[j] == '.') {
				j++
			}
			out = append(out, sqlToken{'n', src[i:j]})
			i = j
		default:
			out = append(out, sqlToken{c, string(rune(c))})
			i++
		}
	}
	return out
}

// comment is the length of a block comment; PostgreSQL's and T-SQL's nest.
func comment(s, dialect string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			if depth == 0 || dialect != "mysql" && dialect != "sqlite" {
				depth++
			}
			i++
		case "*/":
			if depth--; depth == 0 {
				return i + 2
			}
			i++
		}
	}
	return len(s)
}

// sqlString is the length of a string in single quotes.
func sqlString(s, dialect string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && dialect == "mysql":
			i++
		case s[i] == '\'':
			if i+1 < len(s) && s[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(s)
}

// sql tells what the statements of a text do. Where says on which server: local,
// test, remote or unknown.
func (sh *shell) sql(src, dialect, where string, at hook.Span) {
	var statement []sqlToken
	end := func() {
		if len(statement) > 0 {
			sh.statement(statement, dialect, where, at, 0)
		}
		statement = nil
	}
	for _, t := range sqlTokens(src, dialect) {
		if t.kind == ';' {
			end()
			continue
		}
		statement = append(statement, t)
	}
	end()
}

// statement tells what one statement does, and those within it.
func (sh *shell) statement(ts []sqlToken, dialect, where string, at hook.Span, depth int) {
	if depth > 8 || !sh.step() {
		return
	}
	words := func(i int) string {
		if i < len(ts) && ts[i].kind == 'w' {
			return ts[i].text
		}
		return ""
	}
	fact := hook.Fact{Does: "sql", Dialect: dialect, Where: where, At: at, Sure: true}
	object := func(i int) string {
		for i < len(ts) && ts[i].kind == 'w' {
			switch ts[i].text {
			case "IF", "EXISTS", "NOT", "ONLY", "FROM", "INTO", "TABLE", "DATABASE", "SCHEMA", "VIEW", "INDEX", "LOW_PRIORITY", "IGNORE", "QUICK", "CONCURRENTLY", "MATERIALIZED", "TOP":
				i++
				continue
			}
			break
		}
		name := ""
		for ; i < len(ts) && (ts[i].kind == 'w' || ts[i].kind == 'q' || ts[i].kind == '.' || ts[i].kind == 's'); i++ {
			if name != "" && ts[i].kind != '.' && !strings.HasSuffix(name, ".") {
				break
			}
			name += strings.ToLower(ts[i].text)
		}
		return name
	}
	where2 := func() bool {
		level := 0
		for i, t := range ts {
			switch {
			case t.kind == '(':
				level++
			case t.kind == ')':
				level--
			case level == 0 && (t.text == "WHERE" || t.text == "LIMIT") && t.kind == 'w':
				return !always(ts[i+1:])
			}
		}
		return false
	}
	verb := words(0)
	switch verb {
	case "EXPLAIN", "DESCRIBE", "DESC", "SHOW", "PRAGMA", "HELP", "USE", "BEGIN", "START", "COMMIT", "ROLLBACK", "SET", "VALUES", "SAVEPOINT":
		if verb == "EXPLAIN" {
			for i, t := range ts[1:] {
				if t.text == "ANALYZE" || t.text == "ANALYSE" {
					sh.statement(ts[i+2:], dialect, where, at, depth+1)
				}
			}
		}
		return
	case "WITH":
		level := 0
		for i, t := range ts {
			switch {
			case t.kind == '(':
				level++
				if i+1 < len(ts) {
					sh.statement(ts[i+1:], dialect, where, at, depth+1)
				}
			case t.kind == ')':
				level--
			case level == 0 && t.kind == 'w' && (t.text == "DELETE" || t.text == "UPDATE" || t.text == "INSERT" || t.text == "MERGE"):
				sh.statement(ts[i:], dialect, where, at, depth+1)
				return
			}
		}
		return
	case "SELECT":
		for i, t := range ts {
			if t.kind == 'w' && i+1 < len(ts) && ts[i+1].kind == '(' {
				switch t.text {
				case "PG_TERMINATE_BACKEND", "PG_READ_FILE", "LO_EXPORT", "DBLINK_EXEC", "LOAD_FILE", "LOAD_EXTENSION", "QUERY_TO_XML":
					fact.Verb, fact.Object = "call", strings.ToLower(t.text)
					sh.tell(fact)
				}
			}
			if t.text == "OUTFILE" || t.text == "DUMPFILE" {
				fact.Verb = "export"
				sh.tell(fact)
			}
		}
		fact.Verb = "select"
		sh.tell(fact)
		return
	case "DROP", "TRUNCATE":
		fact.Verb, fact.Object = strings.ToLower(verb), object(1)
		if kind := words(1); kind == "DATABASE" || kind == "SCHEMA" || kind == "OWNED" {
			fact.Bulk = true
		}
	case "DELETE":
		fact.Verb, fact.Object, fact.Bounded = "delete", object(1), where2()
	case "UPDATE":
		fact.Verb, fact.Object, fact.Bounded = "update", object(1), where2()
	case "ALTER":
		fact.Verb, fact.Object = "alter", object(2)
		for i := 2; i < len(ts); i++ {
			if ts[i].kind == 'w' && ts[i].text == "DROP" {
				fact.Verb = "alter drop"
			}
		}
	case "INSERT", "REPLACE", "MERGE", "CREATE", "GRANT", "REVOKE", "COPY", "VACUUM", "REINDEX", "CALL", "EXEC", "EXECUTE", "LOAD", "FLUSH", "RESET", "PURGE", "SHUTDOWN", "KILL", "ATTACH", "DETACH", "RENAME", "OPTIMIZE":
		fact.Verb, fact.Object = strings.ToLower(verb), object(1)
		if verb == "COPY" {
			for i, t := range ts {
				if t.text == "PROGRAM" && i+1 < len(ts) && ts[i+1].kind == 's' {
					sh.line(ts[i+1].text, at, nil)
				}
			}
		}
		if (verb == "EXEC" || verb == "EXECUTE") && strings.Contains(fact.Object, "xp_cmdshell") {
			for _, t := range ts {
				if t.kind == 's' {
					sh.line(t.text, at, nil)
				}
			}
		}
	case "DO":
		for _, t := range ts {
			if t.kind == 's' {
				sh.sql(t.text, dialect, where, at)
			}
		}
		return
	case "IF", "WHILE", "DECLARE":
		for i, t := range ts {
			if t.kind == 'w' && (t.text == "DROP" || t.text == "DELETE" || t.text == "TRUNCATE" || t.text == "UPDATE") && i > 0 {
				sh.statement(ts[i:], dialect, where, at, depth+1)
				return
			}
		}
		return
	default:
		return
	}
	sh.tell(fact)
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
		if i := strings.Index(o.text, "://"); i >= 0 {
			host = o.text[i+3:]
			if j := strings.LastIndexByte(host, '@'); j >= 0 {
				host = host[j+1:]
			}
			if j := strings.IndexAny(host, ":/?"); j >= 0 {
				host = host[:j]
			}
		}
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
	case strings.Contains(strings.ToLower(name), "test"):
		return "test"
	case c.st.remote != "":
		return "unknown"
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

// dialects are the dialects of programs that take SQL.
var dialects = map[string]string{"psql": "postgres", "pgcli": "postgres", "cockroach": "postgres", "mysql": "mysql", "mariadb": "mysql", "mycli": "mysql",
	"sqlite3": "sqlite", "sqlite": "sqlite", "litecli": "sqlite", "duckdb": "sqlite", "sqlcmd": "tsql", "isql": "tsql", "usql": "postgres", "clickhouse-client": "clickhouse", "clickhouse": "clickhouse"}
