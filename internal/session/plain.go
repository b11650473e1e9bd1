package session

// Plain is what may be shown to an agent of a text that others wrote: without
// escape sequences, control characters but line breaks and tabs, marks that turn
// the direction of text, and letters that only machines read.
func Plain(text string) string { return sanitize(text) }
