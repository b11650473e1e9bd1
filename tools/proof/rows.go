package main

import (
	"strconv"
	"time"
)

// row is one thing to prove.
type row struct {
	name string
	what string
	// command is run at the root of the tree. Tests of Go are run with -v, so
	// that it can be told what ran and what was skipped.
	command  []string
	env      []string
	deadline time.Duration
	plain    bool   // not tests of Go: it holds if it ends well
	shows    string // a plain one's lines for the table: an expression that they match
	against  string // a plain one has failed if a line matches it
}

// rows are all rows, in the order in which they run. To prove more, add a line.
var rows = []row{
	agent("claude", "Claude Code"),
	agent("codex", "Codex"),
	agent("gemini", "Gemini CLI"),
	agent("qwen", "Qwen Code"),
	agent("copilot", "Copilot CLI"),
	agent("opencode", "OpenCode"),

	turn("claude", "Claude Code"),
	turn("codex", "Codex"),
	turn("gemini", "Gemini CLI"),
	turn("qwen", "Qwen Code"),
	turn("copilot", "Copilot CLI"),
	turn("opencode", "OpenCode"),

	{name: "hooks", what: "hooks that others have published, as they are: they decide under Claude Code, Codex and Gemini CLI as natively",
		command: []string{"sh", "tools/public-hooks.sh", "-test.run", "TestPublicHooks"}, deadline: 2 * time.Hour},
	{name: "reference", what: "a sample of them under the real Claude Code without hookway: it does what they are compared with",
		command: []string{"sh", "tools/public-hooks.sh", "-test.run", "TestTheReference"}, deadline: time.Hour},
	{name: "idioms", what: "the idioms of hooks that are published in no package, natively and under other agents",
		command: []string{"go", "test", "-v", "-run", "TestIdioms", "-count", "1", "-timeout", "20m", "./e2e/public"}, env: []string{"HOOKWAY_PUBLIC_IDIOMS=1"}, deadline: 20 * time.Minute},

	{name: "settings", what: "settings of Claude Code, with plugins: what they do to the real Claude Code, they do to the real Codex through hookway",
		command: []string{"sh", "tools/e2e.sh", "-v", "-run", "TestSettingsOfClaudeCode"}, env: []string{"HOOKWAY_E2E_SETTINGS=1"}, deadline: 20 * time.Minute},
	{name: "plugins", what: "OpenClaw plugins that others have published, as they are: they load and decide",
		command: []string{"sh", "tools/public-plugins.sh"}, deadline: time.Hour},

	tests("relay", "senders, carriers and receivers killed at any moment: each message once, in order", "./internal/relay", "TestKilledAtAnyMoment", 5, 15*time.Minute),
	{name: "chaos", what: "2,000 messages to an agent whose daemon and run are killed again and again: none is lost",
		command:  []string{"sh", "tools/bench.sh", "relay", "-n", "200", "--typed", "20", "--messages", "2000", "--kills", "100"},
		deadline: 30 * time.Minute, plain: true, shows: `kill -9|twice|out of order`, against: `(lost|twice|out of order).*missed`},
	{name: "links", what: "6,000 messages between two linked machines, whose daemons are killed and whose link is cut 100 times: each once, in order",
		command: []string{"go", "test", "-v", "-run", "TestALeafLinkBetweenDaemonsThatAreKilled", "-count", "1", "-timeout", "20m", "./internal/relay/bus"},
		env:     []string{"HOOKWAY_LINK_ROUNDS=100"}, deadline: 20 * time.Minute},
	{name: "soak", what: "500 texts for an agent whose user types all the while: each whole and once",
		command:  []string{"sh", "tools/bench.sh", "run", "--quick", "-n", "500"},
		deadline: 30 * time.Minute, plain: true, shows: `lost|doubled|mixed|said to be failed`, against: `(lost|doubled|mixed|changed|failed) .*missed`},
	tests("mail", "run killed again and again: no message lost, none doubled without a word", "./internal/session", "TestRunIsKilledAgainAndAgain", 5, 20*time.Minute),
	tests("typing", "texts and what a user types at the same time stay apart", "./internal/session", "TestTextsAndTheUsersLinesStayApart", 5, 20*time.Minute),
	{name: "approvals", what: "1,000 calls that wait for a person, whose daemons are killed again and again: each is asked about once and goes on with its answer, once",
		command: []string{"go", "test", "-v", "-run", "TestHeldCallsAndDaemonsThatAreKilled", "-count", "1", "-timeout", "20m", "./internal/judge", "-args", "-approvals", "1000"}, deadline: 20 * time.Minute},
	tests("daemon", "a killed daemon doubles and loses nothing", "./cmd/hookway", "Killed", 10, 20*time.Minute),

	{name: "page", what: "the page in a real browser: every test of it, and an hour of 200 decisions a second in which it neither flickers nor grows",
		command: []string{"sh", "tools/page.sh", "-v", "-timeout", "2h", "-args", "-page.long", "1h"}, deadline: 2 * time.Hour},

	{name: "replay", what: "20,000 events of all kinds and 20,000 of unusual ones, replayed over their own record: every decision is the same",
		command: []string{"go", "test", "-v", "-run", "TestTheSameHooksDecideTheSame|TestUnusualEventsDecideTheSame", "-count", "1", "-timeout", "20m", "./internal/replay", "-args", "-events", "20000"}, deadline: 20 * time.Minute},
	tests("script", "scripts that do harm leave nothing behind, and a thousand events need bounded memory", "./handler/script", "LeavesNothingBehind|NeedBoundedMemory", 3, 10*time.Minute),
	tests("flood", "a program's output of any size and any bytes takes bounded memory", "./internal/terminal", "TestNoOutputIsTooMuch|TestAScreenOfAnySizeIsBounded", 3, 10*time.Minute),

	{name: "flakes", what: "all tests with the race detector, ten times, in another order each time",
		command: []string{"go", "run", "./tools/testall", "-stories", "-count", "10", "-timeout", "1h"}, deadline: 3 * time.Hour, plain: true},
	{name: "fuzz", what: "every parser of outside text, with new inputs",
		command: []string{"sh", "tools/fuzz.sh", "20s"}, deadline: time.Hour, plain: true},
	{name: "backends", what: "mem0's library and Qdrant's client as stores of memories",
		command: []string{"sh", "tools/memory-backends.sh"}, deadline: 15 * time.Minute, plain: true},
	{name: "ollama", what: "embeddings of a real Ollama, built once",
		command: []string{"sh", "tools/ollama.sh"}, deadline: time.Hour, plain: true},
}

