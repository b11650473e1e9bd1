// Package index answers questions about the audit log: pages of what is wanted of it, one
// record, and figures. It never writes to the log, and all that it has can be made of the
// log again.
//
// # What there is
//
// The records of a file of the log are cut into blocks, of 1024 or so. A block has for each
// record where its line is, its number and time, the texts by which it is found and counted,
// and its steps: the same texts are there once. Beside that it has a signature, which says
// which words cannot stand in its records. Blocks are written once, to a file of SQLite
// beside the log, and removed with their file of the log. What does not fill a block yet is
// in memory only.
//
// # How a question is answered
//
// First what is new in the log is read, as far as there is time: the newest file first, the
// others then, and what is left beside the answers. Blocks are ruled out by their times and
// signatures; those that are left are gone through, and the lines of what is wanted are read
// from the log. An answer says how many records it did not know yet. The filters mean what
// they mean to [audit.Filter].
//
// # When something is wrong
//
// A file that is damaged, or of another version, is removed and made anew. Where it cannot
// be made or written, as on a full disk, answers come from the log itself, slower. Both are
// said with the answers. Several processes may use the file; one that finds that another
// has written takes what is there.
package index
