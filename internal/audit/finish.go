package audit

import (
	"reflect"
	"slices"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// How much of a record's texts is kept, in bytes.
const (
	maxName   = 512
	maxWhat   = 512
	maxReason = 2 << 10
	maxInject = 2 << 10

	maxSteps   = 100
	maxChanges = 20
	maxNotes   = 20
)

// finish makes a record ready to be written: without secrets, bounded, and with
// nothing in it that its maker still holds.
func (r *redactor) finish(rec *Record) {
	f := finisher{redactor: r, rec: rec}
	rec.Cut = f.notes(rec.Cut, "cut")
	for _, t := range []struct {
		name string
		text *string
		most int
	}{
		{"event", &rec.Event, maxName}, {"event_id", &rec.EventID, maxName}, {"native", &rec.Native, maxName},
		{"session", &rec.Session, maxName}, {"agent", &rec.Agent, maxName}, {"source", &rec.Source, maxName},
		{"cwd", &rec.CWD, maxReason}, {"workspace", &rec.Workspace, maxReason},
		{"tool", &rec.Tool, maxName}, {"tool_use_id", &rec.ToolUseID, maxName},
		{"action", &rec.Action, maxName}, {"answer", &rec.Answer, maxName}, {"of", &rec.Of, maxName}, {"reason", &rec.Reason, maxReason}, {"by", &rec.By, maxName}, {"rule", &rec.Rule, maxName}, {"would", &rec.Would, maxName},
		{"user_message", &rec.UserMessage, maxReason}, {"inject", &rec.Inject, maxInject}, {"failure", &rec.Failure, maxReason},
	} {
		*t.text = f.text(t.name, *t.text, t.most)
	}
	rec.What = f.short(rec.What, rec.whatFrom)
	rec.Ran = f.short(rec.Ran, rec.ranFrom)
	if rec.ToolInput != nil {
		rec.ToolInput = f.object(newCopier(inputBounds, r, f.cut).copy(rec.ToolInput, "tool_input", 0))
	}
	if rec.Result != nil {
		rec.Result = newCopier(resultBounds, r, f.cut).copy(rec.Result, "result", 0)
	}
	if rec.Metadata != nil {
		rec.Metadata = f.object(newCopier(resultBounds, r, f.cut).copy(rec.Metadata, "metadata", 0))
	}
	rec.Degraded = f.notes(rec.Degraded, "degraded")
	rec.Warnings = f.notes(rec.Warnings, "warnings")
	rec.Facts = f.facts(rec.Facts)
	rec.Steps = f.steps(rec.Steps)
	rec.Changes = f.changes(rec.Changes)
}

// finisher finishes one record.
type finisher struct {
	*redactor
	rec *Record
}

// short is what a record is about, in short.
func (f *finisher) short(text string, from []string) string {
	if text != "" && f.configured(from) {
		return hidden
	}
	return visible.ClipBytes(f.redactor.text(text), maxWhat)
}

// cut notes that something was shortened.
func (f *finisher) cut(path string) {
	if len(f.rec.Cut) < maxNotes && !slices.Contains(f.rec.Cut, path) {
		f.rec.Cut = append(f.rec.Cut, visible.ClipBytes(path, maxName))
	}
}

// foundBy are the members that no configuration hides: a log in which nobody can
// look for what an agent did, or see that a hook stopped it, is none.
var foundBy = []string{"event", "event_id", "native", "session", "agent", "source", "tool", "tool_use_id", "action", "answer", "of", "by", "rule", "would", "steps.hook"}

func (f *finisher) text(name, text string, most int) string {
	if text == "" {
		return ""
	}
	if len(f.fields) > 0 && !slices.Contains(foundBy, name) && f.configured(steps(name)) {
		return hidden
	}
	text = f.redactor.text(text)
	if len(text) > most {
		f.cut(name)
	}
	return visible.ClipBytes(text, most)
}

// object is the copy of an object; one that is hidden as a whole says so.
func (f *finisher) object(copied any) map[string]any {
	if m, ok := copied.(map[string]any); ok {
		return m
	}
	return map[string]any{hidden: true}
}

func (f *finisher) notes(list []string, name string) []string {
	out := make([]string, 0, min(len(list), maxNotes))
	for _, line := range list {
		if len(out) == maxNotes {
			f.cut(name)
			break
		}
		out = append(out, f.text(name, line, maxReason/2))
	}
	return out
}

func (f *finisher) steps(list []Step) []Step {
	if len(list) > maxSteps {
		f.cut("steps")
		list = list[:maxSteps]
	}
	out := slices.Clone(list)
	for i := range out {
		s := &out[i]
		s.Hook = f.text("steps.hook", s.Hook, maxName)
		s.Lane = visible.ClipBytes(s.Lane, maxName)
		s.Action = visible.ClipBytes(s.Action, maxName)
		s.Reason = f.text("steps.reason", s.Reason, maxReason/2)
		s.Error = f.text("steps.error", s.Error, maxReason/2)
		s.Note = f.text("steps.note", s.Note, maxName)
		s.Rule = visible.ClipBytes(s.Rule, maxName)
		if s.Would != nil {
			s.Would = &Would{Action: s.Would.Action, Reason: f.text("steps.would.reason", s.Would.Reason, maxReason/2), Rule: visible.ClipBytes(s.Would.Rule, maxName), Change: s.Would.Change}
		}
	}
	return out
}

// facts takes secrets out of every text of the facts. Where the configuration hides
// what the call says, it hides what follows from it.
func (f *finisher) facts(list []hook.Fact) []hook.Fact {
	if len(list) == 0 || f.configured([]string{"facts"}) || f.configured([]string{"toolinput"}) || f.rec.whatFrom != nil && f.configured(f.rec.whatFrom) {
		return nil
	}
	out := slices.Clone(list)
	for i := range out {
		v := reflect.ValueOf(&out[i]).Elem()
		for n := range v.NumField() {
			switch field := v.Field(n).Addr().Interface().(type) {
			case *string:
				*field = visible.ClipBytes(f.redactor.text(*field), maxName)
			case *[]string:
				*field = slices.Clone(*field)
				for k := range *field {
					(*field)[k] = visible.ClipBytes(f.redactor.text((*field)[k]), maxName)
				}
			}
		}
	}
	return out
}

func (f *finisher) changes(list []Change) []Change {
	if len(list) > maxChanges {
		f.cut("changes")
		list = list[:maxChanges]
	}
	out := make([]Change, 0, len(list))
	for _, c := range list {
		cut := func(string) { f.cut("changes") }
		change := Change{Path: visible.ClipBytes(f.redactor.text(c.Path), maxName)}
		from, to := newCopier(draftBounds, f.redactor, cut).copy(c.From, c.Path, 0), newCopier(draftBounds, f.redactor, cut).copy(c.To, c.Path, 0)
		change.From, change.To = shortenChange(from, to, cut)
		out = append(out, change)
	}
	return out
}
