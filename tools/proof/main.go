// Command proof runs what takes too long, or needs too much, for every check:
// all agents for real, chaos, long runs, matrices. It prints one table.
//
//	go run ./tools/proof [-rows a,b] [-page docs/proof.md] [-list]
//
// A row is a command that exists in the tree, with its deadline (rows.go). What
// a row saw is what its tests print after "proof: ". A row that ran no test has
// failed, and one that was skipped says why: nothing is left out in silence.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	wanted := flag.String("rows", "", "only these rows, by `names` with commas")
	page := flag.String("page", "", "the `file` that the table is written to; rows that do not run now stay as they are")
	list := flag.Bool("list", false, "only list the rows")
	flag.Parse()
	chosen, err := choose(*wanted)
	if err != nil {
		fmt.Fprintln(os.Stderr, "proof:", err)
		os.Exit(2)
	}
	if *list {
		for _, r := range chosen {
			fmt.Printf("%-14s %s\n", r.name, r.what)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := prove(ctx, chosen, *page); err != nil {
		fmt.Fprintln(os.Stderr, "proof:", err)
		os.Exit(1)
	}
}

// choose returns the rows of these names, or all.
func choose(names string) ([]row, error) {
	if names == "" {
		return rows, nil
	}
	var chosen []row
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no row %q; -list names them", name)
		}
		chosen = append(chosen, rows[i])
	}
	return chosen, nil
}

// prove runs rows one after the other and shows what came of them.
func prove(ctx context.Context, chosen []row, page string) error {
	at := commit(page)
	var seen []result
	failed := 0
	for i, r := range chosen {
		fmt.Printf("[%d/%d] %s: %s\n", i+1, len(chosen), r.name, strings.Join(r.command, " "))
		result := run(ctx, r)
		result.commit = at
		fmt.Printf("      %s in %s: %s\n", result.state, result.took, result.saw)
		if result.state == bad {
			failed++
			fmt.Println(result.tail)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		seen = append(seen, result)
		if page == "" {
			continue
		}
		if err := write(page, seen); err != nil { // who stops it later keeps what was seen by now
			return err
		}
	}
	fmt.Printf("\n%s", table(seen))
	if failed > 0 {
		return fmt.Errorf("%d of %d rows failed; what they printed is in %s", failed, len(seen), logs)
	}
	return nil
}

// commit names the tree that is proven. The page that is written is not a change of it.
func commit(page string) string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	name := strings.TrimSpace(string(out))
	changes := []string{"status", "--porcelain", "--", "."}
	if page != "" {
		changes = append(changes, ":!"+page)
	}
	if out, err := exec.Command("git", changes...).Output(); err != nil || len(out) > 0 {
		name += "-dirty"
	}
	return name
}
