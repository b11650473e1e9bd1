// Package scaffold writes first hooks for hookway init: a workspace's, a user's, or one
// in a language, with tests; it adds to files that are there and keeps what they say.
package scaffold
