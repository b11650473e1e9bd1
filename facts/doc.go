// Package facts finds what a tool call would do: which paths it deletes, writes and
// reads, which hosts it talks to, which code it runs that nobody has seen.
//
// It never runs anything. It reads the call as the program would that gets it: a
// shell line by a shell's grammar with quoting, expansions, pipes and nested shells;
// a program's words by a table of its options; SQL and one-liners by tokenizers.
// Of the machine it asks only what its [World] lets it ask.
//
// Facts are an over-approximation: a variable that may be unset counts as empty and
// as unknown, both branches of an if are read, and what cannot be resolved is a fact
// of its own, [hook.Fact] with Does "unknown". Analysis is bounded by steps and
// memory and not by the clock, so that one call in one world has the same facts on
// every machine.
package facts
