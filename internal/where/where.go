// Package where has the conditions of hookway.yaml over facts: expressions such as
//
//	any(facts, .does == "infra" and .verb == "apply" and not .dry)
//
// An expression is checked when the configuration is read: names, members and types.
// When it runs it is bounded by steps and memory, and not by the clock, so that one
// event has one answer on every machine. It joins no texts and makes no lists longer
// than those of the event.
package where

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/hookway/hookway/hook"
)

// Bounds of an expression and of one run of it.
const (
	maxText   = 4096    // bytes
	maxNodes  = 1000    // names, operators and values
	maxSteps  = 200_000 // entries of lists that are looked at, and texts compared
	maxMemory = 1 << 16 // entries of the lists that it makes
	stepBytes = 256     // of the event's texts: looking at so much is one step more
)

// Test is a compiled expression. It may be used from many goroutines.
type Test struct {
	text    string
	program *vm.Program
	root    string // the workspace; "" is none
	facts   bool   // it reads the event's facts
	input   bool   // it reads the tool's input
}

var _ hook.FactTest = (*Test)(nil)

// In is the test in a workspace: there folder is "." or a path such as "src/x", and
// elsewhere the whole path.
func (t *Test) In(workspace string) *Test {
	in := *t
	in.root = workspace
	return &in
}

// String is the expression as it is written.
func (t *Test) String() string { return t.text }

// MarshalText is String.
func (t *Test) MarshalText() ([]byte, error) { return []byte(t.text), nil }

// Error is what is wrong with an expression.
type Error struct {
	Column  int // in characters, from 1; in a line after the first, 0
	Message string
}

func (e *Error) Error() string {
	if e.Column == 0 {
		return e.Message
	}
	return fmt.Sprintf("column %d: %s", e.Column, e.Message)
}

// Compile reads an expression. What is wrong with it is an *Error.
func Compile(text string) (*Test, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, &Error{Message: `it is empty; write an expression, such as any(facts, .does == "infra")`}
	case len(text) > maxText:
		return nil, &Error{Message: fmt.Sprintf("it has %d bytes; an expression may have %d", len(text), maxText)}
	}
	c := checker{text: text}
	options := []expr.Option{expr.Env(&environment{}), expr.AsBool(), expr.MaxNodes(maxNodes), expr.Patch(&c),
		expr.Function(stepName, step, new(func(*budget) bool)), expr.DisableAllBuiltins()}
	for _, name := range functions {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(text, options...)
	if c.err != nil {
		return nil, c.err
	}
	if err != nil {
		return nil, mistake(err)
	}
	return &Test{text: text, program: program, facts: c.facts, input: c.input}, nil
}

// Holds runs the expression for an event.
func (t *Test) Holds(ev hook.AnyEvent) (bool, error) {
	env, more := t.environment(ev)
	machine := vm.VM{MemoryBudget: maxMemory}
	out, err := machine.Run(t.program, env)
	if err != nil {
		return false, atRun(err)
	}
	holds, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("it gives %T and not true or false", out)
	}
	if !holds && more != "" {
		return false, fmt.Errorf("it is not known what the call does: %s", more)
	}
	return holds, nil
}

// errSteps ends an expression that looks at too much.
var errSteps = errors.New("it takes too many steps for this event")

// atRun is an error of a run in one line.
func atRun(err error) error {
	if errors.Is(err, errSteps) {
		return errSteps
	}
	var at *file.Error
	if errors.As(err, &at) {
		return &Error{Column: column(at), Message: hook.LogLine(plain(at.Message))}
	}
	return err
}

func column(at *file.Error) int {
	if at.Line > 1 {
		return 0
	}
	return at.Column + 1
}
