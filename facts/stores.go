package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// stores are the libraries by which code talks to what keeps data, by what stands in code that
// has them. Of hosted ones no machine is named.
var stores = []struct {
	mark, dialect string
	hosted        bool
}{
	{mark: "redis", dialect: "redis"}, {mark: "valkey", dialect: "redis"}, {mark: "memcache", dialect: "memcached"}, {mark: "mongo", dialect: "mongodb"},
	{mark: "elasticsearch", dialect: "elasticsearch"}, {mark: "opensearch", dialect: "elasticsearch"}, {mark: "solr", dialect: "solr"}, {mark: "meilisearch", dialect: "search"}, {mark: "typesense", dialect: "search"},
	{mark: "cassandra", dialect: "cassandra"}, {mark: "scylla", dialect: "cassandra"}, {mark: "couchdb", dialect: "couchdb"}, {mark: "couchbase", dialect: "couchdb"}, {mark: "arango", dialect: "arango"}, {mark: "rethinkdb", dialect: "rethinkdb"},
	{mark: "kafka", dialect: "kafka"}, {mark: "pulsar", dialect: "queue"}, {mark: "pika", dialect: "queue"}, {mark: "amqp", dialect: "queue"}, {mark: "kombu", dialect: "queue"}, {mark: "bunny", dialect: "queue"}, {mark: "celery", dialect: "queue"}, {mark: "bullmq", dialect: "queue"}, {mark: "nats", dialect: "queue"},
	{mark: "influx", dialect: "influx"}, {mark: "etcd", dialect: "etcd"}, {mark: "kazoo", dialect: "zookeeper"}, {mark: "zookeeper", dialect: "zookeeper"}, {mark: "clickhouse", dialect: "clickhouse"}, {mark: "happybase", dialect: "hbase"}, {mark: "neo4j", dialect: "neo4j"}, {mark: "knex", dialect: "sql"},
	{mark: "qdrant", dialect: "vectors"}, {mark: "chromadb", dialect: "vectors"}, {mark: "weaviate", dialect: "vectors"}, {mark: "milvus", dialect: "vectors"}, {mark: "lancedb", dialect: "vectors"},
	{mark: "pinecone", dialect: "vectors", hosted: true}, {mark: "algolia", dialect: "search", hosted: true}, {mark: "firebase", dialect: "firebase", hosted: true}, {mark: "firestore", dialect: "firebase", hosted: true}, {mark: "supabase", dialect: "postgres", hosted: true}, {mark: "bigquery", dialect: "bigquery", hosted: true}, {mark: "upstash", dialect: "redis", hosted: true},
}

// storeVerbs and storeThings make the names of calls that take away what a store keeps:
// drop_collection, deleteTopics, queue_purge.
var (
	storeVerbs  = map[string]string{"delete": "drop", "drop": "drop", "remove": "drop", "destroy": "drop", "wipe": "drop", "purge": "truncate", "truncate": "truncate", "clear": "truncate", "flush": "truncate", "empty": "truncate"}
	storeThings = []string{"database", "databases", "db", "collection", "collections", "index", "indices", "indexes", "topic", "topics", "table", "queue", "stream", "keyspace", "dataset", "exchange", "vhost", "prefix", "records", "namespace", "class", "datastream", "bucket", "keys", "all"}
)

// storeReader is code with a library of a store.
type storeReader struct {
	*reader
	dialect string
	hosted  bool
	every   bool // it lists all keys
}

// stored tells of calls that take away all that a store has of a kind.
func (r *reader) stored(src string) {
	s := storeReader{reader: r}
	low := strings.ToLower(src)
	for _, lib := range stores {
		if strings.Contains(low, lib.mark) {
			s.dialect, s.hosted = lib.dialect, lib.hosted
			break
		}
	}
	if s.dialect == "" {
		return
	}
	r.store = s.dialect
	s.every = s.listsKeys()
	for i, t := range r.tokens {
		if t.kind != 'i' || i == 0 || r.tokens[i-1].kind != '.' || !r.step() {
			continue
		}
		called := i+1 < len(r.tokens) && r.tokens[i+1].kind == '('
		if !called && r.language != "ruby" && r.language != "elixir" {
			continue
		}
		if verb := s.takes(t.text, i); verb != "" {
			r.tell(hook.Fact{Does: "sql", Verb: verb, Dialect: s.dialect, Object: visible(t.text), Where: s.lies(), At: r.at, Sure: true})
		}
	}
}

// takes gives the verb of SQL to which a call comes that leaves nothing of a kind, or "".
func (s *storeReader) takes(name string, i int) string {
	plain, args := strings.ToLower(strings.ReplaceAll(name, "_", "")), s.given(i)
	switch plain {
	case "flushall", "flushdb":
		return "truncate"
	case "deletebyquery":
		if s.sets(args, "match_all", "matchAll") {
			return "delete"
		}
		return ""
	case "deletemany", "remove":
		if s.dialect == "firebase" {
			return s.takesKeys(i, args)
		}
		if s.dialect == "mongodb" && len(args) == 2 && args[0].kind == '{' {
			return "delete"
		}
		return ""
	case "drop", "reset", "obliterate":
		if len(args) == 0 && (plain == "drop" && s.dialect == "mongodb" || plain == "reset" && s.dialect == "vectors" || plain == "obliterate" && s.dialect == "queue") {
			return "drop"
		}
		return ""
	case "delete", "unlink", "del", "removevalue":
		return s.takesKeys(i, args)
	}
	for verb, does := range storeVerbs {
		if rest, ok := strings.CutPrefix(plain, verb); ok && slices.Contains(storeThings, rest) && (rest != "all" || len(args) == 0) {
			return does
		}
		if rest, ok := strings.CutSuffix(plain, verb); ok && slices.Contains(storeThings, rest) {
			return does
		}
	}
	return ""
}

