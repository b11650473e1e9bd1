// Package pin keeps the PIN with which a person proves who they are, and bounds how often
// it may be tried.
//
// A [Store] is one SQLite file that only its user can read. It holds what Argon2id makes
// of the PIN, and how many tries in a row were wrong: of all processes together, since a
// try is on the disk before it is judged. After [FreeTries] wrong ones each further one
// has to wait, twice as long each time.
//
// A PIN keeps away who has a person's terminal for a moment. It is no wall against a
// program of the same user that changes the file.
package pin
