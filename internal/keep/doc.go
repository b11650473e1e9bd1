// Package keep keeps events whole, as hooks got them, beside the audit log, so that
// yesterday's calls can be fired again at other rules.
//
// # What is kept
//
// An [Event] is the event before hooks changed it, in its wire form, with the facts
// that were found about its call and what these were made of: [Observations] are the
// links, folders and files that the analysis looked at, files by their hash. A [Watch]
// notes them while the event is judged; a replay answers from them, see [Replay].
//
// Secrets are not kept. [Placeholders] of the same shape stand for them: letters for
// letters, digits for digits, made by a key that is random and of this machine alone.
// The same secret has the same placeholder, and rules see a credential of that kind.
//
// # On disk
//
// A folder (0700) of files (0600), each named after the first record whose event is in
// it. A file is a row of blocks, and a block is some entries, compressed with zstd,
// behind a header with their sizes and checksums. Each block is written by one write(2)
// while the lock file is held, so several processes may append. A process that dies over
// a block leaves a part of it: readers go on with the next block and say so. Old files
// are removed whole, by age and size, when a new one begins and once an hour.
//
// The hash of an entry stands in its audit record, which the chain covers.
package keep
