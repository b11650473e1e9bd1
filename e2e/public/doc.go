// Package public runs hooks as people wrote them, and looks at whether they decide
// under Claude Code, Codex and Gemini CLI, through hookway, as they do natively.
//
// The idioms of public hooks, in our own words, are part of every check. Hooks that
// others have published run as they are: tools/public-hooks.sh fetches them and runs
// the rest of the tests (make proof ROWS=hooks).
package public
