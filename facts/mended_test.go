package facts

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// A text with a mistake in it is not read to its end, which a guard must hear of; what
// a shell runs before it comes to the mistake is told all the same.
func TestTextsWithMistakes(t *testing.T) {
	const wants = "rm -rf ~/work"
	for how, line := range map[string]string{
		"a bracket in the next line":     wants + "\n)",
		"many of them":                   wants + "\n" + strings.Repeat(")\n", 25),
		"a long text after it":           wants + "\n)\n" + strings.Repeat("echo some text\n", 1000),
		"a long text before it":          strings.Repeat("echo some text\n", 1000) + wants + "\n)",
		"in the same line":               wants + "; )",
		"a here-document with no end":    wants + "\ncat <<EOF\nx",
		"a quote with no end":            wants + "\necho 'x",
		"it stands behind the mistake":   ")\n" + wants,
		"it stands between two mistakes": "fi\n" + wants + "\n)\n",
		"in a text of its own":           `bash -c "` + wants + "\n)\n" + strings.Repeat(")\n", 25) + `"`,
		"as input of a shell":            "bash <<'EOF'\n" + wants + "\n" + strings.Repeat(")\n", 25) + "EOF",
	} {
		t.Run(how, func(t *testing.T) {
			var deleted, sure, unread bool
			for _, f := range Shell(line, fuzzed) {
				if f.Does == "delete" && f.Path == "/home/u/work" {
					deleted, sure = true, f.Sure
					if f.At.From < 0 || f.At.To > len(line) {
						t.Errorf("%q: got the span %v, want one in the %d bytes", line, f.At, len(line))
					}
				}
				unread = unread || f.Does == "unknown" && f.Many
			}
			if !deleted || !unread {
				t.Errorf("%.80q: got deleted %v, unread %v, want both", line, deleted, unread)
			}
			if behind := strings.HasPrefix(line, ")") || strings.HasPrefix(line, "fi"); sure == behind {
				t.Errorf("%.80q: got sure %v, want %v", line, sure, !behind)
			}
		})
	}
}

// A parser that tells of one mistake twice stops nothing.
func TestMistakesThatAreToldTwice(t *testing.T) {
	for _, line := range []string{"0& '\x8f'", "rm x& \x8f", "a; b '\x8f' <<E"} {
		if len(Shell(line, fuzzed)) == 0 {
			t.Errorf("%q: got no fact", line)
		}
	}
}

// What the analysis does not look at is more than one unknown thing.
func TestWhatIsTooMuchIsMany(t *testing.T) {
	for how, found := range map[string][]hook.Fact{
		"cmd":        Cmd(strings.Repeat("a ", maxText), fuzzed),
		"powershell": PowerShell(strings.Repeat("a ", maxText), fuzzed),
		"braces":     Shell("echo "+strings.Repeat("{a,b}", 40), fuzzed),
		"code":       Shell("python3 -c '"+strings.Repeat("(", 5000)+"'", fuzzed),
	} {
		many := false
		for _, f := range found {
			many = many || f.Does == "unknown" && f.Many
		}
		if !many {
			t.Errorf("%s: got %v, want an unknown of many", how, found)
		}
	}
}
