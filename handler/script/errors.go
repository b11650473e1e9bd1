package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"modernc.org/quickjs"
)

// explain turns an error of the engine into one that says where in the script it
// is. c is the call, if it is one's.
func (p *Program) explain(err error, c *call) error {
	var e *quickjs.Error
	switch {
	case err == nil:
		return nil
	case strings.HasPrefix(err.Error(), endlessJobs):
		return p.said("", "it was stopped: each promise that it awaits begins another one, without end")
	case !errors.As(err, &e):
		return err
	}
	stopped, full := interrupted(err)
	place := p.b.PlaceOf(e.Stack)
	switch {
	case stopped:
		return &thrown{engine: err, shown: p.stopped(place, c)}
	case e.Error() == "null":
		return &thrown{engine: err, shown: p.null(place)}
	case full:
		return &thrown{engine: err, shown: p.full(place)}
	}
	text := e.Error()
	switch {
	case text == "":
		text = "it threw something that cannot be shown"
	case e.Name == "":
		text = "it threw " + text
	}
	return &thrown{engine: err, shown: p.said(place, text)}
}

// endlessJobs begins the engine's error when one piece of code behind an await
// follows the other for ever.
const endlessJobs = "quickjs: aborted draining"

// stopped is the error of code that was stopped.
func (p *Program) stopped(place string, c *call) error {
	cause := context.DeadlineExceeded
	if c != nil && c.ctx.Err() != nil {
		cause = c.ctx.Err()
	}
	if place == "" {
		place = p.label()
	}
	return &Stopped{Place: place, Cause: cause}
}

// full is the error of code that needed too much memory.
func (p *Program) full(place string) error {
	return p.said(place, fmt.Sprintf("it needs more than %d MiB of memory", memoryLimit>>20))
}

// null is the error of code that threw null. The engine does that, too, when
// there is no memory left for an error.
func (p *Program) null(place string) error {
	return p.said(place, fmt.Sprintf("it threw null, or it needs more than %d MiB of memory; throw an Error in place of null", memoryLimit>>20))
}

// said is an error with its place in front.
func (p *Program) said(place, text string) error {
	if place == "" {
		place = p.label()
	}
	return errors.New(place + ": " + text)
}

// thrown is an error of the engine as users see it. What it was is found by errors.As.
type thrown struct {
	engine error
	shown  error
}

func (t *thrown) Error() string   { return t.shown.Error() }
func (t *thrown) Unwrap() []error { return []error{t.shown, t.engine} }

// scriptError is an error with more for the script than its text.
type scriptError struct {
	Name    string         `json:"name,omitempty"`
	Message string         `json:"message"`
	More    map[string]any `json:"-"`
}

func (t *scriptError) Error() string { return t.Message }

// failure is an error as the script gets it.
func failure(err error) string {
	fields := map[string]any{"message": err.Error()}
	var t *scriptError
	switch {
	case errors.As(err, &t):
		fields["message"], fields["name"] = t.Message, t.Name
		for k, v := range t.More {
			fields[k] = v
		}
	case errors.Is(err, context.Canceled):
		fields["name"] = "AbortError"
	case errors.Is(err, context.DeadlineExceeded):
		fields["name"] = "TimeoutError"
	}
	data, _ := json.Marshal(fields) // texts and numbers always can be written
	return string(data)
}
