// Package explain tells what a tool call would do, and which of hookway's own rules hold
// for it: of a command, of a call as an agent tells it, and of a decision on record.
// Nothing is run.
package explain
