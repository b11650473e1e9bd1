package main

import (
	"errors"
	"runtime"
	"strings"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// version is set by release builds.
var version = ""

// options are what the command line says.
type options struct {
	agent, event, policy string
	timeout              time.Duration // the agent's own; 0 if it was not given
	hold                 time.Duration // the same where a call may be held for a person; only of a stream
	stream               bool          // one event after another, as hookway's own plugins ask
}

const usage = `usage: hookway-hook AGENT --event NAME [--timeout DURATION] [--on-failure block|continue]

An agent starts it at an event, with its JSON on stdin; hookway install writes
that into the agent's configuration. It prints the answer of your hooks.

  AGENT         %
  --event       the agent's own name of the event
  --timeout     how long the agent waits; the answer comes earlier
  --on-failure  what happens if hookway itself fails: block stops what gates
                something (the default), continue lets all pass
  --stream      answer one event after another, as hookway's plugin for OpenCode asks
  --hold        with --stream: how long the agent waits where a call may wait for a person
  --version     print the version

Without any argument the caller is taken for a Claude Code that does not know
that a program may have some: the event is in its JSON.
`

// bare is the agent that starts this without any argument: Claude Code gets them
// as a list of their own, which its older versions, and others that read its
// settings, leave out.
const bare = "claude"

// bareTimeout is what hookway install tells it to wait, if it was not asked for
// another time.
const bareTimeout = time.Minute

// parse reads the command line by hand: a flag package would cost more than all
// the rest. A text is to be printed instead of an answer.
func parse(args []string) (o options, text string, err error) {
	if len(args) == 0 {
		return options{agent: bare, timeout: bareTimeout}, "", nil
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch arg {
		case "--help", "-h", "help":
			return o, strings.Replace(usage, "%", strings.Join(call.Agents(), ", "), 1), nil
		case "--version", "version":
			return o, "hookway-hook " + orDevel(version) + " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n", nil
		}
		if arg == "--stream" {
			o.stream = true
			continue
		}
		if !strings.HasPrefix(arg, "-") && o.agent == "" && arg != "" {
			o.agent = arg
			continue
		}
		name, value, given := strings.Cut(arg, "=")
		if !given && strings.HasPrefix(arg, "--") && len(args) > 0 {
			value, args, given = args[0], args[1:], true
		}
		if set := o.set(name, value, given); set != nil && err == nil {
			err = set // the rest is read all the same: the event is wanted
		}
	}
	if !call.Known(o.agent) {
		o.policy = "" // whatever was wrong, nothing passes by mistake
		err = errors.New("hookway-hook: the agent \"" + o.agent + "\" is unknown")
	}
	if err != nil {
		err = errors.New(err.Error() + "; agents are " + strings.Join(call.Agents(), ", ") + ". Run hookway install to have the command line written")
	}
	return o, "", err
}

func (o *options) set(name, value string, given bool) error {
	switch {
	case name == "--event" && given:
		o.event = value
	case name == "--timeout" && given:
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return errors.New("hookway-hook: --timeout must be a duration such as 60s, not \"" + value + "\"")
		}
		o.timeout = d
	case name == "--hold" && given:
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return errors.New("hookway-hook: --hold must be a duration such as 600s, not \"" + value + "\"")
		}
		o.hold = d
	case name == "--on-failure" && (value == call.PolicyBlock || value == call.PolicyContinue):
		o.policy = value
	case name == "--on-failure":
		return errors.New("hookway-hook: --on-failure must be block or continue, not \"" + value + "\"")
	case !given && (name == "--event" || name == "--timeout" || name == "--hold"):
		return errors.New("hookway-hook: " + name + " needs a value")
	default:
		return errors.New("hookway-hook: \"" + name + "\" is not a flag")
	}
	return nil
}

func orDevel(v string) string {
	if v == "" {
		return "devel"
	}
	return v
}

// usual is how long each agent waits if its configuration says nothing.
func usual(agent, event string) time.Duration {
	switch agent {
	case "claude":
		switch event {
		case "SessionEnd":
			return 1500 * time.Millisecond
		case "UserPromptSubmit":
			return 30 * time.Second
		}
		return 600 * time.Second
	case "codex":
		if event == "SessionEnd" || event == "Interrupt" {
			return 3 * time.Second
		}
		return 600 * time.Second
	case "copilot", "copilot-pascal", "antigravity":
		return 30 * time.Second
	}
	return 60 * time.Second
}

// patience is how long the shim may take: less than the agent waits.
func patience(o options) time.Duration {
	total := o.timeout
	if total == 0 {
		total = usual(o.agent, o.event)
	}
	margin := min(max(150*time.Millisecond, total/20), 5*time.Second)
	return total - min(margin, total/2)
}
