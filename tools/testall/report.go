package main

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// line tells of one package as soon as it is done.
func line(r result) {
	word := "ok  "
	if r.failed {
		word = "FAIL"
	}
	fmt.Printf("%s %6.1fs  (%.1fs of processors)  %s  %d passed\n", word, r.took.Seconds(), r.cpu.Seconds(), r.ImportPath, r.passed)
}

// summary prints what was skipped, and what took longest.
func summary(results []result, took time.Duration) {
	reasons := map[string][]string{}
	type timed struct {
		name string
		took time.Duration
	}
	var packages, tests []timed
	for _, r := range results {
		packages = append(packages, timed{r.ImportPath, r.took})
		for _, t := range r.tests {
			if t.action == "skip" {
				why := reason(t.output.String())
				reasons[why] = append(reasons[why], path.Base(r.ImportPath)+"."+t.name)
			}
			if !strings.Contains(t.name, "/") {
				tests = append(tests, timed{path.Base(r.ImportPath) + "." + t.name, t.took})
			}
		}
	}
	for i, list := range [][]timed{packages, tests} {
		slices.SortFunc(list, func(a, b timed) int { return cmp.Compare(b.took, a.took) })
		fmt.Printf("\nthe slowest %s:\n", []string{"packages", "tests"}[i])
		for _, t := range list[:min(15, len(list))] {
			fmt.Printf("  %6.1fs  %s\n", t.took.Seconds(), t.name)
		}
	}
	if len(reasons) > 0 {
		fmt.Println("\nskipped:")
	}
	for _, why := range slices.Sorted(func(yield func(string) bool) {
		for why := range reasons {
			if !yield(why) {
				return
			}
		}
	}) {
		names := reasons[why]
		slices.Sort(names)
		more := ""
		if len(names) > 3 {
			names, more = names[:3], fmt.Sprintf(" and %d more", len(names)-3)
		}
		fmt.Printf("  %s: %s%s\n", why, strings.Join(names, ", "), more)
	}
	fmt.Printf("\n%d packages in %s\n", len(results), took.Round(time.Second))
}

// reason is what a skipped test says of why.
func reason(output string) string {
	why := "without a word"
	for text := range strings.Lines(output) {
		text = strings.TrimSpace(text)
		if text != "" && !strings.HasPrefix(text, "===") && !strings.HasPrefix(text, "---") {
			why = text
		}
	}
	if _, after, ok := strings.Cut(why, ".go:"); ok { // without file and line
		if _, said, ok := strings.Cut(after, ": "); ok {
			why = said
		}
	}
	return why
}

// most is how much is repeated of what a failed test said.
const most = 8 << 10

// tell says at the end what failed, and whether anything did.
func tell(results []result) (failed bool) {
	var names []string
	for _, r := range results {
		if !r.failed {
			continue
		}
		failed = true
		fmt.Printf("\n== FAIL %s\n%s", r.ImportPath, end(r.output))
		named := false
		for _, t := range r.tests {
			if t.action != "fail" && t.action != "run" {
				continue
			}
			how := "FAIL"
			if t.action == "run" {
				how = "UNFINISHED"
			}
			named = true
			fmt.Print(end(t.output.String()))
			names = append(names, fmt.Sprintf("--- %s: %s %s (%.1fs)", how, r.ImportPath, t.name, t.took.Seconds()))
		}
		if !named {
			names = append(names, "--- FAIL: "+r.ImportPath)
		}
	}
	if failed {
		fmt.Printf("\n%s\n", strings.Join(names, "\n"))
	}
	return failed
}

func end(s string) string {
	if len(s) > most {
		return "…" + s[len(s)-most:]
	}
	return s
}
