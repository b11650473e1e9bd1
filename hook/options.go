package hook

import "time"

// Named sets the hook's id. Without it, On names the hook after the line of
// code that registers it: "go:main.go:42".
func Named(id string) Option { return func(h *Hook) { h.ID = id } }

// For adds events to an untyped hook, by name or alias; "*" is every event.
func For(events ...string) Option {
	return func(h *Hook) { h.Events = append(h.Events, events...) }
}

// Matching sets the whole matcher. Matchers of earlier options are lost.
func Matching(m Match) Option { return func(h *Hook) { h.Match = m } }

// MatchTool matches the tool's name: exact names, globs or "Edit|Write", one of
// which must hold. Exact names are indexed: hooks for other tools cost nothing.
func MatchTool(names ...string) Option {
	return func(h *Hook) { h.Match.Tool = append(h.Match.Tool, names...) }
}

// MatchPath matches a file that a tool is called with, by globs: see Glob. A guard
// also sees where symbolic links lead, and holds if either form matches.
func MatchPath(globs ...string) Option {
	return func(h *Hook) { h.Match.Path = append(h.Match.Path, globs...) }
}

// MatchCommand matches the command line of a shell tool, by regular expressions in
// the syntax of package regexp. They are searched for anywhere in the line; use ^
// and $ to anchor them. Events without a command line do not match.
func MatchCommand(regexes ...string) Option {
	return func(h *Hook) { h.Match.Command = append(h.Match.Command, regexes...) }
}

// MatchSession matches events of one session.
func MatchSession(id string) Option {
	return func(h *Hook) { h.Match.Session = append(h.Match.Session, id) }
}

// MatchField matches a payload field, by its wire name, with exact texts or globs.
// Dots lead into objects, and of a list one element must match:
//
//	hook.MatchField("tool_input.url", "https://*.example.com/*")
func MatchField(name string, patterns ...string) Option {
	return func(h *Hook) {
		fields := map[string][]string{name: append([]string(nil), patterns...)}
		for k, v := range h.Match.Fields {
			fields[k] = append(fields[k], v...)
		}
		h.Match.Fields = fields
	}
}

// As puts the hook into a lane.
func As(lane Lane) Option { return func(h *Hook) { h.Lane = lane } }

// Priority sets the order inside the lane: lower first, 100 by default.
func Priority(p int) Option { return func(h *Hook) { h.Priority = p } }

// Timeout sets the time that all tries of one call have together; zero is no
// bound. A hook with a timeout of its own runs on its own goroutine, and is
// abandoned when the time is over.
func Timeout(d time.Duration) Option {
	return func(h *Hook) { h.Timeout, h.ownTimeout = d, d > 0 }
}

// Retries sets how often a failed handler is tried again, at most MaxRetries
// times. The pause before the first further try is 20 ms, and doubles each time.
// A decision, also a block, is never retried.
func Retries(n int) Option { return func(h *Hook) { h.Retries = n } }

// OnFailure sets what happens when the handler fails.
func OnFailure(f Failure) Option { return func(h *Hook) { h.OnFail = f } }

// Monitored puts the hook on trial: what it decides is recorded, and does not count.
func Monitored() Option { return func(h *Hook) { h.Monitor = true } }

// WithProfile returns the hook the habits, and the default priority, of another
// hook system. Later options override it.
func WithProfile(p Profile) Option {
	return func(h *Hook) { h.Profile, h.Priority = p, p.Priority }
}

// Queue bounds how many events may wait for an observe hook; the newest beyond it
// are dropped and counted.
func Queue(n int) Option { return func(h *Hook) { h.Queue = n } }

// Root sets the folder that relative path patterns start from.
func Root(dir string) Option { return func(h *Hook) { h.Root = dir } }

// MatchNamespace matches directives by their namespace: exact names or globs.
func MatchNamespace(names ...string) Option {
	return func(h *Hook) { h.Match.Namespace = append(h.Match.Namespace, names...) }
}

// MatchTarget matches directives by their target: exact names or globs.
func MatchTarget(names ...string) Option {
	return func(h *Hook) { h.Match.Target = append(h.Match.Target, names...) }
}

// MatchDeletes matches calls that delete, or move away, files that one of the globs names. See
// Match.Deletes.
func MatchDeletes(globs ...string) Option {
	return func(h *Hook) { h.Match.Deletes = append(h.Match.Deletes, globs...) }
}

// MatchWrites matches calls that write files that one of the globs names.
func MatchWrites(globs ...string) Option {
	return func(h *Hook) { h.Match.Writes = append(h.Match.Writes, globs...) }
}

// MatchReads matches calls that read files that one of the globs names.
func MatchReads(globs ...string) Option {
	return func(h *Hook) { h.Match.Reads = append(h.Match.Reads, globs...) }
}

// MatchMoves matches calls that move files that one of the globs names.
func MatchMoves(globs ...string) Option {
	return func(h *Hook) { h.Match.Moves = append(h.Match.Moves, globs...) }
}

// MatchRuns matches calls that run a program: "rm", "git push", "npm run deploy*".
func MatchRuns(patterns ...string) Option {
	return func(h *Hook) { h.Match.Runs = append(h.Match.Runs, patterns...) }
}

// MatchConnects matches calls that connect to a host, a "host:port" or a class of networks: public,
// private, metadata, loopback.
func MatchConnects(patterns ...string) Option {
	return func(h *Hook) { h.Match.Connects = append(h.Match.Connects, patterns...) }
}

// MatchSends matches calls that send something: "secret:*", "env:*", "file:**/.env".
func MatchSends(patterns ...string) Option {
	return func(h *Hook) { h.Match.Sends = append(h.Match.Sends, patterns...) }
}

// MatchGit matches calls by what they do to a repository: "push", "push force".
func MatchGit(patterns ...string) Option {
	return func(h *Hook) { h.Match.Git = append(h.Match.Git, patterns...) }
}

// MatchSQL matches calls by what they do to data: "drop", "delete users".
func MatchSQL(patterns ...string) Option {
	return func(h *Hook) { h.Match.SQL = append(h.Match.SQL, patterns...) }
}

// MatchInfra matches calls by what they do to clusters and clouds: "terraform apply".
func MatchInfra(patterns ...string) Option {
	return func(h *Hook) { h.Match.Infra = append(h.Match.Infra, patterns...) }
}

// MatchSecret matches calls with a credential in their text, by its kind.
func MatchSecret(patterns ...string) Option {
	return func(h *Hook) { h.Match.Secret = append(h.Match.Secret, patterns...) }
}

// MatchUnknown matches calls of which a part shows only when they run.
func MatchUnknown() Option { return func(h *Hook) { h.Match.Unknown = true } }

// MatchWhere matches by conditions of a program's own, of which one must hold.
func MatchWhere(tests ...FactTest) Option {
	return func(h *Hook) { h.Match.Where = append(h.Match.Where, tests...) }
}

// Builtin marks a hook of Directive as hookway's own: it comes before hooks of users
// that have its priority and are as specific. Programs that embed the engine use it
// for directives of their own that users may replace with Override.
func Builtin() Option { return func(h *Hook) { h.Builtin = true } }

// Override lets a hook of Directive stand in for the built-in ones: they do not
// run at what it matches. Its match must name the namespaces exactly.
func Override() Option { return func(h *Hook) { h.Override = true } }

// Origin says which file and line the hook comes from.
func Origin(place string) Option { return func(h *Hook) { h.Origin = place } }
