package replay

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/visible"
)

//go:embed page.html
var pageText string

// Bounds of the charts, in pixels but for the first two.
const (
	mostDays  = 92 // the last ones
	mostBars  = 20
	barLength = 360 // the longest bar
	barHeight = 22
	dayWidth  = 9
	dayHeight = 120 // the highest day
)

// bar is a row of a chart: what is blocked, then what is asked about.
type bar struct {
	Name       string
	Y          int
	Block, Ask int // the lengths of the two parts
	Stops      Stops
	Calls      int
}

// TextY and TextX are where the words of a bar stand.
func (b bar) TextY() int { return b.Y + barHeight - 8 }

// TextX is where the numbers of a bar begin.
func (b bar) TextX() int { return barNames + b.Block + b.Ask + 6 }

// barNames is the room for names before the bars.
const barNames = 270

// column is a day: what is blocked stands below what is asked about.
type column struct {
	Part
	X, Block, Ask int
}

// BlockY is where the lower part of a column begins.
func (c column) BlockY() int { return dayHeight - c.Block }

// AskY is where the upper part of a column begins.
func (c column) AskY() int { return dayHeight - c.Block - c.Ask }

// page is what the page shows.
type page struct {
	*Report
	Columns  []column
	ByRule   []bar
	ByFolder []bar
}

// WriteHTML writes a report as one page that needs nothing from elsewhere. The file is
// replaced in one step, and only its user may read it.
func (r *Report) WriteHTML(path string) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"count": visible.Number, "percent": percent, "day": day, "line": visible.Line, "since": r.since, "plus": func(a, b int) int { return a + b },
		"join": func(words []string) string { return strings.Join(words, ", ") }, "times": func(a, b int) int { return a * b },
	}).Parse(pageText)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, &page{r, columns(r.Days), bars(ruleParts(r.Rules)), bars(r.Projects)}); err != nil {
		return err
	}
	if err := disk.Replace(path, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("the page cannot be written: %w", err)
	}
	return nil
}

func ruleParts(rules []*Rule) (parts []Part) {
	for _, r := range rules {
		parts = append(parts, Part{Name: r.ID, Calls: r.Calls(), Enforce: r.Enforce, Auto: r.Auto})
	}
	return parts
}

// bars are the rows of a chart, of the first parts.
func bars(parts []Part) (rows []bar) {
	parts = parts[:min(len(parts), mostBars)]
	longest := 1
	for _, p := range parts {
		longest = max(longest, p.Enforce.All())
	}
	for i, p := range parts {
		rows = append(rows, bar{
			Name: visible.Clip(visible.Line(p.Name), 40), Y: i * barHeight, Stops: p.Enforce, Calls: p.Calls,
			Block: length(p.Enforce.Block, longest, barLength), Ask: length(p.Enforce.Ask, longest, barLength),
		})
	}
	return rows
}

// length is n in pixels; what there is can be seen.
func length(n, most, pixels int) int {
	if n == 0 {
		return 0
	}
	return max(n*pixels/most, 1)
}

// columns are the days of the chart, also those without a call.
func columns(days []Part) (all []column) {
	known := map[string]Part{}
	first, last := "", ""
	highest := 1
	for _, d := range days {
		if _, err := time.Parse(time.DateOnly, d.Name); err != nil {
			continue // calls without a time
		}
		if first == "" {
			first = d.Name
		}
		last, known[d.Name] = d.Name, d
		highest = max(highest, d.Enforce.All())
	}
	end, err := time.Parse(time.DateOnly, last)
	for at := end; err == nil && len(all) < mostDays && at.Format(time.DateOnly) >= first; at = at.AddDate(0, 0, -1) {
		d := known[at.Format(time.DateOnly)]
		d.Name = at.Format(time.DateOnly)
		all = append(all, column{Part: d, Block: length(d.Enforce.Block, highest, dayHeight), Ask: length(d.Enforce.Ask, highest, dayHeight)})
	}
	for i := range all { // they were made from the last one on
		all[i].X = (len(all) - 1 - i) * dayWidth
	}
	return all
}
