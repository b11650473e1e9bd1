package config

import (
	"path/filepath"
	"regexp"

	"github.com/hookway/hookway/internal/disk"
)

// relayScript is agent-relay's configuration, and by its name GraphQL Relay's too.
const relayScript = "relay.config.ts"

// maxTold bounds how much of such a file is read to tell the two apart.
const maxTold = 256 << 10

var (
	relayComment = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m)(?:^|\s)//.*$`)

	// relayOurs are what a configuration of agent-relay says: where it imports from, or
	// its keys.
	relayOurs = regexp.MustCompile(`agent-relay|hookway|new Relay\(|\brelay\.[a-z]\w*\(|\b(?:patterns|hooks|idleThreshold|memory|on[A-Z]\w*)['"]?\s*[:(=,}]`)

	// relayGraphQL are the keys and packages of GraphQL Relay, its compiler's above all.
	relayGraphQL = regexp.MustCompile(`relay-(?:compiler|config|runtime|test-utils)|react-relay|\.graphql\b|` +
		`\b(?:schema|src|root|sources|language|artifactDirectory|excludes?|projects|eagerEsModules|jsModuleFormat|` +
		`schemaExtensions|customScalarTypes|customScalars|persistConfig|featureFlags|codegenCommand)['"]?\s*[:,}]`)
)

// isGraphQLRelay reports whether a file of the name that agent-relay shares with
// GraphQL Relay is the latter's: it speaks of that, and of nothing of ours. What
// cannot be told is ours.
func isGraphQLRelay(path string) bool {
	if filepath.Base(path) != relayScript {
		return false
	}
	data, err := disk.Read(path, maxTold)
	if err != nil {
		return false
	}
	text := relayComment.ReplaceAll(data, nil)
	return relayGraphQL.Match(text) && !relayOurs.Match(text)
}

// isOwnScript reports whether there is a script that is found by its name.
func isOwnScript(path string) bool { return disk.Exists(path) && !isGraphQLRelay(path) }

// tellGraphQLRelay says of the files of GraphQL Relay, from where we work up to the
// workspace, that they are passed over.
func (l *load) tellGraphQLRelay() {
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		if path := filepath.Join(dir, relayScript); isGraphQLRelay(path) {
			l.set.Warn(path, "", "it configures GraphQL's Relay, not agent-relay, and is passed over",
				"nothing is to be done; hooks of agent-relay in it are found when it imports agent-relay or has patterns or hooks")
		}
		if dir == l.workspace || dir == filepath.Dir(dir) {
			return
		}
	}
}