// takesKeys gives the verb of a call that deletes what stands before it, or what it is given.
func (s *storeReader) takesKeys(i int, args []token) string {
	chain := s.chainTo(i)
	some := slices.ContainsFunc(chain, func(n string) bool {
		return slices.Contains(rowConditions, n) || strings.HasPrefix(n, "where") || strings.HasSuffix(n, "Where") || n == "child"
	})
	switch {
	case s.dialect == "redis" && s.every, s.sets(args, "delete_all", "deleteAll") && s.sets(args, "True", "true"):
		return "truncate"
	case slices.Contains(chain, "indices"), s.dialect == "firebase" && len(args) == 0 && !some && (slices.Contains(chain, "ref") || slices.Contains(chain, "reference")):
		return "drop"
	case s.dialect == "sql" && len(args) == 0 && !some && len(chain) > 0:
		return "delete"
	}
	return ""
}

func (s *storeReader) sets(args []token, words ...string) bool {
	return slices.ContainsFunc(args, func(t token) bool { return slices.Contains(words, t.text) })
}

// listsKeys reports whether code asks a store for the names of all its keys.
func (s *storeReader) listsKeys() bool {
	for i, t := range s.tokens {
		if t.kind != 'i' || !slices.Contains([]string{"keys", "scan_iter", "scanStream", "scanIterator", "scan_each", "scan"}, t.text) || i == 0 || s.tokens[i-1].kind != '.' {
			continue
		}
		var texts []string
		for _, a := range s.given(i) {
			if a.kind == 's' {
				texts = append(texts, a.text)
			} else if a.kind == 'i' && a.text != "match" && a.text != "MATCH" && a.text != "count" && a.text != "COUNT" {
				texts = append(texts, a.text)
			}
		}
		if !slices.ContainsFunc(texts, func(t string) bool { return t != "*" && t != "match" && t != "MATCH" }) && (t.text != "keys" || len(texts) > 0) {
			return true
		}
	}
	return false
}

// storeKeys are the keys under which a store's library is given its machine.
var storeKeys = []string{"host", "hosts", "hostname", "node", "nodes", "brokers", "bootstrap_servers", "addr", "address", "contactPoints", "contact_points", "uri", "url", "connection", "server", "servers", "connectionString"}

// lies says where the store is that code talks to: here, if it names no machine.
func (s *storeReader) lies() string {
	where := s.reader.table().rowsLie()
	if where != "local" {
		return where
	}
	if s.hosted {
		return "unknown"
	}
	for i, t := range s.tokens {
		switch {
		case t.kind == 's' && strings.Contains(t.text, "://"):
		case t.kind == 's' && s.namesHost(i):
		case t.kind == 'i' && i > 1 && slices.Contains(storeKeys, s.tokens[i-2].text) && (s.tokens[i-1].kind == '=' || s.tokens[i-1].kind == ':') && t.text != "new":
			where = "unknown"
			continue
		default:
			continue
		}
		for _, a := range addresses(t.text) {
			if hostClass(a.host) != "loopback" {
				return "remote"
			}
		}
	}
	return where
}

// namesHost reports whether a text stands where a machine is named: behind a key for it, or as
// the first word for a client.
func (s *storeReader) namesHost(i int) bool {
	for i--; i > 0 && slices.Contains([]byte{'[', '('}, s.tokens[i].kind) && slices.Contains([]byte{'[', '(', '=', ':', '>'}, s.tokens[i-1].kind); i-- {
	}
	before := s.tokens[max(0, i-1)]
	switch s.tokens[max(0, i)].kind {
	case '=', ':':
		return slices.Contains(storeKeys, before.text)
	case '>': // key => value
		return i > 1 && slices.Contains(storeKeys, s.tokens[i-2].text)
	case '(':
		return strings.HasSuffix(before.text, "Client") || slices.Contains([]string{"Redis", "StrictRedis", "Cluster", "Elasticsearch", "OpenSearch", "Connection", "connect"}, before.text)
	}
	return false
}

// keyringCalls are the calls by which code asks the keyring of a user, by the libraries for that.
var keyringCalls = []struct {
	lib   string
	calls []string
}{{"keyring", []string{"get_password", "get_credential"}}, {"keytar", []string{"getPassword", "findCredentials", "findPassword"}}, {"secretstorage", []string{"get_secret"}}, {"win32cred", []string{"CredRead", "CredEnumerate"}}}

// readsKeyring tells of code that does.
func (r *reader) readsKeyring(src string) {
	for _, k := range keyringCalls {
		if strings.Contains(src, k.lib) && slices.ContainsFunc(r.tokens, func(t token) bool { return t.kind == 'i' && slices.Contains(k.calls, t.text) }) {
			r.tell(hook.Fact{Does: "read", Path: k.lib, Secret: "passwords", At: r.at, Sure: true})
			return
		}
	}
}

// browserReaders are libraries that read the passwords and cookies of browsers.
var browserReaders = []string{"browser_cookie3", "browsercookie", "pycookiecheat", "rookiepy", "chrome-cookies-secure", "browser-cookies", "chrome_cookies"}

// readsBrowser tells of code that has one of them.
func (r *reader) readsBrowser() {
	for _, t := range r.tokens {
		if (t.kind == 'i' || t.kind == 's') && slices.Contains(browserReaders, t.text) {
			r.tell(hook.Fact{Does: "read", Path: t.text, Secret: "browser", At: r.at, Sure: true})
			return
		}
	}
}
