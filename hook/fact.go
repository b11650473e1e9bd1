package hook

// Fact is one thing that a tool call would do, found by analysis of the call and
// not by a search in its text: it deletes this path, it connects to that host.
//
// Facts are an over-approximation. Where a call can be read in two ways, both are
// given and neither is sure. Which members a fact has depends on Does; members
// that do not apply are zero.
type Fact struct {
	// Does is the kind of act: run, read, write, delete, move, connect, execute,
	// git, sql, infra, package, system, self, secret or unknown. Guards add facts of
	// their own about what came before and what came back: loop, budget, sequence and
	// result.
	Does string `json:"does"`
	By   string `json:"by,omitempty"` // the program or tool that acts
	At   Span   `json:"at,omitzero"`  // where the command says so
	Sure bool   `json:"sure"`         // there is no other reading

	// run
	Program  string   `json:"program,omitempty"`
	Args     []string `json:"args,omitempty"`
	Sub      string   `json:"sub,omitempty"`      // sub-command: "git push"
	Elevated bool     `json:"elevated,omitempty"` // with another user's rights
	Remote   string   `json:"remote,omitempty"`   // host, container or pod where it happens; of git: the remote
	Dry      bool     `json:"dry,omitempty"`      // it only tells what it would do

	// read, write, delete, move, execute; of git: what it takes away
	Path      string `json:"path,omitempty"`   // absolute and cleaned; "…" stands for what is not known
	Real      string `json:"real,omitempty"`   // with links resolved, where that differs
	Inside    string `json:"inside,omitempty"` // the path from the top of the project or work tree that it lies in: "/src/a.go"
	Scope     string `json:"scope,omitempty"`  // project, worktree, temp, home, system, other, root
	Recursive bool   `json:"recursive,omitempty"`
	Glob      bool   `json:"glob,omitempty"`    // the path is a pattern
	Many      bool   `json:"many,omitempty"`    // more than one file, how many is not known; of unknown: more that was not looked at
	Creates   bool   `json:"creates,omitempty"` // nothing lies there yet
	Link      string `json:"link,omitempty"`    // where the path leads, if that is in another scope
	Secret    string `json:"secret,omitempty"`  // the kind of credential that lies there

	// connect
	Scheme   string   `json:"scheme,omitempty"`
	Host     string   `json:"host,omitempty"`
	Port     int      `json:"port,omitempty"`
	Class    string   `json:"class,omitempty"` // loopback, private, metadata, public
	Method   string   `json:"method,omitempty"`
	Sends    []string `json:"sends,omitempty"`    // "file:…", "env:…", "secret:…", "stdin", "image:…", "commits"
	Receives []string `json:"receives,omitempty"` // files, or "run"

	// execute: code that is not in the call
	From     string `json:"from,omitempty"` // download, file, stdin, decoded
	Language string `json:"language,omitempty"`

	// git, sql, infra, package, system, self, secret
	Verb        string `json:"verb,omitempty"`
	Ref         string `json:"ref,omitempty"`
	Force       bool   `json:"force,omitempty"`
	Deletes     bool   `json:"deletes,omitempty"`
	Uncommitted bool   `json:"uncommitted,omitempty"` // work that is in no commit is lost
	Object      string `json:"object,omitempty"`
	Bounded     bool   `json:"bounded,omitempty"` // it has a WHERE
	Where       string `json:"where,omitempty"`   // local, test, remote, unknown; of move: the scope that it is in then
	Dialect     string `json:"dialect,omitempty"`
	System      string `json:"system,omitempty"` // kubernetes, terraform, docker, aws, …
	Bulk        bool   `json:"bulk,omitempty"`
	Approved    bool   `json:"approved,omitempty"` // -auto-approve, -y
	Manager     string `json:"manager,omitempty"`
	Name        string `json:"name,omitempty"`
	Source      string `json:"source,omitempty"` // registry, git, url, path
	Global      bool   `json:"global,omitempty"`
	Scripts     bool   `json:"scripts,omitempty"`
	What        string `json:"what,omitempty"`
	Kind        string `json:"kind,omitempty"` // of a credential in the text; never its value

	// unknown
	Because string `json:"because,omitempty"`
}

// Span is a part of a command: the bytes from From up to, but not including, To.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// IsZero reports whether the span names no part.
func (s Span) IsZero() bool { return s == Span{} }
