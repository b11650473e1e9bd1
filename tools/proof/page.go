package main

import (
	"fmt"
	"os"
	"strings"
)

const head = `# Proof

What takes too long for every check, or needs the network, is run by ` + "`make proof`" + `; this page
holds the last table. Each row is a command of the tree with a deadline
([tools/proof](../tools/proof/rows.go)); the commit is the one it ran at.
` + "`make proof ROWS=claude,relay PAGE=docs/proof.md`" + ` runs two rows and leaves the others as they are.

`

const columns = "| row | what | state | seen | time | commit |\n|---|---|---|---|---|---|\n"

// table is the table of results.
func table(seen []result) string {
	b := columns
	for _, r := range seen {
		b += r.line()
	}
	return b
}

func (r result) line() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", r.name, cell(r.what), r.state, cell(r.saw), r.took, r.commit)
}

// cell is text that keeps to its cell.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

// write puts the rows into a page; those that did not run stay as they are there.
func write(page string, seen []result) error {
	old, err := os.ReadFile(page)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(old)) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |"); ok {
			lines[name] = line
		}
	}
	for _, r := range seen {
		lines[r.name] = r.line()
	}
	b := head + columns
	for _, r := range rows {
		line, ok := lines[r.name]
		if !ok {
			line = fmt.Sprintf("| %s | %s | not run | | | |\n", r.name, cell(r.what))
		}
		b += line
	}
	return os.WriteFile(page, []byte(b), 0o644)
}
