// Package owner tells whether a command comes from the owner of the account, in a
// terminal of their own, or from an agent that they run.
//
// What only a person may say (let this call through, trust these hooks) takes [Rule]'s
// word that no agent has a hand in it: not by its environment, not as an ancestor, not
// at the other end of the terminal. Agents run as the same user, so this is no wall
// against a program that is written to get round it; docs/approvals.md says what is left.
package owner
