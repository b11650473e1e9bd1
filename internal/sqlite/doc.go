// Package sqlite opens a SQLite file that several processes use at once: with a
// write-ahead log, synced at every commit, for its user only, and with one clear
// error for each way in which a file can fail.
//
// What [File.Write] has committed is on the disk: the end of the process or of the
// machine does not undo it. Readers and writers do not wait for each other; writers
// wait for writers, up to [BusyTime].
package sqlite
