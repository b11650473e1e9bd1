// Package doctor finds out why hooks do not run, or do not do what they should,
// and says how to mend each thing that is wrong.
//
// A Checkup looks and changes nothing. What costs something, a daemon that is
// started, an agent that is run, is apart: SelfTest, Canary.
package doctor
