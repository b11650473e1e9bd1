package replay

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"os"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/visible"
)

//go:embed page.html
var pageText string

// Bounds of the charts. A chart is as wide as its page; these are parts of it.
const (
	mostColumns = 92 // more days than that are put together
	mostBars    = 20
	leastDays   = 30  // the room of a column, though there are fewer
	barLength   = 960 // the longest bar, of 1000
	dayWidth    = 9
	dayColumn   = 7
	dayHeight   = 120 // the highest day
	dayDivider  = 4   // the line below the days
)

// bar is a row of a chart: what is blocked, then what is asked about.
type bar struct {
	Name       string
	Block, Ask int // the lengths of the two parts
	Stops      Stops
	Calls      int
}

// column is a day, or some: what is blocked stands below what is asked about.
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
	Days     int // of a column
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
func (p *page) Last() string { return p.Columns[len(p.Columns)-1].Name }

// First is the first day of the chart.
func (p *page) First() string { return p.Columns[0].Name }

// StyleHash names the style of the page, so that a browser takes no other.
func (p *page) StyleHash() string {
	_, style, _ := strings.Cut(pageText, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// WriteHTML writes a report as one page that needs nothing from elsewhere. A file is
// replaced in one step, where it lies if the path is a link, and only its user may read it.
// What is not a file, as a pipe, is written to.
func (r *Report) WriteHTML(path string) error {
	text, err := r.HTML()
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = writeTo(path, text)
	} else {
		err = disk.Replace(disk.Real(path), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("the page cannot be written: %w", err)
	}
	return nil
}

// writeTo writes to what is not a file.
func writeTo(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// HTML is the report as one page that needs nothing from elsewhere.
func (r *Report) HTML() ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"count": visible.Number, "of": visible.Count, "percent": percent, "day": day, "line": visible.Line, "since": r.since,
		"join": func(words []string) string { return strings.Join(words, ", ") }, "unjudged": r.unjudged,
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	all, each := columns(r.Days, r.Until)
	if err := t.Execute(&b, &page{r, all, each, bars(ruleParts(r.Rules)), bars(r.Projects)}); err != nil {
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

// columns are the days of the chart, also those without a call, and how many are put
// together in one where they are many. Days after the last one are those of a clock that
// was wrong.
func columns(days []Part, last time.Time) (all []column, each int) {
	var at []time.Time
	var known []Part
	for _, d := range days {
		if day, err := time.Parse(time.DateOnly, d.Name); err == nil && (last.IsZero() || !day.After(last)) { // others have no time
			at, known = append(at, day), append(known, d)
		}
	}
	if len(at) == 0 {
		return nil, 1
	}
	const day = 24 * time.Hour // of UTC
	n := int(at[len(at)-1].Sub(at[0])/day) + 1
	each = (n + mostColumns - 1) / mostColumns
	all = make([]column, (n+each-1)/each)
	for i := range all {
		all[i].Name, all[i].X = at[0].AddDate(0, 0, i*each).Format(time.DateOnly), i*dayWidth+1
	}
	for i, d := range known {
		c := &all[int(at[i].Sub(at[0])/day)/each]
		c.Calls += d.Calls
		c.Enforce.add(d.Enforce)
		c.Auto.add(d.Auto)
	}
	highest := 1
	for i := range all {
		highest = max(highest, all[i].Enforce.All())
	}
	for i := range all {
		c := &all[i]
		c.Block, c.Ask = length(c.Enforce.Block, highest, dayHeight), length(c.Enforce.Ask, highest, dayHeight)
	}
	return all, each
}
