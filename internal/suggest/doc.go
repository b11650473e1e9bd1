// Package suggest finds in the record what a person always allowed, what a person
// stopped by hand, which rules on trial were never wrong, and which hooks never matched,
// fail or are slow. Of each it makes a suggestion: the evidence, the YAML to paste, and a
// test for it. It runs, changes and sends nothing.
//
// What an allow rule says comes from facts, and it names all that was seen and nothing
// besides: see [shape]. A rule that would let pass what a rule of hookway's own blocks is
// never suggested: see [judge].
package suggest
