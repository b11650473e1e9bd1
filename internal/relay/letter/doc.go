// Package letter is what an agent is given of a message: data, whatever it holds.
//
// A message comes from outside, and an agent obeys what it reads, so nothing in it
// may act: no control characters, no directives, no invisible marks, and in front
// of it stands who sent it. That is the same on every way to an agent, so it is
// here once. Look is for the time after a crash: it finds out whether the agent
// has a message already.
package letter
