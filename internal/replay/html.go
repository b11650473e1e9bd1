package replay

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/visible"
)

//go:embed page.html
var pageText string

// Bounds of the charts. A chart is as wide as its page; these are parts of it.
const (
	mostDays   = 92 // the last ones
	mostBars   = 20
	leastDays  = 30  // the room of a column, though there are fewer
	barLength  = 960 // the longest bar, of 1000
	dayWidth   = 9
	dayColumn  = 7
	dayHeight  = 120 // the highest day
	dayDivider = 4   // the line below the days
)

// bar is a row of a chart: what is blocked, then what is asked about.
type bar struct {
	Name       string
	Block, Ask int // the lengths of the two parts
	Stops      Stops
	Calls      int
}

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

// Width is how wide the chart of days is.
func (p *page) Width() int { return max(len(p.Columns), leastDays) * dayWidth }

// Wide reports whether the days fill it.
func (p *page) Wide() bool { return len(p.Columns) >= leastDays }

// Height is how high it is.
func (p *page) Height() int { return dayHeight + dayDivider }

// Floor is where its days stand.
func (p *page) Floor() int { return dayHeight + dayDivider/2 }

// Column is the width of a day.
func (p *page) Column() int { return dayColumn }

// Highest is how many calls would have been stopped on the worst day.
func (p *page) Highest() (n int) {
	for _, c := range p.Columns {
		n = max(n, c.Enforce.All())
	}
	return n
}

// Last is the last day of the chart.
func (p *page) Last() string { return p.Columns[0].Name }

// First is the first day of the chart.
func (p *page) First() string { return p.Columns[len(p.Columns)-1].Name }

// StyleHash names the style of the page, so that a browser takes no other.
func (p *page) StyleHash() string {
	_, style, _ := strings.Cut(pageText, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// WriteHTML writes a report as one page that needs nothing from elsewhere. The file is
// replaced in one step, and only its user may read it.
func (r *Report) WriteHTML(path string) error {
	text, err := r.HTML()
	if err != nil {
		return err
	}
	if err := disk.Replace(path, text, 0o600); err != nil {
		return fmt.Errorf("the page cannot be written: %w", err)
	}
	return nil
}

// HTML is the report as one page that needs nothing from elsewhere.
func (r *Report) HTML() ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"count": visible.Number, "percent": percent, "day": day, "line": visible.Line, "since": r.since,
		"join": func(words []string) string { return strings.Join(words, ", ") },
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, &page{r, columns(r.Days), bars(ruleParts(r.Rules)), bars(r.Projects)}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
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
	for _, p := range parts {
		rows = append(rows, bar{
			Name: visible.Clip(visible.Line(p.Name), 60), Stops: p.Enforce, Calls: p.Calls,
			Block: length(p.Enforce.Block, longest, barLength), Ask: length(p.Enforce.Ask, longest, barLength),
		})
	}
	return rows
}

// length is n of so much room; what there is can be seen.
func length(n, most, room int) int {
	if n == 0 {
		return 0
	}
	return max(n*room/most, 2)
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
		all[i].X = (len(all)-1-i)*dayWidth + 1
	}
	return all
}
