// Package client knows how published agents are made to talk to a model of ours
// (package e2e/model): what their settings need, and how they are started for one
// turn without a terminal. Tests of real agents and hookway bench agent use it.
package client
