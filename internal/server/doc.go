// Package server assembles the rooms of hookway: it opens the stores of a user and
// the hooks of a folder, for commands and for the daemon, and it is the daemon: the
// socket, other listeners, messages, webhooks and the gateway behind one judge.
package server
