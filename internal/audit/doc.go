// Package audit is the record of everything that hooks decided: who, why, how
// long it took and what was changed. It is append-only, and shows when somebody
// tampered with it.
//
// # On disk
//
// A log is a folder (0700) of files (0600) of JSON lines. Each file is named
// after the first number in it, so that names sort as the records do. Append
// returns once its record was handed to the system with write(2), so that it
// outlives the process; within a second it is forced to the disk, which is when
// it outlives the machine. One goroutine of each process writes, and takes what
// waits as one batch. Several processes may append: each batch holds the lock
// file, and the end is read again if another process wrote since.
//
// # The chain
//
// The last member of a line is its hash: sha256 over the hash of the line before
// and the bytes of this line up to that member. It goes on from file to file.
// When old files are removed, the first line that remains still says the hash
// before it, and the file "head" says which line that is. The head also says how
// far the log reached when it was last forced to the disk, so that lines missing
// at the end are seen too. Verify checks all of it. The chain has no key: it
// shows accidents and edits, not somebody who computes all hashes and the head
// anew. Who needs that keeps the last hash, which Verify gives, in another place.
//
// # After a crash
//
// A process that dies while it writes may leave a torn last line. Nobody was told
// that it is written. Readers leave it out and say so. The next writer ends it
// with a line break, and its own first record carries the length and the hash of
// the fragment (Torn): Verify accepts a line that is not a record only if the record
// after it owns up to exactly those bytes. A last line that only lacks its line
// break is whole, and stays.
//
// # Events
//
// The events that hooks decided are kept whole in a folder of the log, by package keep,
// with placeholders for their secrets. A record has the hash of its event, or says why
// it has none; [Events] reads both. An event that is gone leaves the chain as it is.
//
// # Secrets
//
// Before a record is hashed and written, credentials that package facts recognises
// are replaced by their kind, as "[secret: jwt]", and the values of members with names
// such as "password" and the fields that the configuration names by "[redacted]", at
// any depth and in texts. Everything is bounded in size; what was shortened is listed
// in the record's Cut.
package audit
