// Package strict reads YAML and JSON that people write by hand, and lets nothing pass
// that they cannot have meant: it finds the first byte that is not text, a second
// document, keys that are there twice, and aliases that unfold without end, each
// with its place.
//
// [Document] and [JSON] give the nodes of a file. A [Reader] turns nodes into values, and
// gathers what is wrong as [Problems]. Another format than hookway.yaml has its own words
// for that; see [Format].
package strict
