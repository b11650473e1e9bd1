// Package install writes hookway into the configuration of coding agents, and
// takes it out again.
//
// Every file keeps what else is in it, byte for byte: order, comments,
// indentation, the hooks of others. A change is planned first, so that it can be
// shown; it is written atomically, with a backup beside the file; and what was
// there before is noted in hookway's state, so that taking hookway out gives the
// same bytes back.
//
// One file an agent says what is special about it: where its configuration is,
// what an entry looks like, what it asks of the user. The rest is shared.
package install
