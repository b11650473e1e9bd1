package guards

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/facts"
)

// score is how well the rules judge rows, in mode enforce: a dangerous row is right
// when it is blocked or asked about, a safe one when nothing holds for it.
type score struct{ safe, dangerous, missed, falseBlocks, falseAsks int }

func (s *score) add(t testing.TB, r Row) {
	found := r.Policy().Judge(r.Facts(world))
	switch {
	case !r.Safe():
		s.dangerous++
		if len(found) == 0 {
			s.missed++
			t.Logf("passes: %.200q", r.Text())
		}
		return
	case len(found) == 0:
	case found[0].Verdict == Block:
		s.falseBlocks++
		t.Logf("%s blocks: %.200q", found[0].Rule.ID, r.Text())
	default:
		s.falseAsks++
		t.Logf("%s asks: %.200q", found[0].Rule.ID, r.Text())
	}
	s.safe++
}

func (s score) log(t testing.TB, name string) {
	all := s.safe + s.dangerous
	right := all - s.missed - s.falseBlocks - s.falseAsks
	t.Logf("%-16s %5d rows, right %.3f; of %d dangerous %.1f %% are stopped; of %d safe %.1f %% are blocked, %.1f %% asked about", name, all, share(right, all),
		s.dangerous, 100-100*share(s.missed, s.dangerous), s.safe, 100*share(s.falseBlocks, s.safe), 100*share(s.falseAsks, s.safe))
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// The corpora stay judged as well as they are asked to be. With CORPUS=FILE one's own
// file is judged beside them; -v shows each row that is judged wrongly.
func TestCorpora(t *testing.T) {
	own, err := Corpora()
	if err != nil {
		t.Fatal(err)
	}
	var all score
	for _, c := range own {
		var s score
		for _, r := range c.Rows {
			s.add(t, r)
		}
		s.log(t, c.Name)
		all.safe, all.dangerous, all.missed = all.safe+s.safe, all.dangerous+s.dangerous, all.missed+s.missed
		all.falseBlocks, all.falseAsks = all.falseBlocks+s.falseBlocks, all.falseAsks+s.falseAsks
	}
	all.log(t, "all")
	if got := share(all.missed, all.dangerous); got > 0.07 {
		t.Errorf("%.1f %% of the dangerous rows pass, want at most 7", 100*got)
	}
	if got := share(all.falseBlocks, all.safe); got > 0.01 {
		t.Errorf("%.1f %% of the safe rows are blocked, want at most 1", 100*got)
	}
	if got := share(all.falseAsks, all.safe); got > 0.05 {
		t.Errorf("%.1f %% of the safe rows are asked about, want at most 5", 100*got)
	}
	if name := os.Getenv("CORPUS"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := ReadRows(name, f)
		if err != nil {
			t.Fatal(err)
		}
		var s score
		for _, r := range rows {
			s.add(t, r)
		}
		s.log(t, filepath.Base(name))
	}
}

func BenchmarkCall(b *testing.B) {
	var rows []Row
	own, err := Corpora()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range own {
		rows = append(rows, c.Rows...)
	}
	all := Everything()
	all.Judge(facts.Shell("ls", world))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		all.Judge(rows[i%len(rows)].Facts(world))
	}
}

func BenchmarkMegabyte(b *testing.B) {
	for name, line := range map[string]string{
		"blanks": strings.Repeat("a ", 1<<19), "brackets": strings.Repeat("(", 1<<20), "substitutions": strings.Repeat("$(", 1<<19), "quotes": strings.Repeat("'\"", 1<<19),
		"commands": strings.Repeat("rm x;", 1<<18), "pipes": strings.Repeat("a|", 1<<19), "here-doc": "cat <<E\n" + strings.Repeat("x\n", 1<<19) + "E\n",
		"64k braces": "echo " + strings.Repeat("{a,b}", 12000), "64k commands": strings.Repeat("rm x;", 12000), "64k eval": strings.Repeat("eval ", 12000), "64k variables": strings.Repeat("$a$b", 12000),
		"64k brackets": strings.Repeat("(", 60000), "64k if": strings.Repeat("if ", 20000), "64k substitutions": strings.Repeat("$(", 30000), "64k functions": strings.Repeat("f(){ ", 12000), "64k quotes": strings.Repeat("'\"", 30000), "64k pipes": strings.Repeat("a|", 30000),
		"64k loops": strings.Repeat("for i in 1 2 3; do ", 3000), "64k aliases": "alias a='a b c d';" + strings.Repeat("a;", 20000),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Everything().Judge(facts.Shell(line, world))
			}
		})
	}
}

func TestReadRowsNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"{\"command\": \"ls\", \"expect\": \"pass\"}\nls\n":                "rows:2: not a JSON object",
		"\n{\"command\": \"ls\"}\n":                                        "rows:2: it does not say what is expected",
		"{\"command\": \"ls\", \"expect\": \"no\"}":                        `rows:1: invalid expect "no": want block, ask or pass`,
		"{\"expect\": \"pass\"}":                                           "rows:1: it has no one call",
		"{\"command\": 1, \"expect\": \"pass\"}":                           "rows:1: not a JSON object",
		"{\"command\": \"ls\", \"shell\": \"fish\", \"expect\": \"pass\"}": `rows:1: invalid shell "fish"`,
		"": "rows: no rows",
	} {
		if _, err := ReadRows("rows", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
