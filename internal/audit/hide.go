package audit

// Hide gives what takes secrets out of a text as the log does it: what looks like
// one, and the values of the named fields.
func Hide(fields []string) func(text string) string { return newRedactor(fields).text }
