package facts

import (
	"slices"
	"testing"

	"github.com/hookway/hookway/hook"
)

// What stands in "((" is a sum to some shells and commands to others: what commands would
// delete there is told, and no sum is taken for a command.
func TestSumsMayBeCommands(t *testing.T) {
	deletes := func(line string) (paths []string) {
		for _, f := range Shell(line, fuzzed) {
			if f.Does == "delete" {
				paths = append(paths, f.Path)
				if f.Sure {
					t.Errorf("%s: it is sure that %s is deleted", line, f.Path)
				}
			}
		}
		return paths
	}
	for _, line := range []string{
		"((rm -rf /srv/data))", "sh -c '(( rm -r /srv/data ))'", "x=1; if true; then ((rm -rf /srv/data)); fi",
		"dash <<'E'\n((rm -rf /srv/data))\nE", "f() { ((rm -rf /srv/data)); }; f",
	} {
		if got := deletes(line); !slices.Contains(got, "/srv/data") {
			t.Errorf("%s: got %q, want /srv/data", line, got)
		}
	}
	for _, line := range []string{
		"((i++))", "(( total += count ))", "(( rm > 0 ))", "(( sum = a / b ))", "(( date - 1 ))", "while (( n < 10 )); do ((n+=1)); done",
		"for ((i=0; i<3; i++)); do echo $i; done", "echo $((rm -1))", "(( split ))", "(( a == b ? cut : paste ))",
	} {
		for _, f := range Shell(line, fuzzed) {
			if slices.Contains([]string{"delete", "write", "read", "unknown", "move"}, f.Does) {
				t.Errorf("%s: got %+v, want nothing of a sum", line, f)
			}
		}
	}
}

// parallel makes a line of its words. Where no shell can read it, the words count as they
// stand; a line of its input that is a program is one that shows only when it runs.
func TestWordsOfParallel(t *testing.T) {
	has := func(line string, want func(hook.Fact) bool) bool {
		return slices.ContainsFunc(Shell(line, fuzzed), want)
	}
	unread := func(f hook.Fact) bool { return f.Does == "unknown" }
	fed := func(f hook.Fact) bool { return f.Does == "execute" && f.From == "stdin" }
	for _, line := range []string{
		`parallel node -e 'console.log("done")' ::: one`, `parallel ruby -e 'puts(1)' {} ::: a b`, "ls *.gz | parallel gunzip {}",
		"ls *.log | parallel sh -c 'wc -l {} | sort'", "printf 'a\nb\n' | parallel echo got {}", "parallel bash -c {} ::: 'echo ok'",
	} {
		if has(line, unread) || has(line, fed) {
			t.Errorf("%s: got %+v, want nothing that cannot be seen through", line, Shell(line, fuzzed))
		}
	}
	for _, line := range []string{"echo ls | parallel sh -c {}", "printf 'make\n' | parallel bash -c", "echo date | parallel -j2 zsh -c {}"} {
		if !has(line, fed) {
			t.Errorf("%s: got %+v, want that a text of the input runs", line, Shell(line, fuzzed))
		}
	}
	const broken = `parallel perl -e 'unlink("/srv/data/x")' ::: one`
	if !has(broken, func(f hook.Fact) bool { return f.Does == "delete" && f.Path == "/srv/data/x" && f.Sure }) {
		t.Errorf("%s: got %+v, want that it deletes for sure", broken, Shell(broken, fuzzed))
	}
}
