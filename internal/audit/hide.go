package audit

// Hide gives what takes secrets out of a text as the log does it: what looks like
// one, and the values of the named fields.
func Hide(fields []string) func(text string) string { return newRedactor(fields).text }

// Hider takes secrets out as the log does it, of what does not come from the log.
type Hider struct{ redactor *redactor }

// NewHider gives one that hides the named fields, too.
func NewHider(fields []string) *Hider { return &Hider{newRedactor(fields)} }

// Text is a text without its secrets. It is the value of a member of an event, as "prompt":
// one that the fields name is hidden as a whole.
func (h *Hider) Text(member, text string) string {
	if text == "" {
		return ""
	}
	if h.redactor.configured(steps(member)) {
		return hidden
	}
	return h.redactor.text(text)
}

// Input is what a tool is called with, without its secrets and as short as the log has it.
func (h *Hider) Input(input map[string]any) map[string]any {
	f := finisher{redactor: h.redactor, rec: new(Record)}
	return f.object(newCopier(inputBounds, h.redactor, func(string) {}).copy(input, "tool_input", 0))
}