// agent is a row that runs the published program of an agent against the scripted
// model; docs/e2e.md has what is asked of it.
func agent(name, called string) row {
	return row{name: name, what: called + " for real: hooks, messages, directives in answers of all shapes, every switch",
		command: []string{"sh", "tools/e2e.sh", "-v"}, env: []string{"HOOKWAY_E2E_AGENTS=" + name, "HOOKWAY_E2E_SHAPES=all", "HOOKWAY_E2E_SWITCHES=all"}, deadline: 30 * time.Minute}
}

// turn is a row that measures what a turn of an agent costs with hookway.
func turn(name, called string) row {
	return row{name: "turn-" + name, what: "a turn of " + called + ": a tool and all hooks around it, without and with hookway",
		command: []string{"sh", "tools/e2e.sh", "run", "sh", "tools/hookway.sh", "bench", "agent", name, "-n", "3", "--turns", "10"},
		env:     []string{"HOOKWAY_E2E_AGENTS=" + name}, deadline: 15 * time.Minute, plain: true, shows: ` ms +\(`}
}

// tests is a row of tests of one package, run several times.
func tests(name, what, room, run string, count int, deadline time.Duration) row {
	return row{name: name, what: what, deadline: deadline,
		command: []string{"go", "test", "-v", "-run", run, "-count", strconv.Itoa(count), "-timeout", deadline.String(), room}}
}
