// Package cases is tests of hooks that need no program: a YAML file lists events
// and what the hooks must make of each.
//
//	cases:
//	  - name: rm -rf is refused        # default: the event and the case's number
//	    event: PreToolUse              # or an alias
//	    agent: Alice                   # as session, source and cwd, optional
//	    payload: {tool_name: Bash, tool_input: {command: rm -rf /}}
//	    expect:
//	      action: block
//	      by: no-force-delete
//
// In place of payload there may be payload_file, a JSON file named from the test
// file's folder. cwd is relative to that folder, too.
//
// # What can be expected
//
// Only what stands under expect is compared, and something must:
//
//	action           continue, allow, ask, block, retry, skip or answer
//	reason           the exact text; false is none. So are by, user_message and inject
//	reason_matches   a regular expression; so is inject_matches
//	by               id of the hook that decided
//	modified         the payload was changed, and has these values now; null is a value that is
//	                 gone. false: the payload is as it was fired
//	payload          the whole payload as it goes out
//	user_message     the text for the user
//	inject           the text for the agent
//	result           the value of an answer
//	retry_delay_ms   a number
//	steps            ids of the hooks that ran, in order: transform, guard, observe
//	error            a regular expression that the failure of a step matches; false: nothing failed
//
// Numbers are compared by value, with all their digits: 1.50 is 1.5, and
// 9007199254740993 is not 9007199254740992.
//
// # Mistakes
//
// Reading is strict. An unknown key, a wrong type, a bad regular expression, an
// unknown event, an unknown payload field under expect, a name used twice: each
// is a [Problem] with its
// file, line and column, and all of them are listed at once. A file with
// mistakes has no cases.
package cases
