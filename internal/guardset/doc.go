// Package guardset shows which of hookway's own rules are on in a folder, and what they
// did, and changes that in a hookway.yaml, for commands and for programs.
package guardset
