// Package strict reads YAML that people write by hand, and lets nothing pass
// that they cannot have meant: it finds the first byte that is not text, a second
// document, keys that are there twice, and aliases that unfold without end, each
// with its place. What is said about it is the format's own; see Format.
package strict
