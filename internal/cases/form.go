package cases

import (
	"encoding/json"
	"fmt"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/wire"
)

// reportForm is a report as JSON.
type reportForm struct {
	Passed   int             `json:"passed"`
	Failed   int             `json:"failed"`
	Errors   int             `json:"errors"`
	NotRun   int             `json:"not_run"`
	Problems strict.Problems `json:"problems"`
	Cases    []caseForm      `json:"cases"`
}

type caseForm struct {
	Name       string          `json:"name"`
	File       string          `json:"file"`
	Line       int             `json:"line"`
	Event      string          `json:"event"`
	Status     Status          `json:"status"`
	DurationMS float64         `json:"duration_ms"`
	Failures   []failureForm   `json:"failures"`
	Error      string          `json:"error,omitempty"`
	Reproduce  string          `json:"reproduce"`
	Outcome    json.RawMessage `json:"outcome,omitempty"` // as hookway fire prints it
}

type failureForm struct {
	Expectation string   `json:"expectation"`
	Line        int      `json:"line"`
	Column      int      `json:"column"`
	Expected    []string `json:"expected"` // lines
	Got         []string `json:"got"`
	Note        string   `json:"note,omitempty"`
}

// JSON gives the report for machines, with the problems of the files if they
// kept the cases from being run. Colours mean nothing here, and every outcome is
// there, verbose or not.
func (r *Report) JSON(problems strict.Problems, style Style) ([]byte, error) {
	form := reportForm{
		Passed: r.Count(Passed), Failed: r.Count(Failed), Errors: r.Count(Errored), NotRun: r.NotRun,
		Problems: append(strict.Problems{}, problems...), Cases: make([]caseForm, 0, len(r.Results)),
	}
	for i := range r.Results {
		c, err := r.Results[i].form(style)
		if err != nil {
			return nil, err
		}
		form.Cases = append(form.Cases, c)
	}
	return []byte(compact(form)), nil
}

func (r *Result) form(style Style) (caseForm, error) {
	f := caseForm{
		Name: r.Case.Name, File: r.Case.File, Line: r.Case.Line, Event: r.Case.Event.Name, Status: r.Status,
		DurationMS: float64(r.Duration.Microseconds()) / 1000, Failures: []failureForm{},
		Reproduce: r.Case.Reproduce(style),
	}
	for _, x := range r.Failures {
		f.Failures = append(f.Failures, failureForm{x.Key, x.Line, x.Column, append([]string{}, x.Want...), append([]string{}, x.Got...), x.Note})
	}
	if r.Err != nil {
		f.Error = hook.LogLine(r.Err.Error())
	}
	if r.Outcome != nil {
		text, err := wire.EncodeOutcome(*r.Outcome)
		if err != nil {
			return f, fmt.Errorf("case %q: %w", r.Case.Name, err)
		}
		f.Outcome = text
	}
	return f, nil
}
