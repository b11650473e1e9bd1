// Package client knows how published agents are made to talk to a model of ours
// (package model): what their settings need, and how they are started for one
// turn without a terminal. hookway bench agent and the tests of real agents use it.
package client
