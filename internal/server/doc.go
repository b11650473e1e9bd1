// Package server assembles the rooms of hookway: it opens the stores of a user and
// the hooks of a folder, for commands and for the daemon.
package server
