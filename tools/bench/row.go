package main

import (
	"fmt"
	"strconv"
)

// row is one line of the report.
type row struct {
	Name    string   `json:"name"`
	Unit    string   `json:"unit,omitempty"`
	Got     float64  `json:"got"`
	Asked   *float64 `json:"asked,omitempty"` // a bound; nil: there is none, it is for comparison
	Least   bool     `json:"least,omitempty"` // the bound is the least, not the most
	Met     bool     `json:"met"`
	Skipped string   `json:"skipped,omitempty"` // why it was not measured
}

func atMostOf(name, unit string, got, asked float64) row {
	return row{Name: name, Unit: unit, Got: got, Asked: &asked, Met: got <= asked}
}

func atLeastOf(name, unit string, got, asked float64) row {
	return row{Name: name, Unit: unit, Got: got, Asked: &asked, Least: true, Met: got >= asked}
}

func forComparison(name, unit string, got float64) row {
	return row{Name: name, Unit: unit, Got: got, Met: true}
}

// text is the line as people read it.
func (m row) text() string {
	if m.Skipped != "" {
		return fmt.Sprintf("%-58s  not measured: %s", m.Name, m.Skipped)
	}
	number := func(f float64) string {
		if f >= 100 || f == float64(int(f)) {
			return strconv.FormatFloat(f, 'f', 0, 64)
		}
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	line := fmt.Sprintf("%-58s %10s %-5s", m.Name, number(m.Got), m.Unit)
	if m.Asked == nil {
		return line
	}
	sign, met := "≤", ""
	if m.Least {
		sign = "≥"
	}
	if !m.Met {
		met = "  missed"
	}
	return line + fmt.Sprintf(" %s %s%s", sign, number(*m.Asked), met)
}

// show prints the lines of a report.
func (p *program) show(rows []row) error {
	if p.json {
		return p.print(struct {
			Measures []row `json:"measures"`
		}{rows})
	}
	for _, r := range rows {
		fmt.Fprintln(p.out, r.text())
	}
	return nil
}
